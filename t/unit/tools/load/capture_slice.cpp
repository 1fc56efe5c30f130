// SPDX-License-Identifier: MIT
#include "t/lib/unit_headers.h"
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

// Captures of http://e.com/: each a digest and an offset.
CaptureSlice slice_of(const std::vector<std::pair<const char*, int>>& captures) {
    CaptureSlice slice;
    for (const auto& [digest, offset] : captures)
        slice.add(capture("http://e.com/", digest, offset));
    return slice;
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
    later.archived_time += 1s;
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
    const CaptureSlice slice = slice_of({{"", 1}, {"", 2}, {"", 1}, {"A", 2}, {"A", 9}});
    REQUIRE(slice.records().size() == 2);
    CHECK(slice.records()[1].capture.digest == "A");
}

TEST_CASE("two digests at the same file and offset are two captures") {
    const CaptureSlice slice = slice_of({{"A", 1}, {"B", 1}});
    CHECK(slice.records().size() == 2);
}

TEST_CASE("digests that the index of captures cannot tell apart are one") {
    const CaptureSlice slice =
        slice_of({{"A1234567", 1}, {"B1234567", 2}, {"B234567", 3}, {"34567", 4}});
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
