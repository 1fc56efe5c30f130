// SPDX-License-Identifier: MIT
#include "recover/links.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace oai::recover {
namespace {

constexpr std::array<std::string_view, 6> kAttributes = {"href",   "src",  "background",
                                                         "poster", "data", "longdesc"};
constexpr std::string_view kBlanks = " \t\r\n\f";

bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }

// The five that are met in addresses, the first name of each to be written.
constexpr std::array<std::pair<std::string_view, char>, 6> kNames{
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&#38;", '&'}}};

std::string without_character_references(std::string_view s) {
    std::string out;
    while (!s.empty()) {
        const auto* const name =
            std::find_if(kNames.begin(), kNames.end(), [&](const auto& n) { return s.starts_with(n.first); });
        out += name == kNames.end() ? s.front() : name->second;
        s.remove_prefix(name == kNames.end() ? 1 : name->first.size());
    }
    return out;
}

// The same names; of all that may stand in the value of an attribute in quotes.
std::string with_character_references(const std::string& s) {
    std::string out;
    for (const char c : s) {
        const auto* const name = std::find_if(kNames.begin(), kNames.end(), [&](const auto& n) { return n.second == c; });
        if (name == kNames.end()) out += c;
        else out += name->first;
    }
    return out;
}

class Rewriter {
  public:
    Rewriter(std::string_view html, const Target& target) : in_(html), target_(target) {}

    std::string run() {
        while (at_ < in_.size()) {
            if (in_.substr(at_).starts_with("<!--"))
                copy_behind("-->");
            else if (in_[at_] == '<' && at_ + 1 < in_.size() && is_letter(in_[at_ + 1]))
                tag();
            else
                out_ += in_[at_++];
        }
        return std::move(out_);
    }

    const std::string& base() const { return base_; }

  private:
    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

    void copy_to(std::size_t end) {
        out_ += in_.substr(at_, end - at_);
        at_ = std::max(at_, std::min(end, in_.size()));
    }
    void copy_behind(std::string_view mark) {
        const auto found = in_.find(mark, at_);
        copy_to(found == in_.npos ? in_.size() : found + mark.size());
    }
    std::string_view copy_while(bool (*wanted)(char)) {
        std::size_t end = at_;
        while (end < in_.size() && wanted(in_[end])) ++end;
        const std::string_view copied = in_.substr(at_, end - at_);
        copy_to(end);
        return copied;
    }

    void tag() {
        copy_to(at_ + 1);
        const std::string name =
            text::lower_ascii(copy_while([](char c) { return !is_blank(c) && c != '>' && c != '/'; }));
        in_base_ = name == "base";
        while (at_ < in_.size() && in_[at_] != '>') attribute();
        copy_to(at_ + 1);
        if (name == "script" || name == "style") copy_to(end_of(name));
    }

    // Where the element's end tag begins.
    std::size_t end_of(const std::string& name) const {
        for (auto i = in_.find("</", at_); i != in_.npos; i = in_.find("</", i + 2))
            if (text::lower_ascii(in_.substr(i + 2, name.size())) == name) return i;
        return in_.size();
    }

    void attribute() {
        copy_while([](char c) { return is_blank(c) || c == '/'; });
        const std::string name = text::lower_ascii(
            copy_while([](char c) { return !is_blank(c) && c != '>' && c != '/' && c != '='; }));
        if (name.empty()) {
            if (at_ < in_.size() && in_[at_] == '=') copy_to(at_ + 1);  // an equals sign without a name
            return;
        }
        copy_while(is_blank);
        if (at_ >= in_.size() || in_[at_] != '=') return;
        copy_to(at_ + 1);
        copy_while(is_blank);
        value(std::find(kAttributes.begin(), kAttributes.end(), name) != kAttributes.end(),
              in_base_ && name == "href");
    }

    void value(bool is_reference, bool is_base) {
        if (at_ >= in_.size()) return;
        const char quote = in_[at_] == '"' || in_[at_] == '\'' ? in_[at_] : '\0';
        const std::size_t begin = at_ + (quote != '\0' ? 1 : 0);
        std::size_t end = quote != '\0' ? in_.find(quote, begin) : in_.find_first_of(" \t\r\n\f>", begin);
        if (end == in_.npos) end = in_.size();
        const std::size_t behind = std::min(in_.size(), end + (quote != '\0' ? 1 : 0));
        const std::string reference =
            is_reference ? without_character_references(text::trim(in_.substr(begin, end - begin))) : "";
        if (is_base && base_.empty()) base_ = reference;
        const std::string wanted = is_reference && !is_base ? target_(reference) : "";
        if (wanted.empty() && !is_base) return copy_to(behind);
        (out_ += '"') += with_character_references(wanted) + '"';
        at_ = behind;
    }

    std::string_view in_;
    const Target& target_;
    std::size_t at_ = 0;
    bool in_base_ = false;
    std::string base_;
    std::string out_;
};

}  // namespace

std::string base_in(std::string_view html) {
    const Target leave = [](const std::string&) { return std::string(); };
    Rewriter rewriter(html, leave);
    rewriter.run();
    return rewriter.base();
}

std::string with_links(std::string_view html, const Target& target) { return Rewriter(html, target).run(); }

}  // namespace oai::recover
