// SPDX-License-Identifier: MIT
// Evaluates the XPath expressions of a Program over records, and keeps track of which of its points
// were executed. Knows no instructions of XSLT, and writes nothing. Not thread-safe; keeps its
// scratch strings, so use one for many records.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_buffer.h"
#include "transform/program.h"
#include "transform/record_view.h"

namespace oai::transform {

class XPathEvaluator {
  public:
    // What an expression is evaluated for: the node that xsl:for-each or a predicate stands on.
    // Outside of these the compiler lets nobody ask for it.
    struct Node {
        const Entry* entry;
        std::size_t position, last;
        const StoredTree* tree = nullptr;  // of a stored element, which has no entry
        StoredTree::Index element = 0;
    };

    // The program must outlive it. `covered`: what has been executed before (covers_more()); empty
    // or of as many bytes as the program has points.
    explicit XPathEvaluator(const Program& program, Coverage covered = {});

    // From here on expressions are those of this record, which must live as long. Nothing is
    // covered by it yet.
    void begin_record(const RecordView& record);
    // The strings that were returned before are no longer needed.
    void begin_expression() { scratch_used_ = found_used_ = 0; }
    const Node* context() const { return node_; }
    void set_context(const Node* node) { node_ = node; }  // nullptr: none

    // As XPath's conversions have it. A view is good until begin_expression(), or as long as what
    // it is of: the record, the program, a variable.
    std::string_view string(const Expression& e);
    bool test(const Expression& e);
    // The node whose text is the expression's, if it is just that of one; nullptr otherwise.
    const Entry* entry(const Expression& e) const;
    Nodes column(std::size_t slot) const { return *record_->columns[slot]; }
    // The nodes of a column for which its predicate is true, in `found`.
    Nodes select(const ColumnNodes& column, std::vector<Entry>& found);
    // Sets `found` to the elements that the steps lead to, in document order. Returns their tree.
    const StoredTree& select(const StoredNodes& nodes, std::vector<StoredTree::Index>& found);
    // The root of the document that the first column holds; nullopt: it cannot be read.
    std::optional<Node> document();
    // Whether stored XML of the record was asked for that cannot be read (stored_tree.h).
    bool is_unreadable() const { return is_unreadable_; }
    TextBuffer& variable(std::size_t slot) { return variables_[slot]; }

    void cover(std::size_t point, std::uint8_t bits) {
        if ((coverage_[point] & bits) != bits) [[unlikely]]
            cover_more(point, bits);
    }
    // Whether the record covered what none before it did.
    bool covers_more() const { return !newly_covered_.empty(); }
    void uncover_last();  // forgets that it did
    const Coverage& coverage() const { return coverage_; }

  private:
    struct Tree {  // of a column, read when it is first looked at
        StoredTree tree;
        bool is_read = false;
    };

    const StoredTree& tree(std::size_t slot);
    template <class Visit>
    bool visit(const StoredNodes& nodes, Visit&& visit);
    template <class Visit>
    bool visit(const StoredNodes& nodes, std::size_t step, const StoredTree& tree,
               StoredTree::Index parent, Visit& visit);
    bool is_left(const Step& step, Node& node, std::size_t* positions);
    template <class Visit>
    bool visit_texts(const Expression& e, Visit&& visit);

    Nodes nodes(const Expression& e);
    std::size_t number(const Expression& e);
    std::string_view make_string(const Call& call);
    std::size_t make_number(const Call& call);
    bool any_node(const Expression& e, const Expression& with, bool equal);
    bool any_number(Builtin comparison, const Expression& e, std::size_t number);
    bool exists(const Expression& e);

    std::string& scratch();
    void cover_more(std::size_t point, std::uint8_t bits);

    Coverage coverage_;
    std::vector<std::pair<std::size_t, std::uint8_t>> newly_covered_;  // by the record
    const RecordView* record_ = nullptr;
    const Node* node_ = nullptr;
    bool is_unreadable_ = false;
    Entry language_;                     // the attribute lang of the context node, as a node
    std::vector<Tree> trees_;            // by slot
    std::vector<TextBuffer> variables_;  // by slot
    std::deque<std::string> scratch_;  // strings of one expression; a deque, so that they stay put
    std::size_t scratch_used_ = 0;
    std::deque<std::vector<Entry>> found_;  // the nodes that its predicates left
    std::size_t found_used_ = 0;
};

}  // namespace oai::transform
