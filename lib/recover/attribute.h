// SPDX-License-Identifier: MIT
// References in values of HTML's attributes: a value alone, lists of them, lists of images, refreshes; and the character
// references that all of them may hold. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "recover/edit.h"

namespace oai::recover {

Edits reference_edits(std::string_view value, const Target& target);  // blanks around it stay
Edits list_edits(std::string_view value, const Target& target);       // with blanks between them
Edits srcset_edits(std::string_view value, const Target& target);     // HTML, 4.8.4.2.1
Edits refresh_edits(std::string_view value, const Target& target);    // content of <meta http-equiv=refresh>

// Of a document, as far as it can be told from its bytes.
enum class Encoding { utf8, other };

// What an attribute's value means, and where each of its bytes stands in it.
class Decoded {
  public:
    // Character references are what they mean: numbers, and HTML 4's names (xml/character.h), those of Latin 1 without their
    // semicolon where HTML bears it. Others stay as they are: names of HTML 5 alone, of DTDs, and numbers that stand for no
    // character or, in HTML, for one of Windows-1252.
    Decoded(std::string_view raw, Encoding encoding);
    // Characters of references are in UTF-8 here, whatever the document's encoding.
    const std::string& text() const { return text_; }
    // Edits of the text as such of the value, which stays within quotes whatever they say. What is not ASCII is put into a value
    // that is ASCII by numbers, so that it is the same in every encoding. Not those of parts that hold a reference that stayed;
    // nor, in a document of another encoding than UTF-8, those that mix a reference with bytes of that encoding, or hold one in
    // a query, which is sent in that encoding.
    Edits in_value(const Edits& edits) const;

  private:
    enum class Kind { ascii, character, unknown };
    struct Part {
        std::size_t begin, end;          // of a character reference, in the text
        std::size_t raw_begin, raw_end;  // the same in the value
        Kind kind;
        bool is_open;  // without a semicolon
    };
    bool is_known(const Edit& edit) const;
    bool is_behind_open(std::size_t place) const;
    std::size_t raw_place(std::size_t place) const;
    const Encoding encoding_;
    bool ascii_;  // all of the value
    std::string text_;
    std::vector<Part> parts_;
};

}  // namespace oai::recover
