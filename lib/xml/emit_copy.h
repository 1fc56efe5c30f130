// SPDX-License-Identifier: MIT
// xsl:copy-of for stored XML, without a tree: the elements that a path selects are copied as text, in one pass. Knows XML's
// syntax and the namespaces around the place; no XSLT, no database.
// Only plain XML is copied: what our serialiser would have written. Everything else (comments, CDATA, single quotes, <a></a>,
// elements in no namespace, names beyond ASCII, ...) is refused, and left to libxslt, whose outcome this is byte for byte.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::xml {

// A namespace declaration that is in force; "" is the default namespace.
struct Declaration {
    std::string prefix, uri;
};
using Scope = std::vector<Declaration>;  // the innermost last

struct ElementName {
    std::string name_space, local;
    bool operator==(const ElementName&) const = default;
};

// Of the elements at the top of the content, those of the name (nullopt: all of them) that have, if `child` is given, a child
// element of that name and of the text that is asked for.
struct TreePath {
    std::optional<ElementName> element{}, child{};
};

// Keeps its scratch space: one for many records, one thread.
class TreeCopier {
  public:
    struct Copied {
        std::size_t elements = 0;
        std::string_view name_space{};  // of the last; a view into the content
    };

    // Appends the elements that the path selects. `content` is well-formed content of an element or not, perhaps behind an XML
    // declaration; `text`: of the path's child; nullopt equals none. `around`: what is in force where the copies go: of the
    // copies' own declarations those that say the same again are left out, as xsltCopyTree() does.
    // nullopt: it is not plain, or not well-formed; then `out` has rubbish behind its old end.
    std::optional<Copied> append(std::string& out, std::string_view content, const TreePath& path,
                                 std::optional<std::string_view> text, const Scope& around);

  private:
    // uri: a view; own: declared in the content.
    struct Binding {
        std::string_view prefix, uri;
        bool own;
    };
    struct Name {
        std::string_view whole, prefix, local;
    };
    struct Open {
        std::string_view name;  // with its prefix
        std::size_t bindings;   // before it
    };

    bool content();
    bool markup();
    bool start_tag();
    bool attributes(bool& has_end);
    bool attribute(bool& declarations_are_over);
    bool declare(const Name& name, std::string_view uri, const char* begin);
    bool note(const Name& name);
    bool end_tag();
    void close(const char* content_end);
    bool characters();
    bool value(std::string_view& value);
    bool reference(bool in_attribute);
    bool name(Name& name);
    bool accept(std::string_view token);
    const Binding* find(std::string_view prefix) const;
    bool is(const Name& name, std::string_view uri, const std::optional<ElementName>& wanted) const;
    void write(const char* end);

    const char *next_ = nullptr, *end_ = nullptr;
    const char* unwritten_ = nullptr;  // from here the content goes to out_, if it is selected
    std::string* out_ = nullptr;
    const TreePath* path_ = nullptr;
    std::string text_;  // of the path's child, as it is written; of no use unless has_text_
    bool has_text_ = false;
    bool selected_ = false;             // the element at the top
    bool has_child_ = false;            // of that name and text
    const char* child_text_ = nullptr;  // where the text of a child of that name began; nullptr: in no such child
    std::size_t begin_ = 0;             // of the element at the top, in out_
    bool beyond_ascii_ = false;
    Copied copied_;
    std::string_view root_uri_;
    std::vector<Binding> bindings_;
    std::vector<Open> open_;
    std::vector<std::string_view> names_;  // of the attributes of one element
};

}  // namespace oai::xml
