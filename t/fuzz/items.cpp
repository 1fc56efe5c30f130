// SPDX-License-Identifier: MIT
// Any bytes as bibliographic items, in CSV and in XML: what is found has an identifier and texts that fit the database.
#include "load/items_csv.h"
#include "load/items_xml.h"

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "base/text.h"
#include "input.h"
#include "require.h"
#include "xml/document.h"

namespace {

using oai::fuzz::require;

class Checked final : public oai::load::ItemFindings {
  public:
    void item(oai::load::Item item) override {
        require(!item.local_id.empty() && item.local_id == oai::load::local_id_of(item.local_id));
        require(oai::text::is_xml_text(item.marc) && oai::text::is_xml_text(item.mods));
        for (const auto& values : item.elements)
            for (const auto& value : values) require(!value.text.empty() && oai::text::is_xml_text(value.text));
    }
    void damage(std::uint64_t line, const std::string&) override { require(line > 0); }
};

template <class Read>
void try_reading(const std::uint8_t* data, std::size_t size, Read read) {
    Checked findings;
    oai::load::Input input = oai::load::fuzz::input_of(data, size);
    try {
        read(input, findings);
    } catch (const std::runtime_error&) {  // cannot be read any further
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    oai::xml::initialise();
    try_reading(data, size, [](auto& input, auto& findings) { oai::load::read_items_csv(input, '|', findings); });
    try_reading(data, size, oai::load::read_items_xml);
    return 0;
}
