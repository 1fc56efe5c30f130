// SPDX-License-Identifier: MIT
#include "tools/load/capture.h"

#include <re2/re2.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

#include "base/text.h"
#include "tools/load/field.h"
#include "tools/load/handle.h"
#include "tools/load/html_head.h"
#include "tools/load/http_body.h"

namespace oai::load {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{16} << 10;  // of one text, before it is decoded
constexpr std::size_t kMaxTagBytes = 35;                      // BCP 47, 4.4.1

bool is_html(std::string_view media_type) {
    return media_type == "text/html" || media_type == "application/xhtml+xml";
}

// "" for what cannot be a language tag (BCP 47, 2.1): "cs", "pt-BR", but not "czech".
std::string language_tag(std::string_view raw) {
    std::string tag = text::lower_ascii(text::trim(raw));
    std::replace(tag.begin(), tag.end(), '_', '-');
    static const RE2 kForm("[a-z]{2,3}(?:-[a-z0-9]{1,8})*");
    return tag.size() <= kMaxTagBytes && RE2::FullMatch(tag, kForm) ? tag : "";
}

// A page whose markup is in ASCII, but maybe not its texts.
class Page {
  public:
    Page(std::string_view bytes, const char* declared) : bytes_(bytes), declared_(declared) {}

    std::string text(std::string_view raw, std::size_t max_characters) {
        raw = raw.substr(0, kMaxTextBytes);
        const bool is_ascii = std::none_of(
            raw.begin(), raw.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
        const std::string utf8 =
            is_ascii ? std::string(raw) : to_utf8(raw, is_as_declared(raw) ? "UTF-8" : encoding());
        return plain_text(with_references_decoded(utf8), max_characters);
    }

  private:
    bool is_declared_utf8() const {
        return declared_ != nullptr && std::string_view(declared_) == "UTF-8";
    }
    // Text that is UTF-8 as the page says is believed, even if other bytes are not.
    bool is_as_declared(std::string_view raw) const {
        return is_declared_utf8() && is_surely_utf8(raw);
    }
    // A page that is UTF-8 from end to end, with characters beyond ASCII, is so whatever it
    // declares. One that wrongly declares that it is, declares nothing.
    const char* encoding() {
        if (encoding_ == nullptr)
            encoding_ = is_surely_utf8(bytes_)                        ? "UTF-8"
                        : declared_ != nullptr && !is_declared_utf8() ? declared_
                                                                      : guess_encoding(bytes_);
        return encoding_;
    }
    const std::string_view bytes_;
    const char* const declared_;
    const char* encoding_ = nullptr;
};

DocumentDescription describe_html(std::string_view body, std::string_view http_lines) {
    const char* declared =
        encoding_of_label(charset_parameter(header_field(http_lines, "content-type").value_or("")));
    const char* const evident = evident_encoding(body);
    if (evident != nullptr) declared = evident;
    std::string converted;  // if not even the markup is in ASCII
    const auto is_wide = [](std::string_view encoding) {
        return encoding.starts_with("UTF-16") || encoding == "ISO-2022-JP";
    };
    HtmlHead head = read_html_head(body);
    if (declared == nullptr) declared = encoding_of_label(head.charset);
    if (declared != nullptr && is_wide(declared)) {
        if (evident == nullptr && declared[0] == 'U') {
            declared = nullptr;  // as bytes show, it is not so
        } else {
            converted = to_utf8(body, declared);
            declared = "UTF-8";
            body = converted;
            head = read_html_head(body);
        }
    }
    Page page(body, declared);
    DocumentDescription out;
    out.title = page.text(head.title, DocumentDescription::kTitleCharacters);
    out.description = page.text(head.description.empty() ? head.og_description : head.description,
                                DocumentDescription::kDescriptionCharacters);
    out.language = language_tag(head.language);
    if (out.language.empty()) out.language = language_tag(head.meta_language);
    if (out.language.empty())
        out.language = language_tag(header_field(http_lines, "content-language").value_or(""));
    return out;
}

constexpr std::size_t kGuessBytes = std::size_t{16} << 10;
constexpr std::size_t kLabelBytes = 40;
constexpr int kLeastConfidence = 10;  // of 100; ICU gives less where it has found next to nothing

// Where browsers understand a label otherwise than ICU does, or ICU does not know it: labels, by
// their letters and digits in lower case.
struct EncodingLabels {
    const char* encoding;
    std::string_view labels;
};
constexpr std::array<EncodingLabels, 15> kLabels = {{
    {"UTF-8", " utf8 unicode11utf8 "},
    {"windows-1250", " win1250 xcp1250 "},
    {"windows-1251", " win1251 xcp1251 "},
    {"windows-1252", " ascii usascii iso88591 latin1 l1 csisolatin1 xcp1252 "},
    {"windows-1254", " iso88599 latin5 "},
    {"windows-874", " iso885911 tis620 "},
    {"ISO-8859-8", " iso88598i "},
    {"KOI8-R", " koi8 "},
    {"GB18030", " gb2312 gbk xgbk "},
    {"Big5-HKSCS", " big5 "},
    {"windows-31j", " shiftjis sjis xsjis mskanji "},
    {"ISO-2022-JP", " iso2022jp csiso2022jp "},
    {"windows-949", " euckr ksc5601 ksc56011987 "},
    {"UTF-16LE", " utf16 utf16le "},
    {"UTF-16BE", " utf16be "},
}};

// Whether ASCII is ASCII in it, and no byte switches to another encoding.
bool extends_ascii(const char* encoding) {
    UErrorCode error = U_ZERO_ERROR;
    const ConverterHandle converter(ucnv_open(encoding, &error));
    if (U_FAILURE(error)) return false;
    const UConverterType type = ucnv_getType(converter.get());
    return (type == UCNV_SBCS || type == UCNV_MBCS) && to_utf8("<a>", encoding) == "<a>";
}

// How many bytes at the end are the beginning of one character of UTF-8.
std::size_t open_character_bytes(std::string_view bytes) {
    for (std::size_t n = 1; n <= std::min<std::size_t>(3, bytes.size()); ++n) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - n]);
        if (byte >= 0xC0) return n;
        if (byte < 0x80) return 0;
    }
    return 0;
}

