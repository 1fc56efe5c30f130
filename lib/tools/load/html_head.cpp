// SPDX-License-Identifier: MIT
#include "tools/load/html_head.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tools/load/capture.h"
#include "tools/load/field.h"
#include "xml/character.h"

namespace oai::load {
namespace {

// Their content is text up to their own end tag, whatever it looks like.
constexpr std::array<std::string_view, 7> kRawText = {"script",   "style",  "textarea", "xmp",
                                                      "noframes", "iframe", "noembed"};

constexpr std::string_view kOg = "og:description";

bool begins_with_word(std::string_view s, std::string_view word) {
    return s.size() >= word.size() && text::lower_ascii(s.substr(0, word.size())) == word &&
           (s.size() == word.size() ||
            std::string_view(" \t\r\n\f/>").find(s[word.size()]) != std::string_view::npos);
}

void keep_first(std::string_view& kept, std::string_view value) {
    if (kept.empty()) kept = text::trim(value);
}

struct TagAttribute {
    std::string name;  // in lower case
    std::string_view value;
};
struct Tag {
    std::string name;                      // in lower case
    std::vector<TagAttribute> attributes;  // those that have a value
    bool empty = false;                    // it ends in "/>"
    std::size_t end = 0;                   // offset after the tag
};

constexpr std::string_view kBlanks = " \t\r\n\f";

// Reads tags as browsers do (HTML, 13.2.5), well-formed or not.
class TagReader {
  public:
    TagReader(std::string_view in, std::size_t at) : in_(in), at_(at) {}

    Tag tag() {
        at_ += in_[at_ + 1] == '/' ? 2 : 1;
        Tag tag;
        tag.name = text::lower_ascii(take_until(" \t\r\n\f>/"));
        while (at_ < in_.size() && in_[at_] != '>') attribute(tag);
        tag.empty = at_ < in_.size() && in_[at_ - 1] == '/';
        tag.end = std::min(in_.size(), at_ + 1);
        return tag;
    }

  private:
    std::string_view take_until(std::string_view any) {
        const std::size_t begin =
            std::exchange(at_, std::min(in_.size(), in_.find_first_of(any, at_)));
        return in_.substr(begin, at_ - begin);
    }
    void skip(std::string_view any) { at_ = std::min(in_.size(), in_.find_first_not_of(any, at_)); }

    void attribute(Tag& tag) {
        skip(" \t\r\n\f/");
        std::string name = text::lower_ascii(take_until(" \t\r\n\f>/="));
        if (name.empty() && at_ < in_.size() && in_[at_] == '=')
            ++at_;  // an equals sign without a name
        if (name.empty()) return;
        const std::size_t behind_name = at_;
        skip(kBlanks);
        if (at_ >= in_.size() || in_[at_] != '=') {
            at_ = behind_name;
            return;
        }
        ++at_;
        skip(kBlanks);
        value(tag, std::move(name));
    }

    void value(Tag& tag, std::string name) {
        if (at_ >= in_.size()) return;
        const char quote = in_[at_] == '"' || in_[at_] == '\'' ? in_[at_++] : '\0';
        const std::size_t begin = at_;
        take_until(quote == '\0' ? " \t\r\n\f>" : quote == '"' ? "\"" : "'");
        tag.attributes.push_back({std::move(name), in_.substr(begin, at_ - begin)});
        at_ = std::min(in_.size(), at_ + (quote != '\0' ? 1 : 0));
    }

    const std::string_view in_;
    std::size_t at_;
};

class HeadReader {
  public:
    explicit HeadReader(std::string_view in) : in_(in) {}

    HtmlHead read() {
        xml_declaration();
        for (at_ = find("<", 0); at_ < in_.size(); at_ = find("<", at_)) {
            const std::string_view rest = in_.substr(at_ + 1);
            if (rest.starts_with("!--"))
                skip_comment();
            else if (rest.starts_with('!') || rest.starts_with('?'))
                at_ = behind(">", at_);
            else if (is_tag(rest)) {
                if (!head_.title.empty() &&
                    (begins_with_word(rest, "/head") || begins_with_word(rest, "body")))
                    break;
                tag();
            } else {
                ++at_;
            }
        }
        return head_;
    }

  private:
    static bool is_tag(std::string_view s) {
        return (!s.empty() && is_letter(s[0])) || (s.size() > 1 && s[0] == '/' && is_letter(s[1]));
    }
    std::size_t find(std::string_view what, std::size_t from) const {
        return std::min(in_.size(), in_.find(what, from));
    }
    std::size_t behind(std::string_view what, std::size_t from) const {
        return std::min(in_.size(), find(what, from) + what.size());
    }

    // "<!-->" and "<!--->" are comments, too.
    void skip_comment() {
        for (at_ = find("--", at_ + 2); at_ < in_.size(); at_ = find("--", at_ + 1)) {
            const std::string_view rest = in_.substr(at_ + 2);
            if (rest.starts_with('>') || rest.starts_with("!>")) break;
        }
        at_ = behind(">", at_);
    }

