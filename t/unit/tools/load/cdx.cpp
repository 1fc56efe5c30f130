// SPDX-License-Identifier: MIT
#include "t/unit/tools/load/support.h"
#include "tools/load/archive_reader.h"

using namespace oai::load;
using namespace oai::load::test;

namespace {

CollectedCaptures read(std::string bytes, void (*reader)(Input&, CaptureHandler&)) {
    CollectedCaptures kept;
    Input input = Input::of_bytes(std::move(bytes));
    reader(input, kept);
    return kept;
}

const std::string kHeader = " CDX N b a m s k r M S V g\n";
const std::string kLine =
    "com,example)/ 20140127171200 http://example.com text/html 200 "
    "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 1046 334 d.warc.gz";
const std::string kJson =
    R"(com,example)/ 20140127171200 {"url": "http://example.com", "mime": "text/html", )"
    R"("status": "200", "digest": "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", "length": "1046", )"
    R"("offset": 5000000000, "filename": "d.warc.gz"})";

}  // namespace

TEST_CASE("CDX of eleven columns") {
    const CollectedCaptures kept = read(kHeader + kLine + "\n", read_cdx);
    CHECK(lines_of(kept) ==
          Lines{"http://example.com text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A 334 1046"});
    CHECK(kept.captures.at(0).file == "d.warc.gz");
    CHECK(kept.damages.empty());
}

TEST_CASE("CDX without header, of nine and eleven columns, without a last line end") {
    const CollectedCaptures nine = read(
        "com,example)/ 20140127171200 http://example.com warc/revisit - ABC - 6000000000 d.warc.gz",
        read_cdx);
    CHECK(lines_of(nine) == Lines{"http://example.com - - ABC 6000000000 -"});
    CHECK(read(kLine + "\n" + kLine, read_cdx).captures.size() == 2);
}

TEST_CASE("CDX with any columns is read by its header line") {
    const CollectedCaptures kept =
        read("\tCDX\tb\ta\n20140127171200\thttp://example.com/a b\n", read_cdx);
    REQUIRE(kept.captures.size() == 1);
    CHECK(kept.captures[0].url == "http://example.com/a%20b");
    CHECK_THROWS_WITH(read(" CDX N b m\nx 20140127171200 text/html\n", read_cdx),
                      Contains("no URL (a)"));
    CHECK_FALSE(parse_cdx_legend(" CDX"));
    CHECK_FALSE(parse_cdx_legend(kLine));
    const CollectedCaptures two =
        read(kHeader + kLine + "\n CDX a b\nhttp://x.example/ 20140127171200\n", read_cdx);
    REQUIRE(two.captures.size() == 2);
    CHECK(two.captures[1].url == "http://x.example/");
}

TEST_CASE("CDX without header of the columns that others write") {
    const std::string start = "com,e)/ 201401271712 http://e.com/ text/html 200 ABC ";
    for (const char* rest : {"1046", "- 334 d.warc", "- - 334 d.warc", "- - 1046 334 d.warc",
                             "- 334 d.warc 5 9 o.warc", "- - 1046 334 d.warc 5 9 o.warc"}) {
        INFO(rest);
        const CollectedCaptures kept = read(start + rest + "\n", read_cdx);
        REQUIRE(kept.captures.size() == 1);
        CHECK(kept.captures[0].archived_time.time_since_epoch().count() == 1390842720);
        CHECK(kept.captures[0].digest == "ABC");
        const bool is_public = std::string_view(rest) == "1046";
        CHECK(kept.captures[0].file == (is_public ? "" : "d.warc"));
        CHECK(kept.captures[0].offset.value_or(334) == 334);
        CHECK(kept.captures[0].length.value_or(1046) == 1046);
    }
}

TEST_CASE("CDXJ of OpenWayback, and JSON lines of a CDX server") {
    const CollectedCaptures kept = read(
        "!OpenWayback-CDXJ 1.0\n"
        R"((com,e,)/ 2014-01-27T17:12:00Z response {"uri":"http://e.com/","sha":"A","ref":"warcfile:d.warc#99","hsc":200,"mct":"text/html","rle":7})"
        "\n"
        R"((com,e,)/ 2014-01-27T17:12:01Z revisit {"uri":"http://e.com/"})"
        "\n"
        R"((com,e,)/ 2014-01-27T17:12:01Z metadata {"uri":"http://e.com/"})"
        "\n"
        R"({"urlkey":"com,e)/","timestamp":"20140127171200","url":"http://e.com/","mime":"text/html"})"
        "\n",
        read_cdxj);
    CHECK(kept.damages.empty());
    CHECK(lines_of(kept) == Lines{"http://e.com/ text/html 200 A 99 7", "http://e.com/ - - - - -",
                                  "http://e.com/ text/html - - - -"});
    CHECK(kept.captures.at(0).file == "d.warc");
    CHECK(kept.captures.at(1).revisit);
    CHECK(kept.captures.at(2).archived_time == kept.captures.at(0).archived_time);
    CHECK(kept.kinds == Lines{"metadata"});
}

TEST_CASE("lines without a capture are skipped") {
    const CollectedCaptures kept =
        read(kHeader + "too few columns\n\n" +
                 "x 20149927171200 http://example.com text/html 200 A - - 1 2 f\n" +
                 "x 20140127171200 dns:example.com text/dns - A - - 1 2 f\n" +
                 "x 20140127171200 - text/html - A - - 1 2 f\n" + kLine + "\n",
             read_cdx);
    CHECK(kept.captures.size() == 1);
    CHECK(kept.kinds == Strings{"dns"});
    CHECK(damages_of(kept) == Lines{"the line has 3 columns instead of 11",
                                    "no such date: 20149927171200", "the line has no URL"});
    CHECK(kept.damages.at(0).first == kHeader.size());
}

