// SPDX-License-Identifier: MIT
// From what was sent to what was meant: transfer and content encodings undone, digests compared. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace oai::recover {

constexpr std::size_t kLargestPayloadBytes = std::size_t{512} << 20;

// The body behind this HTTP header without its Transfer-Encoding, chunked. Archives differ: where the body is not framed as the
// header says, somebody has undone it already, and it is given back as it is. Where the frame breaks off behind its first chunk,
// the server had: what came before is given back.
std::string without_transfer_encoding(std::string_view http_header, std::string_view body);

// The same of Content-Encoding: gzip, deflate and br, up to eight in their order; what is no gzip is given back as it is. One that is
// cut short gives what there is of it, as a browser shows it. Throws std::runtime_error in words: an encoding that is none of
// these, damage, more than so many bytes at any step.
std::string without_content_encoding(std::string_view http_header, std::string body,
                                     std::size_t most_bytes = kLargestPayloadBytes);

// expected: as load::digest() writes it, SHA-1 in base32 or hexadecimal, or "algorithm:value" in either, for what algorithms
// OpenSSL has. unknown: there is none, or it is none of these.
enum class DigestVerdict { same, different, unknown };
DigestVerdict compare_digest(std::string_view expected, std::string_view bytes);

}  // namespace oai::recover
