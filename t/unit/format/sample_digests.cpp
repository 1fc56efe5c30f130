// SPDX-License-Identifier: MIT
#include "format/sample_digests.h"

#include <catch2/catch.hpp>

using namespace oai;

TEST_CASE("sample digests: only records that both have are compared") {
    SampleDigests before, after;
    for (const int seq : {1, 2, 3}) before.add(seq, "made of " + std::to_string(seq));
    after.add(2, "made of 2");
    after.add(3, "made otherwise");
    after.add(4'000'000'000, "new");
    const SampleDigests told = SampleDigests::parse(after.text());
    CHECK(told.text() == after.text());
    CHECK(told.compare(before).both == 2);
    CHECK(told.compare(before).different == 1);
    CHECK(before.compare(before).different == 0);
    CHECK(SampleDigests().compare(before).both == 0);
    CHECK(SampleDigests::parse("").empty());
    CHECK(SampleDigests::parse("1:a 2:b nonsense 3:c").compare(before).both == 2);
}

TEST_CASE("sample digests: their number is bounded") {
    SampleDigests many;
    for (int seq = 0; seq < 1000; ++seq) many.add(seq, "x");
    CHECK(many.compare(many).both == 128);
}
