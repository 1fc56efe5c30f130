// SPDX-License-Identifier: MIT
#include "t/unit/tools/load/support.h"
#include "tools/load/archive_reader.h"

using namespace oai::load;
using namespace oai::load::test;

namespace {

CollectedCaptures read(std::string bytes) {
    CollectedCaptures kept;
    Input input = Input::of_bytes(std::move(bytes));
    read_records(input, FileFormat::warc, "x.warc.gz", kept);
    return kept;
}

const std::string kDigest = "WARC-Payload-Digest: sha1:b2ltwwpuoyah7uipq7zupq4vmbsvc36a\r\n";
const std::string kHttp = "Content-Type: application/http; msgtype=response\r\n";

FileFormat format_of(std::string bytes) {
    Input input = Input::of_bytes(std::move(bytes));
    return sniff(input);
}

}  // namespace

TEST_CASE("a response is described by its HTTP header") {
    const std::string one =
        warc("response", "http://example.com/",
             http("404 Not Found", "Text/HTML; charset=utf-8", "<p>"), kHttp + kDigest);
    const CollectedCaptures kept = read(one);
    CHECK(
        lines_of(kept) ==
        Lines{fmt::format("http://example.com/ text/html 404 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A 0 {}",
                          one.size())});
    CHECK(kept.captures.at(0).archived_time.time_since_epoch().count() == 1390766784);
    CHECK(kept.captures.at(0).file == "x.warc.gz");
    CHECK(kept.damages.empty());
}

TEST_CASE("the offset of a compressed record is that of its gzip member") {
    const std::string a = gzip(warc("warcinfo", "x", "software: y\r\n")),
                      b = gzip(
                          warc("response", "http://a.example/", http("200 OK", "text/css", "b"))),
                      c = gzip(warc("revisit", "http://a.example/",
                                    http("304 Not Modified", "text/css", "")));
    const CollectedCaptures kept = read(a + b + c);
    CHECK(kept.kinds == Lines{"warcinfo"});
    const std::size_t of_c = a.size() + b.size();
    CHECK(lines_of(kept) ==
          Lines{fmt::format("http://a.example/ text/css 200 - {} {}", a.size(), b.size()),
                fmt::format("http://a.example/ text/css 304 - {} {}", of_c, c.size())});
    CHECK(kept.notes.empty());
}

TEST_CASE("records of a file compressed as a whole have no offsets") {
    const std::string one = warc("response", "http://a.example/", http("200 OK", "text/css", "b"));
    const CollectedCaptures kept = read(gzip(one + one + one));
    const std::string said = "http://a.example/ text/css 200 - ";
    CHECK(lines_of(kept) == Lines{said + "0 -", said + "- -", said + "- -"});
    CHECK(kept.notes.size() == 1);
}

TEST_CASE("a resource has its own media type, and records of other types are skipped") {
    const CollectedCaptures kept =
        read(warc("resource", "ftp://a.example/x", "data",
                  "Content-Type: image/png\r\nWARC-Block-Digest: sha256:ab\r\n") +
             warc("request", "http://a.example/", "GET / HTTP/1.0\r\n\r\n") +
             warc("metadata", "http://a.example/", "a: b") +
             warc("conversion", "http://a.example/", "x") +
             warc("continuation", "http://a.example/", "x") +
             warc("response", "dns:a.example", "x", "Content-Type: text/dns\r\n"));
    REQUIRE(kept.captures.size() == 1);
    CHECK(lines_of(kept)[0].starts_with("ftp://a.example/x image/png - sha256:ab "));
    CHECK(kept.kinds == Strings{"request", "metadata", "conversion", "continuation", "dns"});
}

TEST_CASE("a record without a type, or with an empty one, is skipped as untyped") {
    std::string missing = warc("response", "http://a.example/", "x"),
                empty = warc("", "http://a.example/", "x");
    missing.replace(missing.find("WARC-Type"), 9, "WARC-Kind");
    const CollectedCaptures kept = read(missing + empty);
    CHECK(kept.kinds == Strings{"untyped", "untyped"});
    CHECK(kept.damages.empty());
}

