// SPDX-License-Identifier: MIT
#include "t/unit/tools/load/support.h"
#include "tools/load/archive_reader.h"

using namespace oai::load;
using namespace oai::load::test;

namespace {

CollectedCaptures read(std::string bytes) {
    CollectedCaptures kept;
    Input input = Input::of_bytes(std::move(bytes));
    read_records(input, FileFormat::arc, "x.arc", kept);
    return kept;
}

const std::string kVersion =
    arc("filedesc://x.arc", "20140216050221", "text/plain",
        "1 0 Crawler\nURL IP-address Archive-date Content-type Archive-length\n");
const std::string kPage =
    arc("http://example.com/", "20140216050221", "text/plain", http("200 OK", "text/html", "<p>"));

}  // namespace

TEST_CASE("ARC records, uncompressed: the length excludes the line end after the record") {
    const std::size_t begin = kVersion.size() + 1;
    const std::string other = arc("http://e.com/no-http", "20140216050222", "text/plain", "x");
    const CollectedCaptures kept = read(kVersion + "\n" + kPage + other);
    CHECK(kept.kinds == Lines{"filedesc"});
    CHECK(lines_of(kept) ==
          Lines{fmt::format("http://example.com/ text/html 200 - {} {}", begin, kPage.size() - 1),
                fmt::format("http://e.com/no-http text/plain - - {} {}", begin + kPage.size(),
                            other.size() - 1)});
    CHECK(kept.damages.empty());
}

TEST_CASE("ARC records, gzip") {
    const std::string a = gzip(kVersion), b = gzip(kPage);
    const CollectedCaptures kept = read(a + b + b);
    REQUIRE(kept.captures.size() == 2);
    CHECK(kept.captures[1].offset == static_cast<std::int64_t>(a.size() + b.size()));
    CHECK(kept.captures[1].length == static_cast<std::int64_t>(b.size()));
    CHECK(kept.damages.empty());
}

TEST_CASE("header lines of old crawlers are read") {
    const auto blanks = parse_arc_header(
        "http://example.com/a b c 192.0.2.1 20010101000000 text/html; charset=x y 12");
    REQUIRE(blanks);
    CHECK(blanks->url == "http://example.com/a b c");
    CHECK(blanks->date == "20010101000000");
    CHECK(blanks->mimetype == "text/html; charset=x y");
    CHECK(blanks->length == 12);
    const auto two = parse_arc_header(
        "http://example.com/ 192.0.2.1 20010101000000 text/html 404 abc - 123 f.arc 99");
    REQUIRE(two);
    CHECK(two->mimetype == "text/html");
    CHECK(two->status == "404");
    CHECK(two->checksum == "abc");
    CHECK(two->length == 99);
    for (const char* wrong :
         {"", "a b c d e", "http://a/ 192.0.2.1 20010101000000 text/html -1", "http://a/ 1 2 3 4",
          "http://a/ 192.0.2.1 20010101000000 text/html 1x", "GET / HTTP/1.1 now 12345678 5"})
        CHECK_FALSE(parse_arc_header(wrong));
}

TEST_CASE("damage affects one ARC record") {
    std::string longer = kPage;
    longer.replace(longer.find("text/plain ") + 11, 2, "59");
    std::string date = arc("http://example.com/", "20140231000000", "text/plain", "x");
    const CollectedCaptures kept = read(kVersion + kPage + longer + kPage + date + kPage +
                                        "garbage\n" + kPage + kPage.substr(0, 80));
    CHECK(kept.captures.size() == 5);  // of the cut one not even the header is whole
    REQUIRE(kept.damages.size() == 4);
    CHECK(kept.damages[0].first == kVersion.size() + kPage.size());
    CHECK(damages_of(kept) ==
          Lines{"the record does not end where its header says; its capture is taken as cut",
                "no such date: 20140231000000", "no ARC record begins here",
                "the record is cut short"});
}

TEST_CASE("an ARC's version block is counted in several ways") {
    const std::string text = kVersion.substr(kVersion.find('\n') + 1);
    for (const int more : {-30, -1, 1, 2, 40}) {
        INFO(more);
        const std::string version = "filedesc://x.arc 0.0.0.0 20140216050221 text/plain " +
                                    std::to_string(static_cast<int>(text.size()) - 1 + more) +
                                    "\n" + text + "\n";
        for (const std::string& file :
             {version + kPage + kPage, gzip(version) + gzip(kPage) + gzip(kPage)}) {
            const CollectedCaptures kept = read(file);
            REQUIRE(kept.captures.size() == 2);
            CHECK(kept.captures[0].url == "http://example.com/");
            CHECK(kept.damages.empty());
            CHECK(kept.kinds == Strings{"filedesc"});
        }
    }
}

TEST_CASE("a damaged gzip member affects one ARC record") {
    const std::string good = gzip(kPage);
    std::string bad = good;
    bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 1);
    const CollectedCaptures kept = read(gzip(kVersion) + good + bad + good);
    REQUIRE(kept.captures.size() == 3);
    CHECK_FALSE(kept.captures[1].length);
    CHECK(kept.damages.size() == 1);
}

TEST_CASE("a page in an ARC says its title, fetched by HTTP or not") {
    const CollectedCaptures kept =
        read(kVersion +
             arc("http://a.example/", "20010101000000", "text/html",
                 http("200 OK", "text/html", "<title>By HTTP</title>")) +
             arc("ftp://a.example/", "20010101000000", "text/html", "<title>By FTP</title>"));
    REQUIRE(kept.captures.size() == 2);
    CHECK(kept.captures[0].about.title == "By HTTP");
    CHECK(kept.captures[1].about.title == "By FTP");
}
