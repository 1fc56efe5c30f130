// SPDX-License-Identifier: MIT
#include "browse/replay.h"

#include <algorithm>
#include <array>

#include "base/utc.h"
#include "format/record_xml.h"

namespace oai {
namespace {

// "" if the record has no such column.
std::string value_of(const xmlNode* record, const std::string& column) {
    const xml::StringHandle value(
        xmlGetNoNsProp(record, reinterpret_cast<const xmlChar*>(column.c_str())));
    std::string text = value ? reinterpret_cast<const char*>(value.get()) : "";
    if (parse_utc(text)) std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
    return text;
}

}  // namespace

std::string replay_address(std::string_view pattern, const RecordBatch& batch,
                           std::string_view identifier_prefix) {
    if (pattern.empty() || batch.header(0).deleted) return "";
    const RecordXml made = records_to_xml(batch, std::array{0}, identifier_prefix);
    const xmlNode* records = xmlDocGetRootElement(made.document.get());
    if (made.batch_index.empty()) return "";
    std::string address;
    while (!pattern.empty()) {
        const std::size_t begin = std::min(pattern.find('{'), pattern.size());
        const std::size_t end = pattern.find('}', begin);
        address += pattern.substr(0, begin);
        if (end == std::string_view::npos) return address.append(pattern.substr(begin));
        const std::string value =
            value_of(records->children, std::string(pattern.substr(begin + 1, end - begin - 1)));
        if (value.empty()) return "";
        address += value;
        pattern.remove_prefix(end + 1);
    }
    return address;
}

}  // namespace oai
