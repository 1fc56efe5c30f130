// SPDX-License-Identifier: MIT
#include "xml/emit_copy.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "xml/escape.h"

namespace oai::xml {
namespace {

// Well below what a parser and libxslt give up at.
constexpr std::size_t kDeepest = 64;  // elements in each other
constexpr std::size_t kLongestName = 1000;
constexpr std::size_t kMostBytes = 1 << 20;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

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

// A namespace that every parser takes for a URI: scheme:path or scheme://host/path, of few characters, perhaps with a fragment.
bool is_uri(std::string_view s) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto of_host = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
    const auto of_path = [&](char c) { return of_host(c) || c == '/' || c == ':' || c == '_' || c == '~'; };
    const char* p = s.data();
    const char* const end = p + s.size();
    const char* part = p;
    p = std::find_if_not(p, end, of_host);
    if (p == part || !letter(*part) || p == end || *p != ':') return false;
    if (std::string_view(++p, end).starts_with("//")) {
        part = p += 2;
        p = std::find_if_not(p, end, of_host);
        if (p == part || (p != end && *p != '/' && *p != '#')) return false;
    }
    p = std::find_if_not(p, end, of_path);
    if (p != end && *p == '#') p = std::find_if_not(p + 1, end, of_path);
    return p == end;
}

// The first character that is not written as it is.
const char* skip(const char* p, const char* end, const Table& table, bool& beyond_ascii) {
    unsigned char seen = 0;
    for (; p != end; ++p) {
        const Class c = table[static_cast<unsigned char>(*p)];
        if (c == special) break;
        seen |= c;
    }
    beyond_ascii |= (seen & high) != 0;
    return p;
}

}  // namespace

std::optional<TreeCopier::Copied> TreeCopier::append(std::string& out, std::string_view content, const TreePath& path,
                                                     std::optional<std::string_view> text, const Scope& around) {
    if (const std::size_t end = content.find("?>"); content.starts_with("<?xml ") && end != std::string_view::npos) {
        content.remove_prefix(end + 2);
    }
    if (content.size() > kMostBytes) return std::nullopt;
    next_ = content.data();
    end_ = next_ + content.size();
    out_ = &out;
    path_ = &path;
    text_.clear();
    has_text_ = text.has_value();
    if (has_text_) append_text(text_, *text);
    beyond_ascii_ = false;
    copied_ = {};
    bindings_.clear();
    open_.clear();
    for (const Declaration& d : around) bindings_.push_back({d.prefix, d.uri, false});
    if (!this->content() || !open_.empty() || (beyond_ascii_ && !text::is_xml_text(content))) return std::nullopt;
    return copied_;
}

bool TreeCopier::content() {
    while (next_ != end_) {
        next_ = skip(next_, end_, kText, beyond_ascii_);
        if (next_ == end_) break;
        if (*next_ == '<' ? !markup() : !reference(false)) return false;
    }
    return true;
}

bool TreeCopier::markup() { return next_ + 1 != end_ && next_[1] == '/' ? end_tag() : start_tag(); }

bool TreeCopier::start_tag() {
    const char* const begin = next_++;
    Name name;
    if (!this->name(name) || open_.size() == kDeepest) return false;
    if (child_text_ != nullptr) return false;  // its text is in several elements
    if (open_.empty()) {
        selected_ = true;  // until it is known
        unwritten_ = begin;
        begin_ = out_->size();
    }
    open_.push_back({name.whole, bindings_.size()});
    bool has_end = false;
    if (!attributes(has_end) || !note(name)) return false;
    if (has_end) close(next_);
    return true;
}

// Up to > or />. A declaration stands before all attributes, where a serialiser writes it.
bool TreeCopier::attributes(bool& has_end) {
    names_.clear();
    bool declarations_are_over = false;
    while (next_ != end_ && *next_ == ' ') {
        if (!attribute(declarations_are_over)) return false;
    }
    has_end = accept("/>");
    if (has_end) return true;
    return accept(">") && !(end_ - next_ >= 2 && next_[0] == '<' && next_[1] == '/');  // <a></a> is written <a/>
}

