// SPDX-License-Identifier: MIT
// A stylesheet of the plain subset (emit_compiler.h) as operations that write a record's element straight to text, no
// tree between. Knows XSLT and XPath 1.0, no database. The element is, byte for byte, what libxml2 writes of the tree
// that libxslt makes. An Emission is immutable; thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "xml/emit_copy.h"

namespace oai::xml {

// A child element of the record: its text and its attribute lang.
struct Entry {
    std::string_view text;
    std::optional<std::string_view> lang{};
};

// What the stylesheet can see of one record, in the order of Emission::attributes, children and trees: of each attribute its
// value, of each name of child elements all of them. Values REQUIRE XML text (base/text.h); an entry of a tree is the
// element's content as stored, of which nothing is required.
struct RecordView {
    std::vector<std::optional<std::string_view>> attributes;
    std::vector<std::span<const Entry>> children, trees;
    std::optional<std::string_view> metadata_namespace{};  // /records/@metadataNamespace (format.h)
};

// An XPath expression. Its type follows from its kind.
struct Expression {
    enum class Kind {
        // Sets of nodes: of the record's (slot), or of the node that xsl:for-each stands on.
        attribute, child, self, lang,
        tree,  // elements at the top of the content of a slot's elements: `path`
        // Strings.
        literal, string, concat, translate, normalize_space, substring_before, substring_after,
        // Numbers, never negative and never with a fraction.
        number, position, last, string_length,
        // Booleans. Operands are converted by the compiler: exists is boolean(node-set), not_empty boolean(string).
        both, either, negation, exists, not_empty, starts_with, contains,
        equal, not_equal,  // of strings, the first perhaps of a set of nodes
        number_equal, number_not_equal, less, less_equal, greater, greater_equal,
    };
    Kind kind;
    std::size_t slot = 0;
    std::string text{};      // literal; tree: of the path's child, unless it is the metadata's namespace
    TreePath path{};
    bool of_metadata_namespace = false;  // tree: the text of the path's child is RecordView::metadata_namespace
    std::size_t number = 0;
    std::vector<std::pair<std::string, std::string>> replacements{};  // translate: a character and what it becomes
    std::vector<Expression> arguments{};
    std::size_t point = 0;
};

struct Operation {
    enum class Kind {
        text,       // `text` as it is: markup, and escaped text of the stylesheet
        value,      // `expression` as a string, escaped
        element,    // `text` ("<a"), `head` (its attributes), `body`, `end` ("</a>"); "/>" where body writes nothing
        attribute,  // `text` (" a=\""), `body`, a quote
        choose,     // the `body` of the first of `branches` whose expression is true or missing
        each_attribute, each_child,  // `body` once for each node of the slot
        copy,    // the elements that `expression`, a tree, selects
        record,  // the same, where they are not within an element of the stylesheet: exactly one, in the namespace `text`
        leave,   // the record is libxslt's
    };
    struct Branch {
        std::optional<Expression> test;
        std::vector<Operation> body;
        std::size_t point;
    };
    Kind kind;
    std::string text{}, end{};
    std::optional<Expression> expression{};
    std::size_t slot = 0;
    bool in_attribute = false;  // value: how it is escaped
    std::vector<Operation> head{}, body{};
    std::vector<Branch> branches{};
    Scope scope{};  // copy: the namespaces that are in force there
    std::size_t point = 0;
};

// Where in the stylesheet an operation or expression stands. Whoever wants to know what was exercised hands in a Trace:
// one byte per point, a bit for each thing that happened there.
struct Point {
    long line;
    std::string what;
    std::uint8_t wanted;  // the bits that say that all of it was exercised
};
// Happened or true; false; for more than one node; the record was left here, which nobody wants.
inline constexpr std::uint8_t kDone = 1, kNot = 2, kSeveral = 4, kLeft = 8;
using Trace = std::vector<std::uint8_t>;

struct Emission {
    std::vector<std::string> attributes;  // the names that it reads
    std::vector<std::string> children;
    std::vector<std::string> trees;  // children that are copied; none is in `children`, too
    std::vector<Operation> operations;
    std::vector<Point> points;
    std::string leaves;  // "file:line: construct" of the first `leave`; "" there is none
};

// The same in fewer operations: neighbouring texts are one, and an element that is never empty is text around its
// content.
void simplify(Emission& emission);

// Runs an Emission. Keeps its scratch strings, so one for many records; one thread.
class Emitter {
  public:
    // The Emission must outlive it. `trace`: nullptr, or of as many bytes as it has points.
    explicit Emitter(const Emission& emission, Trace* trace = nullptr) : emission_(emission), trace_(trace) {}

    // Appends the record's element. `record` has the emission's slots. False, and nothing appended: the record is
    // libxslt's, since it has XML that is not plain (emit_copy.h), or comes to what was not compiled.
    bool append(std::string& out, const RecordView& record);

  private:
    using Operations = std::vector<Operation>;
    // The node that the instructions stand on. Outside of xsl:for-each the compiler lets nobody ask.
    struct Node {
        Entry entry{};
        std::size_t position = 1, last = 1;
    };

    void run(const Operations& operations);
    void element(const Operation& operation);
    void value(const Operation& operation);
    void choose(const Operation& operation);
    void each_attribute(const Operation& operation);
    void each_child(const Operation& operation);
    void record(const Operation& operation);
    TreeCopier::Copied copy(std::string& out, const Expression& e, const Scope& scope);

    bool test(const Expression& e);
    bool judge(const Expression& e);
    bool any_node(const Expression& e, bool wanted);
    std::string_view string(const Expression& e);
    std::string_view make_string(const Expression& e);
    std::string_view first_node(const Expression& e);
    std::size_t number(const Expression& e);
    std::string& scratch();
    std::string_view printed(std::size_t number);
    void mark(std::size_t point, std::uint8_t bits) {
        if (trace_ != nullptr) (*trace_)[point] |= bits;
    }

    const Emission& emission_;
    Trace* const trace_;
    std::string* out_ = nullptr;
    const RecordView* record_ = nullptr;
    bool left_ = false;
    Node node_;
    TreeCopier copier_;
    std::string tried_;  // what a condition copied
    std::deque<std::string> scratch_;  // a string stays where it is
    std::size_t scratch_used_ = 0;
};

}  // namespace oai::xml
