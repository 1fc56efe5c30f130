// SPDX-License-Identifier: MIT
// References in a style sheet, by the tokens of CSS Syntax Level 3. Pure.
#pragma once

#include <string_view>

#include "recover/edit.h"

namespace oai::recover {

// Every url(), quoted or not, every string of @import and of image-set(), in a style sheet, a style element or a style
// attribute. What names something instead of leading there stays: @namespace, @charset, @document. So do
// comments, what is no CSS, and fragments alone, which are of the document itself whatever its base (CSS Values 4, 4.5.1). Of any encoding whose ASCII is ASCII: in text that is no UTF-8 a backslash behind a byte of 0x81 and more is taken
// for the second half of a character, as Shift_JIS, Big5 and GBK have it.
Edits css_edits(std::string_view css, const Target& target);

}  // namespace oai::recover
