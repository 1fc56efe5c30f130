// SPDX-License-Identifier: MIT
#include "tools/load/charset.h"

#include <unicode/ustring.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/text.h"
#include "tools/load/field.h"
#include "tools/load/handle.h"

namespace oai::load {
namespace {

constexpr std::size_t kGuessBytes = std::size_t{16} << 10;
constexpr std::size_t kLabelBytes = 40;
constexpr int kLeastConfidence = 10;  // of 100; ICU gives less where it has found next to nothing

struct LabelledEncoding {
    std::string_view label;  // its letters and digits, in lower case
    const char* encoding;
};

constexpr std::array kLabels = std::to_array<LabelledEncoding>({
    {"utf8", "UTF-8"},
    {"unicode11utf8", "UTF-8"},
    {"windows1250", "windows-1250"},
    {"cp1250", "windows-1250"},
    {"xcp1250", "windows-1250"},
    {"win1250", "windows-1250"},
    {"iso88592", "ISO-8859-2"},
    {"latin2", "ISO-8859-2"},
    {"l2", "ISO-8859-2"},
    {"csisolatin2", "ISO-8859-2"},
    {"windows1252", "windows-1252"},
    {"cp1252", "windows-1252"},
    {"xcp1252", "windows-1252"},
    {"iso88591", "windows-1252"},
    {"latin1", "windows-1252"},
    {"l1", "windows-1252"},
    {"csisolatin1", "windows-1252"},
    {"ascii", "windows-1252"},
    {"usascii", "windows-1252"},
    {"windows1251", "windows-1251"},
    {"cp1251", "windows-1251"},
    {"xcp1251", "windows-1251"},
    {"win1251", "windows-1251"},
    {"windows1253", "windows-1253"},
    {"cp1253", "windows-1253"},
    {"windows1254", "windows-1254"},
    {"cp1254", "windows-1254"},
    {"iso88599", "windows-1254"},
    {"latin5", "windows-1254"},
    {"windows1255", "windows-1255"},
    {"windows1256", "windows-1256"},
    {"windows1257", "windows-1257"},
    {"windows1258", "windows-1258"},
    {"windows874", "windows-874"},
    {"iso885911", "windows-874"},
    {"tis620", "windows-874"},
    {"iso88593", "ISO-8859-3"},
    {"iso88594", "ISO-8859-4"},
    {"latin4", "ISO-8859-4"},
    {"iso88595", "ISO-8859-5"},
    {"cyrillic", "ISO-8859-5"},
    {"iso88596", "ISO-8859-6"},
    {"arabic", "ISO-8859-6"},
    {"iso88597", "ISO-8859-7"},
    {"greek", "ISO-8859-7"},
    {"iso88598", "ISO-8859-8"},
    {"iso88598i", "ISO-8859-8"},
    {"hebrew", "ISO-8859-8"},
    {"iso885910", "ISO-8859-10"},
    {"iso885913", "ISO-8859-13"},
    {"iso885914", "ISO-8859-14"},
    {"iso885915", "ISO-8859-15"},
    {"latin9", "ISO-8859-15"},
    {"koi8r", "KOI8-R"},
    {"koi8", "KOI8-R"},
    {"koi8u", "KOI8-U"},
    {"ibm866", "IBM866"},
    {"cp866", "IBM866"},
    {"cp852", "IBM852"},
    {"ibm852", "IBM852"},
    {"macintosh", "macintosh"},
    {"xmacroman", "macintosh"},
    {"xmacce", "x-mac-centraleurroman"},
    {"xmaccyrillic", "x-mac-cyrillic"},
    {"gb2312", "GB18030"},
    {"gbk", "GB18030"},
    {"xgbk", "GB18030"},
    {"gb18030", "GB18030"},
    {"big5", "Big5-HKSCS"},
    {"big5hkscs", "Big5-HKSCS"},
    {"eucjp", "EUC-JP"},
    {"xeucjp", "EUC-JP"},
    {"shiftjis", "windows-31j"},
    {"sjis", "windows-31j"},
    {"xsjis", "windows-31j"},
    {"windows31j", "windows-31j"},
    {"mskanji", "windows-31j"},
    {"iso2022jp", "ISO-2022-JP"},
    {"csiso2022jp", "ISO-2022-JP"},
    {"euckr", "windows-949"},
    {"ksc56011987", "windows-949"},
    {"ksc5601", "windows-949"},
    {"windows949", "windows-949"},
    {"utf16", "UTF-16LE"},
    {"utf16le", "UTF-16LE"},
    {"utf16be", "UTF-16BE"},
});

// How many bytes at the end are the beginning of one character of UTF-8.
std::size_t open_character_bytes(std::string_view bytes) {
    for (std::size_t n = 1; n <= std::min<std::size_t>(3, bytes.size()); ++n) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - n]);
        if (byte >= 0xC0) return n;
        if (byte < 0x80) return 0;
    }
    return 0;
}

}  // namespace

