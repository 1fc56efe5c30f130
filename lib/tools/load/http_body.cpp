// SPDX-License-Identifier: MIT
#include "tools/load/http_body.h"

#include <zlib.h>

#include <charconv>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/text.h"
#include "tools/load/field.h"
#include "tools/load/input.h"

namespace oai::load {
namespace {

constexpr std::size_t kUnpackedBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxEncodings = 8;  // of one body; even two are rare

// The codings in the order in which they were applied, from all fields of that name.
std::vector<std::string> read_encodings(std::string_view http_header, std::string_view field) {
    const auto line_end = http_header.find('\n');
    if (line_end == http_header.npos) return {};
    std::string_view lines = http_header.substr(line_end + 1);
    std::vector<std::string> names;
    while (const auto value = take_header_field(lines, field))
        for (const std::string_view coding : text::split(*value, ',')) {
            const std::string_view name = text::trim(coding.substr(0, coding.find(';')));
            if (!name.empty()) names.push_back(text::lower_ascii(name));
        }
    if (names.size() > kMaxEncodings)
        throw std::runtime_error("it is encoded " + std::to_string(names.size()) + " times");
    return names;
}

// Whether there is enough of what is decoded; of more, the rest is dropped.
bool is_enough(const DecodingLimit& limit, Bytes& out) {
    if (out.size() <= limit.bytes) return false;
    if (limit.beyond == DecodingLimit::Beyond::refused)
        throw std::runtime_error("it unpacks to more than " + std::to_string(limit.bytes) +
                                 " bytes");
    out = Bytes(out.view().substr(0, limit.bytes));
    return true;
}

void note_end(const DecodingLimit& limit, bool is_whole) {
    if (limit.breaks_off != nullptr && !is_whole) *limit.breaks_off = true;
}

// The data are damaged, as opposed to too large.
class Damaged : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

std::optional<std::size_t> parse_hexadecimal(std::string_view s) {
    if (s.empty() || s.size() > 8) return std::nullopt;
    std::size_t value = 0;
    const auto end = std::from_chars(s.data(), s.data() + s.size(), value, 16).ptr;
    return end == s.data() + s.size() ? std::optional(value) : std::nullopt;
}

// RFC 9112, 7.1. Returns nullopt if the body is not chunked. Where the chunks break off, the server
// closed the connection: what came before is returned, and `ended` stays as it was.
std::optional<Bytes> decode_chunked(const Bytes& in, std::size_t from = 0, bool* ended = nullptr) {
    std::string_view body = in.view().substr(from);
    Bytes out;
    for (bool first = true; !body.empty(); first = false) {
        const auto end = body.find('\n');
        if (end == body.npos) return first ? std::nullopt : std::optional(std::move(out));
        const std::string_view line = body.substr(0, end);
        const auto size = parse_hexadecimal(text::trim(line.substr(0, line.find(';'))));
        if (!size) return first ? std::nullopt : std::optional(std::move(out));
        if (*size == 0) {
            if (ended != nullptr) *ended = true;
            return out;
        }
        body.remove_prefix(end + 1);
        const std::string_view data = body.substr(0, *size);
        body.remove_prefix(data.size());
        const std::size_t line_end = body.starts_with("\r\n") ? 2 : body.starts_with('\n') ? 1 : 0;
        if (first && line_end == 0 && body.size() > 1)
            return std::nullopt;  // the line only looked like a chunk size
        out.append(data);
        in.let_go(data.data());
        if (line_end == 0) return out;
        body.remove_prefix(line_end);
    }
    return out;
}

// Successive members are concatenated; trailing data that are no member are dropped.
Bytes decode_deflate(const Bytes& in, int window_bits, const DecodingLimit& limit) {
    const InflateHandle z = new_inflate(window_bits);
    z->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.view().data()));
    z->avail_in = static_cast<uInt>(in.size());
    Bytes out;
    std::vector<char> piece(kUnpackedBytes);
    int code = Z_OK;
    while (z->avail_in > 0 || z->avail_out == 0) {
        z->next_out = reinterpret_cast<Bytef*>(piece.data());
        z->avail_out = static_cast<uInt>(piece.size());
        code = inflate(z.get(), Z_NO_FLUSH);
        out.append({piece.data(), piece.size() - z->avail_out});
        in.let_go(reinterpret_cast<const char*>(z->next_in));
        if (is_enough(limit, out)) return out;
        if (code == Z_STREAM_END) {
            if (z->avail_in < 2 || *z->next_in != 0x1F || inflateReset(z.get()) != Z_OK) break;
        } else if (code == Z_BUF_ERROR) {
            break;
        } else if (code != Z_OK) {
            if (z->total_out == 0 && out.size() > 0) break;  // trailing data after a sound member
            throw Damaged(std::string("its compression is damaged: ") +
                          (z->msg ? z->msg : "unknown"));
        }
    }
    note_end(limit, in.size() == 0 || (code != Z_OK && code != Z_BUF_ERROR));
    return out;
}

