// SPDX-License-Identifier: MIT
#include "t/lib/unit_headers.h"
#include "tools/harvest/list_walk.h"
#include "tools/harvest/sink.h"

using namespace oai::harvest;
using std::chrono::seconds;

namespace {

ListPosition at(std::int64_t records, std::optional<std::int64_t> size) {
    ListPosition p;
    p.list.prefix = "oai_dc";
    p.records = records;
    p.list_size = size;
    return p;
}

// What is written by `use`.
template <class Use>
std::string written(bool quiet, const Use& use) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* const to = open_memstream(&text, &size);
    {
        HarvestProgress progress(to, quiet, "R", [] { return false; });
        use(progress);
    }
    std::fclose(to);
    const std::unique_ptr<char, decltype(&std::free)> owner(text, std::free);
    return {text, size};
}

}  // namespace

TEST_CASE("progress with and without a plausible list size") {
    CHECK(progress_text(at(500, 1000), 500, 10) == "500 of 1000 records, 50/s, 0:10 left");
    CHECK(progress_text(at(500, std::nullopt), 250, 10) == "500 records, 25/s");
    CHECK(progress_text(at(500, 7), 500, 10) == "500 records, 50/s");
    CHECK(progress_text(at(500, 1'000'500), 100, 1) ==
          "500 of 1000500 records, 100/s, 2:46 h left");
    CHECK(progress_text(at(5, 10), 0, 0) == "5 of 10 records");
}

TEST_CASE("prints lines at intervals, or none") {
    const HarvestProgress::Time start{};
    const auto walk = [&](HarvestProgress& p) {
        p.print(at(100, 1000), start);
        p.print(at(200, 1000), start + 250ms);
        p.print(at(300, 1000), start + 40s);
    };
    CHECK(written(true, walk).empty());
    CHECK(written(false, walk) == "R: oai_dc: 300 of 1000 records, 5/s, 2:20 left\n");
}

TEST_CASE("text of a repository stays one line without control characters") {
    CHECK(written(
              false, [](HarvestProgress& p) { p.note("a\nb\x1b[2Jc\xC2\x9B"); }) ==
          "R: a b\xEF\xBF\xBD[2Jc\\u{9B}\n");
}

TEST_CASE("converts from and until to the repository's granularity") {
    CHECK(from_argument("2024-02-03", true) == "2024-02-03T00:00:00Z");
    CHECK(until_argument("2024-02-03", true) == "2024-02-03T23:59:59Z");
    CHECK(from_argument("2024-02-03T04:05:06Z", true) == "2024-02-03T04:05:06Z");
    CHECK(from_argument("2024-02-03T04:05:06Z", false) == "2024-02-03");
    CHECK(until_argument("2024-02-03T04:05:06Z", false) == "2024-02-03");
    CHECK(from_argument("", true).empty());
    CHECK(from_argument("yesterday", false) == "yesterday");
}

TEST_CASE("the next harvest begins at the last responseDate or earlier") {
    CHECK(from_after("2024-02-03T00:00:30Z", seconds{60}, true) == "2024-02-02T23:59:30Z");
    CHECK(from_after("2024-02-03T00:00:30Z", seconds{0}, true) == "2024-02-03T00:00:30Z");
    CHECK(from_after("2024-02-03T12:00:00Z", seconds{60}, false) == "2024-02-03");
    CHECK(from_after("2024-02-03T00:00:30Z", seconds{60}, false) == "2024-02-02");
    CHECK(from_after("2024-02-03", seconds{0}, true) == "2024-02-03T00:00:00Z");
}

TEST_CASE("reads responseDates in the forms that repositories use") {
    CHECK(from_after("2024-02-03T04:05:06.789Z", seconds{0}, true) == "2024-02-03T04:05:06Z");
    CHECK(from_after("2024-02-03T04:05:06.123456789+02:00", seconds{0}, true) ==
          "2024-02-03T02:05:06Z");
    CHECK(from_after("2024-02-03T04:05:06-0130", seconds{0}, true) == "2024-02-03T05:35:06Z");
    CHECK(from_after("2024-02-03 04:05:06", seconds{0}, true) == "2024-02-03T04:05:06Z");
    for (const char* none : {"", "now", "2024-13-03T04:05:06Z", "2024-02-03T04:05:06 CET",
                             "2024-02-03T04:05:06+2:00"}) {
        CAPTURE(none);
        CHECK(from_after(none, seconds{0}, true).empty());
    }
}
