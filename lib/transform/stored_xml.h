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

// A namespace declaration that is in force; the prefix "" is the default namespace.
struct Declaration {
    std::string prefix, uri;
};
using Scope = std::vector<Declaration>;  // the innermost last

struct ElementName {
    std::string name_space, local;
    bool operator==(const ElementName&) const = default;
};

// Which elements are copied: those with a child of this name and text.
struct ChildFilter {
    const ElementName& name;
    std::optional<std::string_view> text;  // nullopt: none has it
};

// What has been copied.
struct CopiedElements {
    int count = 0;
    std::string_view name_space{};  // of the last one; a view into its content
};

// Appends copies of the elements in `content`, which is that of an element, perhaps behind an XML
// declaration, as xsltCopyTree() makes them where the declarations of the scope are in force, and
// counts them. Nothing is required of the content. Returns false if it is not well-formed, or
// cannot be read: what has been appended is then of no use.
bool copy_elements(std::string& out, std::string_view content, const Scope& scope,
                   CopiedElements& copied, const std::optional<ChildFilter>& filter = {});

}  // namespace oai::transform
