// SPDX-License-Identifier: MIT
#include "transform/tree_copier.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "xml/escape.h"

namespace oai::transform {
namespace {

// Well below the limits of the parser and of libxslt.
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxNameBytes = 1000;
constexpr std::size_t kMaxBytes = 1 << 20;

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

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_host(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; }
bool is_path(char c) { return is_host(c) || c == '/' || c == ':' || c == '_' || c == '~'; }
bool begins_name(char c) { return is_letter(c) || c == '_'; }
bool continues_name(char c) { return is_host(c) || c == '_'; }

// A namespace that every parser takes for a URI: scheme:path or scheme://host/path, of few
// characters, perhaps with a fragment.
bool is_uri(std::string_view s) {
    const auto take = [&s](bool (*is)(char)) {
        const auto end = std::find_if_not(s.begin(), s.end(), is);
        const bool any = end != s.begin();
        s.remove_prefix(static_cast<std::size_t>(end - s.begin()));
        return any;
    };
    if (s.empty() || !is_letter(s.front()) || !take(is_host) || !s.starts_with(':')) return false;
    s.remove_prefix(1);
    if (s.starts_with("//")) {
        s.remove_prefix(2);
        if (!take(is_host) || (!s.empty() && s.front() != '/' && s.front() != '#')) return false;
    }
    take(is_path);
    if (s.starts_with('#')) {
        s.remove_prefix(1);
        take(is_path);
    }
    return s.empty();
}

struct Name {
    std::string_view whole, prefix, local;
};

// One call of copy_elements(). Each function that returns a bool returns false where the content
// cannot be copied as text.
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
        while (next_ != end_) {
            skip(kText);
            if (next_ == end_) break;
            const bool good = *next_ != '<'                          ? reference(false)
                              : next_ + 1 != end_ && next_[1] == '/' ? end_tag()
                                                                     : start_tag();
            if (!good) return std::nullopt;
        }
        if (!open_.empty() || (beyond_ascii_ && !text::is_xml_text(content))) return std::nullopt;
        return copied_;
    }

  private:
    struct Binding {
        std::string_view prefix, uri;
        bool own;  // declared in the content
    };
    struct OpenElement {
        std::string_view name;  // with its prefix
        std::size_t bindings;   // before it
    };

    bool start_tag();
    bool attributes();
    bool attribute(bool& declarations_are_over);
    bool declare(const Name& name, std::string_view uri, const char* begin);
    bool open(const Name& name);
    bool end_tag();
    void close(const char* content_end);
    bool value(std::string_view& value);
    bool reference(bool in_attribute);
    bool name(Name& name);
    bool name_part();

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
    static bool matches(const std::optional<ElementName>& wanted, const Name& name,
                        std::string_view uri) {
        return !wanted || (wanted->local == name.local && wanted->name_space == uri);
    }
    void write(const char* end) {
        if (selected_) out_.append(unwritten_, end);
        unwritten_ = end;
    }

    std::string& out_;
    const ElementPath& path_;
    const char *next_, *const end_;
    const char* unwritten_ = nullptr;        // from here the content goes to out_, if selected
    std::optional<std::string> child_text_;  // as it is written
    bool selected_ = false;                  // the element at the top
    bool has_child_ = false;                 // of that name and text
    const char* child_begin_ = nullptr;  // of the text of a child of that name; nullptr: in none
    std::size_t begin_ = 0;              // of the element at the top, in out_
    bool beyond_ascii_ = false;
    CopiedElements copied_;
    std::string_view root_uri_;
    std::vector<Binding> bindings_;
    std::vector<OpenElement> open_;
    std::vector<std::string_view> attribute_names_;  // of one element, without prefixes
};

bool TreeCopier::start_tag() {
    const char* const begin = next_++;
    Name name;
    if (!this->name(name) || open_.size() == kMaxDepth) return false;
    if (child_begin_ != nullptr) return false;  // its text is in several elements
    if (open_.empty()) {
        selected_ = true;  // until its namespace is known
        unwritten_ = begin;
        begin_ = out_.size();
    }
    open_.push_back({name.whole, bindings_.size()});
    if (!attributes()) return false;
    const bool is_empty = accept("/>");
    // <a></a> would be written <a/>.
    if (!is_empty && (!accept(">") || std::string_view(next_, end_).starts_with("</")))
        return false;
    if (!open(name)) return false;
    if (is_empty) close(next_);
    return true;
}

// A declaration stands before all attributes, where a serialiser writes it.
bool TreeCopier::attributes() {
    attribute_names_.clear();
    bool declarations_are_over = false;
    while (next_ != end_ && *next_ == ' ') {
        if (!attribute(declarations_are_over)) return false;
    }
    return true;
}

