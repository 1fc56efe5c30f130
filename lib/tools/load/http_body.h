// SPDX-License-Identifier: MIT
// Decodes transfer and content encodings of an archived HTTP body, or of its beginning. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tools/load/input.h"

namespace oai::load {

constexpr std::size_t kMaxPayloadBytes = std::size_t{512} << 20;

// How many bytes any step may decode to; what is beyond is refused by an exception, or cut off.
struct DecodingLimit {
    enum class Beyond { refused, cut };
    std::size_t bytes = kMaxPayloadBytes;
    Beyond beyond = Beyond::refused;
    bool* breaks_off = nullptr;  // set to true where compressed data ends before its end
};

// Decodes the Transfer-Encoding (RFC 9112, 7) of the body that follows this HTTP header, and begins
// at byte `from` of what is stored: chunked,
// gzip and deflate in the order in which they were applied, with chunked at its end or not there at
// all. A body that is not chunked, whatever the header says, is taken as it is: some archives store
// it decoded. Where the chunks break off after the first one, the server closed the connection
// early, and what came before is returned. Throws as decode_content_encoding().
Bytes decode_transfer_encoding(std::string_view http_header, const Bytes& stored,
                               const DecodingLimit& limit = {}, std::size_t from = 0);

// Whether it is chunked, and breaks off before its last chunk.
bool is_cut_off(std::string_view http_header, const Bytes& stored, std::size_t from = 0);

// The body as some tools hash it: without chunks, but with the other transfer codings. nullopt: it
// has no chunks.
std::optional<Bytes> without_chunks(std::string_view http_header, const Bytes& stored,
                                    std::size_t from = 0);

// Decodes the Content-Encoding: gzip, deflate, br and zstd, up to eight of them in their order. A
// "gzip" or "zstd" body that is none is returned unchanged, and so is what the program compress
// made, which browsers never decoded. Of a truncated body the beginning is returned, as a browser
// shows it. Throws std::runtime_error for the user: encoding not known, data damaged or too large.
Bytes decode_content_encoding(std::string_view http_header, Bytes body,
                              const DecodingLimit& limit = {});

}  // namespace oai::load
