// SPDX-License-Identifier: MIT
// Stored XML as a tree to look things up in and to copy from, read in one pass with no copy of it.
// (libxml2's tree costs several times as much.) Knows XML's syntax and namespaces; no XSLT, no
// database.
// Only XML in the form that our serialiser (xml/serialiser.h) writes is read. Everything else
// (comments, CDATA, single quotes, <a></a>, elements in no namespace, names beyond ASCII, ...) is
// refused and left to libxslt, whose outcome the values and copies equal byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oai::transform {

// A namespace declaration that is in force; the prefix "" is the default namespace.
struct Declaration {
    std::string prefix, uri;
};
using Scope = std::vector<Declaration>;  // the innermost last

// All texts are views into the contents, which must outlive the tree.
class StoredTree {
  public:
    using Index = std::uint32_t;

    // An element, in document order. One without a name holds a content; all others stand in one.
    struct Element {
        std::string_view name, name_space;  // the name without its prefix
        std::string_view whole, inside;     // as they are written: with its tags, between them
        Index parent, behind;               // behind: of the element behind its last descendant
        std::uint32_t attributes, declarations;  // where they begin; they end with the next one's
    };
    struct Attribute {
        std::string_view name, value;  // the name with its prefix; the value as it is written
    };

    void clear();
    // Adds the content of an element, perhaps behind an XML declaration; it need not be
    // well-formed. Returns false if it is not, or cannot be read: the tree must then be cleared.
    bool add(std::string_view content);

    // Of each, the first; the next is element(i).behind, and they end at size() or the parent's
    // `behind`.
    Index first_content() const { return 0; }
    Index first_child(Index parent) const { return parent + 1; }
    Index size() const { return static_cast<Index>(elements_.size() - 1); }
    const Element& element(Index i) const { return elements_[i]; }
    const Attribute* attribute(Index i, std::string_view name) const;  // nullptr: none

    // The text of what is written so, without tags and references; made in `scratch` if it has any.
    static std::string_view text(std::string_view written, std::string& scratch);

    // Appends a copy of the element as xsltCopyTree() makes it where these declarations are in
    // force.
    void copy(std::string& out, Index i, const Scope& around) const;

  private:
    friend class StoredTreeReader;
    struct Binding {
        std::string_view prefix, uri;
        std::string_view text;  // as it is written, with the blank before it
    };
    std::span<const Binding> declared(Index i) const {
        return std::span(declarations_)
            .subspan(elements_[i].declarations,
                     elements_[i + 1].declarations - elements_[i].declarations);
    }
    void copy_inside(std::string& out, Index i, std::vector<Binding>& in_force,
                     const char*& unwritten) const;

    std::vector<Element> elements_{Element{}};  // the last says where all others end
    std::vector<Attribute> attributes_;
    std::vector<Binding> declarations_;
};

}  // namespace oai::transform