// Content-Encoding "deflate" means a zlib stream in RFC 9110, whose header is a multiple of 31 (RFC
// 1950, 2.2). Some servers sent the raw stream, of which one in some thousand begins like such a
// header; so the raw stream is tried if zlib fails.
Bytes decode_zlib_or_raw(const Bytes& in, const DecodingLimit& limit) {
    const std::string_view body = in.view();
    const auto at = [&](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(body[i]));
    };
    const bool zlib =
        body.size() >= 2 && (at(0) & 0xFU) == Z_DEFLATED && (at(0) << 8U | at(1)) % 31 == 0;
    if (!zlib) return decode_deflate(in, -15, limit);
    try {
        return decode_deflate(in, 15, limit);
    } catch (const Damaged&) {
        return decode_deflate(in, -15, limit);
    }
}

Bytes decode_brotli(const Bytes& in, const DecodingLimit& limit) {
    const BrotliHandle state(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
    if (!state) throw std::bad_alloc();
    Bytes out;
    std::vector<std::uint8_t> piece(kUnpackedBytes);
    auto next_in = reinterpret_cast<const std::uint8_t*>(in.view().data());
    std::size_t left = in.size();
    auto result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
    while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
        std::uint8_t* next_out = piece.data();
        std::size_t room = piece.size();
        result =
            BrotliDecoderDecompressStream(state.get(), &left, &next_in, &room, &next_out, nullptr);
        if (result == BROTLI_DECODER_RESULT_ERROR)
            throw std::runtime_error("its brotli is damaged");
        out.append({reinterpret_cast<const char*>(piece.data()), piece.size() - room});
        in.let_go(reinterpret_cast<const char*>(next_in));
        if (is_enough(limit, out)) return out;
    }
    note_end(limit, in.size() == 0 || result == BROTLI_DECODER_RESULT_SUCCESS);
    return out;
}

Bytes decode_zstd(Bytes body, const DecodingLimit& limit) {
    Input input = std::move(body).input(kUnpackedBytes);
    Bytes out;
    for (auto piece = input.peek(1); !piece.empty(); piece = input.peek(1)) {
        out.append(piece);
        input.consume(piece.size());
        if (is_enough(limit, out)) return out;
    }
    if (input.broken().starts_with("damaged"))
        throw std::runtime_error("its zstd is damaged: " + input.broken());
    note_end(limit, input.broken().empty());
    return out;
}

void decode(const std::string& encoding, Bytes& body, const DecodingLimit& limit) {
    if (encoding == "gzip" || encoding == "x-gzip") {
        if (body.view().starts_with("\x1F\x8B"))  // otherwise the archive stores it decoded
            body = decode_deflate(body, 15 + 32, limit);
    } else if (encoding == "deflate") {
        body = decode_zlib_or_raw(body, limit);
    } else if (encoding == "br") {
        body = decode_brotli(body, limit);
    } else if (encoding == "zstd") {
        body = decode_zstd(std::move(body), limit);
    } else if (!encoding.ends_with("compress") && encoding != "identity" && encoding != "none" &&
               encoding != "chunked") {
        throw std::runtime_error("its encoding is " + encoding + ", which is not known here");
    }
}

}  // namespace

Bytes decode_transfer_encoding(std::string_view http_header, const Bytes& stored,
                               const DecodingLimit& limit, std::size_t from) {
    auto names = read_encodings(http_header, "transfer-encoding");
    std::optional<Bytes> out;
    if (!names.empty() && names.back() == "chunked") {
        names.pop_back();
        out = decode_chunked(stored, from);
    }
    if (!out) out = stored.rest(from);
    for (auto name = names.rbegin(); name != names.rend(); ++name)
        if (*name != "chunked")
            decode(*name, *out, limit);
        else if (auto plain = decode_chunked(*out))
            out = std::move(plain);
    return *std::move(out);
}

bool is_cut_off(std::string_view http_header, const Bytes& stored, std::size_t from) {
    const auto names = read_encodings(http_header, "transfer-encoding");
    bool ended = false;
    return !names.empty() && names.back() == "chunked" && decode_chunked(stored, from, &ended) &&
           !ended;
}

std::optional<Bytes> without_chunks(std::string_view http_header, const Bytes& stored,
                                    std::size_t from) {
    const auto names = read_encodings(http_header, "transfer-encoding");
    if (names.empty() || names.back() != "chunked") return std::nullopt;
    return decode_chunked(stored, from);
}

Bytes decode_content_encoding(std::string_view http_header, Bytes body,
                              const DecodingLimit& limit) {
    const auto names = read_encodings(http_header, "content-encoding");
    for (auto name = names.rbegin(); name != names.rend(); ++name) decode(*name, body, limit);
    return body;
}

}  // namespace oai::load
