// SPDX-License-Identifier: MIT
// Reads any bytes as a repository's answer, or as a static repository. Everything taken from it is
// XML text that can be read by itself, and repairing an answer a second time changes nothing.
#include <cstdint>

#include "base/text.h"
#include "require.h"
#include "tools/harvest/answer.h"
#include "tools/harvest/file_sink.h"
#include "tools/harvest/list_walk.h"
#include "xml/document.h"
#include "xml/reader.h"

namespace {

// Throws if the document is not well-formed.
void read_again(const std::string& document) {
    require(text::is_xml_text(document));
    xml::Reader reader(document);
    while (reader.next()) {
    }
}

// Each element can be read again by itself.
void check_element(const std::string& element) {
    if (!element.empty()) read_again(element);
}

void check_record(const harvest::Record& record) {
    require(!record.identifier.empty() && text::is_xml_text(record.identifier) &&
            text::is_xml_text(record.datestamp));
    for (const std::string& spec : record.set_specs) require(text::is_xml_text(spec));
    check_element(record.metadata);
    for (const std::string& about : record.abouts) check_element(about);
    std::string file = harvest::file_head("http://a", {});
    harvest::append_record(file, record);
    read_again(file + harvest::file_tail());
}

void check_answer(const harvest::ParsedAnswer& answer) {
    require(text::is_xml_text(answer.token) && text::is_xml_text(answer.response_date));
    for (const harvest::Record& record : answer.records) check_record(record);
    for (const harvest::SetInfo& set : answer.sets)
        require(!set.spec.empty() && text::is_xml_text(set.name));
    for (const std::string& description : answer.identity.descriptions) check_element(description);
    const std::string from =
        harvest::from_after(answer.response_date, std::chrono::seconds{60}, true);
    require(from.empty() || from.size() == 20);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    xml::initialise();
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const harvest::RepairResult repaired = harvest::repair(std::string(bytes));
    require(repaired.changes > 0 || repaired.bytes == bytes);
    require(harvest::repair(repaired.bytes).changes == 0);
    const harvest::RequestArguments list{{"verb", "ListRecords"}, {"metadataPrefix", "oai_dc"}};
    for (const harvest::RequestArguments& request : {harvest::RequestArguments{}, list}) {
        std::optional<harvest::ParsedAnswer> answer;
        try {
            answer = harvest::read_answer(bytes, request, "2001-01-01T00:00:00Z");
        } catch (const xml::Error& e) {
            require(*e.what() != '\0');
        }
        if (answer) check_answer(*answer);
    }
    if (const auto remains = harvest::salvage(std::string(bytes))) check_answer(remains->answer);
    return 0;
}
