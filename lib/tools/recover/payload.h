// SPDX-License-Identifier: MIT
// Decodes transfer and content encodings of an archived HTTP body, and compares digests. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace oai::recover {

constexpr std::size_t kMaxPayloadBytes = std::size_t{512} << 20;

// Decodes the Transfer-Encoding "chunked" of the body that follows this HTTP header. A body that is
// not chunked, whatever the header says, is returned unchanged: some archives store it decoded.
// Where the chunks break off after the first one, the server closed the connection early, and what
// came before is returned.
std::string decode_transfer_encoding(std::string_view http_header, std::string_view body);

// Decodes the Content-Encoding: gzip, deflate and br, up to eight of them in their order. A "gzip"
// body that is no gzip is returned unchanged. Of a truncated body the beginning is returned, as a
// browser shows it. Throws std::runtime_error with a message for the user: another encoding,
// damaged data, more than max_bytes after any step.
std::string decode_content_encoding(std::string_view http_header, std::string body,
                                    std::size_t max_bytes = kMaxPayloadBytes);

// expected: as load::digest() writes it: a SHA-1 in base32 or hexadecimal, or "algorithm:value" in
// either, for any algorithm of OpenSSL. unknown: `expected` is empty, or of another form.
enum class DigestVerdict { same, different, unknown };
DigestVerdict compare_digest(std::string_view expected, std::string_view bytes);

}  // namespace oai::recover
