// SPDX-License-Identifier: MIT
// Runs the operations of a program, then evaluates its expressions. Numbers in comments are
// sections of XPath 1.0.
#include "transform/interpreter.h"

#include <algorithm>

#include "xml/escape.h"
#include "xml/handle.h"

namespace oai::transform {
namespace {

// Removes the first character.
std::string_view take_character(std::string_view& utf8) {
    const auto c = static_cast<unsigned char>(utf8.front());
    const std::string_view first = utf8.substr(0, c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4);
    utf8.remove_prefix(first.size());
    return first;
}

std::size_t count_characters(std::string_view utf8) {
    return static_cast<std::size_t>(std::count_if(
        utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// translate(): the first of a repeated character in `from` counts; characters without a counterpart
// in `to` are removed.
void append_translated(std::string& out, std::string_view s, std::string_view from,
                       std::string_view to) {
    const auto is_ascii = [](std::string_view t) {
        return std::all_of(t.begin(), t.end(), [](char c) { return (c & 0x80) == 0; });
    };
    if (is_ascii(from) && is_ascii(to)) {  // bytes are characters, as nearly always
        for (const char c : s)
            if (const std::size_t at = from.find(c); at >= from.size())
                out += c;
            else if (at < to.size())
                out += to[at];
        return;
    }
    while (!s.empty()) {
        const std::string_view c = take_character(s);
        std::string_view wanted = from, replacements = to, replacement;
        bool is_found = false;
        while (!is_found && !wanted.empty()) {
            is_found = take_character(wanted) == c;
            replacement = replacements.empty() ? "" : take_character(replacements);
        }
        out += is_found ? replacement : c;
    }
}

// normalize-space(). REQUIRES: `out` is empty.
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

// The characters from `first` up to, but not including, `behind`; both count from 1.
std::string_view substring(std::string_view s, std::size_t first, std::size_t behind) {
    std::size_t position = 1;
    for (; position < first && !s.empty(); ++position) take_character(s);
    std::string_view rest = s;
    for (; position < behind && !rest.empty(); ++position) take_character(rest);
    return s.substr(0, s.size() - rest.size());
}

template <class T>
bool holds(Comparison::Sign sign, const T& a, const T& b) {
    switch (sign) {
        case Comparison::Sign::equal: return a == b;
        case Comparison::Sign::not_equal: return a != b;
        case Comparison::Sign::less: return a < b;
        case Comparison::Sign::less_equal: return a <= b;
        case Comparison::Sign::greater: return a > b;
        case Comparison::Sign::greater_equal: break;
    }
    return a >= b;
}

}  // namespace

Interpreter::Interpreter(const Program& program, Coverage covered)
    : program_(program), coverage_(std::move(covered)) {
    coverage_.resize(program.points.size());
    variables_.resize(program.variables);
}

bool Interpreter::append(std::string& out, const RecordView& record) {
    out_ = &made_;
    made_.clear();
    fallback_ = false;
    record_ = &record;
    copied_of_ = nullptr;
    newly_covered_.clear();
    run(program_.operations);
    if (!fallback_ && made_.size() > 0) {
        out += made_.view();
        cover(0, kExecuted);
        return true;
    }
    return false;
}

void Interpreter::run(const Text& text, std::size_t) { out_->append(text.text); }

// Text, values, elements and loops come first, since they are the most frequent.
void Interpreter::run(const Operations& operations) {
    for (const Operation& operation : operations)
        if (const auto* text = std::get_if<Text>(&operation.node))
            run(*text, 0);
        else if (const auto* value = std::get_if<Value>(&operation.node))
            run(*value, 0);
        else if (const auto* element = std::get_if<Element>(&operation.node))
            run(*element, operation.point);
        else if (const auto* each = std::get_if<ForEach>(&operation.node))
            run(*each, operation.point);
        else
            std::visit([&](const auto& node) { run(node, operation.point); }, operation.node);
}

void Interpreter::run(const Value& value, std::size_t) {
    std::string_view s;
    bool is_plain = value.escape == Escape::none;
    if (const Entry* const entry = single_entry(value.expression)) {
        s = entry->text;
        is_plain = is_plain || entry->is_plain;
        if (!s.empty()) cover(value.expression.point, kExecuted);
    } else {
        begin_expression();
        s = string(value.expression);
    }
    if (is_plain || xml::is_plain_checked(s)) return out_->append(s);
    escaped_.clear();
    value.escape == Escape::text ? xml::append_checked_text(escaped_, s)
                                 : xml::append_checked_attribute(escaped_, s);
    out_->append(escaped_);
}

void Interpreter::run(const Element& element, std::size_t point) {
    out_->append(element.start);
    if (!element.attributes.empty()) run(element.attributes);
    const std::size_t before = out_->size();
    const auto* const value =
        element.content.size() == 1 ? std::get_if<Value>(&element.content.front().node) : nullptr;
    value != nullptr ? run(*value, 0) : run(element.content);
    if (out_->size() == before) {
        out_->replace_last("/>");
        cover(point, kFalse);
    } else {
        out_->append(element.end);
        cover(point, kExecuted);
    }
}

void Interpreter::run(const Choose& choose, std::size_t) {
    for (const Branch& branch : choose.branches) {
        begin_expression();
        if (!branch.test || test(*branch.test)) {
            if (!branch.test) cover(branch.point, kExecuted);
            run(branch.body);
            return;
        }
    }
}

void Interpreter::run(const ForEach& each, std::size_t point) {
    Nodes entries = *record_->columns[each.nodes.slot];
    std::vector<Entry> found;
    if (!each.nodes.filter.empty()) {
        begin_expression();
        entries = select(each.nodes, found);
    }
    const Node* const outer = node_;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Node node{&entries[i], i + 1};
        node_ = &node;
        cover(point, i == 0 ? kExecuted : kRepeated);
        run(each.body);
    }
    node_ = outer;
}

void Interpreter::run(const Variable& variable, std::size_t) {
    TextBuffer* const outer = std::exchange(out_, &variables_[variable.slot]);
    out_->clear();
    run(variable.body);
    out_ = outer;
}

void Interpreter::run(const CopyElements& operation, std::size_t point) {
    const CopiedElements& elements = copy(operation.elements, operation.scope);
    out_->append(copied_);
    const auto& wanted = operation.root_namespace;
    if (wanted && (elements.count != 1 || elements.name_space != *wanted))
        fallback_ = true;
    else if (elements.count > 0)
        cover(point, kExecuted);
}

void Interpreter::run(const Fallback&, std::size_t point) {
    fallback_ = true;
    cover(point, kFellBack);
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

// Keeps the last copy, since a condition is often followed by the copy of the same elements.
const CopiedElements& Interpreter::copy(const StoredElements& elements, const Scope& scope) {
    if (scope.empty() && copied_of_ != nullptr && *copied_of_ == elements) return copied_elements_;
    copied_of_ = scope.empty() ? &elements : nullptr;
    copied_.clear();
    copied_elements_ = {};
    std::optional<ChildFilter> filter;
    if (elements.child) filter.emplace(ChildFilter{*elements.child, record_->metadata_namespace});
    for (const Entry& entry : *record_->columns[elements.slot]) {
        if (copy_elements(copied_, entry.text, scope, copied_elements_, filter)) continue;
        fallback_ = true;
        copied_.clear();
        return copied_elements_ = {};
    }
    return copied_elements_;
}

Nodes Interpreter::select(const ColumnNodes& column, std::vector<Entry>& found) {
    const Nodes all = *record_->columns[column.slot];
    found.clear();
    const Node* const outer = node_;
    const Entry language = language_;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Node node{&all[i], i + 1};
        node_ = &node;
        if (test(column.filter[0])) found.push_back(all[i]);
    }
    node_ = outer;
    language_ = language;
    return found;
}

Nodes Interpreter::nodes(const Expression& e) {
    if (const auto* column = std::get_if<ColumnNodes>(&e.node)) {
        if (column->filter.empty()) return *record_->columns[column->slot];
        if (found_used_ == found_.size()) found_.emplace_back();
        return select(*column, found_[found_used_++]);
    }
    if (std::holds_alternative<ContextNode>(e.node)) return {node_->entry, 1};
    if (!node_->entry->lang) return {};
    language_.text = *node_->entry->lang;
    return {&language_, 1};
}

const Entry* Interpreter::single_entry(const Expression& e) const {
    if (std::holds_alternative<ContextNode>(e.node)) return node_->entry;
    const auto* column = std::get_if<ColumnNodes>(&e.node);
    if (column == nullptr || !column->filter.empty()) return nullptr;
    const Nodes& nodes = *record_->columns[column->slot];
    return nodes.empty() ? nullptr : &nodes.front();
}

// 4.2: the string of a set of nodes is that of its first, "" of none.
std::string_view Interpreter::string(const Expression& e) {
    if (const auto* literal = std::get_if<Literal>(&e.node)) return literal->text;
    std::string_view s;
    if (std::holds_alternative<ContextNode>(e.node))
        s = node_->entry->text;
    else if (const auto* call = std::get_if<Call>(&e.node))
        s = make_string(*call);
    else if (const auto* number = std::get_if<Number>(&e.node))
        s = scratch() = std::to_string(number->value);
    else if (const auto* variable = std::get_if<VariableText>(&e.node))
        s = variables_[variable->slot].view();
    else if (const Nodes found = nodes(e); !found.empty())
        s = found.front().text;
    if (!s.empty()) cover(e.point, kExecuted);
    return s;
}

std::string_view Interpreter::make_string(const Call& call) {
    const Expressions& a = call.operands;
    switch (call.function) {
        case Builtin::string: return string(a[0]);
        case Builtin::concat: {
            std::string& out = scratch();
            for (const Expression& part : a) out += string(part);
            return out;
        }
        case Builtin::normalize_space: {
            std::string& out = scratch();
            append_normalized(out, string(a[0]));
            return out;
        }
        case Builtin::substring: {
            const std::size_t first = number(a[1]);
            const std::size_t behind = a.size() > 2 ? first + number(a[2]) : SIZE_MAX;
            return substring(string(a[0]), first, behind);
        }
        case Builtin::substring_before: {
            const std::string_view s = string(a[0]);
            const std::size_t at = s.find(string(a[1]));
            return at == std::string_view::npos ? "" : s.substr(0, at);
        }
        case Builtin::substring_after: {
            const std::string_view s = string(a[0]), part = string(a[1]);
            const std::size_t at = s.find(part);
            return at == std::string_view::npos ? "" : s.substr(at + part.size());
        }
        case Builtin::translate: {
            const std::string_view s = string(a[0]), from = string(a[1]), to = string(a[2]);
            std::string& out = scratch();
            append_translated(out, s, from, to);
            return out;
        }
        default: return scratch() = std::to_string(make_number(call));
    }
}

std::size_t Interpreter::number(const Expression& e) {
    cover(e.point, kExecuted);
    const auto* number = std::get_if<Number>(&e.node);
    return number != nullptr ? number->value : make_number(std::get<Call>(e.node));
}

std::size_t Interpreter::make_number(const Call& call) {
    if (call.function == Builtin::position) return node_->position;
    return count_characters(string(call.operands[0]));
}

bool Interpreter::test(const Expression& e) {
    const auto* const comparison = std::get_if<Comparison>(&e.node);
    const bool is =
        comparison != nullptr ? compare(*comparison) : test(*std::get_if<Call>(&e.node));
    cover(e.point, is ? kExecuted : kFalse);
    return is;
}

bool Interpreter::test(const Call& call) {
    const Expressions& o = call.operands;
    const auto is_true = [this](const Expression& operand) { return test(operand); };
    switch (call.function) {
        case Builtin::conjunction: return std::all_of(o.begin(), o.end(), is_true);
        case Builtin::disjunction: return std::any_of(o.begin(), o.end(), is_true);
        case Builtin::negation: return !test(o[0]);
        case Builtin::exists: return exists(o[0]);
        case Builtin::starts_with: return string(o[0]).starts_with(string(o[1]));
        case Builtin::contains: return string(o[0]).find(string(o[1])) != std::string::npos;
        default: return !string(o[0]).empty();
    }
}

// 3.4: a comparison is true if it is for one of the nodes, so never for an empty set.
bool Interpreter::compare(const Comparison& comparison) {
    const Expression &left = comparison.operands[0], &right = comparison.operands[1];
    if (comparison.of == Comparison::Of::numbers)
        return holds(comparison.sign, number(left), number(right));
    if (comparison.of == Comparison::Of::strings)
        return holds(comparison.sign, string(left), string(right));
    const std::string_view wanted = string(right);
    const Nodes found = nodes(left);
    return std::any_of(found.begin(), found.end(), [&](const Entry& node) {
        return holds(comparison.sign, node.text, wanted);
    });
}

bool Interpreter::exists(const Expression& e) {
    const auto* const elements = std::get_if<StoredElements>(&e.node);
    if (elements == nullptr) return !nodes(e).empty();
    return copy(*elements, {}).count > 0;
}

std::string& Interpreter::scratch() {
    if (scratch_used_ == scratch_.size()) scratch_.emplace_back();
    std::string& s = scratch_[scratch_used_++];
    s.clear();
    return s;
}

}  // namespace oai::transform
