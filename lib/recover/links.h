// SPDX-License-Identifier: MIT
// References in an HTML, XHTML, SVG or XML document, pointed at other places; all else stays byte for byte. Pure.
#pragma once

#include <string>
#include <string_view>

#include "recover/edit.h"

namespace oai::recover {

enum class Markup {
    html,
    xml,        // XHTML and SVG
    other_xml,  // of any vocabulary: whether an attribute of it is a reference is not known, and its style sheets alone are
};

// The value of href of the first <base>, without character references; "" if there is none.
std::string base_in(std::string_view document, Markup markup);

// By the attributes that hold references: those of any element (href, xlink:href, src, background, poster, longdesc, formaction,
// lowsrc, dynsrc; several in srcset and imagesrcset; CSS in style), those of some (data of object, action of form, cite of
// blockquote, q, ins and del, manifest of html, ping of a and area, content of a meta that refreshes); by style elements, by
// srcdoc of iframes, which is a document in an attribute, down to one in one in one, and by <?xml-stylesheet?> in XML. Comments,
// scripts, their data-... attributes and other text that is no markup have none, nor have names that look like references
// (itemid, itemtype, xmlns). href of <base> becomes "", which means the document itself, wherever it is; a srcdoc with a base of
// its own stays. Of any encoding whose ASCII is ASCII; what is said by character references, as Decoded (attribute.h) has it.
Edits link_edits(std::string_view document, Markup markup, const Target& target);

}  // namespace oai::recover
