// SPDX-License-Identifier: MIT
// Compares digests of archived HTTP bodies. Pure.
#pragma once

#include <string_view>

namespace oai::recover {

// expected: as load::digest() writes it: a SHA-1 in base32 or hexadecimal, or "algorithm:value" in
// either, for any algorithm of OpenSSL. unknown: `expected` is empty, or of another form.
enum class DigestVerdict { same, different, unknown };
DigestVerdict compare_digest(std::string_view expected, std::string_view bytes);

}  // namespace oai::recover
