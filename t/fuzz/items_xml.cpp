// SPDX-License-Identifier: MIT
// The reader of bibliographic records in XML, over any bytes: what it finds has an identifier that fits the database.
#include "load/items_xml.h"

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "base/text.h"
#include "xml/document.h"

namespace {

class Checked final : public oai::load::ItemFindings {
  public:
    void item(oai::load::Item item) override {
        if (item.local_id.empty() || item.local_id != oai::load::local_id_of(item.local_id)) std::abort();
        if (!oai::text::is_xml_text(item.marc) || !oai::text::is_xml_text(item.mods)) std::abort();
        for (const auto& values : item.elements)
            for (const auto& value : values)
                if (value.text.empty() || !oai::text::is_xml_text(value.text)) std::abort();
    }
    void damage(std::uint64_t line, const std::string&) override {
        if (line == 0) std::abort();
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    oai::xml::initialise();
    Checked findings;
    try {
        auto input = oai::load::Input::of_bytes(std::string(reinterpret_cast<const char*>(data), size));
        oai::load::read_items_xml(input, findings);
    } catch (const std::runtime_error&) {  // cannot be read any further
    }
    return 0;
}
