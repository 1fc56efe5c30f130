// SPDX-License-Identifier: MIT
// MARC in ISO 2709, by libyaz: its length stands before each record, and 1D ends it.
#include "base/text.h"
#include "tools/load/handle.h"
#include "tools/load/items.h"
#include "xml/document.h"

namespace oai::load {
namespace {

constexpr std::size_t kLeaderBytes = 24, kEntryBytes = 12, kMostBytes = 99'999;
constexpr char kRecordEnd = '\x1D';

// Whether the directory behind the leader, of entries that begin with a tag, has this one.
bool has_tag(std::string_view record, std::string_view tag) {
    for (std::size_t at = kLeaderBytes; at + kEntryBytes <= record.size(); at += kEntryBytes) {
        if (record[at] == '\x1E') break;
        if (record.substr(at, tag.size()) == tag) return true;
    }
    return false;
}

// What is UTF-8 is taken as that, whatever the leader says: in no other coding are several letters
// beyond ASCII so by chance.
const char* coding_of(std::string_view record) {
    if (text::is_utf8(record) || record[9] == 'a') return nullptr;
    return has_tag(record, "200") && !has_tag(record, "245") ? "ISO5426" : "MARC-8";
}

// The record as MARCXML. Throws std::runtime_error.
std::string as_xml(std::string_view record) {
    const MarcHandle marc(yaz_marc_create());
    const char* const coding = coding_of(record);
    const MarcCodingHandle iconv(coding == nullptr ? nullptr : yaz_iconv_open("UTF-8", coding));
    yaz_marc_xml(marc.get(), YAZ_MARC_MARCXML);
    if (iconv) yaz_marc_iconv(marc.get(), iconv.get());
    const char* result = nullptr;
    std::size_t size = 0;
    if (yaz_marc_decode_buf(marc.get(), record.data(), static_cast<int>(record.size()), &result,
                            &size) <= 0)
        throw std::runtime_error("is no record of ISO 2709");
    return text::to_xml_text({result, size});
}

// The length of the record at which s begins; 0 if none begins there.
std::size_t length_of(std::string_view s) {
    const auto length = text::to_integer(s.substr(0, 5));
    if (s.size() <= kLeaderBytes || !length) return 0;
    const auto n = static_cast<std::size_t>(*length);
    return n > kLeaderBytes && n <= s.size() && s[n - 1] == kRecordEnd ? n : 0;
}

}  // namespace

void read_items_mrc(Input& input, bool keep_deleted_marc, ItemHandler& handler) {
    for (std::uint64_t number = 1;;) {
        std::string_view s = input.peek(kMostBytes);
        if (s.empty()) {
            if (input.broken().empty()) return;
            handler.damage(number, input.broken());
            if (!input.resume()) return;
            continue;
        }
        if (const auto blanks = std::min(s.find_first_not_of("\r\n "), s.size()); blanks > 0) {
            input.consume(blanks);
            continue;
        }
        // Where a length is wrong, as where letters were counted, not bytes, 1D tells the end.
        std::size_t n = length_of(s);
        if (n == 0) n = std::min(s.find(kRecordEnd), s.size() - 1) + 1;
        const std::string_view record = s.substr(0, n);
        try {
            if (record.back() != kRecordEnd || n <= kLeaderBytes)
                throw std::runtime_error("is cut off, or no record of ISO 2709");
            const auto document =
                xml::parse_memory(as_xml(record), "record " + std::to_string(number));
            take_record(xmlDocGetRootElement(document.get()), number, keep_deleted_marc, handler);
        } catch (const std::runtime_error& e) {
            handler.damage(number, std::string("record ") + e.what());
        }
        input.consume(n);
        ++number;
    }
}

}  // namespace oai::load
