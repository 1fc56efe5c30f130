// SPDX-License-Identifier: MIT
// Finds the title that a PDF states of itself (ISO 32000-1, 14.3): that of its metadata stream
// (XMP), else that of its information dictionary. Only what stands in these bytes as it is: nothing
// is decompressed or decrypted, and no reference is followed. Each byte is looked at a bounded
// number of times. Pure.
#pragma once

#include <string>
#include <string_view>

namespace oai::load {

// bytes: the beginning of a file. In UTF-8; "" if there is none, or the file is encrypted.
std::string pdf_title(std::string_view bytes);

}  // namespace oai::load
