// SPDX-License-Identifier: MIT
#include "harvesters.h"

#include <catch2/catch.hpp>

using namespace oai;
using namespace std::chrono_literals;

namespace {

const Seconds kBegin{std::chrono::seconds{1'000'000}};

// A page of a list that was answered.
struct Page {
    Request request{};
    Story story{request, {.address = "192.0.2.1", .agent = "Sickle", .ip = {}}};

    Page() {
        request.arguments = {{"metadataPrefix", "oai_dc"}, {"set", "a:b"}};
        story.parsed.verb = Verb::list_records;
        story.account.records = 100;
        story.account.size = 250;
        story.account.more = true;
    }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
};

std::vector<std::string> addresses(const std::vector<Harvester>& harvesters) {
    std::vector<std::string> out;
    for (const Harvester& h : harvesters) out.push_back(h.address);
    return out;
}

}  // namespace

TEST_CASE("harvesters: what list, and how far") {
    Harvesters harvesters;
    Page page;
    harvesters.note(page.story, 200, kBegin);
    Token token{};
    token.metadata_prefix = "oai_dc";
    token.set = "a:b";
    page.story.parsed.arguments.token = token;
    page.story.account.cursor = 100;
    harvesters.note(page.story, 200, kBegin + 5s);
    const auto seen = harvesters.busiest(10, kBegin + 5s);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].address == "192.0.2.1");
    CHECK(seen[0].agent == "Sickle");
    CHECK(seen[0].requests == 2);
    CHECK(seen[0].records == 200);
    CHECK(seen[0].delivered == 200);
    CHECK(seen[0].size == 250);
    CHECK(seen[0].more);
    CHECK(seen[0].verb == "ListRecords");
    CHECK(seen[0].prefix == "oai_dc");
    CHECK(seen[0].set == "a:b");
    CHECK(seen[0].began == kBegin);
    CHECK(seen[0].seen == kBegin + 5s);
}

TEST_CASE("harvesters: errors are counted and the list stays what it was; nothing new is no error") {
    Harvesters harvesters;
    Page page;
    harvesters.note(page.story, 200, kBegin);
    Page wrong;
    wrong.request.arguments = {{"metadataPrefix", "x"}};
    wrong.story.errors = "badArgument";
    wrong.story.account.records = 0;
    harvesters.note(wrong.story, 200, kBegin + 1s);
    wrong.story.errors = "noRecordsMatch";
    harvesters.note(wrong.story, 200, kBegin + 2s);
    wrong.story.errors = "";
    harvesters.note(wrong.story, 503, kBegin + 3s);
    harvesters.note(page.story, 304, kBegin + 4s);
    const auto seen = harvesters.busiest(10, kBegin + 4s);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].requests == 5);
    CHECK(seen[0].errors == 2);
    CHECK(seen[0].last_error == "unavailable");
    CHECK(seen[0].failed == kBegin + 3s);
    CHECK(seen[0].prefix == "oai_dc");
    CHECK(seen[0].records == 200);
}

TEST_CASE("harvesters: who was busy lately comes first") {
    Harvesters harvesters;
    Page page;
    for (int i = 0; i < 100; ++i) harvesters.note(page.story, 200, kBegin);
    page.story.client.address = "192.0.2.2";
    for (int i = 0; i < 10; ++i) harvesters.note(page.story, 200, kBegin + 10min);
    CHECK(addresses(harvesters.busiest(10, kBegin + 10min)) == std::vector<std::string>{"192.0.2.1", "192.0.2.2"});
    for (int i = 0; i < 10; ++i) harvesters.note(page.story, 200, kBegin + 1h);
    CHECK(addresses(harvesters.busiest(10, kBegin + 1h)) == std::vector<std::string>{"192.0.2.2", "192.0.2.1"});
    CHECK(addresses(harvesters.busiest(1, kBegin + 1h)) == std::vector<std::string>{"192.0.2.2"});
}

TEST_CASE("harvesters: any number of names takes the memory of a few, and the busy ones stay") {
    Harvesters harvesters(50);
    Page page;
    for (int i = 0; i < 5; ++i) harvesters.note(page.story, 200, kBegin);
    for (int i = 0; i < 10'000; ++i) {
        page.story.client.agent = "made up " + std::to_string(i);
        harvesters.note(page.story, 200, kBegin + 1s);
    }
    const auto seen = harvesters.busiest(1000, kBegin + 1s);
    CHECK(seen.size() == 50);
    CHECK(seen[0].agent == "Sickle");
}

TEST_CASE("harvesters: whoever looks at pages of operation is none") {
    Harvesters harvesters;
    Page page;
    page.story.page = "metrics";
    harvesters.note(page.story, 200, kBegin);
    CHECK(harvesters.busiest(10, kBegin).empty());
}
