// SPDX-License-Identifier: MIT
// Runs a Program over records: does its operations and writes what they make; xpath_evaluator
// evaluates their expressions. Not thread-safe; keeps its scratch strings, so use one for many
// records.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/text_buffer.h"
#include "transform/program.h"
#include "transform/record_view.h"
#include "transform/xpath_evaluator.h"

namespace oai::transform {

class Interpreter {
  public:
    // The program must outlive it. `covered`: what has been executed before (covers_more()); empty
    // or of as many bytes as the program has points.
    explicit Interpreter(const Program& program, Coverage covered = {});

    // Appends the element of the record, whose view is of the columns of the program. Returns false
    // and appends nothing if the record has to be left to libxslt: it has XML that cannot be read
    // (stored_tree.h), or comes to what was not compiled.
    bool append(std::string& out, const RecordView& record);

    // Whether the last append() did something that no append() before it did.
    bool covers_more() const { return xpath_.covers_more(); }
    // Forgets that it did, for a caller who wants to see the next record that does.
    void uncover_last() { xpath_.uncover_last(); }
    const Coverage& coverage() const { return xpath_.coverage(); }

  private:
    using Node = XPathEvaluator::Node;

    void run(const Operations& operations);
    void run(const Text& text, std::size_t);
    void run(const Value& value, std::size_t);
    void run(const Element& element, std::size_t point);
    void run(const Choose& choose, std::size_t);
    void run(const ForEach& each, std::size_t point);
    void run(const Operations& body, Nodes entries, std::size_t point);
    void run_stored(const ForEach& each, const StoredNodes& nodes, std::size_t point);
    void run(const Variable& variable, std::size_t);
    void run(const CopyElements& copy, std::size_t point);
    void run(const CopyRecord& copy, std::size_t point);
    void run(const Fallback& fallback, std::size_t point);

    XPathEvaluator xpath_;
    const Program& program_;
    TextBuffer made_;  // of the record
    TextBuffer* out_ = nullptr;
    bool fallback_ = false;
    std::string escaped_;                                  // what was escaped last
    std::string copied_;                                   // what was copied of stored XML last
    std::vector<StoredTree::Index> found_;                 // the elements of that
    std::deque<std::vector<StoredTree::Index>> elements_;  // of each xsl:for-each at work
    std::size_t elements_used_ = 0;
};

}  // namespace oai::transform
