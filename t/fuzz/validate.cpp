// SPDX-License-Identifier: MIT
// Reads any bytes as the answer of a repository under test. They are parsed as far as they are XML,
// and every value is valid text.
#include <cstdint>
#include <string>

#include "base/text.h"
#include "require.h"
#include "tools/validate/answer.h"
#include "xml/document.h"

namespace {

void check_payload(const validate::Payload& payload) {
    require(!payload.name.empty() && payload.text.find('<') != payload.text.npos &&
            text::is_xml_text(payload.text));
    require(text::is_xml_text(payload.schema_location) &&
            (payload.has_schema || payload.invalid.empty()));
    const auto address = validate::schema_address(payload.schema_location, payload.name_space);
    require(payload.schema_location.find(address) != std::string::npos);
}

void check_record(const validate::Record& record) {
    require(text::is_xml_text(record.header.identifier) &&
            text::is_xml_text(record.header.datestamp));
    for (const std::string& set : record.header.sets) require(text::is_xml_text(set));
    for (const auto& [name, value] : record.dublin_core)
        require(!name.empty() && text::is_xml_text(value));
    if (record.metadata) check_payload(*record.metadata);
    for (const validate::Payload& about : record.about) check_payload(about);
}

void check(const validate::Answer& answer) {
    require(answer.well_formed() == answer.broken.empty() && text::is_xml_text(answer.verb));
    for (const auto& [name, value] : answer.request)
        require(!name.empty() && text::is_xml_text(value));
    for (const validate::ErrorElement& error : answer.errors) require(answer.has_error(error.code));
    for (const validate::Record& record : answer.records) check_record(record);
    if (!answer.identification) return;
    require(answer.verb == "Identify" || !answer.verb.empty());
    for (const validate::Payload& description : answer.identification->descriptions)
        check_payload(description);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    xml::initialise();
    static validate::Schemas schemas;  // compiles each grammar once
    validate::Reply reply{.status = 200};
    reply.body.assign(reinterpret_cast<const char*>(data), size);
    check(validate::read_answer({.arguments = "verb=Identify"}, reply, schemas));
    return 0;
}
