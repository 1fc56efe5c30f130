// SPDX-License-Identifier: MIT
// Numbers in comments are sections of XPath 1.0.
#include "transform/xpath_evaluator.h"

#include <libxml/xpath.h>

#include <algorithm>
#include <utility>

#include "transform/string_functions.h"
#include "xml/handle.h"

namespace oai::transform {

XPathEvaluator::XPathEvaluator(const Program& program, Coverage covered)
    : coverage_(std::move(covered)) {
    coverage_.resize(program.points.size());
    variables_.resize(program.variables);
    trees_.resize(program.columns.size());
}

void XPathEvaluator::begin_record(const RecordView& record) {
    record_ = &record;
    is_unreadable_ = false;
    newly_covered_.clear();
    for (Tree& tree : trees_) tree.is_read = false;
}

void XPathEvaluator::uncover_last() {
    for (const auto& [point, bits] : newly_covered_)
        coverage_[point] &= static_cast<std::uint8_t>(~bits);
    newly_covered_.clear();
}

void XPathEvaluator::cover_more(std::size_t point, std::uint8_t bits) {
    newly_covered_.emplace_back(point, static_cast<std::uint8_t>(bits & ~coverage_[point]));
    coverage_[point] |= bits;
}

const StoredTree& XPathEvaluator::tree(std::size_t slot) {
    auto& [tree, is_read] = trees_[slot];
    if (is_read) return tree;
    is_read = true;
    tree.clear();
    for (const Entry& entry : *record_->columns[slot])
        if (!tree.add(entry.text)) {
            is_unreadable_ = true;
            tree.clear();
            break;
        }
    return tree;
}

std::optional<XPathEvaluator::Node> XPathEvaluator::document() {
    const StoredTree& read = tree(0);
    const Node root{nullptr, 1, 1, &read, read.first_content()};
    if (is_unreadable_ || !trees_[0].tree.become_document()) return std::nullopt;
    return root;
}

// Calls visit(tree, element) for each element that the steps lead to, in document order, until it
// returns true. Returns whether it did.
template <class Visit>
bool XPathEvaluator::visit(const StoredNodes& nodes, Visit&& visit) {
    if (!nodes.slot) return this->visit(nodes, 0, *node_->tree, node_->element, visit);
    const StoredTree& tree = this->tree(*nodes.slot);
    for (StoredTree::Index i = tree.first_content(); i < tree.size(); i = tree.element(i).behind)
        if (this->visit(nodes, 0, tree, i, visit)) return true;
    return false;
}

template <class Visit>
bool XPathEvaluator::visit(const StoredNodes& nodes, std::size_t n, const StoredTree& tree,
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
bool XPathEvaluator::is_left(const Step& step, Node& node, std::size_t* positions) {
    const Node* const outer = std::exchange(node_, &node);
    const bool is =
        std::all_of(step.filters.begin(), step.filters.end(), [&](const Expression& filter) {
            node.position = ++*positions++;
            return test(filter);
        });
    node_ = outer;
    return is;
}

const StoredTree& XPathEvaluator::select(const StoredNodes& nodes,
                                         std::vector<StoredTree::Index>& found) {
    found.clear();
    visit(nodes, [&](const StoredTree&, StoredTree::Index i) {
        found.push_back(i);
        return false;
    });
    return nodes.slot ? tree(*nodes.slot) : *node_->tree;
}

Nodes XPathEvaluator::select(const ColumnNodes& column, std::vector<Entry>& found) {
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

Nodes XPathEvaluator::nodes(const Expression& e) {
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

const Entry* XPathEvaluator::entry(const Expression& e) const {
    if (std::holds_alternative<ContextNode>(e.node)) return node_->entry;
    const auto* column = std::get_if<ColumnNodes>(&e.node);
    if (column == nullptr || !column->filter.empty()) return nullptr;
    const Nodes& nodes = *record_->columns[column->slot];
    return nodes.empty() ? nullptr : &nodes.front();
}

// Calls visit(text) for each node of a set until it returns true. Returns whether it did.
template <class Visit>
bool XPathEvaluator::visit_texts(const Expression& e, Visit&& visit) {
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
std::string_view XPathEvaluator::string(const Expression& e) {
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

std::string_view XPathEvaluator::make_string(const Call& call) {
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

std::size_t XPathEvaluator::number(const Expression& e) {
    cover(e.point, kExecuted);
    const auto* number = std::get_if<Number>(&e.node);
    return number != nullptr ? number->value : make_number(std::get<Call>(e.node));
}

std::size_t XPathEvaluator::make_number(const Call& call) {
    if (call.function == Builtin::position) return node_->position;
    if (call.function == Builtin::last) return node_->last;
    return count_characters(string(call.operands[0]));
}

bool XPathEvaluator::test(const Expression& e) {
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
bool XPathEvaluator::any_node(const Expression& e, const Expression& with, bool equal) {
    if (std::holds_alternative<MetadataNamespace>(with.node) && !record_->metadata_namespace)
        return false;
    const std::string_view wanted = string(with);
    return visit_texts(e, [&](std::string_view text) { return (text == wanted) == equal; });
}

// 3.4: the same of a number, which is what each text is converted to.
bool XPathEvaluator::any_number(Builtin comparison, const Expression& e, std::size_t number) {
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

bool XPathEvaluator::exists(const Expression& e) {
    const auto* const stored = std::get_if<StoredNodes>(&e.node);
    if (stored == nullptr || stored->attribute)
        return visit_texts(
            e, [](std::string_view) { return true; });
    return visit(*stored, [](const StoredTree&, StoredTree::Index) { return true; });
}

std::string& XPathEvaluator::scratch() {
    if (scratch_used_ == scratch_.size()) scratch_.emplace_back();
    std::string& s = scratch_[scratch_used_++];
    s.clear();
    return s;
}

}  // namespace oai::transform
