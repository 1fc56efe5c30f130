// SPDX-License-Identifier: MIT
#include "tools/load/http_body.h"

#include <zlib.h>
#include <zstd.h>

#include "t/lib/unit_headers.h"

using namespace oai::load;

namespace {

std::string header(const std::string& lines) { return "HTTP/1.1 200 OK\r\n" + lines + "\r\n"; }

std::string deflated(const std::string& bytes, int window_bits) {
    z_stream z{};
    REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(deflateBound(&z, bytes.size()) + 32, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    out.resize(out.size() - z.avail_out);
    deflateEnd(&z);
    return out;
}

std::string zstandard(const std::string& bytes) {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
    return out;
}

std::string chunked(const std::string& bytes) {
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += 10)
        out += (bytes.size() - at < 10 ? std::string(1, "0123456789"[bytes.size() - at]) : "a") +
               "\r\n" + bytes.substr(at, 10) + "\r\n";
    return out + "0\r\n\r\n";
}

}  // namespace

TEST_CASE("load: decodes transfer codings in any order") {
    const std::string text = "what the server meant, " + std::string(1000, 'x');
    const auto undone = [](const char* lines, const std::string& body) {
        return decode_transfer_encoding(header(lines), body);
    };
    const std::string gzip = deflated(text, 31), zlib = deflated(text, 15);
    CHECK(undone("Transfer-Encoding: gzip, chunked\r\n", chunked(gzip)) == text);
    CHECK(undone("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", chunked(gzip)) ==
          text);
    CHECK(undone("transfer-encoding: X-GZIP;q=1 ,, chunked\r\n", chunked(gzip)) == text);
    CHECK(undone("Transfer-Encoding: gzip\r\n", gzip) == text);  // to the end of the connection
    CHECK(undone("Transfer-Encoding: deflate, chunked\r\n", chunked(zlib)) == text);
    CHECK(undone("Transfer-Encoding: deflate, gzip, chunked\r\n", chunked(deflated(zlib, 31))) ==
          text);
    CHECK(undone("Transfer-Encoding: chunked, gzip\r\n", deflated(chunked(text), 31)) == text);
    CHECK(undone("Transfer-Encoding: identity\r\n", text) == text);
    // Some archives store it without chunks, or all decoded.
    CHECK(undone("Transfer-Encoding: gzip, chunked\r\n", gzip) == text);
    CHECK(undone("Transfer-Encoding: gzip, chunked\r\n", text) == text);
    CHECK(undone("Transfer-Encoding: gzip, chunked\r\n", chunked(gzip).substr(0, 60)).size() <
          text.size());
    CHECK_THROWS_WITH(undone("Transfer-Encoding: lzma, chunked\r\n", chunked(text)),
                      Contains("lzma, which is not known"));
    CHECK_THROWS_WITH(
        decode_transfer_encoding(header("Transfer-Encoding: gzip\r\n"), gzip, {text.size() - 1}),
        Contains("more than"));
    CHECK(without_chunks(header("Transfer-Encoding: gzip, chunked\r\n"), chunked(gzip)) == gzip);
    CHECK_FALSE(without_chunks(header("Transfer-Encoding: gzip\r\n"), gzip));
}

TEST_CASE("load: decodes chunked bodies") {
    const std::string h = header("Transfer-Encoding: chunked\r\n");
    CHECK(decode_transfer_encoding(h, "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n") ==
          "abcde");
    CHECK(decode_transfer_encoding(h, "3\nabc\n0\n\n") == "abc");
    CHECK(decode_transfer_encoding(h, "5\r\nabc") == "abc");               // truncated
    CHECK(decode_transfer_encoding(h, "3\r\nabc\r\n") == "abc");           // without the last chunk
    CHECK(decode_transfer_encoding(h, "hello\nworld") == "hello\nworld");  // decoded before
    CHECK(decode_transfer_encoding(h, "FFFFFFFFF\r\nabc") == "FFFFFFFFF\r\nabc");
    CHECK(decode_transfer_encoding(h, "") == "");
    // A number at the beginning of a body that is not chunked is no size. After the first chunk a
    // size that is malformed or too large ends the body.
    CHECK(decode_transfer_encoding(h, "5\nhello world\n") == "5\nhello world\n");
    for (const char* bad :
         {"x\r\nde\r\n0\r\n\r\n", "-1\r\nde", "fffffffff\r\nde", "\r\nde", "+2\r\nde"}) {
        CHECK(decode_transfer_encoding(h, std::string("3\r\nabc\r\n") + bad) == "abc");
        CHECK(decode_transfer_encoding(h, bad) == bad);
    }
    CHECK(decode_transfer_encoding(h, "ffffffff\r\nabc") == "abc");
    CHECK(decode_transfer_encoding(h, "3\r\nabcX2\r\nde\r\n0\r\n\r\n") ==
          "3\r\nabcX2\r\nde\r\n0\r\n\r\n");
    CHECK(decode_transfer_encoding(h, "3\r\nabc\r\n2\r\ndeX") == "abcde");
    CHECK(decode_transfer_encoding(header(""), "3\r\nabc\r\n0\r\n\r\n") == "3\r\nabc\r\n0\r\n\r\n");
}

