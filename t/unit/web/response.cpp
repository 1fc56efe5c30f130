// SPDX-License-Identifier: MIT
#include "web/response.h"

#include <zlib.h>

#include "base/text.h"
#include "t/lib/unit_headers.h"

namespace {

Response xml_response(std::string body, bool gzip) {
    return text_response("text/xml; charset=UTF-8", std::move(body), gzip);
}

std::string header(const Response& response, const std::string& name) {
    std::string found;
    for (const auto& [key, value] : response.headers)
        if (key == name) found += value;
    return found;
}

// Decompresses with zlib. Returns "" if the input is not exactly one complete gzip member.
std::string inflated(const std::string& gzip) {
    z_stream stream{};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return "";
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
    stream.avail_in = static_cast<uInt>(gzip.size());
    std::string out;
    int rc = Z_OK;
    while (rc == Z_OK) {
        char buffer[16384];
        stream.next_out = reinterpret_cast<Bytef*>(buffer);
        stream.avail_out = sizeof buffer;
        rc = inflate(&stream, Z_NO_FLUSH);
        out.append(buffer, sizeof buffer - stream.avail_out);
    }
    const bool whole = rc == Z_STREAM_END && stream.avail_in == 0;
    inflateEnd(&stream);
    return whole ? out : "";
}

// Pseudo-random text, the same in every run.
class Noise {
  public:
    explicit Noise(std::uint64_t seed) : state_(seed * 2 + 1) {}
    unsigned next() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<unsigned>(state_ >> 33U);
    }

  private:
    std::uint64_t state_;
};

std::string records_xml(int count, unsigned seed) {
    Noise noise(seed);
    std::string xml;
    for (int i = 0; i < count; ++i) {
        xml += "<record><header><identifier>oai:example.org:" + std::to_string(noise.next()) +
               "</identifier><datestamp>2026-11-21T23:28:23Z</datestamp></header></record>\n";
    }
    return xml;
}

std::string noise_bytes(std::size_t length, unsigned seed) {
    Noise noise(seed);
    std::string bytes(length, '\0');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(noise.next()); });
    return bytes;
}

