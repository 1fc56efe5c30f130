// SPDX-License-Identifier: MIT
// References in an HTML, XHTML or SVG document, pointed at other places; all else stays byte for byte. Pure.
#pragma once

#include <string>
#include <string_view>

#include "recover/edit.h"

namespace oai::recover {

enum class Markup { html, xml };

// The value of href of the first <base>, without character references; "" if there is none.
std::string base_in(std::string_view document, Markup markup);

// By the attributes that hold references in tags: one (href, xlink:href, src, background, poster, data, longdesc, action,
// formaction, lowsrc, dynsrc), several (srcset, imagesrcset), a refresh (content of <meta http-equiv=refresh>), CSS (style);
// and by style elements. Comments, scripts and other text that is no markup have none. href of <base> becomes "", which means
// the document itself, wherever it is. Of any encoding whose ASCII is ASCII.
Edits link_edits(std::string_view document, Markup markup, const Target& target);

}  // namespace oai::recover
