// SPDX-License-Identifier: MIT
#include "transform/tree_copier.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "transform/ascii.h"
#include "xml/escape.h"

namespace oai::transform {
namespace {

// Well below the limits of the parser and of libxslt.
constexpr std::size_t kMaxCopiedDepth = 64;
constexpr std::size_t kMaxNameBytes = 1000;
constexpr std::size_t kMaxCopiedBytes = 1 << 20;

enum Class : unsigned char { plain, high, special };
using Table = std::array<Class, 256>;

// Characters that are written as they are; `also` are not.
constexpr Table table(std::string_view also) {
    Table t{};
    for (std::size_t c = 0; c < 256; ++c) t[c] = c < 0x20 ? special : c < 0x80 ? plain : high;
    t['\t'] = t['\n'] = plain;
    for (const char c : also) t[static_cast<unsigned char>(c)] = special;
    return t;
}
constexpr Table kText = table("<>&");
constexpr Table kValue = table("<>&\"\t\n");

bool is_path(char c) { return continues_name(c) || c == '/' || c == '~'; }

// A namespace that every parser takes for a URI: of the usual schemes and of few characters.
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

struct Name {
    std::string_view whole, prefix, local;
};

// One call of copy_elements(): recursive descent. Each function that returns a bool returns false
// where the content cannot be copied as text.
class TreeCopier {
  public:
    TreeCopier(std::string& out, std::string_view content, const ElementPath& path,
               std::optional<std::string_view> child_text, const Scope& around)
        : out_(out), path_(path), next_(content.data()), end_(content.data() + content.size()) {
        if (child_text) xml::append_text(child_text_.emplace(), *child_text);
        for (const Declaration& d : around) bindings_.push_back({d.prefix, d.uri, false});
    }

    std::optional<CopiedElements> copy() {
        const std::string_view content(next_, end_);
        CopiedElements copied;
        for (;;) {
            if (!text()) return std::nullopt;
            if (next_ == end_) break;
            const std::size_t begin = out_.size();
            unwritten_ = next_;
            is_selected_ = has_child_ = false;
            if (!element(0)) return std::nullopt;
            write(next_);
            if (is_selected_ && (has_child_ || !path_.child))
                copied = {copied.count + 1, top_uri_};
            else
                out_.resize(begin);
        }
        if (beyond_ascii_ && !text::is_xml_text(content)) return std::nullopt;
        return copied;
    }

  private:
    struct Binding {
        std::string_view prefix, uri;
        bool own;  // declared in the content
    };

    bool element(std::size_t depth) {
        const std::size_t outer = bindings_.size();
        ++next_;
        Name name;
        if (depth == kMaxCopiedDepth || !this->name(name) || !attributes()) return false;
        const Binding* const known = find(name.prefix);
        if (known == nullptr || !known->own) return false;
        const std::string_view uri = known->uri;
        std::string_view inside;
        if (!accept("/>") && !(accept(">") && content(name, depth, inside))) return false;
        bindings_.resize(outer);
        return select(name, uri, depth, inside);
    }

    // And the end tag. <a></a> would be written <a/>.
    bool content(const Name& name, std::size_t depth, std::string_view& inside) {
        const char* const begin = next_;
        while (text() && !std::string_view(next_, end_).starts_with("</"))
            if (next_ == end_ || !element(depth + 1)) return false;
        inside = {begin, next_};
        return !inside.empty() && accept("</") && accept(name.whole) && accept(">");
    }

    // Whether the element, of which all has been read, is one that the path wants.
    bool select(const Name& name, std::string_view uri, std::size_t depth,
                std::string_view inside) {
        const auto is = [&](const ElementName& wanted) {
            return wanted.local == name.local && wanted.name_space == uri;
        };
        if (depth == 0) {
            is_selected_ = !path_.element || is(*path_.element);
            top_uri_ = uri;
        } else if (depth == 1 && path_.child && is(*path_.child)) {
            if (inside.find('<') != std::string_view::npos)
                return false;  // text in several elements
            has_child_ = has_child_ || (child_text_ && inside == *child_text_);
        }
        return true;
    }

