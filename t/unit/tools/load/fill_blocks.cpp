// SPDX-License-Identifier: MIT

#include "t/lib/unit_headers.h"
#include "tools/load/capture_fill.h"

using namespace oai::load;

namespace {

CanonicalCapture row(const std::string& surt, std::int64_t time) {
    CanonicalCapture row;
    row.capture.url = "http://" + surt;
    row.capture.archived_time = oai::Seconds{std::chrono::seconds{time}};
    row.canonical.surt = surt;
    return row;
}

std::vector<CanonicalCapture> rows_of(const std::vector<FillBlock>& blocks) {
    std::vector<CanonicalCapture> rows;
    for (const FillBlock& block : blocks) {
        std::string_view rest = block.rows;
        const std::size_t before = rows.size();
        while (!rest.empty()) rows.push_back(take_capture(rest));
        CHECK(rows.size() - before == static_cast<std::size_t>(block.captures));
    }
    return rows;
}

}  // namespace

TEST_CASE("captures come out of blocks as they went in") {
    FillBlocks blocks(FillOrder::host);
    const CanonicalCapture all{{.url = "http://ž.cz/a b\t\n?x=1",
                                .archived_time = oai::Seconds{std::chrono::seconds{-1}},
                                .mimetype = "9",
                                .status = 200,
                                .digest = "sha256:0",
                                .file = "7",
                                .length = 0,
                                .offset = std::int64_t{1} << 40,
                                .request = "POST tt=1",
                                .revisit = true,
                                .about = {"Ž & <title>", "cs", "a description"}},
                               {.surt = "cz,xn--wda)/a%20b?x=1", .domain = "8"}};
    blocks.add(all);
    blocks.add(row("cz,xn--wda)/", 0));
    CHECK(blocks.take_full().empty());
    const std::vector<CanonicalCapture> rows = rows_of(blocks.take_all());
    REQUIRE(rows.size() == 2);
    const Capture &first = rows[0].capture, &second = rows[1].capture;
    CHECK(first.url == all.capture.url);
    CHECK(rows[0].canonical.surt == all.canonical.surt);
    CHECK(first.digest == all.capture.digest);
    CHECK((first.request == all.capture.request && first.revisit));
    CHECK((second.request.empty() && !second.revisit));
    CHECK(first.archived_time == all.capture.archived_time);
    CHECK(first.status == 200);
    CHECK(first.length == 0);
    CHECK(first.offset == std::int64_t{1} << 40);
    CHECK(first.file == "7");
    CHECK(rows[0].canonical.domain == "8");
    CHECK(first.mimetype == "9");
    CHECK(first.about.title == "Ž & <title>");
    CHECK(first.about.language == "cs");
    CHECK(first.about.description == "a description");
    CHECK(second.about.title.empty());
    CHECK(second.digest.empty());
    CHECK((!second.status && !second.offset && second.file.empty() && second.mimetype.empty()));
    CHECK(blocks.take_all().empty());
}

TEST_CASE("what is no block is refused") {
    FillBlocks blocks(FillOrder::host);
    blocks.add(row("cz,a)/", 1));
    const std::string whole = blocks.take_all().at(0).rows;
    std::string_view cut(whole.data(), whole.size() - 1);
    CHECK_THROWS(take_capture(cut));
    std::string_view none = "x";
    CHECK_THROWS(take_capture(none));
}

TEST_CASE("captures of one host lie in one bucket, those of one URL at one spot") {
    const FillPlace a = fill_place(FillOrder::host, row("cz,a)/x", 1));
    CHECK(a.bucket == fill_place(FillOrder::host, row("cz,a)/y", 2)).bucket);
    CHECK(a.spot == fill_place(FillOrder::host, row("cz,a)/x", 2)).spot);
    std::set<std::int32_t> buckets;
    for (int i = 0; i < 10'000; ++i)
        buckets.insert(
            fill_place(FillOrder::host, row("cz,h" + std::to_string(i) + ")/", 1)).bucket);
    CHECK(buckets.size() == 1024);  // and hosts are spread over all of them
    CHECK(*buckets.begin() == 0);
    CHECK(*buckets.rbegin() == 1023);
}

TEST_CASE("in the order of time, buckets are days and spots the seconds of a day") {
    const auto place = [](std::int64_t time) {
        return fill_place(FillOrder::time, row("cz,a)/", time));
    };
    CHECK(place(0).bucket == 0);
    CHECK(place(86'399).bucket == 0);
    CHECK(place(86'400).bucket == 1);
    CHECK(place(-1).bucket == -1);
    CHECK(place(-1).spot == place(86'399).spot);
    CHECK(place(1).spot > place(0).spot);
    CHECK(is_before(FillOrder::time, row("b", 1), row("a", 2)));
    CHECK(is_before(FillOrder::host, row("a", 2), row("b", 1)));
    CHECK_FALSE(is_before(FillOrder::time, row("a", 1), row("a", 1)));
}

TEST_CASE("blocks are given out when they are large, and all before they take too much memory") {
    FillBlocks blocks(FillOrder::time);
    const std::string path(2000, 'x');
    std::size_t given = 0, added = 0, most = 0;
    for (std::int64_t day = 0; day < 3000; ++day)  // one after the other: none is large
        for (int i = 0; i < 15; ++i, ++added) {
            blocks.add(row("cz,a)/" + path, day * 86'400));
            const std::size_t n = rows_of(blocks.take_full()).size();
            most = std::max(most, n);
            given += n;
        }
    CHECK(most > 20'000);
    CHECK(given + rows_of(blocks.take_all()).size() == added);
    for (int i = 0; i < 17; ++i) blocks.add(row("cz,a)/" + path, 0));
    CHECK(rows_of(blocks.take_full()).size() == 17);  // of 64 KB
}
