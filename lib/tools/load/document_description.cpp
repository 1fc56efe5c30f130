// SPDX-License-Identifier: MIT
#include "tools/load/document_description.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "base/text.h"
#include "tools/load/character_reference.h"
#include "tools/load/charset.h"
#include "tools/load/field.h"
#include "tools/load/html_head.h"
#include "tools/load/http_body.h"
#include "tools/load/pdf_title.h"
#include "tools/load/plain_text.h"

namespace oai::load {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{16} << 10;  // of one text, before it is decoded
constexpr std::size_t kMaxTagBytes = 35;                      // BCP 47, 4.4.1

bool is_html(std::string_view media_type) {
    return media_type == "text/html" || media_type == "application/xhtml+xml";
}

bool is_pdf(std::string_view media_type) { return media_type == "application/pdf"; }

// "" for what cannot be a language tag (BCP 47, 2.1): "cs", "pt-BR", but not "czech".
std::string language_tag(std::string_view raw) {
    std::string tag = text::lower_ascii(text::trim(raw));
    std::replace(tag.begin(), tag.end(), '_', '-');
    if (tag.size() > kMaxTagBytes) return "";
    bool is_first = true;
    for (const std::string_view part : text::split(tag, '-')) {
        if (part.size() > (is_first ? 3U : 8U) || part.size() < (is_first ? 2U : 1U)) return "";
        if (!std::all_of(part.begin(), part.end(),
                         [&](char c) { return is_letter(c) || (is_digit(c) && !is_first); }))
            return "";
        is_first = false;
    }
    return tag;
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
    // Text that is UTF-8 where the page says so is believed, even if other bytes of the page are
    // not.
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

// Redirects and errors, by the status line.
bool is_other_answer(std::string_view http_header) {
    return http_facts(http_header).status.value_or(200) >= 300;
}

}  // namespace

bool is_described(std::string_view media_type) { return is_html(media_type) || is_pdf(media_type); }

DocumentDescription describe_document(std::string_view media_type, std::string_view http_header,
                                      std::string_view body) {
    if (!is_described(media_type) || is_other_answer(http_header)) return {};
    body = body.substr(0, kDescribedBytes);
    const std::string_view lines =
        http_header.substr(std::min(http_header.size(), http_header.find('\n') + 1));
    const DecodingLimit limit{kDescribedBytes, DecodingLimit::Beyond::cut};
    std::string decoded;
    try {
        if (header_field(lines, "transfer-encoding")) {
            decoded = decode_transfer_encoding(http_header, body, limit);
            body = decoded;
        }
        if (header_field(lines, "content-encoding")) {
            decoded = decode_content_encoding(http_header, std::string(body), limit);
            body = decoded;
        }
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::runtime_error&) {
        return {};
    }
    if (is_html(media_type)) return describe_html(body, lines);
    DocumentDescription out;
    out.title = plain_text(pdf_title(body), DocumentDescription::kTitleCharacters);
    return out;
}

}  // namespace oai::load