    void tag() {
        const bool is_end = in_[at_ + 1] == '/';
        const Tag tag = TagReader(in_, at_).tag();
        at_ = tag.end;
        if (!foreign_.empty()) {
            if (tag.name == foreign_) foreign_depth_ += is_end ? -1 : tag.empty ? 0 : 1;
            if (foreign_depth_ == 0) foreign_.clear();
            return;
        }
        if (is_end) return;
        if (tag.name == "title")
            title();
        else if (tag.name == "meta")
            meta(tag);
        else if (tag.name == "html")
            language(tag);
        else if ((tag.name == "svg" || tag.name == "math") && !tag.empty)
            foreign_ = tag.name, foreign_depth_ = 1;
        else if (tag.name == "plaintext")
            at_ = in_.size();
        else if (std::find(kRawText.begin(), kRawText.end(), tag.name) != kRawText.end())
            at_ = end_tag(tag.name);
    }

    // The next end tag of this name, or the end.
    std::size_t end_tag(std::string_view name) const {
        for (std::size_t at = find("</", at_); at < in_.size(); at = find("</", at + 2))
            if (begins_with_word(in_.substr(at + 2), name)) return at;
        return in_.size();
    }

    // One that is never closed ends where the next markup begins; a browser would take all the rest
    // of the page for it.
    void title() {
        std::size_t end = is_title_unclosed_ ? in_.size() : end_tag("title");
        is_title_unclosed_ = end == in_.size();
        if (is_title_unclosed_) end = find("<", at_);
        keep_first(head_.title, in_.substr(at_, end - at_));
        at_ = end;
    }

    static std::string_view value(const Tag& tag, std::string_view name) {
        for (const TagAttribute& attribute : tag.attributes)
            if (attribute.name == name) return text::trim(attribute.value);
        return {};
    }

    void language(const Tag& tag) {
        keep_first(head_.language, value(tag, "lang"));
        keep_first(head_.language, value(tag, "xml:lang"));
    }

    void meta(const Tag& tag) {
        keep_first(head_.charset, value(tag, "charset"));
        const std::string_view content = value(tag, "content");
        if (content.empty()) return;
        const std::string header = text::lower_ascii(value(tag, "http-equiv"));
        if (header == "content-type") keep_first(head_.charset, charset_parameter(content));
        if (header == "content-language") keep_first(head_.meta_language, content);
        const std::string name = text::lower_ascii(value(tag, "name"));
        if (name == "description") keep_first(head_.description, content);
        if (name == kOg || text::lower_ascii(value(tag, "property")) == kOg)
            keep_first(head_.og_description, content);
    }

    // <?xml version="1.0" encoding="..."?>
    void xml_declaration() {
        static const RE2 kForm(R"(^<\?xml[^>]*?encoding[^>]*?["']([^"'>]*)["'])", RE2::Latin1);
        re2::StringPiece encoding, text(in_.data(), in_.size());
        if (in_.starts_with("<?xml") && RE2::PartialMatch(text, kForm, &encoding))
            keep_first(head_.charset, {encoding.data(), encoding.size()});
    }

    const std::string_view in_;
    std::size_t at_ = 0;
    bool is_title_unclosed_ = false;  // and so is each that follows
    // The picture or formula, with titles of its own, that has been opened and not closed; "" none.
    std::string foreign_;
    int foreign_depth_ = 0;  // of elements of that name
    HtmlHead head_;
};

// Reads "&#38;" or "&#x26;"; HTML allows both without the semicolon.
CharacterReference read_numeric(std::string_view s) {
    const bool hex = s.size() > 2 && (s[2] == 'x' || s[2] == 'X');
    const char* const begin = s.data() + (hex ? 3 : 2);
    std::uint32_t value = 0;
    const auto end = std::from_chars(begin, s.data() + s.size(), value, hex ? 16 : 10);
    if (end.ptr == begin) return {};
    const auto size = static_cast<std::size_t>(end.ptr - s.data());
    const bool is_character = end.ec == std::errc() && value > 0 && value <= 0x10FFFF &&
                              (value < 0xD800 || value >= 0xE000);
    return {size + (s.substr(size).starts_with(';') ? 1 : 0), is_character ? value : 0};
}

// HTML, 13.2.5.73: in an attribute a Latin 1 name counts without its semicolon if neither '=' nor a
// letter or digit follows.
CharacterReference read_named(std::string_view s) {
    const auto* const end = std::find_if_not(s.begin() + 1, s.end(),
                                             [](char c) { return is_letter(c) || is_digit(c); });
    const std::string name(s.begin() + 1, end);
    const char behind = end == s.end() ? '\0' : *end;
    const std::optional<std::uint32_t> character = xml::named_character(name);
    if (behind == ';' && !name.empty()) return {name.size() + 2, character.value_or(0)};
    const bool is_latin1 = character && (*character < 0x100 && name != "apos");
    return is_latin1 && behind != '=' ? CharacterReference{name.size() + 1, *character}
                                      : CharacterReference{};
}

}  // namespace

HtmlHead read_html_head(std::string_view bytes) { return HeadReader(bytes).read(); }

CharacterReference read_character_reference(std::string_view s) {
    if (!s.starts_with('&')) return {};
    return s.size() > 2 && s[1] == '#' ? read_numeric(s) : read_named(s);
}

}  // namespace oai::load