TEST_CASE("deviations of some WARC writers are accepted") {
    const std::string block = http("200 OK", "text/html", "x");
    // wget's <URL>, lower-case names, a folded line, line ends of LF alone, a date with fraction
    const CollectedCaptures kept = read(
        "WARC/1.1\nwarc-type: response\nwarc-target-uri:\n <http://example.com/>\n"
        "warc-date: 2020-02-29T23:59:59.123456Z\ncontent-length: " +
        std::to_string(block.size()) + "\n\n" + block + "\n\n");
    REQUIRE(kept.captures.size() == 1);
    CHECK(kept.captures[0].url == "http://example.com/");
    CHECK(kept.captures[0].archived_time.time_since_epoch().count() == 1583020799);
}

TEST_CASE("bytes that are not text are kept percent-encoded, or left out") {
    const CollectedCaptures kept =
        read(warc("response", "http://example.com/\xe9?\x01", http("200 OK", "text/\xff", "x")));
    REQUIRE(kept.captures.size() == 1);
    CHECK(lines_of(kept)[0].starts_with("http://example.com/%E9?%01 - 200 "));
}

TEST_CASE("a record with an impossible date or without a URL is left out") {
    const std::string good = warc("response", "http://a.example/", http("200 OK", "text/css", "b"));
    const std::string bad = warc("response", "http://a.example/", http("200 OK", "text/css", "b"),
                                 kHttp, "2021-02-30T00:00:00Z");
    const CollectedCaptures kept = read(good + bad + warc("response", "", "x") + good);
    CHECK(kept.captures.size() == 2);
    CHECK(damages_of(kept) ==
          Lines{"no such WARC-Date: 2021-02-30T00:00:00Z", "the record has no WARC-Target-URI"});
    CHECK(kept.damages.at(0).first == good.size());
}

TEST_CASE("header lines may be folded, and tokens of any case") {
    const CollectedCaptures kept = read(
        "warc/1.0\r\nWARC-TYPE:\r\n Response\r\nWARC-Target-URI:\r\n\thttp://a.example/\r\n"
        "X: a\r\n \r\n b\r\nWARC-Date :\r\n  2014-01-26T20:06:24Z\r\n"
        "Content-Type: Application/HTTP\r\ncontent-length:\r\n 27\r\n\r\n"
        "HTTP/1.0 404 Not there\r\n\r\nx\r\n\r\n");
    CHECK(kept.damages.empty());
    REQUIRE(kept.captures.size() == 1);
    CHECK(kept.captures[0].url == "http://a.example/");
    CHECK(kept.captures[0].status == 404);
}

TEST_CASE("damage in an uncompressed file affects one record") {
    const std::string good =
        warc("response", "http://a.example/", http("200 OK", "text/css", "body\nof lines\n"));
    for (const char* from : {"Content-Length: ", "WARC/1.0"}) {
        std::string bad = good;
        bad.replace(bad.find(from), 8, "XXXXXXXX");
        const CollectedCaptures kept = read(good + bad + good);
        CHECK(kept.captures.size() == 2);
        CHECK(kept.damages.size() == 1);
    }
    for (const char* length : {"9", "99999", "150", "99999999999999999999", "-1"}) {
        std::string bad = good;
        const auto at = bad.find("Content-Length: ") + 16;
        bad.replace(at, bad.find('\r', at) - at, length);
        const CollectedCaptures kept = read(good + bad + good);
        INFO(length);
        // Whose length is a number is a capture, by its header.
        CHECK(kept.captures.size() ==
              (std::string_view(length).size() > 5 || length[0] == '-' ? 2 : 3));
        REQUIRE(kept.damages.size() == 1);
        CHECK(kept.damages[0].first == good.size());
    }
}

TEST_CASE("damage in a compressed file affects one record and is reported once") {
    std::string body;
    for (unsigned i = 0, x = 7; i < 4000; ++i)
        body += static_cast<char>((x = x * 1103515245u + 12345u) >> 16);
    const std::string good =
        gzip(warc("response", "http://a.example/", http("200 OK", "text/css", body)));
    for (std::size_t at : {std::size_t{2}, good.size() / 2, good.size() - 6}) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x2a);
        const CollectedCaptures kept = read(good + bad + good);
        INFO(at);
        CHECK(kept.captures.size() == (at == 2 ? 2 : 3));
        REQUIRE(kept.damages.size() == 1);
        CHECK(kept.damages[0].first == good.size());
    }
    const CollectedCaptures cut = read(good + good.substr(0, good.size() / 2));
    REQUIRE(cut.captures.size() == 2);
    CHECK(cut.captures[1].status == 200);
    CHECK_FALSE(cut.captures[1].length);
    CHECK(cut.notes.size() == 1);
    REQUIRE(cut.damages.size() == 1);
    CHECK(cut.damages[0] ==
          std::pair<std::uint64_t, std::string>(good.size(), "the file ends within a gzip member"));
}