TEST_CASE("a line of more than 1 MB is skipped and reported") {
    const CollectedCaptures kept =
        read(kHeader + kLine + "\n" + std::string(3'000'000, 'x') + "\n" + kLine + "\n", read_cdx);
    CHECK(kept.captures.size() == 2);
    CHECK(damages_of(kept) == Lines{"a line of more than 1 MB"});
}

TEST_CASE("gzip members of an index may end with a line, without its line end, or within a line") {
    CHECK(read(gzip(kHeader + kLine + "\n") + gzip(kLine + "\n"), read_cdx).captures.size() == 2);
    CHECK(read(gzip(kLine) + gzip(kLine) + gzip(kLine), read_cdx).captures.size() == 3);
    CHECK(read(gzip(kJson) + gzip(kJson), read_cdxj).captures.size() == 2);
    const CollectedCaptures kept = read(
        gzip(kLine.substr(0, 50)) + gzip(kLine.substr(50, 40)) + gzip(kLine.substr(90)), read_cdx);
    CHECK(kept.captures.size() == 1);
    CHECK(kept.damages.empty());
}

TEST_CASE("a damaged gzip member of an index affects its own lines only") {
    std::string bad = gzip(kLine + "\n" + std::string(30, 'x') + "\n");
    bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 0x15);
    const CollectedCaptures kept =
        read(gzip(kHeader + kLine + "\n") + bad + gzip(kLine + "\n" + kLine + "\n"), read_cdx);
    CHECK_FALSE(kept.damages.empty());
    CHECK(kept.captures.size() >= 2);
}

TEST_CASE("CDXJ: numbers may be strings, keys may be missing") {
    const CollectedCaptures kept =
        read("!meta 0 {}\n" + kJson + "\n" +
                 R"(x)/ 20140127171200 {"url":"http://x/","status":404,"extra":[1,{}]})" + "\n",
             read_cdxj);
    CHECK(lines_of(kept) ==
          Lines{"http://example.com text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A 5000000000 1046",
                "http://x/ - 404 - - -"});
}

TEST_CASE("malformed CDXJ, or CDXJ that is not UTF-8") {
    const CollectedCaptures kept =
        read(kJson +
                 "\nx)/ 20140127171200 {\"url\": \"http://x/\nx)/ 20140127171200 {}\n"
                 "x)/ {\"url\":\"http://x\"}\nx)/ 20140127171200 {\"url\": \"http://x/\xe9\"}\n"
                 R"(x)/ 20140127171200 {"url": "http://x/\ud83d\ude00\uD800-\ude00\\ud800"})",
             read_cdxj);
    REQUIRE(kept.captures.size() == 3);
    CHECK(kept.captures[1].url == "http://x/%E9");
    CHECK(kept.captures[2].url == "http://x/\U0001F600\uFFFD-\uFFFD\\ud800");
    CHECK(kept.notes == Lines{"2 lone surrogates in its JSON became U+FFFD"});
    CHECK(damages_of(kept) == Lines{"the line's JSON is broken", "the line has no URL",
                                    "the line is not: key, date, JSON object"});
}

TEST_CASE("an index says what was asked by fields, or by its key alone") {
    const CollectedCaptures kept = read(
        R"(a)/?__wb_method=post&x=1 20140127171200 {"url":"http://a/","method":"POST","requestBody":"x=1"})"
        "\n"
        R"(a)/p?__wb_method=put&b=2&q=1 20140127171200 {"url":"http://a/p?q=1","mime":"warc/revisit"})"
        "\n"
        R"(a)/ 20140127171200 {"url":"http://a/","method":"GET"})"
        "\n"
        R"(a)/ 20140127171200 {"url":"http://a/","method":"x y"})"
        "\n",
        read_cdxj);
    Lines asked;
    for (const Capture& c : kept.captures) asked.push_back(c.request + (c.revisit ? " again" : ""));
    CHECK(asked == Lines{"POST x=1", "PUT b=2 again", "", ""});
}

TEST_CASE("the body of a request counts in its canonical form") {
    const auto asked = [](const std::string& type, const std::string& body) {
        return request_of("post / HTTP/1.1\r\nContent-Type: " + type + "\r\n\r\n" + body);
    };
    CHECK(request_of("GET / HTTP/1.1\r\n\r\n").empty());
    CHECK(request_of("").empty());
    CHECK(request_of("HEAD / HTTP/1.1\r\n\r\n") == "HEAD");
    CHECK(asked("application/json", R"({"a":[1,{"a":1e3}],"b":{"c":true}})") ==
          "POST a=1&a.2_=1000&c=true");
    CHECK(asked("application/json", "[1, 2]") == "POST");
    CHECK(asked("application/json", std::string(2'000, '[') + std::string(2'000, ']')) == "POST");
    CHECK(asked("application/x-www-form-urlencoded", "a=%C5%BE+b&c=%zz") == "POST a=ž%20b&c=%zz");
    CHECK(asked("application/x-www-form-urlencoded", "a=\xFF") == "POST __wb_post_data=YT3/");
    CHECK(asked("multipart/form-data", "x") == "POST __wb_post_data=eA==");
    CHECK(asked("", std::string(5'000, '\0')).size() == 5 + 4096);
}
