// SPDX-License-Identifier: MIT
// From what was sent to what was meant: transfer and content encodings undone, digests compared. Pure.
#pragma once

#include <string>
#include <string_view>

namespace oai::recover {

constexpr std::size_t kLargestPayloadBytes = std::size_t{512} << 20;

// The body behind this HTTP header without its Transfer-Encoding. Archives differ: where the body is not
// framed as the header says, somebody has undone it already, and it is given back as it is.
std::string without_transfer_encoding(std::string_view http_header, std::string_view body);

// The same of Content-Encoding: gzip, deflate and br, several in their order. Throws std::runtime_error in
// words: an encoding that is none of these, damage, more than so many bytes.
std::string without_content_encoding(std::string_view http_header, std::string body,
                                     std::size_t most_bytes = kLargestPayloadBytes);

// expected: as load::digest() writes it, SHA-1 in base32 or hexadecimal, or "algorithm:value" in either.
enum class DigestVerdict { same, different, unknown };
DigestVerdict compare_digest(std::string_view expected, std::string_view bytes);

}  // namespace oai::recover
