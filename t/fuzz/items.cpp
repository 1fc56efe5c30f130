// SPDX-License-Identifier: MIT
// Reads any bytes as bibliographic items, in CSV, in XML and in ISO 2709. Every item found has an
// identifier, and its texts are valid XML text.
#include "tools/load/items.h"

#include <cstdint>
#include <stdexcept>

#include "base/text.h"
#include "input.h"
#include "require.h"
#include "xml/document.h"

namespace {

using oai::fuzz::require;

class CheckingItemHandler final : public oai::load::ItemHandler {
  public:
    void item(oai::load::Item item) override {
        require(!item.local_id.empty() && item.local_id == oai::load::local_id_of(item.local_id));
        require(oai::text::is_xml_text(item.marc) && oai::text::is_xml_text(item.mods));
        for (const auto& values : item.elements)
            for (const auto& value : values)
                require(!value.text.empty() && oai::text::is_xml_text(value.text));
    }
    void damage(std::uint64_t line, const std::string&) override { require(line > 0); }
    void note(std::uint64_t line, const std::string&) override { require(line > 0); }
    void remark(const std::string&) override {}
};

template <class Read>
void try_reading(const std::uint8_t* data, std::size_t size, Read read) {
    CheckingItemHandler handler;
    oai::load::Input input = oai::load::fuzz::input_of(data, size);
    try {
        read(input, handler);
    } catch (const std::runtime_error&) {  // the rest cannot be read
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    oai::xml::initialise();
    try_reading(data, size, [](auto& input, auto& handler) {
        if (const auto header = oai::load::csv_header(input, {}))
            oai::load::read_items_csv(input, *header, '|', handler);
    });
    for (const bool keep : {false, true})
        try_reading(data, size, [&](auto& input, auto& handler) {
            oai::load::read_items_xml(input, keep, handler);
        });
    for (const bool keep : {false, true})
        try_reading(data, size, [&](auto& input, auto& handler) {
            oai::load::read_items_mrc(input, keep, handler);
        });
    return 0;
}
