// SPDX-License-Identifier: MIT
#include "transform/stored_tree.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "transform/ascii.h"
#include "xml/guard.h"

namespace oai::transform {
namespace {

// Well below the limits of the parser and of libxslt.
constexpr std::size_t kMaxStoredDepth = 64;
constexpr std::size_t kMaxNameBytes = 1000;
constexpr std::size_t kMaxStoredBytes = 1 << 20;
constexpr std::size_t kMaxStoredElements = 20'000;
constexpr xml::Bounds kBounds;  // what is beyond them is refused by the parser

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

struct Reference {
    std::string_view written;
    char character;
    bool in_text;  // or in attributes only
};
// As a serialiser writes them (xml/escape.h).
constexpr std::array<Reference, 7> kReferences = {{{"&amp;", '&', true},
                                                   {"&lt;", '<', true},
                                                   {"&gt;", '>', true},
                                                   {"&#13;", '\r', true},
                                                   {"&quot;", '"', false},
                                                   {"&#9;", '\t', false},
                                                   {"&#10;", '\n', false}}};

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

template <class Binding>
const Binding* find_prefix(const std::vector<Binding>& in_force, std::string_view prefix) {
    const auto found = std::find_if(in_force.rbegin(), in_force.rend(),
                                    [&](const Binding& b) { return b.prefix == prefix; });
    return found == in_force.rend() ? nullptr : &*found;
}

// Whether a declaration would only repeat what is in force.
template <class Binding>
bool is_in_force(const std::vector<Binding>& in_force, const Binding& b) {
    const Binding* const known = find_prefix(in_force, b.prefix);
    return known != nullptr && known->uri == b.uri;
}

struct Name {
    std::string_view whole, prefix, local;
};

}  // namespace

// One call of add(): recursive descent. Each function that returns a bool returns false where the
// content cannot be read.
class StoredTreeReader {
  public:
    StoredTreeReader(StoredTree& tree, std::string_view content)
        : tree_(tree), next_(content.data()), end_(content.data() + content.size()) {}

    bool read() {
        const std::string_view content(next_, end_);
        const StoredTree::Index top = begin_element(0);
        for (;;) {
            if (!text()) return false;
            if (next_ == end_) break;
            if (!element(top, 0)) return false;
        }
        end_element(top);
        tree_.elements_[top].inside = content;
        return !beyond_ascii_ || text::is_xml_text(content);
    }

  private:
    using Binding = StoredTree::Binding;

    // In place of the one that marked the end.
    StoredTree::Index begin_element(StoredTree::Index parent) {
        const StoredTree::Index i = tree_.size();
        tree_.elements_[i].parent = parent;
        tree_.elements_.emplace_back();
        mark_end();
        return i;
    }
    void end_element(StoredTree::Index i) {
        tree_.elements_[i].behind = tree_.size();
        mark_end();
    }
    void mark_end() {
        StoredTree::Element& end = tree_.elements_.back();
        end.attributes = static_cast<std::uint32_t>(tree_.attributes_.size());
        end.declarations = static_cast<std::uint32_t>(tree_.declarations_.size());
    }

    bool element(StoredTree::Index parent, std::size_t depth) {
        const std::size_t outer = in_force_.size();
        const char* const begin = next_++;
        Name name;
        if (depth == kMaxStoredDepth || tree_.elements_.size() > kMaxStoredElements ||
            !this->name(name))
            return false;
        const StoredTree::Index i = begin_element(parent);
        if (!attributes()) return false;
        mark_end();
        const Binding* const known = find_prefix(in_force_, name.prefix);
        if (known == nullptr) return false;
        tree_.elements_[i].name = name.local;
        tree_.elements_[i].name_space = known->uri;
        if (!accept("/>") && !(accept(">") && content(name, i, depth))) return false;
        tree_.elements_[i].whole = {begin, next_};
        end_element(i);
        in_force_.resize(outer);
        return true;
    }

    // And the end tag. <a></a> would be written <a/>.
    bool content(const Name& name, StoredTree::Index i, std::size_t depth) {
        const char* const begin = next_;
        while (text() && !std::string_view(next_, end_).starts_with("</"))
            if (next_ == end_ || !element(i, depth + 1)) return false;
        const std::string_view inside(begin, next_);
        tree_.elements_[i].inside = inside;
        return !inside.empty() && accept("</") && accept(name.whole) && accept(">");
    }

