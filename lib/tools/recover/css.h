// SPDX-License-Identifier: MIT
// Finds references in a style sheet, by the tokens of CSS Syntax Level 3. Pure.
#pragma once

#include <string_view>

#include "tools/recover/edit.h"

namespace oai::recover {

// Maps every url(), quoted or not, and every string of @import and image-set(), in a style sheet, a
// style element or a style attribute. URLs that are names rather than references stay (@namespace,
// @charset, @document), as do comments, invalid CSS, and fragments alone, which always refer to the
// document itself (CSS Values 4, 4.5.1). Works in any encoding that extends ASCII: in text that is
// no UTF-8, a backslash after a byte of 0x81 or more counts as the second half of a character, as
// in Shift_JIS, Big5 and GBK.
Edits css_edits(std::string_view css, const ReferenceMapper& map);

}  // namespace oai::recover
