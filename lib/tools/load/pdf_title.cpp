// SPDX-License-Identifier: MIT
#include "tools/load/pdf_title.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "tools/load/document_description.h"

namespace oai::load {
namespace {

constexpr std::string_view kWhiteSpace{"\0\t\n\f\r ", 6};
constexpr std::string_view kDelimiters = "()<>[]{}/%";

bool is_white_space(char c) { return kWhiteSpace.find(c) != kWhiteSpace.npos; }
bool is_regular(char c) { return !is_white_space(c) && kDelimiters.find(c) == kDelimiters.npos; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// What PDFDocEncoding has at 0x18 to 0x1F and at 0x80 to 0xA0 (ISO 32000-1, D.2). The rest is that
// of Latin 1.
constexpr std::array<char16_t, 8> kAccents{0x02D8, 0x02C7, 0x02C6, 0x02D9,
                                           0x02DD, 0x02DB, 0x02DA, 0x02DC};
constexpr std::array<char16_t, 33> kFrom80{
    0x2022, 0x2020, 0x2021, 0x2026, 0x2014, 0x2013, 0x0192, 0x2044, 0x2039, 0x203A, 0x2212,
    0x2030, 0x201E, 0x201C, 0x201D, 0x2018, 0x2019, 0x201A, 0x2122, 0xFB01, 0xFB02, 0x0141,
    0x0152, 0x0160, 0x0178, 0x017D, 0x0131, 0x0142, 0x0153, 0x0161, 0x017E, 0xFFFD, 0x20AC};

// A text string (7.9.2.2) in UTF-8.
std::string text_string(std::string_view bytes) {
    if (bytes.starts_with("\xFE\xFF")) return to_utf8(bytes, "UTF-16BE");
    if (bytes.starts_with("\xEF\xBB\xBF")) return to_utf8(bytes, "UTF-8");
    std::string utf16;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        const char16_t character = byte >= 0x18 && byte <= 0x1F   ? kAccents[byte - 0x18U]
                                   : byte >= 0x80 && byte <= 0xA0 ? kFrom80[byte - 0x80U]
                                                                  : char16_t{byte};
        utf16 += static_cast<char>(character >> 8U);
        utf16 += static_cast<char>(character & 0xFFU);
    }
    return to_utf8(utf16, "UTF-16BE");
}

// Reads the objects of a file one after the other, wherever they stand, without its tables.
class Objects {
  public:
    explicit Objects(std::string_view bytes) : rest_(bytes) {}

    // The title of the last dictionary that is one of information: it has a title, and says who or
    // what made the file, or when. (The titles in an outline are those of its chapters.)
    std::string title() {
        std::string title;
        for (std::size_t at = 0; (at = rest_.find("obj", at)) != rest_.npos;) {
            rest_.remove_prefix(at + 3);
            at = 0;
            skip_blanks();
            if (!rest_.starts_with("<<")) continue;
            rest_.remove_prefix(2);
            if (const std::optional<std::string> found = dictionary()) title = *found;
        }
        return title;
    }

  private:
    // Reads up to the end of the dictionary, or to where it is none any more.
    std::optional<std::string> dictionary() {
        std::optional<std::string> title;
        bool is_information = false;
        bool is_title = false;  // the last token was the key /Title
        int depth = 1;          // of dictionaries and arrays in each other
        while (depth > 0) {
            skip_blanks();
            if (rest_.empty() || rest_.starts_with("obj") || rest_.starts_with("endobj"))
                return std::nullopt;
            const bool is_value_of_title = std::exchange(is_title, false);
            if (rest_.starts_with("<<") || rest_.starts_with(">>")) {
                depth += rest_[0] == '<' ? 1 : -1;
                rest_.remove_prefix(2);
            } else if (rest_[0] == '(' || rest_[0] == '<') {
                std::string string = rest_[0] == '(' ? literal_string() : hexadecimal_string();
                if (is_value_of_title) title = std::move(string);
            } else if (rest_[0] == '/') {
                const std::string_view name = take_word();
                if (depth > 1) continue;
                is_title = name == "/Title";
                is_information = is_information || name == "/Producer" || name == "/Creator" ||
                                 name == "/CreationDate" || name == "/ModDate";
            } else if (rest_[0] == '%') {
                rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_of("\r\n")));
            } else {
                if (rest_[0] == '[' || rest_[0] == ']') depth += rest_[0] == '[' ? 1 : -1;
                take_word();
            }
        }
        return is_information ? title : std::nullopt;
    }