constexpr CachePolicy kPolicy{.seconds = 3600, .token_lifetime_seconds = 604'800};
constexpr Seconds kNow{1'700'000'000s};

}  // namespace

TEST_CASE("response: there is one Vary header") {
    Response response = text_response("text/html; charset=UTF-8", "<p>", false);
    vary_by(response, "Accept-Language");
    vary_by(response, "Sec-Fetch-Dest");
    CHECK(header(response, "Vary") == "Accept-Encoding, Accept-Language, Sec-Fetch-Dest");
    CHECK(header(response, "Content-Type") == "text/html; charset=UTF-8");
}

TEST_CASE("response: zlib decompresses the gzip body to the same text") {
    for (const int count : {10, 11, 100, 1000, 20'000}) {
        const std::string xml = records_xml(count, static_cast<unsigned>(count));
        const Response response = xml_response(xml, true);
        CHECK(response.status == 200);
        CHECK(header(response, "Content-Encoding") == "gzip");
        CHECK(header(response, "Vary") == "Accept-Encoding");
        CHECK(response.headers.front() ==
              std::pair<std::string, std::string>("Content-Type", "text/xml; charset=UTF-8"));
        CHECK(response.body.size() < xml.size() / 3);
        CHECK(inflated(response.body) == xml);
    }
}

TEST_CASE("response: bodies of every length around the block size of deflate") {
    const std::string all = records_xml(5000, 9);
    for (const std::size_t around : {1001UL, 4096UL, 32768UL, 65535UL, 131072UL, 262144UL}) {
        REQUIRE(all.size() > around + 5);
        for (std::size_t length = around - 0; length < around + 5; ++length) {
            const std::string xml = all.substr(0, length);
            const Response response = xml_response(xml, true);
            REQUIRE(header(response, "Content-Encoding") == "gzip");
            REQUIRE(inflated(response.body) == xml);
        }
    }
}

TEST_CASE("response: a body with an incompressible part is compressed as a whole, or not at all") {
    const std::string noise = noise_bytes(300'000, 8),
                      xml = records_xml(5000, 8).substr(0, 300'000);
    for (const std::string& body : {noise + xml, xml + noise}) {
        const Response response = xml_response(body, true);
        CHECK(header(response, "Content-Encoding") == "gzip");
        CHECK(inflated(response.body) == body);
    }
    CHECK(xml_response(noise + noise, true).body == noise + noise);
}

TEST_CASE("response: small bodies, and those that gzip does not shorten, are not compressed") {
    for (const std::size_t length : {0, 1, 999, 1000}) {
        const Response response = xml_response(std::string(length, 'a'), true);
        CHECK(response.body == std::string(length, 'a'));
        CHECK(header(response, "Content-Encoding").empty());
        CHECK(header(response, "Vary") == "Accept-Encoding");
    }
    CHECK(header(xml_response(std::string(1001, 'a'), true), "Content-Encoding") == "gzip");
    for (const std::size_t length : {1001UL, 5000UL, 70'000UL, 300'000UL}) {
        const std::string noise = noise_bytes(length, 5);
        const Response response = xml_response(noise, true);
        CHECK(header(response, "Content-Encoding").empty());
        CHECK(response.body == noise);
    }
    const std::string mixed =
        noise_bytes(100'000, 6) + records_xml(2000, 6) + noise_bytes(100'000, 7);
    const Response response = xml_response(mixed, true);
    CHECK(header(response, "Content-Encoding") == "gzip");
    CHECK(inflated(response.body) == mixed);
}

TEST_CASE("response: no gzip unless the client accepts it") {
    const std::string xml = records_xml(100, 1);
    const Response response = xml_response(xml, false);
    CHECK(response.body == xml);
    CHECK(header(response, "Content-Encoding").empty());
    CHECK(header(response, "Vary") == "Accept-Encoding");
}

TEST_CASE("response: several threads can compress at once") {
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (unsigned t = 0; t < 4; ++t) {
        threads.emplace_back([t, &wrong] {
            for (unsigned i = 0; i < 40; ++i) {
                const std::string xml = records_xml(static_cast<int>(50 + i * 7), t * 1000 + i);
                wrong[t] += inflated(xml_response(xml, true).body) != xml;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("response: Accept-Encoding is read as RFC 9110, 12.5.3 says") {
    for (const auto yes :
         {"gzip", "GZIP", "x-gzip", "gzip;q=1", "gzip;q=0.001", "gzip; q=0.5", "gzip ;q=1.000",
          "gzip;Q=1", "deflate, gzip", "br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip, *;q=0",
          "*;q=0, gzip", ",gzip,", "gzip;q=1.", "deflate,\tgzip", "deflate, x-gzip;Q=0.25 "}) {
        CAPTURE(yes);
        CHECK(accepts_gzip(yes));
    }
    for (const std::string_view no : text::split(
             "| |identity|deflate, br|gzip;q=0|gzip;q=0.0|gzip;q=0.000|gzip;q=0.|gzip; "
             "q=0|*;q=0|gzip;q=0, *|*, gzip;q=0|*;q=1, gzip;q=0|gzipped|xgzip|gzip/1|g "
             "zip|gzip;q=|gzip;q=2|gzip;q=1.001|gzip;q=0.0001|gzip;q=-1|gzip;q=abc|gzip;q=00.5|"
             "gzip;q=.5|gzip;q=01|gzip;q=0.x|identity;q=1, *;q=0|*|*;q=1|gzip;q=1;q=0|gzip;q=0;q=1",
             '|')) {
        CAPTURE(no);
        CHECK_FALSE(accepts_gzip(no));
    }
}

TEST_CASE("response: a response in plain text") {
    const Response unavailable = plain_response(503, "Come back later.", 10);
    CHECK(unavailable.status == 503);
    CHECK(unavailable.body == "Come back later. [OAI-1105]\n");
    CHECK(unavailable.headers.front().second == "text/plain; charset=UTF-8");
    CHECK(header(unavailable, "Retry-After") == "10");
    CHECK(header(unavailable, "Allow").empty());
    const Response method = plain_response(405, "No.");
    CHECK(header(method, "Allow") == "GET, HEAD, POST");
    CHECK(header(method, "Retry-After").empty());
    CHECK(plain_response(503, "Wait. [OAI-1104]").body == "Wait. [OAI-1104]\n");
    for (const auto& [status, id] : {std::pair{403, " [OAI-1103]"},
                                     {404, " [OAI-1111]"},
                                     {410, " [OAI-1111]"},
                                     {500, " [OAI-1106]"},
                                     {414, " [OAI-1110]"},
                                     {302, ""}})
        CHECK(plain_response(status, "x").body == std::string("x") + id + "\n");
    CHECK(header(plain_response(500, "x", 0), "Retry-After").empty());
    CHECK(header(plain_response(500, "x", -1), "Retry-After").empty());
}

TEST_CASE("response: the header in the form of CGI") {
    Response response = plain_response(503, "Come back later.", 10);
    CHECK(cgi_head(response) + response.body ==
          "Status: 503 Service Unavailable\r\nContent-Type: text/plain; "
          "charset=UTF-8\r\nRetry-After: 10\r\n"
          "Content-Length: 28\r\n\r\nCome back later. [OAI-1105]\n");
    CHECK(cgi_head(xml_response("", false)) ==
          "Status: 200 OK\r\nContent-Type: text/xml; charset=UTF-8\r\nVary: "
          "Accept-Encoding\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("the ETag of a page depends on its records, and stays the same for a while") {
    const std::string tag = page_tag("<record>1</record>", "key", kNow, kPolicy);
    CHECK(tag.starts_with("W/\""));
    CHECK(tag.ends_with("\""));
    CHECK(tag == page_tag("<record>1</record>", "key", kNow + 9s, kPolicy));
    CHECK(tag != page_tag("<record>2</record>", "key", kNow, kPolicy));
    CHECK(tag != page_tag("<record>1</record>", "other key", kNow, kPolicy));
}

TEST_CASE("an ETag expires before the token in its page") {
    const std::string_view records = "<record>1</record>";
    const auto later = kNow + std::chrono::seconds{kPolicy.token_lifetime_seconds / 7};
    CHECK(page_tag(records, "key", kNow, kPolicy) != page_tag(records, "key", later, kPolicy));
}

TEST_CASE("If-None-Match is matched against the ETag") {
    CHECK(names_tag("\"a\"", "\"a\""));
    CHECK(names_tag("W/\"a\"", "\"a\""));
    CHECK(names_tag("\"a\"", "W/\"a\""));
    CHECK(names_tag("\"b\" , W/\"a\"", "W/\"a\""));
    CHECK(names_tag("*", "W/\"a\""));
    CHECK_FALSE(names_tag("", "W/\"a\""));
    CHECK_FALSE(names_tag("\"ab\"", "W/\"a\""));
    CHECK_FALSE(names_tag(",", "\"\""));
}

TEST_CASE("a list that cannot change may be cached, and is 304 for a client that has it") {
    Request request;
    request.method = "GET";
    Response fresh = xml_response("<x/>", false);
    mark_closed(fresh, request, "W/\"t\"", kPolicy);
    CHECK(fresh.status == 200);
    CHECK(header(fresh, "Cache-Control") == "public, max-age=3600");
    CHECK(header(fresh, "ETag") == "W/\"t\"");

    request.if_none_match = "W/\"t\"";
    Response known = xml_response("<x/>", false);
    mark_closed(known, request, "W/\"t\"", kPolicy);
    CHECK(known.status == 304);
    CHECK(known.body.empty());
    CHECK(header(known, "Content-Type").empty());
    CHECK(header(known, "Vary") == "Accept-Encoding");
    CHECK(header(known, "Cache-Control") == "public, max-age=3600");

    request.method = "POST";  // what POST brings cannot be revalidated
    Response posted = xml_response("<x/>", false);
    mark_closed(posted, request, "W/\"t\"", kPolicy);
    CHECK(posted.status == 200);
}

TEST_CASE("a page is cached no longer than its token is valid") {
    Request request;
    request.method = "GET";
    Response response = xml_response("<x/>", false);
    mark_closed(response, request, "W/\"t\"", {.seconds = 3600, .token_lifetime_seconds = 700});
    CHECK(header(response, "Cache-Control") == "public, max-age=100");
}
