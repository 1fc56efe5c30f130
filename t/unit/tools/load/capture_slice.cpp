// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "tools/load/capture_staging.h"

using namespace oai::load;

namespace {

Capture capture(const char* url, const char* digest, std::int64_t offset) {
    Capture c;
    c.url = url;
    c.digest = digest;
    c.file = "f";
    c.offset = offset;
    return c;
}

}  // namespace

TEST_CASE("captures with the same SURT, time and digest are one") {
    CaptureSlice slice;
    slice.add(capture("http://e.com/", "A", 1));
    Capture again = capture("https://www.e.com", "A", 2);
    again.status = 200;
    slice.add(again);
    slice.add(capture("http://e.com/", "B", 3));
    Capture later = capture("http://e.com/", "A", 4);
    later.archived_time += std::chrono::seconds(1);
    slice.add(later);
    REQUIRE(slice.records().size() == 3);
    CHECK(slice.records()[0].capture.status == 200);
    CHECK(slice.records()[0].capture.offset == 1);
    CHECK(slice.records()[0].canonical.surt == "com,e)/");
    CHECK(slice.bytes() > 3 * sizeof(Capture));
    slice.clear();
    CHECK(slice.records().empty());
    CHECK(slice.bytes() == 0);
}

TEST_CASE("a capture without a digest is identified by file and offset") {
    CaptureSlice slice;
    slice.add(capture("http://e.com/", "", 1));
    slice.add(capture("http://e.com/", "", 2));
    slice.add(capture("http://e.com/", "", 1));
    slice.add(capture("http://e.com/", "A", 2));
    slice.add(capture("http://e.com/", "A", 9));
    REQUIRE(slice.records().size() == 2);
    CHECK(slice.records()[1].capture.digest == "A");
}

TEST_CASE("two digests at the same file and offset are two captures") {
    CaptureSlice slice;
    slice.add(capture("http://e.com/", "A", 1));
    slice.add(capture("http://e.com/", "B", 1));
    CHECK(slice.records().size() == 2);
}

TEST_CASE("digests that the index of captures cannot tell apart are one") {
    CaptureSlice slice;
    slice.add(capture("http://e.com/", "A1234567", 1));
    slice.add(capture("http://e.com/", "B1234567", 2));
    slice.add(capture("http://e.com/", "B234567", 3));
    slice.add(capture("http://e.com/", "34567", 4));
    CHECK(slice.records().size() == 3);
}

TEST_CASE("what one file says of a document and another does not is kept") {
    CaptureSlice slice;
    slice.add(capture("http://e.com/", "A", 1));
    const std::size_t before = slice.bytes();
    Capture again = capture("http://e.com/", "A", 1);
    again.about = {"A title", "cs", ""};
    slice.add(again);
    again.about = {"Another", "", "A description"};
    slice.add(again);
    REQUIRE(slice.records().size() == 1);
    CHECK(slice.records()[0].capture.about.title == "A title");
    CHECK(slice.records()[0].capture.about.language == "cs");
    CHECK(slice.records()[0].capture.about.description == "A description");
    Capture large = capture("http://f.com/", "A", 1);
    large.about.description = std::string(100'000, 'x');
    slice.add(large);
    CHECK(slice.bytes() > before + 100'000);
}
