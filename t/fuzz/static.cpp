// SPDX-License-Identifier: MIT
// Reads any bytes as a static repository. What the reader finds is well-formed text, and a
// repository without faults has none either when it is written out again as it was read.
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/text.h"
#include "input.h"
#include "require.h"
#include "tools/static_repository/gateway.h"
#include "tools/static_repository/importer.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace {

using namespace oai;
using namespace oai::static_repository;
using oai::fuzz::require;

class CollectedRepository final : public RepositoryHandler {
  public:
    void identity(const StaticIdentity& is) override { who = is; }
    void format(const StaticFormat& is) override {
        for (const std::string& s : {is.prefix, is.schema, is.name_space})
            require(text::is_xml_text(s));
        formats.push_back(is);
    }
    void record(const std::string& prefix, const xmlNode* record) override {
        require(xml::name_of(record) == "record");
        std::string& list = lists[prefix];
        std::ostringstream out;
        write_record(out, record);
        list += out.str();
    }
    void fault(long line, const std::string& what) override {
        require(line > 0 && text::is_xml_text(what) && !what.empty());
        sound = false;
    }
    void note(long line, const std::string& what) override {
        require(line > 0 && text::is_xml_text(what) && !what.empty());
    }

    StaticIdentity who;
    std::vector<StaticFormat> formats;
    std::map<std::string, std::string> lists;  // records as they are written, by prefix
    bool sound = true;
};

// Only lists with records can be written.
bool has_all_lists(const CollectedRepository& repository) {
    for (const StaticFormat& format : repository.formats)
        if (!repository.lists.contains(format.prefix)) return false;
    return true;
}

std::string write_repository(const CollectedRepository& repository) {
    std::ostringstream out;
    write_head(out, repository.who, {}, repository.formats);
    for (const auto& [prefix, records] : repository.lists) {
        begin_list(out, prefix);
        out << records;
        end_list(out);
    }
    write_end(out);
    return out.str();
}

CollectedRepository read_repository(load::Input input) {
    CollectedRepository repository;
    read(input, repository);
    return repository;
}

void check_reading(load::Input input) {
    const CollectedRepository repository = read_repository(std::move(input));
    if (!repository.sound || !has_all_lists(repository)) return;
    const std::string once = write_repository(repository);
    const CollectedRepository again = read_repository(load::Input::of_bytes(once));
    require(again.sound && write_repository(again) == once);
}

void check_survey(load::Input input) {
    std::int64_t faults = 0, notes = 0;
    const RepositorySurvey found = survey(input, "example.org",
                                          {.fault =
                                               [&](long, const std::string& what) {
                                                   require(!what.empty());
                                                   ++faults;
                                               },
                                           .note = [&](long, const std::string&) { ++notes; }});
    require(found.faults == faults && found.notes == notes);
    for (const auto& payloads : {found.marc, found.mods})
        for (const auto& [id, payload] : payloads)
            require(found.local_ids.contains(id) && !id.empty() && !payload.empty() &&
                    text::is_xml_text(payload));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    xml::initialise();
    oai::fuzz::try_reading<std::runtime_error>(
        [&] { check_reading(load::fuzz::input_of(data, size)); });
    oai::fuzz::try_reading<std::runtime_error>(
        [&] { check_survey(load::fuzz::input_of(data, size)); });
    return 0;
}
