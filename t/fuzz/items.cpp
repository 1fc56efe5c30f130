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

class CheckingItemHandler final : public load::ItemHandler {
  public:
    void item(load::Item item) override {
        require(!item.local_id.empty() && item.local_id == load::local_id_of(item.local_id));
        require(text::is_xml_text(item.marc) && text::is_xml_text(item.mods));
        for (const auto& values : item.elements)
            for (const auto& value : values)
                require(!value.text.empty() && text::is_xml_text(value.text));
    }
    void damage(std::uint64_t line, const std::string&) override { require(line > 0); }
    void note(std::uint64_t line, const std::string&) override { require(line > 0); }
    void remark(const std::string&) override {}
};

template <class Read>
void try_reading(const std::uint8_t* data, std::size_t size, Read read) {
    CheckingItemHandler handler;
    load::Input input = load::fuzz::input_of(data, size);
    try {
        read(input, handler);
    } catch (const std::runtime_error&) {  // the rest cannot be read
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    xml::initialise();
    try_reading(data, size, [](auto& input, auto& handler) {
        if (const auto header = load::csv_header(input, {}))
            load::read_items_csv(input, *header, '|', handler);
    });
    for (const bool keep : {false, true})
        try_reading(data, size, [&](auto& input, auto& handler) {
            load::read_items_xml(input, keep, handler);
        });
    for (const bool keep : {false, true})
        try_reading(data, size, [&](auto& input, auto& handler) {
            load::read_items_mrc(input, keep, handler);
        });
    return 0;
}