TEST_CASE("a truncated last record is reported") {
    const std::string good =
        warc("response", "http://a.example/", http("200 OK", "text/css", "body"));
    for (std::size_t n : {std::size_t{4}, std::size_t{30}, good.size() - 6}) {
        const CollectedCaptures kept = read(good + good.substr(0, n));
        INFO(n);
        CHECK(kept.captures.size() == (n < 100 ? 1 : 2));
        REQUIRE(kept.damages.size() == 1);
        CHECK(kept.damages[0].first == good.size());
    }
}

TEST_CASE("a page says its title, a damaged one does not") {
    const std::string html = "<html lang=cs><title>&#268;l\xE1nek</title>";
    const std::string page = http("200 OK", "text/html; charset=windows-1250", html);
    const std::string one = warc("response", "http://a.example/", page);
    const std::string other = warc("resource", "http://a.example/x", "<title>Plain</title>",
                                   "Content-Type: text/html\r\n");
    const std::string picture =
        warc("response", "http://a.example/p", http("200 OK", "image/png", html));
    const std::string revisit =
        warc("revisit", "http://a.example/", page.substr(0, page.find('<')));
    const std::string large =
        warc("response", "http://a.example/large", page + std::string(std::size_t{2} << 20, 'x'));
    const CollectedCaptures kept =
        read(gzip(one) + gzip(other) + gzip(picture) + gzip(revisit) + gzip(large));
    Lines titles;
    for (const Capture& c : kept.captures) titles.push_back(c.about.title);
    CHECK(titles == Lines{"Článek", "Plain", "", "", "Článek"});
    CHECK(kept.captures.at(0).about.language == "cs");
    const CollectedCaptures cut = read(one.substr(0, one.size() - 20));
    REQUIRE(cut.captures.size() == 1);
    CHECK(cut.captures[0].about.title.empty());
    CHECK(cut.damages.size() == 1);

    CollectedCaptures without;
    Input input = Input::of_bytes(one);
    read_records(input, FileFormat::warc, "x", without, Descriptions::left);
    REQUIRE(without.captures.size() == 1);
    CHECK(without.captures[0].mimetype == "text/html");
    CHECK(without.captures[0].about.title.empty());
}

TEST_CASE("the format of a file is recognised by its content") {
    const std::string cdx = "com,e)/ 20140127171200 http://e.com text/html 200 A - - 1 2 f\n";
    for (bool packed : {false, true}) {
        const auto as = [packed](const std::string& s) { return format_of(packed ? gzip(s) : s); };
        CHECK(as("WARC/1.0\r\n") == FileFormat::warc);
        CHECK(as("filedesc://x 0.0.0.0 20140216050221 text/plain 75\n") == FileFormat::arc);
        CHECK(as(arc("http://e.com/", "20140216050221", "text/html", "x")) == FileFormat::arc);
        CHECK(as(" CDX N b a\n") == FileFormat::cdx);
        CHECK(as("\n" + cdx) == FileFormat::cdx);
        CHECK(as("com,e)/ 20140127171200 {\"url\": \"http://e.com\"}\n") == FileFormat::cdxj);
        CHECK(as("!meta 0 {}\n") == FileFormat::cdxj);
        // As many words as CDX has columns.
        CHECK(as("cz,e)/ 20070101000000 {\"url\": \"http://e.cz/\", \"mime\": \"a/b\", \"status\": "
                 "\"200\", \"digest\": \"D\"}\n") == FileFormat::cdxj);
    }
}

TEST_CASE("a file that is no web archive gets a message that says what it is") {
    CHECK_THROWS_WITH(format_of(""), "is empty");
    CHECK_THROWS_WITH(format_of("PK\x03\x04 etc"), Contains("unzip"));
    CHECK_THROWS_WITH(format_of("\x28\xb5\x2f\xfd...."), Contains("damaged zstd frame"));
    CHECK_THROWS_WITH(format_of("BZh91AY"), Contains("bunzip2"));
    CHECK_THROWS_WITH(format_of(std::string(257, 'a') + "ustar" + std::string(300, '0')),
                      Contains("tar file"));
    CHECK_THROWS_WITH(format_of("<other>\x01"),
                      StartsWith("is no web archive") && Contains("<other>%01"));
}
