// SPDX-License-Identifier: MIT
#include "transform/stored_xml.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "xml/escape.h"
#include "xml/guard.h"

namespace oai::transform {
namespace {

// Well below the limits of the parser and of libxslt.
constexpr std::size_t kMaxStoredDepth = 64;
constexpr std::size_t kMaxNameBytes = 1000;
constexpr std::size_t kMaxStoredBytes = 1 << 20;
constexpr std::size_t kMaxStoredElements = 20'000;
constexpr xml::Bounds kBounds;  // those of the parser

enum Class : unsigned char { plain, high, special };
using Table = std::array<Class, 256>;

// The characters that are written unchanged, except for those in `also`.
constexpr Table table(std::string_view also) {
    Table t{};
    for (std::size_t c = 0; c < 256; ++c) t[c] = c < 0x20 ? special : c < 0x80 ? plain : high;
    t['\t'] = t['\n'] = plain;
    for (const char c : also) t[static_cast<unsigned char>(c)] = special;
    return t;
}
constexpr Table kText = table("<>&");
constexpr Table kValue = table("<>&\"\t\n");

// References as a serialiser writes them (xml/escape.h): the first four in text, all in attributes.
constexpr std::array<std::string_view, 7> kReferences = {"&amp;",  "&lt;", "&gt;", "&#13;",
                                                         "&quot;", "&#9;", "&#10;"};
constexpr std::size_t kTextReferences = 4;

bool is_path(char c) { return continues_name(c) || c == '/' || c == '~'; }

// Whether every parser accepts it as a URI: of a usual scheme and plain characters.
bool is_uri(std::string_view s) {
    for (const std::string_view scheme : {"http://", "https://", "urn:", "info:"}) {
        if (!s.starts_with(scheme)) continue;
        const bool is_name = !scheme.ends_with('/');
        const auto end = std::find_if_not(s.begin() + scheme.size(), s.end(), [&](char c) {
            return is_path(c) || (is_name && c == ':');
        });
        s = {end, s.end()};
        if (s.starts_with('#')) s.remove_prefix(1);
        return std::all_of(s.begin(), s.end(), is_path);
    }
    return false;
}

struct Binding {
    std::string_view prefix, uri;
};
using Bindings = std::vector<Binding>;

// The innermost binding of the prefix at or after `begin`; nullptr: there is none.
const Binding* find_prefix(const Bindings& in_force, std::size_t begin, std::string_view prefix) {
    for (std::size_t i = in_force.size(); i > begin; --i)
        if (in_force[i - 1].prefix == prefix) return &in_force[i - 1];
    return nullptr;
}

struct Name {
    std::string_view whole, prefix, local;
};

// Implements copy_elements() by recursive descent. Functions that return a bool return false if the
// content cannot be copied. The text of an element is written in one piece at its end, or up to a
// part that must be left out.
class Copier {
  public:
    Copier(std::string& out, std::string_view content, const Scope& scope, CopiedElements& copied,
           const std::optional<ChildFilter>& filter)
        : out_(out),
          copied_(copied),
          filter_(filter),
          next_(content.data()),
          end_(content.data() + content.size()),
          outside_(scope.size()) {
        for (const Declaration& d : scope) in_force_.push_back({d.prefix, d.uri});
        // As it is written.
        if (filter_ && filter_->text) xml::append_text(wanted_.emplace(), *filter_->text);
    }

    bool copy() {
        const std::string_view content(next_, end_);
        for (;;) {
            if (!text()) return false;
            if (next_ == end_) break;
            const std::size_t before = out_.size();
            const CopiedElements copied_before = copied_;
            unwritten_ = next_;
            has_child_ = false;
            if (!element(0)) return false;
            out_.append(unwritten_, next_);
            if (!filter_ || has_child_) continue;
            out_.resize(before);
            copied_ = copied_before;
        }
        return !beyond_ascii_ || text::is_xml_text(content);
    }

  private:
    bool element(std::size_t depth) {
        const std::size_t outer = in_force_.size();
        ++next_;
        Name name;
        if (depth == kMaxStoredDepth || ++elements_ > kMaxStoredElements || !this->name(name) ||
            !attributes())
            return false;
        const Binding* const known = find_own(name.prefix);
        if (known == nullptr) return false;
        const std::string_view name_space = known->uri;
        if (depth == 0) copied_ = {copied_.count + 1, name_space};
        std::string_view inside;
        if (!accept("/>") && !(accept(">") && content(name, depth, inside))) return false;
        in_force_.resize(outer);
        if (depth != 1 || !filter_ || name_space != filter_->name.name_space ||
            name.local != filter_->name.local)
            return true;
        has_child_ = has_child_ || inside == wanted_;
        return inside.find('<') == std::string_view::npos;  // else its text is more than this
    }

    // Reads the content and the end tag. Rejects <a></a>, which a serialiser writes as <a/>.
    bool content(const Name& name, std::size_t depth, std::string_view& inside) {
        const char* const begin = next_;
        while (text() && !std::string_view(next_, end_).starts_with("</"))
            if (next_ == end_ || !element(depth + 1)) return false;
        inside = {begin, next_};
        return !inside.empty() && accept("</") && accept(name.whole) && accept(">");
    }

