// SPDX-License-Identifier: MIT
// The program for a stylesheet of the compiled subset (README in this folder): operations that
// write the element of a record as text, without a tree. Their output equals, byte for byte, what
// libxml2 serialises from libxslt's result. Knows XSLT and XPath 1.0, but no database. Immutable
// after compilation; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "transform/stored_xml.h"

namespace oai::transform {

// Expressions of XPath. The compiler inserts conversions of operands (README).
struct Expression;
using Expressions = std::vector<Expression>;

struct ColumnNodes {     // @x, x, ../@x or ../x of the record
    std::size_t slot;    // in Program::columns
    Expressions filter;  // empty, or the predicate of x[...], evaluated for each node of x
};
struct ContextNode {};   // . within xsl:for-each over these
struct LanguageNode {};  // @lang within xsl:for-each over child elements
// x/* of the record: the elements of stored XML, for xsl:copy-of and conditions only; or those that
// have the given child with the text of /records/@metadataNamespace.
struct StoredElements {
    std::size_t slot;  // of x
    std::optional<ElementName> child{};
    bool operator==(const StoredElements&) const = default;
};
struct Literal {
    std::string text;
};
// The type of a variable, which decides how $x is compared and converted to boolean. A tree is the
// value of a variable with content. Of other types only the string is known.
enum class VariableKind { string, tree, other };
struct VariableText {  // $x, as a string
    std::size_t slot;  // below Program::variables
    VariableKind kind;
};
struct Number {  // never negative, and without a fraction
    std::size_t value;
};

// Functions and operators: those that return a string, then a number, then a boolean. Operands are
// booleans of conjunction, disjunction and negation, nodes of exists, a string and numbers of
// substring, strings of all others.
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
// Compares two strings or numbers, or nodes with a string; strings by = and != only.
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

struct Text {  // markup and escaped text, written unchanged
    std::string text;
};
enum class Escape { none, text, attribute };  // none: for the text of a variable
struct Value {                                // a string, escaped for its position
    Expression expression;
    Escape escape;
};
// An element whose content may turn out to be empty, which is then written as an empty-element tag:
// `start` is "<a>", or "<a" followed by attributes that end with Text ">"; `end` is "</a>". All
// other elements are Text around their content.
struct Element {
    std::string start, end;
    Operations attributes, content;
};
struct Branch {
    std::optional<Expression> test;  // nullopt: xsl:otherwise
    Operations body;
    std::size_t point = 0;  // for xsl:otherwise; a test has a point itself
};
struct Choose {  // the first branch that applies
    std::vector<Branch> branches;
};
struct ForEach {
    ColumnNodes nodes;
    Operations body;
};
struct Variable {  // xsl:variable or a parameter, whose value is the output of the body
    std::size_t slot;
    Operations body;
};
struct CopyElements {
    StoredElements elements;
    Scope scope{};  // the namespaces in scope
    // Set for the record's element: one element of this namespace, or libxslt is used.
    std::optional<std::string> root_namespace{};
};
struct Fallback {};  // an unsupported construct: records that reach it are left to libxslt

struct Operation {
    using Node =
        std::variant<Text, Value, Element, Choose, ForEach, Variable, CopyElements, Fallback>;
    Node node;
    std::size_t point = 0;  // for operations that are executed conditionally
};

// A place in the stylesheet whose execution is tracked: an operation, a branch or an expression.
struct CoveragePoint {
    long line;
    std::uint8_t reachable;  // the bits below that can be set; 0: implied by other points
};
// The outcomes at a point: it was executed, or was true; it was false; it had a second node; the
// record was left to libxslt.
inline constexpr std::uint8_t kExecuted = 1, kFalse = 2, kRepeated = 4, kFellBack = 8;
using Coverage = std::vector<std::uint8_t>;  // such bits for each of Program::points

// A column that a program reads: an attribute, child elements, or stored XML (trees).
struct Column {
    enum class Kind { attribute, children, trees };
    Kind kind;
    std::string name;
    bool operator==(const Column&) const = default;
};

struct Program {
    std::vector<Column> columns;  // distinct; a column is read either as trees or as children
    std::size_t variables = 0;    // their number
    Operations operations;
    std::vector<CoveragePoint> points;  // the first stands for the program as a whole
    std::string fallback;  // "file:line: construct" of the first Fallback; "": there is none
};

}  // namespace oai::transform
