// SPDX-License-Identifier: MIT
// MARC in ISO 2709, by libyaz: its length stands before each record, and 1D ends it.
#include "base/text.h"
#include "tools/harvest/answer.h"
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

// Whether each field ends where the directory says. Where it does not, libyaz cuts fields wrongly
// or leaves the rest out, and calls that a success.
bool is_sound(std::string_view record) {
    const auto base = text::to_integer(record.substr(12, 5)).value_or(-1);
    for (std::size_t at = kLeaderBytes; at < record.size(); at += kEntryBytes) {
        if (record[at] == '\x1E') return base == static_cast<std::int64_t>(at) + 1;
        if (at + kEntryBytes > record.size()) return false;
        const auto bytes = text::to_integer(record.substr(at + 3, 4)).value_or(-1);
        const auto begin = text::to_integer(record.substr(at + 7, 5)).value_or(-1);
        if (base < 0 || bytes < 1 || begin < 0) return false;
        const auto end = static_cast<std::size_t>(base + begin + bytes - 1);
        if (end >= record.size() || record[end] != '\x1E') return false;
    }
    return false;
}

// What is UTF-8 is taken as that, whatever the leader says: in no other coding are several letters
// beyond ASCII so by chance. But MARC-8 has other scripts in seven bits, behind escape sequences.
const char* coding_of(std::string_view record) {
    const bool escapes = record.find('\x1B') != record.npos;
    if (record[9] == 'a' || (text::is_utf8(record) && !escapes)) return nullptr;
    return has_tag(record, "200") && !has_tag(record, "245") ? "ISO5426" : "MARC-8";
}

// The record as MARCXML. Throws std::runtime_error.
std::string as_xml(std::string_view record) {
    // libyaz checks where a field ends, but not its indicators: up to 9 characters of 4 bytes.
    constexpr std::size_t kReadBeyond = 64;
    std::string padded(record);
    padded.append(kReadBeyond, '\0');
    const MarcHandle marc(yaz_marc_create());
    const char* const coding = coding_of(record);
    const MarcCodingHandle iconv(coding == nullptr ? nullptr : yaz_iconv_open("UTF-8", coding));
    yaz_marc_xml(marc.get(), YAZ_MARC_MARCXML);
    if (iconv) yaz_marc_iconv(marc.get(), iconv.get());
    const char* result = nullptr;
    std::size_t size = 0;
    if (yaz_marc_decode_buf(marc.get(), padded.data(), static_cast<int>(record.size()), &result,
                            &size) <= 0)
        throw std::runtime_error("is no record of ISO 2709");
    return harvest::repair_text({result, size}).bytes;
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
        // Where a length is wrong, 1D tells where the next one begins.
        std::size_t n = length_of(s);
        if (n == 0 && s.size() >= kMostBytes && s.find(kRecordEnd) == s.npos) {
            handler.damage(number++, "record is longer than ISO 2709 allows");
            for (auto end = s.npos; end == s.npos && !s.empty(); s = input.peek(kMostBytes)) {
                end = s.find(kRecordEnd);
                input.consume(std::min(end, s.size() - 1) + 1);
            }
            continue;
        }
        if (n == 0) n = std::min(s.find(kRecordEnd), s.size() - 1) + 1;
        const std::string_view record = s.substr(0, n);
        xml::DocumentHandle document;
        try {
            if (record.back() != kRecordEnd || n <= kLeaderBytes)
                throw std::runtime_error("is cut off, or no record of ISO 2709");
            if (!is_sound(record))
                throw std::runtime_error("has fields that are not where its directory says");
            document = xml::parse_memory(as_xml(record), "record " + std::to_string(number));
        } catch (const std::runtime_error& e) {
            handler.damage(number, std::string("record ") + e.what());
        }
        // Not within the try: what the database throws is no damage.
        if (document)
            take_record(xmlDocGetRootElement(document.get()), number, keep_deleted_marc, handler);
        input.consume(n);
        ++number;
    }
}

}  // namespace oai::load
