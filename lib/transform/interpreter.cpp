// SPDX-License-Identifier: MIT
// Numbers in comments are sections of XPath 1.0.
#include "transform/interpreter.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "xml/escape.h"

namespace oai::transform {
namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

std::size_t count_characters(std::string_view utf8) {
    return static_cast<std::size_t>(
        std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
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

}  // namespace

Interpreter::Interpreter(const Program& program, Coverage covered)
    : program_(program), coverage_(std::move(covered)) {
    coverage_.resize(program.points.size());
}

bool Interpreter::append(std::string& out, const RecordView& record) {
    out_ = &out;
    record_ = &record;
    fallback_ = false;
    newly_covered_.clear();
    const std::size_t before = out.size();
    run(program_.operations);
    if (!fallback_ && out.size() > before) {
        cover(0, kExecuted);
        return true;
    }
    out.resize(before);
    return false;
}

void Interpreter::uncover_last() {
    for (const auto& [point, bits] : newly_covered_)
        coverage_[point] &= static_cast<std::uint8_t>(~bits);
    newly_covered_.clear();
}

void Interpreter::cover_more(std::size_t point, std::uint8_t bits) {
    newly_covered_.emplace_back(point, static_cast<std::uint8_t>(bits & ~coverage_[point]));
    coverage_[point] |= bits;
}

void Interpreter::run(const Operations& operations) {
    for (const Operation& operation : operations)
        std::visit([&](const auto& node) { run(node, operation.point); }, operation.node);
}

void Interpreter::run(const Text& text, std::size_t) { *out_ += text.text; }

void Interpreter::run(const Value& value, std::size_t) {
    scratch_used_ = 0;
    const std::string_view s = string(value.expression);
    value.in_attribute ? xml::append_attribute(*out_, s) : xml::append_text(*out_, s);
}

void Interpreter::run(const Element& element, std::size_t point) {
    *out_ += element.start;
    run(element.attributes);
    const std::size_t before = out_->size();
    run(element.content);
    if (out_->size() == before) {
        out_->back() = '/';
        *out_ += '>';
        cover(point, kFalse);
    } else {
        *out_ += element.end;
        cover(point, kExecuted);
    }
}

void Interpreter::run(const Choose& choose, std::size_t) {
    for (const Branch& branch : choose.branches) {
        scratch_used_ = 0;
        if (!branch.test || test(*branch.test)) {
            if (!branch.test) cover(branch.point, kExecuted);
            run(branch.body);
            return;
        }
    }
}

void Interpreter::run(const ForEachAttribute& each, std::size_t point) {
    const auto& value = record_->attributes[each.slot];
    if (!value) return;
    const Node node{{*value}};
    const Node* const outer = std::exchange(node_, &node);
    cover(point, kExecuted);
    run(each.body);
    node_ = outer;
}

void Interpreter::run(const ForEachChild& each, std::size_t point) {
    const std::span<const Entry> entries = record_->children[each.slot];
    const Node* const outer = node_;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Node node{entries[i], i + 1, entries.size()};
        node_ = &node;
        cover(point, i == 0 ? kExecuted : kRepeated);
        run(each.body);
    }
    node_ = outer;
}

void Interpreter::run(const CopyElements& operation, std::size_t point) {
    if (copy(*out_, operation.elements, operation.scope).count > 0) cover(point, kExecuted);
}

void Interpreter::run(const CopyRecord& operation, std::size_t point) {
    const CopiedElements copied = copy(*out_, operation.elements, {});
    if (copied.count == 1 && copied.name_space == operation.root_namespace) {
        cover(point, kExecuted);
    } else {
        fallback_ = true;
    }
}

void Interpreter::run(const Fallback&, std::size_t point) {
    fallback_ = true;
    cover(point, kFellBack);
}

CopiedElements Interpreter::copy(std::string& out, const StoredElements& elements,
                                 const Scope& scope) {
    std::optional<std::string_view> child_text = elements.child_text;
    if (elements.is_metadata_namespace) child_text = record_->metadata_namespace;
    CopiedElements all;
    for (const Entry& entry : record_->trees[elements.slot]) {
        const std::optional<CopiedElements> copied =
            copy_elements(out, entry.text, elements.path, child_text, scope);
        fallback_ = fallback_ || !copied;
        if (copied && copied->count > 0) all = {all.count + copied->count, copied->name_space};
    }
    return all;
}

bool Interpreter::test(const Expression& e) {
    const bool result = std::visit(
        [this]<class T>(const T& node) {
            if constexpr (T::type == Type::boolean) return is_true(node);
            return false;  // the compiler converts: no other type comes here
        },
        e.node);
    cover(e.point, result ? kExecuted : kFalse);
    return result;
}

bool Interpreter::is_true(const Connective& c) {
    switch (c.name) {
        case Connective::Name::both:
            return test(c.operands[0]) && test(c.operands[1]);
        case Connective::Name::either:
            return test(c.operands[0]) || test(c.operands[1]);
        case Connective::Name::negation:
            break;
    }
    return !test(c.operands[0]);
}

bool Interpreter::is_true(const Exists& exists) {
    return std::visit(
        Overloaded{[&](const AttributeNode& a) { return record_->attributes[a.slot].has_value(); },
                   [&](const ChildNodes& c) { return !record_->children[c.slot].empty(); },
                   [&](const LanguageNode&) { return node_->entry.lang.has_value(); },
                   [&](const StoredElements& elements) {
                       tried_.clear();
                       return copy(tried_, elements, {}).count > 0;
                   },
                   [](const auto&) { return true; }},  // the context node itself
        exists.operands[0].node);
}

bool Interpreter::is_true(const NotEmpty& not_empty) {
    return !string(not_empty.operands[0]).empty();
}

bool Interpreter::is_true(const StringTest& test) {
    const std::string_view s = string(test.arguments[0]), part = string(test.arguments[1]);
    if (test.name == StringTest::Name::starts_with) return s.starts_with(part);
    return s.find(part) != std::string_view::npos;
}

bool Interpreter::is_true(const StringComparison& comparison) {
    return any_node(comparison, comparison.name == StringComparison::Name::equal);
}

// 3.4: true if there is a node whose string is equal (or not equal) to the other operand; so
// neither = nor != holds of what is absent.
bool Interpreter::any_node(const StringComparison& comparison, bool equal) {
    const Expression& nodes = comparison.operands[0];
    const std::string_view other = string(comparison.operands[1]);
    return visit(Overloaded{[&](const AttributeNode& a) {
                                const auto& value = record_->attributes[a.slot];
                                return value && (*value == other) == equal;
                            },
                            [&](const ChildNodes& c) {
                                const std::span<const Entry> entries = record_->children[c.slot];
                                return std::any_of(entries.begin(), entries.end(),
                                                   [&](const Entry& entry) {
                                                       return (entry.text == other) == equal;
                                                   });
                            },
                            [&](const LanguageNode&) {
                                const auto& lang = node_->entry.lang;
                                return lang && (*lang == other) == equal;
                            },
                            [&](const auto&) { return (string(nodes) == other) == equal; }},
                 nodes.node);
}

bool Interpreter::is_true(const NumberComparison& comparison) {
    using Name = NumberComparison::Name;
    const std::size_t a = number(comparison.operands[0]), b = number(comparison.operands[1]);
    switch (comparison.name) {
        case Name::equal:
            return a == b;
        case Name::not_equal:
            return a != b;
        case Name::less:
            return a < b;
        case Name::less_equal:
            return a <= b;
        case Name::greater:
            return a > b;
        case Name::greater_equal:
            break;
    }
    return a >= b;
}

// 4.2: the string of a set of nodes is that of its first, "" of none.
std::string_view Interpreter::string(const Expression& e) {
    if (const auto* literal = std::get_if<Literal>(&e.node)) return literal->text;
    const auto make = Overloaded{
        [&](const AttributeNode& a) { return record_->attributes[a.slot].value_or(""); },
        [&](const ChildNodes& c) {
            const std::span<const Entry> entries = record_->children[c.slot];
            return entries.empty() ? std::string_view() : entries.front().text;
        },
        [&](const ContextNode&) { return node_->entry.text; },
        [&](const LanguageNode&) { return node_->entry.lang.value_or(""); },
        [&](const StringFunction& function) { return make_string(function); },
        [&](const Translate& translate) { return make_string(translate); },
        [&](const auto&) { return printed(number(e)); }};  // a number: no boolean comes here
    const std::string_view s = std::visit(make, e.node);
    if (!s.empty()) cover(e.point, kExecuted);
    return s;
}

std::string_view Interpreter::make_string(const StringFunction& function) {
    using Name = StringFunction::Name;
    const Expressions& a = function.arguments;
    switch (function.name) {
        case Name::string:
            return string(a[0]);
        case Name::concat: {
            std::string& out = scratch();
            for (const Expression& part : a) out += string(part);
            return out;
        }
        case Name::normalize_space: {
            std::string& out = scratch();
            append_normalized(out, string(a[0]));
            return out;
        }
        case Name::substring_before: {
            const std::string_view s = string(a[0]);
            const std::size_t at = s.find(string(a[1]));
            return at == std::string_view::npos ? "" : s.substr(0, at);
        }
        case Name::substring_after:
            break;
    }
    const std::string_view s = string(a[0]), part = string(a[1]);
    const std::size_t at = s.find(part);
    return at == std::string_view::npos ? "" : s.substr(at + part.size());
}

std::string_view Interpreter::make_string(const Translate& translate) {
    std::string& out = scratch();
    std::string_view s = string(translate.arguments[0]);
    while (!s.empty()) {
        const std::string_view c = s.substr(0, character_bytes(s.front()));
        const auto& all = translate.replacements;
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.first == c; });
        out += found == all.end() ? c : std::string_view(found->second);
        s.remove_prefix(c.size());
    }
    return out;
}

std::size_t Interpreter::number(const Expression& e) {
    cover(e.point, kExecuted);
    if (const auto* number = std::get_if<Number>(&e.node)) return number->value;
    return make_number(std::get<NumberFunction>(e.node));
}

std::size_t Interpreter::make_number(const NumberFunction& function) {
    switch (function.name) {
        case NumberFunction::Name::position:
            return node_->position;
        case NumberFunction::Name::last:
            return node_->last;
        case NumberFunction::Name::string_length:
            break;
    }
    return count_characters(string(function.arguments[0]));
}

std::string& Interpreter::scratch() {
    if (scratch_used_ == scratch_.size()) scratch_.emplace_back();
    std::string& s = scratch_[scratch_used_++];
    s.clear();
    return s;
}

std::string_view Interpreter::printed(std::size_t number) {
    char digits[24];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
    return scratch().assign(std::begin(digits), end);
}

}  // namespace oai::transform