    // A declaration stands before all attributes, where a serialiser writes it.
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
                    : attribute(name, value);
            if (!is_good) return false;
        }
        return true;
    }

    // An attribute of the same local name may be the same one.
    bool attribute(const Name& name, std::string_view value) {
        auto& names = attribute_names_;
        if (names.size() == kBounds.attributes ||
            std::find(names.begin(), names.end(), name.local) != names.end())
            return false;
        names.push_back(name.local);
        tree_.attributes_.push_back({name.whole, value});
        if (name.prefix.empty()) return true;
        if (name.prefix == "xml") return name.local != "id";  // a parser normalises xml:id
        return find_prefix(in_force_, name.prefix) != nullptr;
    }

    bool declare(const Name& name, std::string_view uri, std::size_t outer, const char* begin) {
        const std::string_view prefix = name.prefix.empty() ? std::string_view() : name.local;
        const Binding* const known = find_prefix(in_force_, prefix);
        const bool again = known != nullptr && known >= in_force_.data() + outer;
        if (in_force_.size() - outer == kBounds.namespaces ||
            in_force_.size() == kBounds.namespaces_in_scope)
            return false;
        if (again || !is_uri(uri) || prefix == "xml" || prefix == "xmlns") return false;
        in_force_.push_back({prefix, uri, {begin, next_}});
        tree_.declarations_.push_back(in_force_.back());
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

    bool reference(bool in_attribute) {
        return std::any_of(
            kReferences.begin(), kReferences.end(),
            [&](const Reference& r) { return (r.in_text || in_attribute) && accept(r.written); });
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

    StoredTree& tree_;
    const char *next_, *const end_;
    bool beyond_ascii_ = false;
    std::vector<Binding> in_force_;
    std::vector<std::string_view> attribute_names_;  // of one element, without prefixes
};

void StoredTree::clear() {
    elements_.assign(1, {});
    attributes_.clear();
    declarations_.clear();
}

bool StoredTree::add(std::string_view content) {
    if (const std::size_t end = content.find("?>");
        content.starts_with("<?xml ") && end != std::string_view::npos)
        content.remove_prefix(end + 2);
    return content.size() <= kMaxStoredBytes && StoredTreeReader(*this, content).read();
}

const StoredTree::Attribute* StoredTree::attribute(Index i, std::string_view name) const {
    const Attribute* const end = attributes_.data() + elements_[i + 1].attributes;
    for (const Attribute* a = attributes_.data() + elements_[i].attributes; a != end; ++a)
        if (a->name == name) return a;
    return nullptr;
}

std::string_view StoredTree::text(std::string_view written, std::string& scratch) {
    std::size_t mark = written.find_first_of("<&");
    if (mark == std::string_view::npos) return written;
    scratch.clear();
    for (; mark != std::string_view::npos; mark = written.find_first_of("<&")) {
        scratch += written.substr(0, mark);
        written.remove_prefix(mark);
        if (written.front() == '<') {  // no value of an attribute has a >
            written.remove_prefix(written.find('>') + 1);
            continue;
        }
        const auto* const reference =
            std::find_if(kReferences.begin(), kReferences.end(),
                         [&](const Reference& r) { return written.starts_with(r.written); });
        scratch += reference->character;
        written.remove_prefix(reference->written.size());
    }
    scratch += written;
    return scratch;
}

// Of the elements within i, those declarations go that a copy need not repeat. `unwritten`: up to
// where the copy has been written.
void StoredTree::copy_inside(std::string& out, Index i, std::vector<Binding>& in_force,
                             const char*& unwritten) const {
    const Element& e = elements_[i];
    if (elements_[e.behind].declarations == elements_[i + 1].declarations) return;
    for (Index child = first_child(i); child < e.behind; child = elements_[child].behind) {
        const std::size_t outer = in_force.size();
        for (const Binding& b : declared(child)) {
            if (is_in_force(in_force, b)) {
                out.append(unwritten, b.text.data());
                unwritten = b.text.data() + b.text.size();
            }
            in_force.push_back(b);
        }
        copy_inside(out, child, in_force, unwritten);
        in_force.resize(outer);
    }
}

// A copy declares all that is in force where the original stands, the nearest first.
void StoredTree::copy(std::string& out, Index i, const Scope& around) const {
    std::vector<Binding> in_force;
    for (const Declaration& d : around) in_force.push_back({d.prefix, d.uri, {}});
    const Element& e = elements_[i];
    const char* unwritten = e.whole.data() + e.whole.find_first_of(" />");
    out.append(e.whole.data(), unwritten);
    std::vector<std::string_view> seen;
    for (Index up = i; !elements_[up].name.empty(); up = elements_[up].parent) {
        for (const Binding& b : declared(up)) {
            if (up == i) unwritten = b.text.data() + b.text.size();
            if (std::find(seen.begin(), seen.end(), b.prefix) != seen.end()) continue;
            seen.push_back(b.prefix);
            if (is_in_force(in_force, b)) continue;
            out += b.text;
            in_force.push_back(b);
        }
    }
    copy_inside(out, i, in_force, unwritten);
    out.append(unwritten, e.whole.data() + e.whole.size());
}

}  // namespace oai::transform
