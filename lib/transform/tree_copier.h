// SPDX-License-Identifier: MIT
// xsl:copy-of for stored XML, without a tree: the elements that a path selects are copied as text,
// in one pass. (Parsing them and writing the tree out again costs four times as much.) Knows XML's
// syntax and the namespaces around the copies; no XSLT, no database.
// Only XML in the form that our serialiser (xml/serialiser.h) writes is copied. Everything else
// (comments, CDATA, single quotes, <a></a>, elements in no namespace, names beyond ASCII, ...) is
// refused and left to libxslt, whose outcome the copies equal byte for byte.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::transform {

// A namespace declaration that is in force; the prefix "" is the default namespace.
struct Declaration {
    std::string prefix, uri;
};
using Scope = std::vector<Declaration>;  // the innermost last

struct ElementName {
    std::string name_space, local;
};

// Selects, of the elements at the top of the content, those of the name (nullopt: all of them). If
// `child` is given, they must have a child element of that name with a given text.
struct ElementPath {
    std::optional<ElementName> element{}, child{};
};

struct CopiedElements {
    std::size_t count = 0;
    std::string_view name_space{};  // of the last; a view into the content
};

// Appends the elements that the path selects. `content`: of an element, perhaps behind an XML
// declaration; it need not be well-formed. `child_text`: which the child of the path must have;
// nullopt equals none. `around`: the declarations in force where the copies go; those that a copy
// repeats are left out, as xsltCopyTree() does. Returns nullopt if the content cannot be copied as
// text or is not well-formed; then `out` has rubbish behind its old end. Thread-safe.
std::optional<CopiedElements> copy_elements(std::string& out, std::string_view content,
                                            const ElementPath& path,
                                            std::optional<std::string_view> child_text,
                                            const Scope& around);

}  // namespace oai::transform
