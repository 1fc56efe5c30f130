// SPDX-License-Identifier: MIT
// A stylesheet of the compiled subset (README in this folder) as a program: operations that write
// the element of a record as text, with no tree in between. What they write is, byte for byte, what
// libxml2 writes of the tree that libxslt makes. Knows the words of XSLT and XPath 1.0, no
// database. A Program is immutable after the compiler made it; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "transform/tree_copier.h"

namespace oai::transform {

// Expressions of XPath. Each struct says of which of the four types its value is; the compiler
// converts, so that operands are of the type that is wanted (README).
struct Expression;
using Expressions = std::vector<Expression>;
enum class Type { nodes, string, number, boolean };

struct AttributeNode {  // @x or ../@x, of the record
    static constexpr Type type = Type::nodes;
    std::size_t slot;
};
struct ChildNodes {  // x or ../x, of the record
    static constexpr Type type = Type::nodes;
    std::size_t slot;
};
struct ContextNode {  // . within xsl:for-each
    static constexpr Type type = Type::nodes;
};
struct LanguageNode {  // @lang within xsl:for-each over child elements
    static constexpr Type type = Type::nodes;
};
struct StoredElements {  // x/*, x/p:name: elements of stored XML
    static constexpr Type type = Type::nodes;
    std::size_t slot = 0;
    ElementPath path{};
    std::string child_text{};            // of the child that the path asks for, unless that is
    bool is_metadata_namespace = false;  // RecordView::metadata_namespace
};

struct Literal {
    static constexpr Type type = Type::string;
    std::string text;
};
struct StringFunction {
    static constexpr Type type = Type::string;
    enum class Name { string, concat, normalize_space, substring_before, substring_after };
    Name name;
    Expressions arguments;  // strings
};
struct Translate {
    static constexpr Type type = Type::string;
    Expressions arguments;  // one string
    std::vector<std::pair<std::string, std::string>>
        replacements{};  // a character, what it becomes
};

// Numbers are never negative and have no fraction.
struct Number {
    static constexpr Type type = Type::number;
    std::size_t value;
};
struct NumberFunction {
    static constexpr Type type = Type::number;
    enum class Name { position, last, string_length };
    Name name;
    Expressions arguments;  // string_length: one string
};

struct Connective {
    static constexpr Type type = Type::boolean;
    enum class Name { both, either, negation };
    Name name;
    Expressions operands;  // booleans
};
struct Exists {  // boolean(nodes)
    static constexpr Type type = Type::boolean;
    Expressions operands;
};
struct NotEmpty {  // boolean(string)
    static constexpr Type type = Type::boolean;
    Expressions operands;
};
struct StringTest {
    static constexpr Type type = Type::boolean;
    enum class Name { starts_with, contains };
    Name name;
    Expressions arguments;  // two strings
};
struct StringComparison {  // nodes or a string, with a string
    static constexpr Type type = Type::boolean;
    enum class Name { equal, not_equal };
    Name name;
    Expressions operands;
};
struct NumberComparison {
    static constexpr Type type = Type::boolean;
    enum class Name { equal, not_equal, less, less_equal, greater, greater_equal };
    Name name;
    Expressions operands;
};

struct Expression {
    using Node =
        std::variant<AttributeNode, ChildNodes, ContextNode, LanguageNode, StoredElements, Literal,
                     StringFunction, Translate, Number, NumberFunction, Connective, Exists,
                     NotEmpty, StringTest, StringComparison, NumberComparison>;
    Node node;
    std::size_t point = 0;  // of Program::points
};

inline Type type_of(const Expression& e) {
    return std::visit([]<class T>(const T&) { return T::type; }, e.node);
}

// Instructions and literal content of XSLT.
struct Operation;
using Operations = std::vector<Operation>;

struct Text {  // written as it is: markup, and escaped text of the stylesheet
    std::string text;
};
struct Value {  // a string, escaped for where it stands
    Expression expression;
    bool in_attribute;
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
struct ForEachAttribute {  // once if the record has it
    std::size_t slot;
    Operations body;
};
struct ForEachChild {
    std::size_t slot;
    Operations body;
};
struct CopyElements {
    StoredElements elements;
    Scope scope{};  // the namespaces that are in force there
};
// The same in place of the record's element: exactly one, in the namespace. Otherwise the record is
// left to libxslt.
struct CopyRecord {
    StoredElements elements;
    std::string root_namespace;
};
struct Fallback {};  // the compiler could not do what stands here: the record is left to libxslt

struct Operation {
    using Node = std::variant<Text, Value, Element, Choose, ForEachAttribute, ForEachChild,
                              CopyElements, CopyRecord, Fallback>;
    Node node;
    std::size_t point = 0;  // of what is not executed wherever its surroundings are
};

// A place in the stylesheet whose execution is tracked: an operation, a branch or an expression.
struct CoveragePoint {
    long line;
    std::string what;
    std::uint8_t reachable;  // the bits below that can be set there; 0: others tell as much
};
// What happened at a point: it was executed, or was true; it was false; it had a second node; the
// record was left to libxslt there.
inline constexpr std::uint8_t kExecuted = 1, kFalse = 2, kRepeated = 4, kFellBack = 8;
using Coverage = std::vector<std::uint8_t>;  // such bits for each of Program::points

struct Program {
    std::vector<std::string> attributes;  // names of those that it reads
    std::vector<std::string> children;
    std::vector<std::string> trees;  // children whose elements are copied; none is in `children`
    Operations operations;
    std::vector<CoveragePoint> points;  // the first: that a record was made at all
    std::string fallback;  // "file:line: construct" of the first Fallback; "" there is none
};

}  // namespace oai::transform
