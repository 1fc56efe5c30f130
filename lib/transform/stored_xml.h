// SPDX-License-Identifier: MIT
// Copies the elements of stored XML into the text of a record, in one pass with no tree in between:
// libxml2's tree costs eight times as much. Knows XML's syntax and namespaces; no XSLT, no
// database. Only XML in the form that our serialiser (xml/serialiser.h) writes is copied.
// Everything else (comments, CDATA, single quotes, <a></a>, elements in no namespace, names beyond
// ASCII, ...) is refused and left to libxslt, whose outcome the copies equal byte for byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::transform {

// Classes of characters of XPath 1.0 and of names (Namespaces in XML) of ASCII alone.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool begins_name(char c) { return is_letter(c) || c == '_'; }
constexpr bool continues_name(char c) {
    return begins_name(c) || is_digit(c) || c == '-' || c == '.';
}

// A namespace declaration in scope; the prefix "" is the default namespace.
struct Declaration {
    std::string prefix, uri;
};
using Scope = std::vector<Declaration>;  // the innermost last

struct ElementName {
    std::string name_space, local;
    bool operator==(const ElementName&) const = default;
};

// Selects the elements that have a child with this name and text.
struct ChildFilter {
    const ElementName& name;
    std::optional<std::string_view> text;  // nullopt: selects none
};

// The result of copy_elements().
struct CopiedElements {
    int count = 0;
    std::string_view name_space{};  // of the last one; a view into its content
};

// Appends copies of the elements in `content`, which may begin with an XML declaration, as
// xsltCopyTree() would make them with the given declarations in scope. `content` may be anything.
// Returns false if it is not well-formed or has an unsupported form; the text appended to `out`
// must then be discarded.
bool copy_elements(std::string& out, std::string_view content, const Scope& scope,
                   CopiedElements& copied, const std::optional<ChildFilter>& filter = {});

}  // namespace oai::transform
