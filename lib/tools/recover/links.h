// SPDX-License-Identifier: MIT
// Finds the references in an HTML, XHTML, SVG or XML document and maps them to others; everything
// else stays byte for byte. Pure.
#pragma once

#include <string>
#include <string_view>

#include "tools/recover/edit.h"

namespace oai::recover {

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
// character references are decoded as AttributeText (attribute.h) says.
Edits link_edits(std::string_view document, Markup markup, const ReferenceMapper& map);

}  // namespace oai::recover
