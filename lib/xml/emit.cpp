// SPDX-License-Identifier: MIT
// What each operation of a compiled stylesheet does. The words are those of XSLT 1.0 and XPath 1.0; numbers in
// comments are sections of XPath 1.0.
#include "xml/emit.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "xml/escape.h"

namespace oai::xml {
namespace {

using Kind = Expression::Kind;

std::size_t characters(std::string_view utf8) {
    return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t character_bytes(char lead) {
    const auto c = static_cast<unsigned char>(lead);
    return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// 4.2: leading and trailing blanks go, a run of blanks becomes one space.
void append_normalized(std::string& out, std::string_view s) {
    bool pending = false;
    for (const char c : s) {
        if (is_blank(c)) {
            pending = !out.empty();
            continue;
        }
        if (pending) out += ' ';
        pending = false;
        out += c;
    }
}

void append_translated(std::string& out, std::string_view s, const Expression& e) {
    while (!s.empty()) {
        const std::string_view c = s.substr(0, character_bytes(s.front()));
        const auto found = std::find_if(e.replacements.begin(), e.replacements.end(),
                                        [&](const auto& r) { return r.first == c; });
        out += found == e.replacements.end() ? c : std::string_view(found->second);
        s.remove_prefix(c.size());
    }
}

}  // namespace

bool Emitter::append(std::string& out, const RecordView& record) {
    out_ = &out;
    record_ = &record;
    left_ = false;
    const std::size_t before = out.size();
    run(emission_.operations);
    if (!left_ && out.size() > before) return true;
    out.resize(before);
    return false;
}

void Emitter::run(const Operations& operations) {
    for (const Operation& operation : operations) {
        switch (operation.kind) {
            case Operation::Kind::text:
                *out_ += operation.text;
                mark(operation.point, kDone);
                break;
            case Operation::Kind::value:
                value(operation);
                break;
            case Operation::Kind::element:
                element(operation);
                break;
            case Operation::Kind::attribute:
                *out_ += operation.text;
                run(operation.body);
                *out_ += '"';
                mark(operation.point, kDone);
                break;
            case Operation::Kind::choose:
                choose(operation);
                break;
            case Operation::Kind::each_attribute:
                each_attribute(operation);
                break;
            case Operation::Kind::each_child:
                each_child(operation);
                break;
            case Operation::Kind::copy:
                if (copy(*out_, *operation.expression, operation.scope).elements > 0) mark(operation.point, kDone);
                break;
            case Operation::Kind::record:
                record(operation);
                break;
            case Operation::Kind::leave:
                left_ = true;
                mark(operation.point, kLeft);
                break;
        }
    }
}

void Emitter::element(const Operation& operation) {
    *out_ += operation.text;
    run(operation.head);
    *out_ += '>';
    const std::size_t before = out_->size();
    run(operation.body);
    if (out_->size() == before) {
        out_->back() = '/';
        *out_ += '>';
    } else {
        *out_ += operation.end;
    }
    mark(operation.point, kDone);
}

void Emitter::value(const Operation& operation) {
    scratch_used_ = 0;
    const std::string_view s = string(*operation.expression);
    operation.in_attribute ? append_attribute(*out_, s) : append_text(*out_, s);
    if (!s.empty()) mark(operation.point, kDone);
}

void Emitter::choose(const Operation& operation) {
    for (const Operation::Branch& branch : operation.branches) {
        scratch_used_ = 0;
        if (!branch.test || test(*branch.test)) {
            mark(branch.point, kDone);
            run(branch.body);
            return;
        }
    }
}

void Emitter::each_attribute(const Operation& operation) {
    const auto& value = record_->attributes[operation.slot];
    if (!value) return;
    const Node outer = std::exchange(node_, Node{{*value}});
    mark(operation.point, kDone);
    run(operation.body);
    node_ = outer;
}

void Emitter::each_child(const Operation& operation) {
    const std::span<const Entry> entries = record_->children[operation.slot];
    const Node outer = node_;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        node_ = {entries[i], i + 1, entries.size()};
        mark(operation.point, i == 0 ? kDone : kSeveral);
        run(operation.body);
    }
    node_ = outer;
}

void Emitter::record(const Operation& operation) {
    const TreeCopier::Copied copied = copy(*out_, *operation.expression, operation.scope);
    if (copied.elements == 1 && copied.name_space == operation.text) {
        mark(operation.point, kDone);
    } else {
        left_ = true;
    }
}

TreeCopier::Copied Emitter::copy(std::string& out, const Expression& e, const Scope& scope) {
    std::optional<std::string_view> text = e.text;
    if (e.of_metadata_namespace) text = record_->metadata_namespace;
    TreeCopier::Copied all;
    for (const Entry& entry : record_->trees[e.slot]) {
        const std::optional<TreeCopier::Copied> copied = copier_.append(out, entry.text, e.path, text, scope);
        left_ = left_ || !copied;
        if (!copied || copied->elements == 0) continue;
        all = {all.elements + copied->elements, copied->name_space};
    }
    return all;
}

bool Emitter::test(const Expression& e) {
    const bool is = judge(e);
    mark(e.point, is ? kDone : kNot);
    return is;
}

bool Emitter::judge(const Expression& e) {
    const auto& a = e.arguments;
    switch (e.kind) {
        case Kind::both:
            return test(a[0]) && test(a[1]);
        case Kind::either:
            return test(a[0]) || test(a[1]);
        case Kind::negation:
            return !test(a[0]);
        case Kind::exists:
            switch (a[0].kind) {
                case Kind::attribute:
                    return record_->attributes[a[0].slot].has_value();
                case Kind::child:
                    return !record_->children[a[0].slot].empty();
                case Kind::lang:
                    return node_.entry.lang.has_value();
                case Kind::tree:
                    tried_.clear();
                    return copy(tried_, a[0], {}).elements > 0;
                default:
                    return true;  // the node itself
            }
        case Kind::not_empty:
            return !string(a[0]).empty();
        case Kind::starts_with:
            return string(a[0]).starts_with(string(a[1]));
        case Kind::contains:
            return string(a[0]).find(string(a[1])) != std::string_view::npos;
        case Kind::equal:
            return any_node(e, true);
        case Kind::not_equal:
            return any_node(e, false);
        case Kind::number_equal:
            return number(a[0]) == number(a[1]);
        case Kind::number_not_equal:
            return number(a[0]) != number(a[1]);
        case Kind::less:
            return number(a[0]) < number(a[1]);
        case Kind::less_equal:
            return number(a[0]) <= number(a[1]);
        case Kind::greater:
            return number(a[0]) > number(a[1]);
        case Kind::greater_equal:
            return number(a[0]) >= number(a[1]);
        default:
            return false;  // no boolean: the compiler converts
    }
}

// 3.4: true if there is a node whose string is equal (or not equal) to the other operand; so neither = nor != holds of
// what is absent.
bool Emitter::any_node(const Expression& e, bool wanted) {
    const Expression& nodes = e.arguments[0];
    const std::string_view other = string(e.arguments[1]);
    if (nodes.kind == Kind::attribute) {
        const auto& value = record_->attributes[nodes.slot];
        return value && (*value == other) == wanted;
    }
    if (nodes.kind == Kind::lang) {
        return node_.entry.lang && (*node_.entry.lang == other) == wanted;
    }
    if (nodes.kind == Kind::child) {
        const std::span<const Entry> entries = record_->children[nodes.slot];
        return std::any_of(entries.begin(), entries.end(),
                           [&](const Entry& entry) { return (entry.text == other) == wanted; });
    }
    return (string(nodes) == other) == wanted;
}

std::string_view Emitter::string(const Expression& e) {
    const std::string_view s = make_string(e);
    if (!s.empty()) mark(e.point, kDone);
    return s;
}

std::string_view Emitter::make_string(const Expression& e) {
    const auto& a = e.arguments;
    switch (e.kind) {
        case Kind::attribute:
        case Kind::child:
        case Kind::self:
        case Kind::lang:
            return first_node(e);
        case Kind::literal:
            return e.text;
        case Kind::string:
            return string(a[0]);
        case Kind::concat: {
            std::string& out = scratch();
            for (const Expression& part : a) out += string(part);
            return out;
        }
        case Kind::translate: {
            std::string& out = scratch();
            append_translated(out, string(a[0]), e);
            return out;
        }
        case Kind::normalize_space: {
            std::string& out = scratch();
            append_normalized(out, string(a[0]));
            return out;
        }
        case Kind::substring_before: {
            const std::string_view s = string(a[0]);
            const std::size_t at = s.find(string(a[1]));
            return at == std::string_view::npos ? "" : s.substr(0, at);
        }
        case Kind::substring_after: {
            const std::string_view s = string(a[0]);
            const std::string_view find = string(a[1]);
            const std::size_t at = s.find(find);
            return at == std::string_view::npos ? "" : s.substr(at + find.size());
        }
        default:
            return printed(number(e));  // the compiler makes no string of a boolean
    }
}

// 4.2: the string of a set of nodes is that of its first, "" of none.
std::string_view Emitter::first_node(const Expression& e) {
    switch (e.kind) {
        case Kind::attribute:
            return record_->attributes[e.slot].value_or("");
        case Kind::child: {
            const std::span<const Entry> entries = record_->children[e.slot];
            return entries.empty() ? "" : entries.front().text;
        }
        case Kind::lang:
            return node_.entry.lang.value_or("");
        default:
            return node_.entry.text;
    }
}

std::size_t Emitter::number(const Expression& e) {
    mark(e.point, kDone);
    switch (e.kind) {
        case Kind::position:
            return node_.position;
        case Kind::last:
            return node_.last;
        case Kind::string_length:
            return characters(string(e.arguments[0]));
        default:
            return e.number;
    }
}

std::string& Emitter::scratch() {
    if (scratch_used_ == scratch_.size()) scratch_.emplace_back();
    std::string& s = scratch_[scratch_used_++];
    s.clear();
    return s;
}

std::string_view Emitter::printed(std::size_t number) {
    char digits[24];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
    return scratch().assign(std::begin(digits), end);
}

}  // namespace oai::xml
