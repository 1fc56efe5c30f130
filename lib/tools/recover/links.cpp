// SPDX-License-Identifier: MIT
#include "tools/recover/links.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"
#include "tools/load/html_head.h"
#include "xml/character.h"

namespace oai::recover {
namespace {

constexpr std::array<std::string_view, 5> kTextElements{"script", "style", "textarea", "title",
                                                        "xmp"};  // their content is no markup
constexpr std::string_view kSectionBegin = "<![CDATA[", kSectionEnd = "]]>";
constexpr int kMaxDepth = 3;  // of documents in attributes of documents

using FindEdits = Edits (*)(std::string_view, const ReferenceMapper&);

// An attribute that holds references.
struct ReferenceAttribute {
    std::string_view name;
    std::string_view elements;  // each between blanks; "": any element
    FindEdits find;
};
constexpr std::array kReferenceAttributes{
    ReferenceAttribute{"href", "", reference_edits},
    ReferenceAttribute{"xlink:href", "", reference_edits},
    ReferenceAttribute{"src", "", reference_edits},
    ReferenceAttribute{"srcset", "", srcset_edits},
    ReferenceAttribute{"style", "", css_edits},
    ReferenceAttribute{"background", "", reference_edits},
    ReferenceAttribute{"poster", "", reference_edits},
    ReferenceAttribute{"imagesrcset", "", srcset_edits},
    ReferenceAttribute{"longdesc", "", reference_edits},
    ReferenceAttribute{"formaction", "", reference_edits},
    ReferenceAttribute{"lowsrc", "", reference_edits},
    ReferenceAttribute{"dynsrc", "", reference_edits},
    ReferenceAttribute{"action", " form ", reference_edits},
    ReferenceAttribute{"data", " object ", reference_edits},
    ReferenceAttribute{"cite", " blockquote q ins del ", reference_edits},
    ReferenceAttribute{"manifest", " html ", reference_edits},
    ReferenceAttribute{"ping", " a area ", list_edits},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_text_element(std::string_view name) {
    return std::find(kTextElements.begin(), kTextElements.end(), name) != kTextElements.end();
}

class LinkScanner {
  public:
    LinkScanner(std::string_view document, Markup markup, const ReferenceMapper& map, int depth = 0)
        : in_(document),
          markup_(markup),
          map_(map),
          depth_(depth),
          encoding_(text::is_utf8(document) ? Encoding::utf8 : Encoding::other) {}

    void read() {
        while ((at_ = in_.find('<', at_)) != in_.npos) {
            const char next = at_ + 1 < in_.size() ? in_[at_ + 1] : '\0';
            if (is_letter(next) && markup_ != Markup::other_xml)
                element();
            else if (begins("<!--"))
                comment();
            else if (is_xml_here() && begins(kSectionBegin))
                skip_behind(kSectionEnd);
            else if (markup_ != Markup::html && next == '?')
                instruction();
            else if (next == '!' || next == '?')
                skip_behind(">");
            else if (next == '/' && at_ + 2 < in_.size() && is_letter(in_[at_ + 2]) &&
                     markup_ != Markup::other_xml)
                end_tag();
            else
                ++at_;
        }
    }
    const std::string& base() const { return base_; }
    Edits edits() && { return std::move(edits_); }

  private:
    bool begins(std::string_view mark) const { return in_.substr(at_).starts_with(mark); }
    // SVG and MathML within HTML follow XML's rules for CDATA sections and empty elements.
    bool is_xml_here() const { return markup_ != Markup::html || foreign_ > 0; }
    void skip_behind(std::string_view mark) {
        const std::size_t found = in_.find(mark, at_);
        at_ = found == in_.npos ? in_.size() : found + mark.size();
    }
    // In HTML "--!>" also ends a comment, and "<!-->" is a complete one.
    void comment() {
        const std::size_t inside = at_ + 4;
        for (std::size_t dashes = at_ + 2; (dashes = in_.find("--", dashes)) != in_.npos;
             ++dashes) {
            const std::string_view behind = in_.substr(dashes + 2);
            const bool bang =
                markup_ == Markup::html && dashes >= inside && behind.starts_with("!>");
            at_ = dashes + (bang ? 4 : 3);
            if (bang || behind.starts_with('>')) return;
        }
        at_ = in_.size();
    }

    // A processing instruction. <?xml-stylesheet?> has pseudo-attributes (Associating Style Sheets
    // with XML documents, 4).
    void instruction() {
        constexpr std::string_view kStylesheet = "<?xml-stylesheet";
        const std::size_t end = std::min(in_.size(), in_.find("?>", at_));
        load::Tag tag;
        if (begins(kStylesheet) && at_ + kStylesheet.size() < end &&
            is_blank(in_[at_ + kStylesheet.size()]))
            load::read_attributes(in_.substr(0, end), at_ + kStylesheet.size(), tag);
        for (const load::TagAttribute& attribute : tag.attributes)
            if (attribute.name == "href" && attribute.end < end)
                replace(attribute, reference_edits);
        at_ = std::min(in_.size(), end + 2);
    }

    load::Tag tag() {
        load::Tag tag = load::read_tag(in_, at_);
        at_ = tag.end;
        if (markup_ == Markup::xml)
            tag.name.erase(0, tag.name.find(':') + 1);  // drops a namespace prefix
        return tag;
    }

    void element() {
        const load::Tag tag = this->tag();
        const bool refreshes =
            tag.name == "meta" &&
            std::any_of(tag.attributes.begin(), tag.attributes.end(),
                        [&](const load::TagAttribute& a) {
                            return a.name == "http-equiv" &&
                                   text::lower_ascii(text::trim(value_of(a))) == "refresh";
                        });
        for (const load::TagAttribute& attribute : tag.attributes)
            if (tag.name == "base" && attribute.name == "href")
                base(attribute);
            else if (tag.name == "iframe" && attribute.name == "srcdoc")
                document_in(attribute);
            else if (refreshes && attribute.name == "content")
                replace(attribute, refresh_edits);
            else if (const FindEdits find = finder(tag, attribute))
                replace(attribute, find);
        if (is_foreign(tag.name) && !tag.empty) ++foreign_;
        if (is_text_element(tag.name) && !(tag.empty && is_xml_here())) text_content(tag.name);
    }
    void end_tag() {
        if (is_foreign(tag().name) && foreign_ > 0) --foreign_;
    }
    static bool is_foreign(std::string_view name) { return name == "svg" || name == "math"; }

    // Returns nullptr if the attribute holds no references.
    static FindEdits finder(const load::Tag& tag, const load::TagAttribute& attribute) {
        const auto* const found =
            std::find_if(kReferenceAttributes.begin(), kReferenceAttributes.end(),
                         [&](const ReferenceAttribute& h) { return h.name == attribute.name; });
        if (found == kReferenceAttributes.end()) return nullptr;
        const bool applies = found->elements.empty() ||
                             found->elements.find(" " + tag.name + " ") != std::string_view::npos;
        return applies ? found->find : nullptr;
    }

    std::string_view value_of(const load::TagAttribute& attribute) const {
        return in_.substr(attribute.begin, attribute.end - attribute.begin);
    }

    void base(const load::TagAttribute& attribute) {
        const std::string_view raw = value_of(attribute);
        if (base_.empty()) base_ = text::trim(AttributeText(raw, encoding_).text());
        if (!raw.empty())
            edits_.push_back({attribute.begin, attribute.end, attribute.quoted ? "" : "\"\""});
    }

    void document_in(const load::TagAttribute& attribute) {
        if (depth_ == kMaxDepth) return;
        replace(attribute, [this](std::string_view value, const ReferenceMapper& map) {
            LinkScanner scanner(value, Markup::html, map, depth_ + 1);
            scanner.read();
            return scanner.base_.empty() ? std::move(scanner).edits() : Edits{};
        });
    }

    template <class Find>
    void replace(const load::TagAttribute& attribute, const Find& find) {
        const std::string_view raw = value_of(attribute);
        const AttributeText value(raw, encoding_);
        const Edits edits = value.in_value(find(value.text(), map_));
        if (edits.empty()) return;
        if (attribute.quoted) return add(edits, attribute.begin);
        // The new value may contain blanks and so needs quotes; the old one may contain quotes.
        std::string text = "\"";
        for (const char c : apply_edits(raw, edits))
            text += c == '"' ? "&quot;" : std::string(1, c);
        edits_.push_back({attribute.begin, attribute.end, text + '"'});
    }

    void add(const Edits& edits, std::size_t offset) {
        for (const Edit& edit : edits)
            edits_.push_back({edit.begin + offset, edit.end + offset, edit.text});
    }

    // Skips the content of the element up to its end tag, mapping references in a style element.
    void text_content(const std::string& name) {
        std::size_t end = in_.find("</", at_);
        while (end != in_.npos && !ends_here(name, end)) end = in_.find("</", end + 2);
        end = std::min(end, in_.size());
        if (name == "style") style({name, at_, end, true});
        at_ = end;
    }

    // In XML the content is ordinary text, except for CDATA sections; their marks stay, whatever
    // they mean to CSS.
    void style(const load::TagAttribute& text) {
        const std::string_view css = value_of(text);
        if (is_xml_here() && css.find(kSectionBegin) == css.npos) return replace(text, css_edits);
        Edits edits = css_edits(css, map_);
        const auto has_mark = [](std::string_view s) {
            return s.find(kSectionBegin) != s.npos || s.find(kSectionEnd) != s.npos;
        };
        const auto must_stay = [&](const Edit& e) {
            return has_mark(css.substr(e.begin, e.end - e.begin)) || has_mark(e.text);
        };
        if (is_xml_here()) std::erase_if(edits, must_stay);
        add(edits, text.begin);
    }
    bool ends_here(const std::string& name, std::size_t at) const {
        const char behind = at + 2 + name.size() < in_.size() ? in_[at + 2 + name.size()] : '>';
        return text::lower_ascii(in_.substr(at + 2, name.size())) == name &&
               (is_blank(behind) || behind == '>' || behind == '/');
    }

    const std::string_view in_;
    const Markup markup_;
    const ReferenceMapper& map_;
    const int depth_;
    const Encoding encoding_;
    std::size_t at_ = 0;
    int foreign_ = 0;  // open elements of SVG and MathML
    std::string base_;
    Edits edits_;
};

}  // namespace

std::string base_in(std::string_view document, Markup markup) {
    const ReferenceMapper leave = [](const std::string&) { return std::string(); };
    LinkScanner scanner(document, markup, leave);
    scanner.read();
    return scanner.base();
}

Edits link_edits(std::string_view document, Markup markup, const ReferenceMapper& map) {
    LinkScanner scanner(document, markup, map);
    scanner.read();
    return std::move(scanner).edits();
}

namespace {

bool is_ascii(std::string_view s) {
    return std::none_of(
        s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

std::string escape_text(std::string_view s) {
    std::string out;
    for (const char c : s)
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (c == '\'')
            out += "&#39;";  // HTML 4 has no &apos;
        else
            out += c;
    return out;
}

// A comma at either end would be taken for a separator of the list.
std::string escape_commas(std::string reference) {
    if (reference.ends_with(',')) reference.replace(reference.size() - 1, 1, "%2C");
    if (reference.starts_with(',')) reference.replace(0, 1, "%2C");
    return reference;
}

std::string escape_blanks(const std::string& reference) {
    std::string out;
    for (const char c : reference)
        out += is_blank(c) ? text::percent_encode(std::string_view(&c, 1)) : std::string(1, c);
    return out;
}

std::string escape_quotes(const std::string& reference) {
    std::string out;
    for (const char c : reference) out += c == '"' ? "%22" : c == '\'' ? "%27" : std::string(1, c);
    return out;
}

}  // namespace

Edits reference_edits(std::string_view value, const ReferenceMapper& map) {
    const std::size_t begin = value.find_first_not_of(kBlanks);
    if (begin == value.npos) return {};
    const std::size_t end = value.find_last_not_of(kBlanks) + 1;
    const std::string wanted = map(std::string(value.substr(begin, end - begin)));
    return wanted.empty() ? Edits{} : Edits{{begin, end, wanted}};
}

Edits list_edits(std::string_view value, const ReferenceMapper& map) {
    Edits edits;
    for (std::size_t at = 0; (at = value.find_first_not_of(kBlanks, at)) != value.npos;) {
        const std::size_t end = std::min(value.size(), value.find_first_of(kBlanks, at));
        const std::string wanted = map(std::string(value.substr(at, end - at)));
        if (!wanted.empty()) edits.push_back({at, end, escape_blanks(wanted)});
        at = end;
    }
    return edits;
}

Edits srcset_edits(std::string_view value, const ReferenceMapper& map) {
    Edits edits;
    for (std::size_t at = 0; at < value.size();) {
        at = value.find_first_not_of(" \t\r\n\f,", at);
        if (at == value.npos) break;
        const std::size_t behind = std::min(value.size(), value.find_first_of(kBlanks, at));
        const std::size_t end = value.find_last_not_of(',', behind - 1) + 1;
        const std::string wanted = map(std::string(value.substr(at, end - at)));
        if (!wanted.empty()) edits.push_back({at, end, escape_commas(wanted)});
        at = behind;
        if (end != behind) continue;  // a comma at its end: it has no descriptors
        for (int depth = 0; at < value.size() && (depth > 0 || value[at] != ','); ++at)
            depth += value[at] == '(' ? 1 : value[at] == ')' && depth > 0 ? -1 : 0;
    }
    return edits;
}

Edits refresh_edits(std::string_view value, const ReferenceMapper& map) {
    std::size_t at = 0;
    const auto skip = [&](std::string_view characters) {
        at = std::min(value.size(), value.find_first_not_of(characters, at));
    };
    skip(kBlanks);
    const std::size_t time = at;
    skip("0123456789.");
    const std::size_t behind_time = at;
    skip(kBlanks);
    const bool separated = at < value.size() && (value[at] == ';' || value[at] == ',');
    if (behind_time == time || (at == behind_time && !separated))
        return {};  // HTML, 4.2.5.3: it is none
    if (separated) ++at, skip(kBlanks);
    const std::size_t before = at;
    if (text::lower_ascii(value.substr(at, 3)) == "url") {
        at += 3;
        skip(kBlanks);
        if (at < value.size() && value[at] == '=')
            ++at, skip(kBlanks);
        else
            at = before;
    }
    if (at >= value.size()) return {};
    const char quote = value[at] == '"' || value[at] == '\'' ? value[at++] : '\0';
    std::size_t end = quote != '\0' ? std::min(value.size(), value.find(quote, at)) : value.size();
    while (end > at && is_blank(value[end - 1])) --end;
    const std::string wanted = map(std::string(value.substr(at, end - at)));
    return wanted.empty() ? Edits{} : Edits{{at, end, escape_quotes(wanted)}};
}

AttributeText::AttributeText(std::string_view raw, Encoding encoding)
    : encoding_(encoding), is_ascii_(is_ascii(raw)) {
    for (std::size_t at = 0; at < raw.size();) {
        load::CharacterReference reference = load::read_character_reference(raw.substr(at));
        if (load::is_of_windows_1252(reference.character)) reference.character = 0;
        const std::size_t begin = text_.size();
        if (reference.character != 0)
            xml::append_character(text_, reference.character);
        else
            text_ += raw.substr(at, std::max<std::size_t>(reference.size, 1));
        const Kind kind = reference.character == 0     ? Kind::unknown
                          : reference.character < 0x80 ? Kind::ascii
                                                       : Kind::character;
        const bool is_open = reference.size > 0 && raw[at + reference.size - 1] != ';';
        if (reference.size > 0)
            references_.push_back({begin, text_.size(), at, at + reference.size, kind, is_open});
        at += std::max<std::size_t>(reference.size, 1);
    }
}

bool AttributeText::is_editable(const Edit& edit) const {
    auto part = std::partition_point(references_.begin(), references_.end(),
                                     [&](const Span& p) { return p.end <= edit.begin; });
    const std::size_t query = text_.find('?', edit.begin);
    for (; part != references_.end() && part->begin < edit.end; ++part) {
        if (part->kind == Kind::unknown) return false;
        const bool any_encoding = is_ascii_ && part->begin < query;
        if (part->kind == Kind::character && encoding_ == Encoding::other && !any_encoding)
            return false;
    }
    return true;
}

// Whether the text before this place ends in a reference without a semicolon, which text put here
// might continue.
bool AttributeText::follows_open_reference(std::size_t at) const {
    const auto next = std::partition_point(references_.begin(), references_.end(),
                                           [&](const Span& p) { return p.end <= at; });
    return next != references_.begin() && std::prev(next)->end == at && std::prev(next)->is_open;
}

// The offset in the value of a byte of the text; within a reference, the begin of the reference.
std::size_t AttributeText::raw_offset(std::size_t at) const {
    const auto next = std::partition_point(references_.begin(), references_.end(),
                                           [&](const Span& p) { return p.end <= at; });
    if (next != references_.end() && next->begin <= at) return next->raw_begin;
    return next == references_.begin() ? at
                                       : std::prev(next)->raw_end + (at - std::prev(next)->end);
}

Edits AttributeText::in_value(const Edits& edits) const {
    Edits out;
    for (const Edit& edit : edits) {
        if (!is_editable(edit)) continue;
        const std::string text =
            (follows_open_reference(edit.begin) ? ";" : "") + escape_text(edit.text);
        out.push_back({raw_offset(edit.begin), raw_offset(edit.end),
                       is_ascii_ ? xml::numbers_beyond_ascii(text) : text});
    }
    return out;
}

}  // namespace oai::recover
