// SPDX-License-Identifier: MIT
// Any bytes as a static repository: what is told of it stands in it, and one that is as it should be is so again when its
// parts are written as they were read.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/text.h"
#include "input.h"
#include "require.h"
#include "static_repository/importer.h"
#include "static_repository/writer.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace {

using namespace oai;
using namespace oai::static_repository;
using oai::fuzz::require;

class Told final : public Findings {
  public:
    void identity(const Identity& is) override { who = is; }
    void format(const Format& is) override {
        for (const std::string& s : {is.prefix, is.schema, is.name_space}) require(text::is_xml_text(s));
        formats.push_back(is);
    }
    void record(const std::string& prefix, const xmlNode* record) override {
        require(xml::name_of(record) == "record");
        std::string& list = lists[prefix];
        std::ostringstream out;
        write_record(out, record);
        list += out.str();
    }
    void wrong(long line, const std::string& what) override {
        require(line > 0 && text::is_xml_text(what) && !what.empty());
        sound = false;
    }
    void remark(long line, const std::string& what) override {
        require(line > 0 && text::is_xml_text(what) && !what.empty());
    }

    Identity who;
    std::vector<Format> formats;
    std::map<std::string, std::string> lists;  // records as they are written, by prefix
    bool sound = true;
};

// Of a list there is something to write only if it has records.
bool has_all_lists(const Told& told) {
    for (const Format& format : told.formats)
        if (!told.lists.contains(format.prefix)) return false;
    return true;
}

std::string written(const Told& told) {
    std::ostringstream out;
    write_head(out, told.who, {}, told.formats);
    for (const auto& [prefix, records] : told.lists) {
        begin_list(out, prefix);
        out << records;
        end_list(out);
    }
    write_end(out);
    return out.str();
}

Told told_of(load::Input input) {
    Told told;
    read(input, told);
    return told;
}

void check_reading(load::Input input) {
    const Told told = told_of(std::move(input));
    if (!told.sound || !has_all_lists(told)) return;
    const std::string once = written(told);
    const Told again = told_of(load::Input::of_bytes(once));
    require(again.sound && written(again) == once);
}

void check_survey(load::Input input) {
    std::int64_t wrong = 0, remarks = 0;
    const Survey found = survey(input, "example.org",
                                {.wrong = [&](long, const std::string& what) { require(!what.empty()); ++wrong; },
                                 .remark = [&](long, const std::string&) { ++remarks; }});
    require(found.wrong == wrong && found.remarks == remarks);
    for (const auto& payloads : {found.marc, found.mods})
        for (const auto& [id, payload] : payloads)
            require(found.local_ids.contains(id) && !id.empty() && !payload.empty() && text::is_xml_text(payload));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    xml::initialise();
    oai::fuzz::try_reading<std::runtime_error>([&] { check_reading(load::fuzz::input_of(data, size)); });
    oai::fuzz::try_reading<std::runtime_error>([&] { check_survey(load::fuzz::input_of(data, size)); });
    return 0;
}