    void skip_blanks() {
        while (!rest_.empty() && is_white_space(rest_[0])) rest_.remove_prefix(1);
    }

    // One character at least.
    std::string_view take_word() {
        std::size_t size = 1;
        if (is_regular(rest_[0]) || rest_[0] == '/')
            while (size < rest_.size() && is_regular(rest_[size])) ++size;
        const std::string_view word = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return word;
    }

    // 7.3.4.2
    std::string literal_string() {
        std::string string;
        int depth = 0;
        while (!rest_.empty()) {
            const char c = take();
            if (c == '\\') {
                take_escape(string);
                continue;
            }
            if (c == '(' && depth++ == 0) continue;
            if (c == ')' && --depth == 0) break;
            string += c;
        }
        return string;
    }

    char take() {
        const char c = rest_[0];
        rest_.remove_prefix(1);
        return c;
    }

    void take_escape(std::string& string) {
        if (rest_.empty()) return;
        const char c = take();
        if (is_octal(c)) {
            int value = c - '0';
            for (int i = 0; i < 2 && !rest_.empty() && is_octal(rest_[0]); ++i)
                value = value * 8 + (take() - '0');
            string += static_cast<char>(value & 0xFF);
        } else if (c == '\r') {  // the line goes on
            if (rest_.starts_with('\n')) rest_.remove_prefix(1);
        } else if (c != '\n') {
            constexpr std::string_view kLetters = "nrtbf";
            const auto which = kLetters.find(c);
            string += which == kLetters.npos ? c : "\n\r\t\b\f"[which];
        }
    }

    // 7.3.4.3
    std::string hexadecimal_string() {
        std::string string;
        int high = -1;
        rest_.remove_prefix(1);
        while (!rest_.empty()) {
            const char c = take();
            if (c == '>') break;
            const int value = hex_value(c);
            if (value < 0) continue;
            if (high >= 0) string += static_cast<char>(high * 16 + value);
            high = high >= 0 ? -1 : value;
        }
        if (high >= 0) string += static_cast<char>(high * 16);
        return string;
    }

    std::string_view rest_;
};

// The text between the end of the first start tag `<name...>` and the next `</name>`.
std::string_view content(std::string_view xml, std::string_view name) {
    const std::string tag = "<" + std::string(name);
    auto begin = xml.find(tag);
    while (begin != xml.npos && begin + tag.size() < xml.size() &&
           is_regular(xml[begin + tag.size()]))
        begin = xml.find(tag, begin + 1);
    if (begin == xml.npos) return {};
    begin = xml.find('>', begin);
    if (begin == xml.npos || xml[begin - 1] == '/') return {};
    const auto end = xml.find("</" + std::string(name) + ">", begin);
    return end == xml.npos ? std::string_view{} : xml.substr(begin + 1, end - begin - 1);
}

// The first of the languages, which is the default one (XMP, ISO 16684-1, 8.2.2.4).
std::string xmp_title(std::string_view bytes) {
    const std::string_view title = content(content(bytes, "dc:title"), "rdf:li");
    if (title.find('<') != title.npos || !text::is_utf8(title)) return "";
    return with_references_decoded(std::string(title));
}

}  // namespace

std::string pdf_title(std::string_view bytes) {
    if (bytes.find("/Encrypt") != bytes.npos) return "";
    std::string title = xmp_title(bytes);
    if (text::trim(title).empty()) title = text_string(Objects(bytes).title());
    return title;
}

}  // namespace oai::load
