// SPDX-License-Identifier: MIT
#include "transform/interpreter.h"

#include <utility>

#include "xml/escape.h"

namespace oai::transform {

Interpreter::Interpreter(const Program& program, Coverage covered)
    : xpath_(program, std::move(covered)), program_(program) {}

bool Interpreter::append(std::string& out, const RecordView& record) {
    out_ = &made_;
    made_.clear();
    fallback_ = false;
    xpath_.begin_record(record);
    if (program_.is_of_document) {
        const auto root = xpath_.document();
        if (!root) return false;
        xpath_.set_context(&*root);
        run(program_.operations);
        xpath_.set_context(nullptr);
    } else {
        run(program_.operations);
    }
    if (!fallback_ && !xpath_.is_unreadable() && made_.size() > 0) {
        out += made_.view();
        xpath_.cover(0, kExecuted);
        return true;
    }
    return false;
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
    if (const Entry* const entry = xpath_.entry(value.expression)) {
        s = entry->text;
        is_plain = is_plain || entry->is_plain;
        if (!s.empty()) xpath_.cover(value.expression.point, kExecuted);
    } else {
        xpath_.begin_expression();
        s = xpath_.string(value.expression);
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
        xpath_.cover(point, kFalse);
    } else {
        out_->append(element.end);
        xpath_.cover(point, kExecuted);
    }
}

void Interpreter::run(const Choose& choose, std::size_t) {
    for (const Branch& branch : choose.branches) {
        xpath_.begin_expression();
        if (!branch.test || xpath_.test(*branch.test)) {
            if (!branch.test) xpath_.cover(branch.point, kExecuted);
            run(branch.body);
            return;
        }
    }
}

void Interpreter::run(const ForEach& each, std::size_t point) {
    if (const auto* stored = std::get_if<StoredNodes>(&each.nodes))
        return run_stored(each, *stored, point);
    const ColumnNodes& nodes = *std::get_if<ColumnNodes>(&each.nodes);
    if (nodes.filter.empty()) return run(each.body, xpath_.column(nodes.slot), point);
    xpath_.begin_expression();
    std::vector<Entry> found;
    run(each.body, xpath_.select(nodes, found), point);
}

void Interpreter::run_stored(const ForEach& each, const StoredNodes& nodes, std::size_t point) {
    if (elements_used_ == elements_.size()) elements_.emplace_back();
    std::vector<StoredTree::Index>& found = elements_[elements_used_++];
    xpath_.begin_expression();
    const StoredTree& tree = xpath_.select(nodes, found);
    if (each.makes_record && found.size() != 1) fallback_ = true;
    const Node* const outer = xpath_.context();
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Node node{nullptr, i + 1, found.size(), &tree, found[i]};
        xpath_.set_context(&node);
        xpath_.cover(point, i == 0 ? kExecuted : kRepeated);
        run(each.body);
    }
    xpath_.set_context(outer);
    --elements_used_;
}

void Interpreter::run(const Operations& body, Nodes entries, std::size_t point) {
    const Node* const outer = xpath_.context();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Node node{&entries[i], i + 1, entries.size()};
        xpath_.set_context(&node);
        xpath_.cover(point, i == 0 ? kExecuted : kRepeated);
        run(body);
    }
    xpath_.set_context(outer);
}

void Interpreter::run(const Variable& variable, std::size_t) {
    TextBuffer* const outer = std::exchange(out_, &xpath_.variable(variable.slot));
    out_->clear();
    run(variable.body);
    out_ = outer;
}

void Interpreter::run(const CopyElements& operation, std::size_t point) {
    copied_.clear();
    xpath_.begin_expression();
    const StoredTree& tree = xpath_.select(operation.elements, found_);
    for (const StoredTree::Index i : found_) tree.copy(copied_, i, operation.scope);
    if (!found_.empty()) xpath_.cover(point, kExecuted);
    out_->append(copied_);
}

void Interpreter::run(const CopyRecord& operation, std::size_t point) {
    copied_.clear();
    xpath_.begin_expression();
    const StoredTree& tree = xpath_.select(operation.elements, found_);
    for (const StoredTree::Index i : found_) tree.copy(copied_, i, {});
    out_->append(copied_);
    if (found_.size() == 1 && tree.element(found_[0]).name_space == operation.root_namespace)
        xpath_.cover(point, kExecuted);
    else
        fallback_ = true;
}

void Interpreter::run(const Fallback&, std::size_t point) {
    fallback_ = true;
    xpath_.cover(point, kFellBack);
}

}  // namespace oai::transform