    // Namespace declarations must precede attributes, as in the output of a serialiser.
    bool attributes() {
        attribute_names_.clear();
        const std::size_t outer = in_force_.size();
        while (next_ != end_ && *next_ == ' ') {
            const char* const begin = next_++;
            Name name;
            std::string_view value;
            if (!this->name(name) || !accept("=\"") || !this->value(value)) return false;
            const bool is_good =
                name.whole == "xmlns" || name.prefix == "xmlns"
                    ? attribute_names_.empty() && declare(name, value, outer, begin)
                    : attribute(name);
            if (!is_good) return false;
        }
        return true;
    }

    // Rejects two attributes with the same local name, which could be duplicates.
    bool attribute(const Name& name) {
        auto& names = attribute_names_;
        if (names.size() == kBounds.attributes ||
            std::find(names.begin(), names.end(), name.local) != names.end())
            return false;
        names.push_back(name.local);
        if (name.prefix.empty()) return true;
        if (name.prefix == "xml") return name.local != "id";  // a parser normalises xml:id
        return find_own(name.prefix) != nullptr;
    }

    // Leaves out a declaration that is already in scope around the copy.
    bool declare(const Name& name, std::string_view uri, std::size_t outer, const char* begin) {
        const std::string_view prefix = name.prefix.empty() ? std::string_view() : name.local;
        if (in_force_.size() - outer == kBounds.namespaces ||
            in_force_.size() - outside_ == kBounds.namespaces_in_scope)
            return false;
        const bool again = find_prefix(in_force_, outer, prefix) != nullptr;
        if (again || !is_uri(uri) || prefix == "xml" || prefix == "xmlns") return false;
        const Binding* const known = find_prefix(in_force_, 0, prefix);
        if (known != nullptr && known->uri == uri) {
            out_.append(unwritten_, begin);
            unwritten_ = next_;
        }
        in_force_.push_back({prefix, uri});
        return true;
    }

    // Searches the declarations of the content alone, not those around the copy.
    const Binding* find_own(std::string_view prefix) const {
        return find_prefix(in_force_, outside_, prefix);
    }

    // Up to the next tag, or the end.
    bool text() {
        while (skip(kText), next_ != end_ && *next_ != '<')
            if (!reference(kTextReferences)) return false;
        return true;
    }

    // Reads the value of an attribute and the closing quotation mark.
    bool value(std::string_view& value) {
        const char* const begin = next_;
        while (skip(kValue), next_ != end_ && *next_ != '"')
            if (!reference(kReferences.size())) return false;
        if (next_ == end_) return false;
        value = {begin, next_};
        ++next_;
        return true;
    }

    bool reference(std::size_t allowed) {
        return std::any_of(
            kReferences.begin(), kReferences.begin() + allowed,
            [&](std::string_view written) { return accept(written); });
    }

    bool name(Name& name) {
        const char* const begin = next_;
        const char* local = begin;
        if (!name_part()) return false;
        if (next_ != end_ && *next_ == ':') {
            name.prefix = {begin, next_};
            local = ++next_;
            if (!name_part()) return false;
        }
        name.whole = {begin, next_};
        name.local = {local, next_};
        return name.whole.size() <= kMaxNameBytes;
    }

    bool name_part() {
        if (next_ == end_ || !begins_name(*next_)) return false;
        while (next_ != end_ && continues_name(*next_)) ++next_;
        return true;
    }

    // Skips characters that are written unchanged.
    void skip(const Table& table) {
        unsigned char classes = 0;
        for (; next_ != end_; ++next_) {
            const Class c = table[static_cast<unsigned char>(*next_)];
            if (c == special) break;
            classes |= c;
        }
        beyond_ascii_ |= (classes & high) != 0;
    }
    bool accept(std::string_view token) {
        if (!std::string_view(next_, end_).starts_with(token)) return false;
        next_ += token.size();
        return true;
    }

    std::string& out_;
    CopiedElements& copied_;
    const std::optional<ChildFilter>& filter_;
    std::optional<std::string> wanted_;  // of the filter; nullopt: no child has it
    bool has_child_ = false;             // of the filter, in the element at the top
    const char *next_, *const end_;
    const char* unwritten_ = nullptr;  // the element has been written up to here
    bool beyond_ascii_ = false;
    std::size_t elements_ = 0;
    Bindings in_force_;                              // those of the scope, then the content's own
    const std::size_t outside_;                      // number of those from the scope
    std::vector<std::string_view> attribute_names_;  // of one element, without prefixes
};

}  // namespace

bool copy_elements(std::string& out, std::string_view content, const Scope& scope,
                   CopiedElements& copied, const std::optional<ChildFilter>& filter) {
    if (const std::size_t end = content.find("?>");
        content.starts_with("<?xml ") && end != std::string_view::npos)
        content.remove_prefix(end + 2);
    return content.size() <= kMaxStoredBytes && Copier(out, content, scope, copied, filter).copy();
}

}  // namespace oai::transform
