// SPDX-License-Identifier: MIT
// Runs a Program over records: does its operations, evaluates their expressions, writes what they
// make, and keeps track of which of its points were executed. Not thread-safe; keeps its scratch
// strings, so use one for many records.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_buffer.h"
#include "transform/program.h"
#include "transform/record_view.h"

namespace oai::transform {

class Interpreter {
  public:
    // The program must outlive it. `covered`: what has been executed before (covers_more()); empty
    // or of as many bytes as the program has points.
    explicit Interpreter(const Program& program, Coverage covered = {});

    // Appends the element of the record, whose view is of the columns of the program. Returns false
    // and appends nothing if the record has to be left to libxslt: it has XML that cannot
    // be read (stored_xml.h), or comes to what was not compiled.
    bool append(std::string& out, const RecordView& record);

    // Whether the last append() did something that no append() before it did.
    bool covers_more() const { return !newly_covered_.empty(); }
    // Forgets that it did, for a caller who wants to see the next record that does.
    void uncover_last();
    const Coverage& coverage() const { return coverage_; }

  private:
    // What an expression is evaluated for: the node that xsl:for-each or a predicate stands on.
    // Outside of these the compiler lets nobody ask for it.
    struct Node {
        const Entry* entry;
        std::size_t position;
    };

    void run(const Operations& operations);
    void run(const Text& text, std::size_t);
    void run(const Value& value, std::size_t);
    void run(const Element& element, std::size_t point);
    void run(const Choose& choose, std::size_t);
    void run(const ForEach& each, std::size_t point);
    void run(const Variable& variable, std::size_t);
    void run(const CopyElements& copy, std::size_t point);
    void run(const Fallback& fallback, std::size_t point);

    // As XPath's conversions have it. A view is good until begin_expression(), or as long as what
    // it is of: the record, the program, a variable.
    std::string_view string(const Expression& e);
    std::size_t number(const Expression& e);
    bool test(const Expression& e);
    std::string_view make_string(const Call& call);
    std::size_t make_number(const Call& call);
    bool test(const Call& call);
    bool compare(const Comparison& comparison);
    bool exists(const Expression& e);
    // The strings that were returned before are no longer needed.
    void begin_expression() { scratch_used_ = found_used_ = 0; }
    std::string& scratch();

    // The node whose text is the expression's, if it is just that of one; nullptr otherwise.
    const Entry* single_entry(const Expression& e) const;
    Nodes nodes(const Expression& e);
    // The nodes of a column for which its predicate is true, in `found`.
    Nodes select(const ColumnNodes& column, std::vector<Entry>& found);
    // Sets copied_ to copies of the elements of a column. If its XML cannot be read, there are
    // none, and the record is left to libxslt.
    const CopiedElements& copy(const StoredElements& elements, const Scope& scope);

    void cover(std::size_t point, std::uint8_t bits) {
        if ((coverage_[point] & bits) != bits) [[unlikely]]
            cover_more(point, bits);
    }
    void cover_more(std::size_t point, std::uint8_t bits);

    const Program& program_;
    Coverage coverage_;
    std::vector<std::pair<std::size_t, std::uint8_t>> newly_covered_;  // by the record
    const RecordView* record_ = nullptr;
    const Node* node_ = nullptr;  // the context
    bool fallback_ = false;       // the record must be left to libxslt
    TextBuffer made_;             // of the record
    TextBuffer* out_ = nullptr;
    std::string escaped_;  // what was escaped last
    std::string copied_;   // what was copied of stored XML last, and how many elements
    CopiedElements copied_elements_;
    const StoredElements* copied_of_ = nullptr;  // what that is of the record, in no scope
    Entry language_;                     // the attribute lang of the context node, as a node
    std::vector<TextBuffer> variables_;  // by slot
    std::deque<std::string> scratch_;  // strings of one expression; a deque, so that they stay put
    std::size_t scratch_used_ = 0;
    std::deque<std::vector<Entry>> found_;  // the nodes that its predicates left
    std::size_t found_used_ = 0;
};

}  // namespace oai::transform
