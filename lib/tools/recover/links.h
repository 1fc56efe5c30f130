// SPDX-License-Identifier: MIT
// Finds the references in an HTML, XHTML, SVG or XML document and maps them to others; everything
// else stays byte for byte. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::recover {

// Finds references in a style sheet, by the tokens of CSS Syntax Level 3. Pure.

// Replacements of parts of a text, while everything else stays byte for byte. Plain values.

// Returns the replacement of a reference, or "" to leave it unchanged. The reference is passed
// decoded, without escapes of HTML or CSS; the replacement is escaped by the caller.
using ReferenceMapper = std::function<std::string(const std::string& reference)>;

struct Edit {
    std::size_t begin, end;  // byte offsets in the text
    std::string text;        // the replacement
};

// In the order of the text, without overlaps.
using Edits = std::vector<Edit>;

inline std::string apply_edits(std::string_view text, const Edits& edits) {
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
        out.append(text.substr(at, edit.begin - at)) += edit.text;
        at = edit.end;
    }
    return out.append(text.substr(at));
}

// What HTML ("ASCII whitespace") and CSS ("whitespace") pass over.

inline constexpr std::string_view kBlanks = " \t\r\n\f";
constexpr bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }

// Maps every url(), quoted or not, and every string of @import and image-set(), in a style sheet, a
// style element or a style attribute. URLs that are names rather than references stay (@namespace,
// @charset, @document), as do comments, invalid CSS, and fragments alone, which always refer to the
// document itself (CSS Values 4, 4.5.1). Works in any encoding that extends ASCII: in text that is
// no UTF-8, a backslash after a byte of 0x81 or more counts as the second half of a character, as
// in Shift_JIS, Big5 and GBK.
Edits css_edits(std::string_view css, const ReferenceMapper& map);

enum class Markup {
    html,
    xml,        // XHTML and SVG
    other_xml,  // of any vocabulary: it is not known which attributes are references, so that only
                // <?xml-stylesheet?> is mapped
};

// The decoded value of href of the first <base>; "" if there is none.
std::string base_in(std::string_view document, Markup markup);

// Maps the references in these places:
// - attributes of any element: href, xlink:href, src, background, poster, longdesc, formaction,
//   lowsrc, dynsrc; srcset and imagesrcset, which hold several; style, which holds CSS;
// - attributes of some elements: data of object, action of form, cite of blockquote, q, ins and
// del,
//   manifest of html, ping of a and area, content of a meta that refreshes;
// - style elements;
// - srcdoc of iframes, which is a document itself, nested up to three levels deep;
// - <?xml-stylesheet?> in XML.
// Comments, scripts, data-... attributes and other text that is no markup stay, and so do names
// that look like references (itemid, itemtype, xmlns). href of <base> becomes "", which means the
// document itself; a srcdoc with a base of its own stays. Works in any encoding that extends ASCII;
// character references are decoded as AttributeText says.
Edits link_edits(std::string_view document, Markup markup, const ReferenceMapper& map);

// Finds references in the values of HTML attributes: in a single reference, a list of references, a
// srcset, a refresh; and decodes the character references in these values. Pure.

// White space around the reference is kept.
Edits reference_edits(std::string_view value, const ReferenceMapper& map);
// References separated by white space.
Edits list_edits(std::string_view value, const ReferenceMapper& map);
// HTML, 4.8.4.2.1.
Edits srcset_edits(std::string_view value, const ReferenceMapper& map);
// The content of <meta http-equiv=refresh>.
Edits refresh_edits(std::string_view value, const ReferenceMapper& map);

// The encoding of a document, as far as it can be detected from its bytes.
enum class Encoding { utf8, other };

// The decoded text of an attribute's value, and the position of each byte of the text in the value.
class AttributeText {
  public:
    // Decodes numeric character references and HTML 4's named ones (xml/character.h), those of
    // Latin 1 also without their semicolon where HTML allows it. Others stay as they are: names
    // that only HTML 5 or a DTD defines, and numbers of no character or, in HTML, of one of
    // Windows-1252.
    AttributeText(std::string_view raw, Encoding encoding);
    // Decoded characters are in UTF-8, whatever the encoding of the document.
    const std::string& text() const { return text_; }
    // Converts edits of the text into edits of the value, escaped for use within either kind of
    // quotes. In a value that is all ASCII, other characters become numeric references, so that the
    // result is right in every encoding. Edits are dropped if they touch a reference that was not
    // decoded; and, in a document of another encoding than UTF-8, if they mix a decoded reference
    // with bytes of that encoding, or have one in a query, which browsers send in that encoding.
    Edits in_value(const Edits& edits) const;

  private:
    enum class Kind { ascii, character, unknown };
    // A character reference.
    struct Span {
        std::size_t begin, end;          // in the text
        std::size_t raw_begin, raw_end;  // in the value
        Kind kind;
        bool is_open;  // it has no semicolon
    };
    bool is_editable(const Edit& edit) const;
    bool follows_open_reference(std::size_t place) const;
    std::size_t raw_offset(std::size_t place) const;
    const Encoding encoding_;
    bool is_ascii_;  // all of the value
    std::string text_;
    std::vector<Span> references_;
};

}  // namespace oai::recover
