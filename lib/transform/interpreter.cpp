// SPDX-License-Identifier: MIT
// Numbers in comments are sections of XPath 1.0.
#include "transform/interpreter.h"

#include <libxml/xpath.h>

#include <algorithm>
#include <utility>

#include "transform/string_functions.h"
#include "xml/escape.h"
#include "xml/view.h"

namespace oai::transform {

Interpreter::Interpreter(const Program& program, Coverage covered)
    : program_(program), coverage_(std::move(covered)) {
    coverage_.resize(program.points.size());
    variables_.resize(program.variables);
    trees_.resize(program.columns.size());
}

bool Interpreter::append(std::string& out, const RecordView& record) {
    out_ = &made_;
    made_.clear();
    record_ = &record;
    fallback_ = false;
    newly_covered_.clear();
    for (Tree& tree : trees_) tree.is_read = false;
    if (program_.is_of_document) {
        const StoredTree& read = tree(0);
        const Node root{nullptr, 1, 1, &read, read.first_content()};
        node_ = &root;
        fallback_ = fallback_ || !trees_[0].tree.become_document();
        if (!fallback_) run(program_.operations);
        node_ = nullptr;
    } else {
        run(program_.operations);
    }
    if (!fallback_ && made_.size() > 0) {
        out += made_.view();
        cover(0, kExecuted);
        return true;
    }
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

void Interpreter::run(const Text& text, std::size_t) { out_->append(text.text); }

// Text, values, elements and loops are most of what there is to do.
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
    if (const Entry* const entry = this->entry(value.expression)) {
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
    if (const auto* stored = std::get_if<StoredNodes>(&each.nodes))
        return run_stored(each, *stored, point);
    const ColumnNodes& nodes = *std::get_if<ColumnNodes>(&each.nodes);
    if (nodes.filter.empty()) return run(each.body, *record_->columns[nodes.slot], point);
    begin_expression();
    std::vector<Entry> found;
    run(each.body, select(nodes, found), point);
}

void Interpreter::run_stored(const ForEach& each, const StoredNodes& nodes, std::size_t point) {
    if (elements_used_ == elements_.size()) elements_.emplace_back();
    std::vector<StoredTree::Index>& found = elements_[elements_used_++];
    found.clear();
    begin_expression();
    const StoredTree* of = nullptr;
    visit(nodes, [&](const StoredTree& tree, StoredTree::Index i) {
        of = &tree;
        found.push_back(i);
        return false;
    });
    if (each.makes_record && found.size() != 1) fallback_ = true;
    const Node* const outer = node_;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Node node{nullptr, i + 1, found.size(), of, found[i]};
        node_ = &node;
        cover(point, i == 0 ? kExecuted : kRepeated);
        run(each.body);
    }
    node_ = outer;
    --elements_used_;
}

void Interpreter::run(const Operations& body, Nodes entries, std::size_t point) {
    const Node* const outer = node_;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Node node{&entries[i], i + 1, entries.size()};
        node_ = &node;
        cover(point, i == 0 ? kExecuted : kRepeated);
        run(body);
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
    copied_.clear();
    begin_expression();
    visit(operation.elements, [&](const StoredTree& tree, StoredTree::Index i) {
        tree.copy(copied_, i, operation.scope);
        cover(point, kExecuted);
        return false;
    });
    out_->append(copied_);
}

void Interpreter::run(const CopyRecord& operation, std::size_t point) {
    std::size_t count = 0;
    bool is_of_format = false;
    copied_.clear();
    begin_expression();
    visit(operation.elements, [&](const StoredTree& tree, StoredTree::Index i) {
        tree.copy(copied_, i, {});
        ++count;
        is_of_format = tree.element(i).name_space == operation.root_namespace;
        return false;
    });
    out_->append(copied_);
    if (count == 1 && is_of_format)
        cover(point, kExecuted);
    else
        fallback_ = true;
}

void Interpreter::run(const Fallback&, std::size_t point) {
    fallback_ = true;
    cover(point, kFellBack);
}

const StoredTree& Interpreter::tree(std::size_t slot) {
    auto& [tree, is_read] = trees_[slot];
    if (is_read) return tree;
    is_read = true;
    tree.clear();
    for (const Entry& entry : *record_->columns[slot])
        if (!tree.add(entry.text)) {
            fallback_ = true;
            tree.clear();
            break;
        }
    return tree;
}

// Calls visit(tree, element) for each element that the steps lead to, in document order, until it
// returns true. Returns whether it did.
template <class Visit>
bool Interpreter::visit(const StoredNodes& nodes, Visit&& visit) {
    if (!nodes.slot) return this->visit(nodes, 0, *node_->tree, node_->element, visit);
    const StoredTree& tree = this->tree(*nodes.slot);
    for (StoredTree::Index i = tree.first_content(); i < tree.size(); i = tree.element(i).behind)
        if (this->visit(nodes, 0, tree, i, visit)) return true;
    return false;
}

template <class Visit>
bool Interpreter::visit(const StoredNodes& nodes, std::size_t n, const StoredTree& tree,
                        StoredTree::Index parent, Visit& visit) {
    if (n == nodes.steps.size()) return visit(tree, parent);
    const Step& step = nodes.steps[n];
    const auto is_named = [&](const StoredTree::Element& e) {
        return !step.name || (e.name == step.name->local && e.name_space == step.name->name_space);
    };
    const StoredTree::Index behind = tree.element(parent).behind;
    std::size_t last = 0, positions[kMaxFilters] = {};
    if (step.counts)
        for (auto i = tree.first_child(parent); i < behind; i = tree.element(i).behind)
            last += is_named(tree.element(i)) ? 1 : 0;
    for (auto i = tree.first_child(parent); i < behind; i = tree.element(i).behind) {
        if (!is_named(tree.element(i))) continue;
        Node node{nullptr, 0, last, &tree, i};
        if ((step.filters.empty() || is_left(step, node, positions)) &&
            this->visit(nodes, n + 1, tree, i, visit))
            return true;
    }
    return false;
}

// Whether all predicates of the step leave the node. `positions`: how many nodes have come to each.
bool Interpreter::is_left(const Step& step, Node& node, std::size_t* positions) {
    const Node* const outer = std::exchange(node_, &node);
    const bool is =
        std::all_of(step.filters.begin(), step.filters.end(), [&](const Expression& filter) {
            node.position = ++*positions++;
            return test(filter);
        });
    node_ = outer;
    return is;
}

// The nodes of a column for which its predicate is true, in `found`.
Nodes Interpreter::select(const ColumnNodes& column, std::vector<Entry>& found) {
    const Nodes all = *record_->columns[column.slot];
    found.clear();
    const Node* const outer = node_;
    const Entry language = language_;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Node node{&all[i], i + 1, all.size()};
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

// The node whose text is the expression's, if it is just that of one.
const Entry* Interpreter::entry(const Expression& e) const {
    if (std::holds_alternative<ContextNode>(e.node)) return node_->entry;
    const auto* column = std::get_if<ColumnNodes>(&e.node);
    if (column == nullptr || !column->filter.empty()) return nullptr;
    const Nodes& nodes = *record_->columns[column->slot];
    return nodes.empty() ? nullptr : &nodes.front();
}

// Calls visit(text) for each node of a set until it returns true. Returns whether it did.
template <class Visit>
bool Interpreter::visit_texts(const Expression& e, Visit&& visit) {
    if (const auto* stored = std::get_if<StoredNodes>(&e.node)) {
        std::string& made = scratch();
        return this->visit(*stored, [&](const StoredTree& tree, StoredTree::Index i) {
            if (!stored->attribute) return visit(StoredTree::text(tree.element(i).inside, made));
            const StoredTree::Attribute* const a = tree.attribute(i, *stored->attribute);
            return a != nullptr && visit(StoredTree::text(a->value, made));
        });
    }
    if (std::holds_alternative<MetadataNamespace>(e.node))
        return record_->metadata_namespace && visit(*record_->metadata_namespace);
    const Nodes found = nodes(e);
    return std::any_of(found.begin(), found.end(),
                       [&](const Entry& node) { return visit(node.text); });
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
    else
        visit_texts(e, [&](std::string_view text) {
            s = text;
            return true;
        });
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
        case Builtin::replace: {
            std::string& out = scratch();
            append_replaced(out, string(a[0]), string(a[1]), string(a[2]));
            return out;
        }
        case Builtin::encode_uri: {
            std::string& out = scratch();
            out = string(a[0]);
            encode_uri(out);
            return out;
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
    if (call.function == Builtin::last) return node_->last;
    return count_characters(string(call.operands[0]));
}

bool Interpreter::test(const Expression& e) {
    const Call& call = *std::get_if<Call>(&e.node);
    const Expressions& o = call.operands;
    bool is = false;
    switch (call.function) {
        case Builtin::conjunction:
            is = std::all_of(o.begin(), o.end(),
                             [this](const Expression& operand) { return test(operand); });
            break;
        case Builtin::disjunction:
            is = std::any_of(o.begin(), o.end(),
                             [this](const Expression& operand) { return test(operand); });
            break;
        case Builtin::negation: is = !test(o[0]); break;
        case Builtin::exists: is = exists(o[0]); break;
        case Builtin::not_empty: is = !string(o[0]).empty(); break;
        case Builtin::starts_with: is = string(o[0]).starts_with(string(o[1])); break;
        case Builtin::contains: is = string(o[0]).find(string(o[1])) != std::string::npos; break;
        case Builtin::equal: is = string(o[0]) == string(o[1]); break;
        case Builtin::not_equal: is = string(o[0]) != string(o[1]); break;
        case Builtin::any_equal: is = any_node(o[0], o[1], true); break;
        case Builtin::any_not_equal: is = any_node(o[0], o[1], false); break;
        case Builtin::same_number: is = number(o[0]) == number(o[1]); break;
        case Builtin::other_number: is = number(o[0]) != number(o[1]); break;
        case Builtin::less: is = number(o[0]) < number(o[1]); break;
        case Builtin::less_equal: is = number(o[0]) <= number(o[1]); break;
        case Builtin::greater: is = number(o[0]) > number(o[1]); break;
        case Builtin::greater_equal: is = number(o[0]) >= number(o[1]); break;
        default: is = any_number(call.function, o[0], number(o[1]));
    }
    cover(e.point, is ? kExecuted : kFalse);
    return is;
}

// 3.4: whether there is a node whose text is equal (or not equal) to the string; so neither = nor
// != holds of what is absent, on either side.
bool Interpreter::any_node(const Expression& e, const Expression& with, bool equal) {
    if (std::holds_alternative<MetadataNamespace>(with.node) && !record_->metadata_namespace)
        return false;
    const std::string_view wanted = string(with);
    return visit_texts(e, [&](std::string_view text) { return (text == wanted) == equal; });
}

// 3.4: the same of a number, which is what each text is converted to.
bool Interpreter::any_number(Builtin comparison, const Expression& e, std::size_t number) {
    const auto wanted = static_cast<double>(number);
    std::string& text = scratch();
    return visit_texts(e, [&](std::string_view s) {
        text = s;
        const double n = xmlXPathCastStringToNumber(xml::xml_chars(text.c_str()));
        switch (comparison) {
            case Builtin::any_same_number: return n == wanted;
            case Builtin::any_other_number: return n != wanted;
            case Builtin::any_less: return n < wanted;
            case Builtin::any_less_equal: return n <= wanted;
            case Builtin::any_greater: return n > wanted;
            default: return n >= wanted;
        }
    });
}

bool Interpreter::exists(const Expression& e) {
    const auto* const stored = std::get_if<StoredNodes>(&e.node);
    if (stored == nullptr || stored->attribute)
        return visit_texts(
            e, [](std::string_view) { return true; });
    return visit(*stored, [](const StoredTree&, StoredTree::Index) { return true; });
}

std::string& Interpreter::scratch() {
    if (scratch_used_ == scratch_.size()) scratch_.emplace_back();
    std::string& s = scratch_[scratch_used_++];
    s.clear();
    return s;
}

}  // namespace oai::transform