constexpr char32_t kReplacementCharacter = 0xFFFD;

bool is_white(char32_t c) {
    return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0 || c < 0x20 || (c >= 0x7F && c <= 0x9F);
}

// Soft hyphens, blanks of no width, and what changes the direction of writing beyond the text.
bool is_unseen(char32_t c) {
    return c == 0xAD || c == 0x200B || (c >= 0x202A && c <= 0x202E) || c == 0x2060 ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
           (c >= 0xE0000 && c <= 0xE007F);
}

}  // namespace

DocumentDescription describe_document(std::string_view media_type, std::string_view http_header,
                                      std::string_view body) {
    // Redirects and errors describe no document.
    if (!is_html(media_type) || http_facts(http_header).status.value_or(200) >= 300) return {};
    body = body.substr(0, kDescribedBytes);
    const std::string_view lines =
        http_header.substr(std::min(http_header.size(), http_header.find('\n') + 1));
    const DecodingLimit limit{kDescribedBytes, DecodingLimit::Beyond::cut};
    Bytes decoded;
    try {
        if (header_field(lines, "transfer-encoding")) {
            decoded = decode_transfer_encoding(http_header, body, limit);
            body = decoded.view();
        }
        if (header_field(lines, "content-encoding")) {
            decoded = decode_content_encoding(http_header, body, limit);
            body = decoded.view();
        }
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::runtime_error&) {
        return {};
    }
    return describe_html(body, lines);
}

const char* encoding_of_label(std::string_view label) {
    if (label.size() > kLabelBytes) return nullptr;
    std::string plain;
    for (const char c : text::lower_ascii(label))
        if (is_letter(c) || is_digit(c)) plain += c;
    if (plain.empty()) return nullptr;
    for (const EncodingLabels& known : kLabels)
        if (known.labels.find(" " + plain + " ") != std::string_view::npos) return known.encoding;
    UErrorCode error = U_ZERO_ERROR;
    const char* const encoding = ucnv_getAlias(plain.c_str(), 0, &error);
    return U_FAILURE(error) || encoding == nullptr || !extends_ascii(encoding) ? nullptr : encoding;
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

const char* standard_name(const char* encoding) {
    UErrorCode error = U_ZERO_ERROR;
    const char* const name = ucnv_getStandardName(encoding, "IANA", &error);
    return name == nullptr ? encoding : name;
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

std::string with_references_decoded(std::string_view utf8) {
    std::string out;
    for (;;) {
        const std::size_t plain = std::min(utf8.size(), utf8.find('&'));
        out += utf8.substr(0, plain);
        utf8.remove_prefix(plain);
        if (utf8.empty()) return out;
        const CharacterReference reference = read_character_reference(utf8);
        if (is_of_windows_1252(reference.character))
            out += to_utf8(std::string(1, static_cast<char>(reference.character)), "windows-1252");
        else if (reference.character != 0)
            text::append_character(out, reference.character);
        else
            out += utf8.substr(0, std::max<std::size_t>(reference.size, 1));
        utf8.remove_prefix(std::max<std::size_t>(reference.size, 1));
    }
}

std::string plain_text(std::string_view utf8, std::size_t max_characters) {
    std::string out;
    std::size_t characters = 0, replaced = 0;
    std::size_t end_of_cut = 0;  // where the text still leaves room for the ellipsis
    bool blank = false;
    while (!utf8.empty()) {
        const text::Character c = text::first_character(utf8);
        const bool is_xml = c.well_formed && c.value != 0xFFFE && c.value != 0xFFFF;
        const std::string_view bytes = utf8.substr(0, c.length);
        utf8.remove_prefix(c.length);
        if (is_xml && is_white(c.value)) {
            blank = !out.empty();
            continue;
        }
        if (is_xml && is_unseen(c.value)) continue;
        const std::size_t wanted = blank ? 2 : 1;
        if (characters + wanted > max_characters) {
            out.resize(end_of_cut);
            out += "\u2026";
            break;
        }
        if (blank) out += ' ';
        blank = false;
        characters += wanted;
        if (is_xml)
            out += bytes;
        else
            out += "\uFFFD";
        if (!is_xml || c.value == kReplacementCharacter) ++replaced;
        if (characters < max_characters) end_of_cut = out.size();
    }
    return replaced * 8 > characters ? "" : out;
}

}  // namespace oai::load