const char* encoding_of_label(std::string_view label) {
    std::string plain;
    if (label.size() > kLabelBytes) return nullptr;
    for (const char c : text::lower_ascii(label))
        if (is_letter(c) || is_digit(c)) plain += c;
    const auto* const found = std::find_if(kLabels.begin(), kLabels.end(),
                                           [&](const auto& known) { return known.label == plain; });
    return found == kLabels.end() ? nullptr : found->encoding;
}

std::string_view charset_parameter(std::string_view content_type) {
    const auto name = text::lower_ascii(content_type).find("charset");
    if (name == std::string::npos) return {};
    std::string_view value = text::trim(content_type.substr(name + 7));
    if (!value.starts_with('=')) return {};
    value = text::trim(value.substr(1));
    if (value.starts_with('"') || value.starts_with('\'')) value.remove_prefix(1);
    return value.substr(0, value.find_first_of("\"'; ,\t\r\n"));
}

const char* evident_encoding(std::string_view bytes) {
    const std::string_view two = bytes.substr(0, 2);
    if (bytes.starts_with("\xEF\xBB\xBF")) return "UTF-8";
    if (two == "\xFF\xFE" || two == std::string_view("<\0", 2)) return "UTF-16LE";
    if (two == "\xFE\xFF" || two == std::string_view("\0<", 2)) return "UTF-16BE";
    return nullptr;
}

const char* guess_encoding(std::string_view bytes) {
    const char* const fallback = "windows-1252";
    bytes = bytes.substr(0, kGuessBytes);
    UErrorCode error = U_ZERO_ERROR;
    const DetectorHandle detector(ucsdet_open(&error));
    if (U_FAILURE(error)) throw std::bad_alloc();
    ucsdet_enableInputFilter(detector.get(), 1);  // looks beside the markup
    ucsdet_setText(detector.get(), bytes.data(), static_cast<std::int32_t>(bytes.size()), &error);
    const UCharsetMatch* const match = ucsdet_detect(detector.get(), &error);
    if (U_FAILURE(error) || match == nullptr) return fallback;
    if (ucsdet_getConfidence(match, &error) < kLeastConfidence) return fallback;
    const char* const name = ucsdet_getName(match, &error);
    const char* const encoding = U_FAILURE(error) ? nullptr : encoding_of_label(name);
    return encoding == nullptr ? fallback : encoding;
}

bool is_surely_utf8(std::string_view bytes) {
    bytes.remove_suffix(open_character_bytes(bytes));
    return std::any_of(bytes.begin(), bytes.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x80; }) &&
           text::is_utf8(bytes);
}

std::string to_utf8(std::string_view bytes, const char* encoding) {
    UErrorCode error = U_ZERO_ERROR;
    const ConverterHandle converter(ucnv_open(encoding, &error));
    if (U_FAILURE(error)) throw std::bad_alloc();
    // No encoding has more characters than bytes, but for a few of two UTF-16 units for two bytes.
    std::u16string wide(bytes.size() + 8, u'\0');
    const std::int32_t units =
        ucnv_toUChars(converter.get(), wide.data(), static_cast<std::int32_t>(wide.size()),
                      bytes.data(), static_cast<std::int32_t>(bytes.size()), &error);
    if (U_FAILURE(error)) return "";
    wide.resize(static_cast<std::size_t>(units));
    // ICU says of some single bytes that are none by SUBSTITUTE.
    std::replace(wide.begin(), wide.end(), u'\u001A', u'\uFFFD');
    if (wide.starts_with(u'\uFEFF')) wide.erase(0, 1);
    std::string out(wide.size() * 3 + 1, '\0');
    std::int32_t length = 0;
    u_strToUTF8WithSub(out.data(), static_cast<std::int32_t>(out.size()), &length, wide.data(),
                       static_cast<std::int32_t>(wide.size()), 0xFFFD, nullptr, &error);
    if (U_FAILURE(error)) return "";
    out.resize(static_cast<std::size_t>(length));
    return out;
}

}  // namespace oai::load
