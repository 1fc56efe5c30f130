// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "t/unit/tools/load/support.h"
#include "tools/load/archive_reader.h"

using namespace oai::load;
using namespace oai::load::test;

namespace {

FileFormat format_of(std::string bytes) {
    Input input = Input::of_bytes(std::move(bytes));
    return sniff(input);
}

}  // namespace

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
    CHECK_THROWS_WITH(format_of("PK\x03\x04 etc"), Catch::Contains("unzip"));
    CHECK_THROWS_WITH(format_of("\x28\xb5\x2f\xfd...."), Catch::Contains("damaged zstd frame"));
    CHECK_THROWS_WITH(format_of("BZh91AY"), Catch::Contains("bunzip2"));
    CHECK_THROWS_WITH(format_of(std::string(257, 'a') + "ustar" + std::string(300, '0')),
                      Catch::Contains("tar file"));
    CHECK_THROWS_WITH(format_of("<html>\x01"),
                      Catch::StartsWith("is no web archive") && Catch::Contains("<html>%01"));
}
