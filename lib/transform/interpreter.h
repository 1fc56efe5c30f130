// SPDX-License-Identifier: MIT
// Runs a Program over records and records which of its points were executed. Not thread-safe.
// Reuses its buffers, so use one interpreter for many records.
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
    // The program must outlive the interpreter. `covered`: the points executed before
    // (covers_more()); empty, or one byte for each point of the program.
    explicit Interpreter(const Program& program, Coverage covered = {});

    // Appends the element of the record. Returns false and appends nothing if libxslt must
    // transform the record: its XML cannot be copied (stored_xml.h), or it reached a Fallback.
    // REQUIRES: the view has the columns of the program.
    bool append(std::string& out, const RecordView& record);

    // Whether the last append() executed a point, or had an outcome, for the first time.
    bool covers_more() const { return !newly_covered_.empty(); }
    // Removes these from the coverage, so that the next record with them is reported, too.
    void uncover_last();
    const Coverage& coverage() const { return coverage_; }

  private:
    // The context node and position within xsl:for-each or a predicate. The compiler ensures that
    // they are used only there.
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

    // Evaluates as string(). The view is valid until begin_expression(), and while the record and
    // the variables do not change.
    std::string_view string(const Expression& e);
    std::size_t number(const Expression& e);
    bool test(const Expression& e);
    std::string_view make_string(const Call& call);
    std::size_t make_number(const Call& call);
    bool test(const Call& call);
    bool compare(const Comparison& comparison);
    bool exists(const Expression& e);
    // Invalidates the strings that were returned before.
    void begin_expression() { scratch_used_ = found_used_ = 0; }
    std::string& scratch();

    // The node, if the value of the expression is just the text of one node; else nullptr.
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
    std::vector<std::pair<std::size_t, std::uint8_t>> newly_covered_;  // by the last record
    const RecordView* record_ = nullptr;
    const Node* node_ = nullptr;  // the context
    bool fallback_ = false;       // the record must be left to libxslt
    TextBuffer made_;             // the element of the record
    TextBuffer* out_ = nullptr;
    std::string escaped_;  // the last escaped text
    std::string copied_;   // the last copies of stored XML, and their number
    CopiedElements copied_elements_;
    const StoredElements* copied_of_ =
        nullptr;                         // the source of these copies, if made in an empty scope
    Entry language_;                     // the attribute lang of the context node, as a node
    std::vector<TextBuffer> variables_;  // by slot
    std::deque<std::string>
        scratch_;  // strings of one expression; a deque, since views refer to them
    std::size_t scratch_used_ = 0;
    std::deque<std::vector<Entry>> found_;  // the nodes selected by its predicates
    std::size_t found_used_ = 0;
};

}  // namespace oai::transform