bool TreeCopier::attribute(bool& declarations_are_over) {
    const char* const begin = next_++;
    Name name;
    std::string_view value;
    if (!this->name(name) || !accept("=\"") || !this->value(value)) return false;
    if (name.whole == "xmlns" || name.prefix == "xmlns") return !declarations_are_over && declare(name, value, begin);
    declarations_are_over = true;
    if (std::find(names_.begin(), names_.end(), name.local) != names_.end()) return false;  // the same, or perhaps
    names_.push_back(name.local);
    if (name.prefix.empty()) return true;
    if (name.prefix == "xml") return name.local != "id";  // a parser normalises it
    const Binding* const known = find(name.prefix);
    return known != nullptr && known->own;
}

bool TreeCopier::declare(const Name& name, std::string_view uri, const char* begin) {
    const std::string_view prefix = name.prefix.empty() ? std::string_view() : name.local;
    const std::size_t own = open_.back().bindings;
    const bool again = std::any_of(bindings_.begin() + static_cast<std::ptrdiff_t>(own), bindings_.end(),
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

// The element's name is known by its namespace now.
bool TreeCopier::note(const Name& name) {
    const Binding* const known = find(name.prefix);
    if (known == nullptr || !known->own) return false;
    if (open_.size() == 1) {
        root_uri_ = known->uri;
        selected_ = is(name, known->uri, path_->element);
        has_child_ = !path_->child;
        if (!selected_) out_->resize(begin_);
    } else if (open_.size() == 2 && selected_ && path_->child && is(name, known->uri, path_->child)) {
        child_text_ = next_;
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

// Of the innermost element, whose end has been read; its content ended at `content_end`.
void TreeCopier::close(const char* content_end) {
    bindings_.resize(open_.back().bindings);
    open_.pop_back();
    if (child_text_ != nullptr && has_text_ && std::string_view(child_text_, content_end) == text_) has_child_ = true;
    child_text_ = nullptr;
    if (!open_.empty() || !selected_) return;
    if (!has_child_) {
        out_->resize(begin_);
        return;
    }
    write(next_);
    ++copied_.elements;
    copied_.name_space = root_uri_;
}

// An attribute's, up to and with the quotation mark behind it.
bool TreeCopier::value(std::string_view& value) {
    const char* const begin = next_;
    for (;;) {
        next_ = skip(next_, end_, kValue, beyond_ascii_);
        if (next_ == end_) return false;
        if (*next_ == '"') break;
        if (!reference(true)) return false;
    }
    value = {begin, next_};
    ++next_;
    return true;
}

// As a serialiser writes them (escape.h).
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
    const auto part = [this] {
        if (next_ == end_ || !begins_name(*next_)) return false;
        while (next_ != end_ && continues_name(*next_)) ++next_;
        return true;
    };
    if (!part()) return false;
    if (next_ != end_ && *next_ == ':') {
        name.prefix = {begin, next_};
        local = ++next_;
        if (!part()) return false;
    }
    name.whole = {begin, next_};
    name.local = {local, next_};
    return name.whole.size() <= kLongestName;
}

bool TreeCopier::accept(std::string_view token) {
    if (!std::string_view(next_, end_).starts_with(token)) return false;
    next_ += token.size();
    return true;
}

const TreeCopier::Binding* TreeCopier::find(std::string_view prefix) const {
    const auto found = std::find_if(bindings_.rbegin(), bindings_.rend(), [&](const Binding& b) { return b.prefix == prefix; });
    return found == bindings_.rend() ? nullptr : &*found;
}

bool TreeCopier::is(const Name& name, std::string_view uri, const std::optional<ElementName>& wanted) const {
    return !wanted || (wanted->local == name.local && wanted->name_space == uri);
}

void TreeCopier::write(const char* end) {
    if (selected_) out_->append(unwritten_, end);
    unwritten_ = end;
}

}  // namespace oai::xml
