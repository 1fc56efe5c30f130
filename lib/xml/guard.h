// SPDX-License-Identifier: MIT
// Bounds what a document can cost the parser that reads it next. libxml2 compares each attribute
// and each namespace declaration of an element with all others, and looks prefixes up one by one,
// so an element with 60,000 of them takes many seconds, in which nothing can interrupt it. All
// parsers of this room ask the guard first. It goes once over the bytes, in linear time, and leaves
// it to the parser to judge whether they are well-formed. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace oai::xml {

struct Bounds {
    std::size_t attributes = 256;  // of one element, without namespace declarations
    std::size_t namespaces = 64;   // that one element declares
    std::size_t namespaces_in_scope = 256;
    std::size_t depth = 256;       // libxml2's own limit
    std::size_t nodes = 500'000;   // elements and attributes of a document, or of a record of one
    std::size_t record_depth = 0;  // that of records; 0: the document is one
    std::size_t name_bytes = 1'000;
    std::size_t text_bytes = 10'000'000;  // between two tags, or of a value; libxml2's own limit
};

class Guard {
  public:
    explicit Guard(const Bounds& bounds = {}) : bounds_(bounds) {}

    // Returns those of the next bytes that the parser may have: all, or those up to markup that is
    // not well-formed and a few more, so that the parser fails there. Throws Error with the message
    // alone at what is beyond a bound; line() then says where.
    std::string_view pass(std::string_view bytes);
    // Counts the nodes anew, as at the end of a record.
    void begin_record() { nodes_ = 0; }
    long line() const { return line_; }

  private:
    enum class Place {
        text,         // outside of markup
        markup,       // behind '<'
        declaration,  // behind "<!"
        comment,
        cdata,
        instruction,
        doctype,
        subset,   // of a DOCTYPE
        end_tag,  // behind "</"
        name,     // of an element, behind its first character
        tag,      // between attributes
        attribute,
        equals,  // behind the name of an attribute
        quote,   // behind its '='
        value,
        empty_tag,  // behind '/'
        broken,
    };

    std::string_view narrow(std::string_view bytes);
    void begin(std::string_view bytes);
    Place step(char c);
    Place up_to(std::string_view end, char c);
    Place in_declaration(char c);
    Place in_tag(char c);
    Place end_of_name(char c);
    Place end_element();
    void add_attribute();
    void grow(char c);
    void check_encoding() const;

    const Bounds bounds_;
    Place place_ = Place::text;
    std::string word_;        // a name, or the last bytes of what is passed over
    std::size_t length_ = 0;  // of a text or value so far
    std::size_t attributes_ = 0, namespaces_ = 0;
    std::size_t nodes_ = 0, in_scope_ = 0;
    std::string open_;  // a byte for each open element: how many namespaces it declares
    char quote_ = 0;
    bool is_first_ = true;   // no markup has been read
    std::size_t width_ = 0;  // of a unit: 1, 2 or 4 bytes; 0: not known yet
    std::size_t low_ = 0;    // which of them has ASCII
    std::string narrowed_, part_;
    long line_ = 1;
};

}  // namespace oai::xml