TEST_CASE("load: decodes content encodings") {
    const std::string text(100'000, 'x');
    const auto undone = [](const char* encoding, std::string body) {
        return decode_content_encoding(
            header(std::string("Content-Encoding: ") + encoding + "\r\n"), std::move(body));
    };
    CHECK(undone("gzip", deflated(text, 31)) == text);
    CHECK(undone("x-gzip", deflated("a", 31) + deflated("b", 31) + "rubbish") == "ab");
    CHECK(undone("gzip", text) == text);  // decoded before
    CHECK(undone("deflate", deflated(text, 15)) == text);
    CHECK(undone("deflate", deflated(text, -15)) == text);
    CHECK(undone("deflate, GZIP", deflated(deflated(text, 15), 31)) == text);
    CHECK(undone("br", std::string("\x0b\x02\x80hello\x03", 9)) == "hello");
    CHECK(undone("identity", text) == text);
    CHECK(decode_content_encoding("", text) == text);
    std::string damaged = deflated(text + "yz", 31);
    damaged[14] = static_cast<char>(~damaged[14]);
    damaged[15] = static_cast<char>(~damaged[15]);
    CHECK_THROWS_AS(undone("gzip", damaged), std::runtime_error);
    CHECK_THROWS_AS(undone("br", "rubbish, all of it"), std::runtime_error);
    CHECK(undone("zstd", zstandard(text)) == text);
    CHECK(undone("zstd", zstandard("a") + std::string("\x50\x2A\x4D\x18\x01\0\0\0s", 9) +
                             zstandard("b")) == "ab");
    CHECK(undone("zstd", text) == text);  // decoded before
    CHECK(undone("zstd", zstandard(text + "yz").substr(0, 18)).size() <= text.size());  // truncated
    CHECK(undone("gzip, zstd", zstandard(deflated(text, 31))) == text);
    CHECK_THROWS_WITH(undone("zstd", zstandard(text).substr(0, 8) + "rubbish, all of it"),
                      Contains("zstd is damaged"));
    CHECK(undone("compress", "\x1F\x9D\x90z") == "\x1F\x9D\x90z");
    CHECK_THROWS_WITH(undone("lzma", text), Contains("lzma, which is not known"));
    CHECK(undone("gzip", deflated(text, 31).substr(0, 60)).size() < text.size());  // truncated
    CHECK(undone("deflate", "") == "");
    CHECK(undone("gzip, br, identity", std::string("\x0b\x02\x80hello\x03", 9)) == "hello");
    CHECK(undone("identity,identity,identity,identity,identity,identity,identity,none", text) ==
          text);
    CHECK_THROWS_WITH(
        undone("identity,identity,identity,identity,identity,identity,identity,none,none", text),
        Contains("9 times"));
}

TEST_CASE("load: refuses what decodes to more than the limit, in any encoding") {
    const std::string text(100'000, 'x');
    for (const auto& [encoding, body] : {std::pair{"gzip", deflated(text, 31)},
                                         {"deflate", deflated(text, 15)},
                                         {"deflate", deflated(text, -15)},
                                         {"zstd", zstandard(text)},
                                         {"gzip, gzip", deflated(deflated(text, 31), 31)}}) {
        const std::string h = header(std::string("Content-Encoding: ") + encoding + "\r\n");
        CHECK(decode_content_encoding(h, body, {text.size()}) == text);
        CHECK_THROWS_WITH(decode_content_encoding(h, body, {text.size() - 1}),
                          Contains("more than 99999 bytes"));
    }
    CHECK_THROWS_WITH(decode_content_encoding(header("Content-Encoding: br\r\n"),
                                              std::string("\x0b\x02\x80hello\x03", 9), {4}),
                      Contains("more than 4 bytes"));
}

TEST_CASE("load: cuts off what is beyond the limit, if told so, in any encoding") {
    const std::string text = "<title>" + std::string(100'000, 'x');
    const DecodingLimit limit{30, DecodingLimit::Beyond::cut};
    for (const auto& [encoding, body] : {std::pair{"gzip", deflated(text, 31)},
                                         {"deflate", deflated(text, 15)},
                                         {"zstd", zstandard(text)},
                                         {"br", std::string("\x0b\x02\x80hello\x03", 9)}}) {
        const std::string h = header(std::string("Content-Encoding: ") + encoding + "\r\n");
        const Bytes whole = decode_content_encoding(h, body);
        CHECK(decode_content_encoding(h, body, limit) == whole.view().substr(0, 30));
        CHECK(decode_content_encoding(h, body.substr(0, body.size() / 2), limit).size() <= 30);
    }
    CHECK(decode_transfer_encoding(header("Transfer-Encoding: gzip, chunked\r\n"),
                                   chunked(deflated(text, 31)), limit) == text.substr(0, 30));
}