    // A declaration stands before all attributes, where a serialiser writes it.
    bool attributes() {
        attribute_names_.clear();
        const std::size_t outer = bindings_.size();
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

    // An attribute of the same local name may be the same one.
    bool attribute(const Name& name) {
        auto& names = attribute_names_;
        if (std::find(names.begin(), names.end(), name.local) != names.end()) return false;
        names.push_back(name.local);
        if (name.prefix.empty()) return true;
        if (name.prefix == "xml") return name.local != "id";  // a parser normalises xml:id
        const Binding* const known = find(name.prefix);
        return known != nullptr && known->own;
    }

    bool declare(const Name& name, std::string_view uri, std::size_t outer, const char* begin) {
        const std::string_view prefix = name.prefix.empty() ? std::string_view() : name.local;
        const Binding* const known = find(prefix);
        const bool again = known != nullptr && known >= bindings_.data() + outer;
        if (again || !is_uri(uri) || prefix == "xml" || prefix == "xmlns") return false;
        if (known != nullptr && known->uri == uri) {
            write(begin);
            unwritten_ = next_;
        }
        bindings_.push_back({prefix, uri, true});
        return true;
    }

    // Up to the next tag, or the end.
    bool text() {
        while (skip(kText), next_ != end_ && *next_ != '<')
            if (!reference(false)) return false;
        return true;
    }

    // Of an attribute, up to and with the quotation mark behind it.
    bool value(std::string_view& value) {
        const char* const begin = next_;
        while (skip(kValue), next_ != end_ && *next_ != '"')
            if (!reference(true)) return false;
        if (next_ == end_) return false;
        value = {begin, next_};
        ++next_;
        return true;
    }

    // As a serialiser writes them (xml/escape.h).
    bool reference(bool in_attribute) {
        static constexpr std::array<std::string_view, 4> kAnywhere = {"&amp;", "&lt;", "&gt;",
                                                                      "&#13;"};
        static constexpr std::array<std::string_view, 3> kInAttribute = {"&quot;", "&#9;", "&#10;"};
        const auto accepted = [this](std::string_view token) { return accept(token); };
        return std::any_of(kAnywhere.begin(), kAnywhere.end(), accepted) ||
               (in_attribute && std::any_of(kInAttribute.begin(), kInAttribute.end(), accepted));
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

    // Passes over characters that are written as they are.
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
    const Binding* find(std::string_view prefix) const {
        const auto found = std::find_if(bindings_.rbegin(), bindings_.rend(),
                                        [&](const Binding& b) { return b.prefix == prefix; });
        return found == bindings_.rend() ? nullptr : &*found;
    }
    void write(const char* end) {
        out_.append(unwritten_, end);
        unwritten_ = end;
    }

    std::string& out_;
    const ElementPath& path_;
    const char *next_, *const end_;
    const char* unwritten_ = nullptr;        // from here the content goes to out_
    std::optional<std::string> child_text_;  // as it is written
    bool is_selected_ = false;               // the element at the top, by its name
    bool has_child_ = false;                 // of the path's name and text
    std::string_view top_uri_;               // of the element at the top
    bool beyond_ascii_ = false;
    std::vector<Binding> bindings_;
    std::vector<std::string_view> attribute_names_;  // of one element, without prefixes
};

}  // namespace

std::optional<CopiedElements> copy_elements(std::string& out, std::string_view content,
                                            const ElementPath& path,
                                            std::optional<std::string_view> child_text,
                                            const Scope& around) {
    if (const std::size_t end = content.find("?>");
        content.starts_with("<?xml ") && end != std::string_view::npos)
        content.remove_prefix(end + 2);
    if (content.size() > kMaxCopiedBytes) return std::nullopt;
    return TreeCopier(out, content, path, child_text, around).copy();
}

}  // namespace oai::transform