bool TreeCopier::attribute(bool& declarations_are_over) {
    const char* const begin = next_++;
    Name name;
    std::string_view value;
    if (!this->name(name) || !accept("=\"") || !this->value(value)) return false;
    if (name.whole == "xmlns" || name.prefix == "xmlns")
        return !declarations_are_over && declare(name, value, begin);
    declarations_are_over = true;
    if (std::find(attribute_names_.begin(), attribute_names_.end(), name.local) !=
        attribute_names_.end())
        return false;  // the same name, or perhaps the same
    attribute_names_.push_back(name.local);
    if (name.prefix.empty()) return true;
    if (name.prefix == "xml") return name.local != "id";  // a parser normalises xml:id
    const Binding* const known = find(name.prefix);
    return known != nullptr && known->own;
}

bool TreeCopier::declare(const Name& name, std::string_view uri, const char* begin) {
    const std::string_view prefix = name.prefix.empty() ? std::string_view() : name.local;
    const std::size_t own = open_.back().bindings;
    const bool again =
        std::any_of(bindings_.begin() + static_cast<std::ptrdiff_t>(own), bindings_.end(),
                    [&](const Binding& b) { return b.prefix == prefix; });
    if (again || !is_uri(uri) || prefix == "xml" || prefix == "xmlns") return false;
    const Binding* const known = find(prefix);
    if (known != nullptr && known->uri == uri) {
        write(begin);
        unwritten_ = next_;
    }
    bindings_.push_back({prefix, uri, true});
    return true;
}

// The namespace of the element is known now.
bool TreeCopier::open(const Name& name) {
    const Binding* const known = find(name.prefix);
    if (known == nullptr || !known->own) return false;
    if (open_.size() == 1) {
        root_uri_ = known->uri;
        selected_ = matches(path_.element, name, known->uri);
        has_child_ = !path_.child;
        if (!selected_) out_.resize(begin_);
    } else if (open_.size() == 2 && selected_ && path_.child &&
               matches(path_.child, name, known->uri)) {
        child_begin_ = next_;
    }
    return true;
}

bool TreeCopier::end_tag() {
    const char* const begin = next_;
    next_ += 2;
    if (open_.empty() || !accept(open_.back().name) || !accept(">")) return false;
    close(begin);
    return true;
}

// Closes the innermost element, whose end has been read and whose content ended at `content_end`.
void TreeCopier::close(const char* content_end) {
    bindings_.resize(open_.back().bindings);
    open_.pop_back();
    if (child_begin_ != nullptr && child_text_ &&
        std::string_view(child_begin_, content_end) == *child_text_)
        has_child_ = true;
    child_begin_ = nullptr;
    if (!open_.empty() || !selected_) return;
    if (!has_child_) {
        out_.resize(begin_);
        return;
    }
    write(next_);
    ++copied_.count;
    copied_.name_space = root_uri_;
}

// Of an attribute, up to and with the quotation mark behind it.
bool TreeCopier::value(std::string_view& value) {
    const char* const begin = next_;
    for (;;) {
        skip(kValue);
        if (next_ == end_) return false;
        if (*next_ == '"') break;
        if (!reference(true)) return false;
    }
    value = {begin, next_};
    ++next_;
    return true;
}

// As a serialiser writes them (xml/escape.h).
bool TreeCopier::reference(bool in_attribute) {
    static constexpr std::array<std::string_view, 4> kAnywhere = {"&amp;", "&lt;", "&gt;", "&#13;"};
    static constexpr std::array<std::string_view, 3> kInAttribute = {"&quot;", "&#9;", "&#10;"};
    const auto accepted = [this](std::string_view token) { return accept(token); };
    return std::any_of(kAnywhere.begin(), kAnywhere.end(), accepted) ||
           (in_attribute && std::any_of(kInAttribute.begin(), kInAttribute.end(), accepted));
}

bool TreeCopier::name(Name& name) {
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

bool TreeCopier::name_part() {
    if (next_ == end_ || !begins_name(*next_)) return false;
    while (next_ != end_ && continues_name(*next_)) ++next_;
    return true;
}

}  // namespace

std::optional<CopiedElements> copy_elements(std::string& out, std::string_view content,
                                            const ElementPath& path,
                                            std::optional<std::string_view> child_text,
                                            const Scope& around) {
    if (const std::size_t end = content.find("?>");
        content.starts_with("<?xml ") && end != std::string_view::npos) {
        content.remove_prefix(end + 2);
    }
    if (content.size() > kMaxBytes) return std::nullopt;
    return TreeCopier(out, content, path, child_text, around).copy();
}

}  // namespace oai::transform
