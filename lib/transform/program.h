// SPDX-License-Identifier: MIT
// A stylesheet of the compiled subset (README in this folder) as a program: operations that write
// the element of a record as text, with no tree in between. What they write is, byte for byte, what
// libxml2 writes of the tree that libxslt makes. Knows the words of XSLT and XPath 1.0, no
// database. A Program is immutable after the compiler made it; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "transform/stored_xml.h"

namespace oai::transform {

// Expressions of XPath. The compiler converts, so that operands are of the type that is
// wanted (README).
struct Expression;
using Expressions = std::vector<Expression>;

struct ColumnNodes {   // @x, x, ../@x or ../x of the record
    std::size_t slot;  // in Program::columns
    Expressions
        filter;  // none, or the predicate of x[...], for which each node of x is the context
};
struct ContextNode {};   // . within xsl:for-each over these
struct LanguageNode {};  // @lang within xsl:for-each over child elements
// x/* of the record: the elements of stored XML, which nothing but xsl:copy-of and conditions
// select; or those among them that have this child with the text /records/@metadataNamespace.
struct StoredElements {
    std::size_t slot;  // of x
    std::optional<ElementName> child{};
    bool operator==(const StoredElements&) const = default;
};
struct Literal {
    std::string text;
};
// What a variable holds decides how $x compares, and whether it is true: a string as strings do, a
// tree (of a variable with content) compares as its text. Anything else is known as a string only.
enum class VariableKind { string, tree, other };
struct VariableText {  // $x, as a string
    std::size_t slot;  // below Program::variables
    VariableKind kind;
};
struct Number {  // never negative, and without a fraction
    std::size_t value;
};

// What is called by name or by an operator: functions whose value is a string, then a number, then
// a boolean. conjunction, disjunction and negation take booleans, exists takes nodes, substring a
// string and numbers, all others strings.
// clang-format off
enum class Builtin {
    string, concat, normalize_space, substring, substring_before, substring_after, translate,
    position, string_length,
    conjunction, disjunction, negation, exists, not_empty, starts_with, contains
};
// clang-format on
struct Call {
    Builtin function;
    Expressions operands;
};
// Two strings or numbers, or nodes of which one compares so with the string behind them. Strings
// are only equal or not.
struct Comparison {
    enum class Sign { equal, not_equal, less, greater, less_equal, greater_equal };
    enum class Of { strings, numbers, nodes_and_string };
    Sign sign;
    Of of;
    Expressions operands;
};

struct Expression {
    std::variant<ColumnNodes, ContextNode, LanguageNode, StoredElements, Literal, VariableText,
                 Number, Call, Comparison>
        node;
    std::size_t point = 0;  // of Program::points
};

// Instructions and literal content of XSLT.
struct Operation;
using Operations = std::vector<Operation>;

struct Text {  // written as it is: markup, and escaped text of the stylesheet
    std::string text;
};
enum class Escape { none, text, attribute };  // none: for the text of a variable
struct Value {                                // a string, escaped for where it stands
    Expression expression;
    Escape escape;
};
// An element whose content may come out empty: `start` ("<a>", or "<a" and attributes that end with
// Text ">"), the content and `end` ("</a>"), or "/>" in place of ">" and these. All other elements
// are Text around their content.
struct Element {
    std::string start, end;
    Operations attributes, content;
};
struct Branch {
    std::optional<Expression> test;  // nullopt: xsl:otherwise
    Operations body;
    std::size_t point = 0;  // of xsl:otherwise; a test has its own
};
struct Choose {  // the first branch that applies
    std::vector<Branch> branches;
};
struct ForEach {
    ColumnNodes nodes;
    Operations body;
};
struct Variable {  // xsl:variable, or a parameter: the text that the body writes
    std::size_t slot;
    Operations body;
};
struct CopyElements {
    StoredElements elements;
    Scope scope{};  // the namespaces that are in force there
    // In place of the record's element: exactly one of this namespace, or libxslt runs.
    std::optional<std::string> root_namespace{};
};
struct Fallback {};  // the compiler could not do what stands here: the record is left to libxslt

struct Operation {
    using Node =
        std::variant<Text, Value, Element, Choose, ForEach, Variable, CopyElements, Fallback>;
    Node node;
    std::size_t point = 0;  // of what is not executed wherever its surroundings are
};

// A place in the stylesheet whose execution is tracked: an operation, a branch or an expression.
struct CoveragePoint {
    long line;
    std::uint8_t reachable;  // the bits below that can be set there; 0: others tell as much
};
// What happened at a point: it was executed, or was true; it was false; it had a second node; the
// record was left to libxslt there.
inline constexpr std::uint8_t kExecuted = 1, kFalse = 2, kRepeated = 4, kFellBack = 8;
using Coverage = std::vector<std::uint8_t>;  // such bits for each of Program::points

// What a program reads of a record: an attribute, the child elements of a name, or child elements
// that hold stored XML (trees).
struct Column {
    enum class Kind { attribute, children, trees };
    Kind kind;
    std::string name;
    bool operator==(const Column&) const = default;
};

struct Program {
    std::vector<Column> columns;  // each once; what is read as trees is not read as children
    std::size_t variables = 0;    // how many there are
    Operations operations;
    std::vector<CoveragePoint> points;  // the first: that a record was made at all
    std::string fallback;  // "file:line: construct" of the first Fallback; "" there is none
};

}  // namespace oai::transform
