// SPDX-License-Identifier: MIT
#include "recover/links.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "recover/attribute.h"
#include "recover/css.h"

namespace oai::recover {
namespace {

constexpr std::array<std::string_view, 11> kReferences{"href", "xlink:href", "src",    "background", "poster", "data",
                                                       "longdesc", "action", "formaction", "lowsrc", "dynsrc"};
constexpr std::array<std::string_view, 5> kTexts{"script", "style", "textarea", "title", "xmp"};  // no markup in them
constexpr std::string_view kBlanks = " \t\r\n\f";

using FindEdits = Edits (*)(std::string_view, const Target&);

bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

struct Attribute {
    std::string name;
    std::size_t begin, end;  // of its value, without quotes
    bool quoted;
};

struct Tag {
    std::string name;
    std::vector<Attribute> attributes;  // that have a value
    bool empty = false;                 // ends in "/>"
};

class Page {
  public:
    Page(std::string_view document, Markup markup, const Target& target) : in_(document), markup_(markup), target_(target) {}

    void read() {
        while ((at_ = in_.find('<', at_)) != in_.npos) {
            const char next = at_ + 1 < in_.size() ? in_[at_ + 1] : '\0';
            if (is_letter(next)) element();
            else if (in_.substr(at_).starts_with("<!--")) skip_behind("-->");
            else if (markup_ == Markup::xml && in_.substr(at_).starts_with("<![CDATA[")) skip_behind("]]>");
            else if (markup_ == Markup::xml && next == '?') skip_behind("?>");
            else if (next == '!' || next == '?') skip_behind(">");
            else if (next == '/' && at_ + 2 < in_.size() && is_letter(in_[at_ + 2])) tag();
            else ++at_;
        }
    }
    const std::string& base() const { return base_; }
    Edits edits() && { return std::move(edits_); }

  private:
    void skip_behind(std::string_view mark) {
        const std::size_t found = in_.find(mark, at_);
        at_ = found == in_.npos ? in_.size() : found + mark.size();
    }
    std::string_view take_while(bool (*wanted)(char)) {
        const std::size_t begin = at_;
        while (at_ < in_.size() && wanted(in_[at_])) ++at_;
        return in_.substr(begin, at_ - begin);
    }

    Tag tag() {
        at_ += in_[at_ + 1] == '/' ? 2 : 1;
        Tag tag;
        tag.name = text::lower_ascii(take_while([](char c) { return !is_blank(c) && c != '>' && c != '/'; }));
        while (at_ < in_.size() && in_[at_] != '>') attribute(tag);
        tag.empty = at_ < in_.size() && in_[at_ - 1] == '/';
        at_ = std::min(in_.size(), at_ + 1);
        return tag;
    }

    void attribute(Tag& tag) {
        take_while([](char c) { return is_blank(c) || c == '/'; });
        std::string name = text::lower_ascii(take_while([](char c) { return !is_blank(c) && c != '>' && c != '/' && c != '='; }));
        if (name.empty() && at_ < in_.size() && in_[at_] == '=') ++at_;  // an equals sign without a name
        if (name.empty()) return;
        const std::size_t behind_name = at_;
        take_while(is_blank);
        if (at_ >= in_.size() || in_[at_] != '=') {
            at_ = behind_name;
            return;
        }
        ++at_;
        take_while(is_blank);
        value(tag, std::move(name));
    }

    void value(Tag& tag, std::string name) {
        if (at_ >= in_.size()) return;
        const char quote = in_[at_] == '"' || in_[at_] == '\'' ? in_[at_++] : '\0';
        const std::size_t end = std::min(in_.size(), quote != '\0' ? in_.find(quote, at_) : in_.find_first_of(" \t\r\n\f>", at_));
        tag.attributes.push_back({std::move(name), at_, end, quote != '\0'});
        at_ = std::min(in_.size(), end + (quote != '\0' ? 1 : 0));
    }

    void element() {
        const Tag tag = this->tag();
        for (const Attribute& attribute : tag.attributes) {
            if (tag.name == "base" && attribute.name == "href") base(attribute);
            else if (const FindEdits find = finder(tag, attribute)) replace(attribute, find);
        }
        if (is_one_of(kTexts, tag.name) && !(tag.empty && markup_ == Markup::xml)) text_of(tag.name);
    }

    // nullptr: it holds no references.
    FindEdits finder(const Tag& tag, const Attribute& attribute) const {
        if (is_one_of(kReferences, attribute.name)) return reference_edits;
        if (attribute.name == "srcset" || attribute.name == "imagesrcset") return srcset_edits;
        if (attribute.name == "style") return css_edits;
        const auto is_refresh = [&](const Attribute& a) {
            return a.name == "http-equiv" && text::lower_ascii(text::trim(in_.substr(a.begin, a.end - a.begin))) == "refresh";
        };
        const bool refreshes = tag.name == "meta" && attribute.name == "content" &&
                               std::any_of(tag.attributes.begin(), tag.attributes.end(), is_refresh);
        return refreshes ? refresh_edits : nullptr;
    }

    void base(const Attribute& attribute) {
        const std::string_view raw = in_.substr(attribute.begin, attribute.end - attribute.begin);
        if (base_.empty()) base_ = text::trim(Decoded(raw).text());
        if (!raw.empty()) edits_.push_back({attribute.begin, attribute.end, attribute.quoted ? "" : "\"\""});
    }

    void replace(const Attribute& attribute, FindEdits find) {
        const std::string_view raw = in_.substr(attribute.begin, attribute.end - attribute.begin);
        const Decoded value(raw);
        const Edits edits = value.in_value(find(value.text(), target_));
        if (edits.empty()) return;
        if (attribute.quoted) return add(edits, attribute.begin);
        // The new text may have blanks, so it needs quotes; the old one may have had them in it.
        std::string text = "\"";
        for (const char c : applied(raw, edits)) text += c == '"' ? "&quot;" : std::string(1, c);
        edits_.push_back({attribute.begin, attribute.end, text + '"'});
    }

    void add(const Edits& edits, std::size_t offset) {
        for (const Edit& edit : edits) edits_.push_back({edit.begin + offset, edit.end + offset, edit.text});
    }

    // What is in the element, up to its end tag.
    void text_of(const std::string& name) {
        std::size_t end = in_.find("</", at_);
        while (end != in_.npos && !ends_here(name, end)) end = in_.find("</", end + 2);
        end = std::min(end, in_.size());
        if (name == "style") add(css_edits(in_.substr(at_, end - at_), target_), at_);
        at_ = end;
    }
    bool ends_here(const std::string& name, std::size_t at) const {
        const char behind = at + 2 + name.size() < in_.size() ? in_[at + 2 + name.size()] : '>';
        return text::lower_ascii(in_.substr(at + 2, name.size())) == name && (is_blank(behind) || behind == '>' || behind == '/');
    }

    const std::string_view in_;
    const Markup markup_;
    const Target& target_;
    std::size_t at_ = 0;
    std::string base_;
    Edits edits_;
};

}  // namespace

std::string base_in(std::string_view document, Markup markup) {
    const Target leave = [](const std::string&) { return std::string(); };
    Page page(document, markup, leave);
    page.read();
    return page.base();
}

Edits link_edits(std::string_view document, Markup markup, const Target& target) {
    Page page(document, markup, target);
    page.read();
    return std::move(page).edits();
}

}  // namespace oai::recover
