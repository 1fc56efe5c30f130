// SPDX-License-Identifier: MIT
#include "monitor/request_log.h"

#include "t/lib/unit_headers.h"

namespace {

const Seconds kBegin{1'000'000s};

// The log of a ListRecords request that was answered with the first 100 of 250 records.
struct Page {
    Request request{};
    RequestLog log{request, {.address = "192.0.2.1", .agent = "Sickle", .ip = {}}};

    Page() {
        request.arguments = {{"metadataPrefix", "oai_dc"}, {"set", "a:b"}};
        log.parsed.verb = Verb::list_records;
        log.stats.records = 100;
        log.stats.size = 250;
        log.stats.more = true;
    }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
};

Strings addresses(const std::vector<Harvester>& harvesters) {
    Strings out;
    for (const Harvester& h : harvesters) out.push_back(h.address);
    return out;
}

}  // namespace

TEST_CASE("request log: one word for the outcome of a request") {
    const Request request{};
    RequestLog log{request, {}};
    CHECK(outcome_of(log, 200) == "ok");
    CHECK(outcome_of(log, 304) == "not_modified");
    CHECK(outcome_of(log, 405) == "refused");
    CHECK(outcome_of(log, 500) == "broken");
    CHECK(outcome_of(log, 503) == "unavailable");
    log.errors = "badArgument";
    CHECK(outcome_of(log, 200) == "badArgument");
    log.errors = "idDoesNotExist,cannotDisseminateFormat";
    CHECK(outcome_of(log, 200) == "idDoesNotExist");
    log.limited = true;
    CHECK(outcome_of(log, 503) == "limited");
}

TEST_CASE("request log: the name of the verb") {
    const Request request{};
    RequestLog log{request, {}};
    CHECK(verb_of(log) == "none");
    log.parsed.verb = Verb::list_sets;
    CHECK(verb_of(log) == "ListSets");
    log.page = "metrics";
    CHECK(verb_of(log) == "page");
}

TEST_CASE("request log: a token stands for the arguments of the first request") {
    Request request{};
    request.arguments = {
        {"metadataPrefix", "sent"}, {"set", "a"}, {"from", "x"}, {"metadataPrefix", "second"}};
    RequestLog log{request, {}};
    CHECK(requested_list(log).prefix == "sent");
    CHECK(requested_list(log).set == "a");
    CHECK(requested_list(log).from == "x");
    CHECK(requested_list(log).until == "");
    CHECK(!requested_list(log).resumed);
    ResumptionToken token{};
    token.metadata_prefix = "oai_dc";
    token.set = "b:c";
    token.until = Seconds{7s};
    log.parsed.arguments.token = token;
    CHECK(requested_list(log).prefix == "oai_dc");
    CHECK(requested_list(log).set == "b:c");
    CHECK(requested_list(log).from == "");
    CHECK(requested_list(log).until == "1970-01-01T00:00:07Z");
    CHECK(requested_list(log).resumed);
}

TEST_CASE("harvester stats: the current list of a harvester and its progress") {
    HarvesterStats harvesters;
    Page page;
    harvesters.note(page.log, 200, kBegin);
    ResumptionToken token{};
    token.metadata_prefix = "oai_dc";
    token.set = "a:b";
    page.log.parsed.arguments.token = token;
    page.log.stats.cursor = 100;
    harvesters.note(page.log, 200, kBegin + 5s);
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

TEST_CASE("harvester stats: how often a harvester usually comes") {
    HarvesterStats harvesters;
    Page page;
    const auto usual = [&](std::chrono::seconds at) {
        harvesters.note(page.log, 200, kBegin + at);
        return harvesters.busiest(1, kBegin + at).at(0).usual;
    };
    CHECK(usual(0s) == 0s);
    CHECK(usual(500s) == 0s);  // the same visit
    CHECK(usual(3600s) == 3600s);
    CHECK(usual(3700s) == 3600s);
    CHECK(usual(3600s + 7200s) == 4500s);
}

TEST_CASE("harvester stats: errors are counted and keep the list; noRecordsMatch is no error") {
    HarvesterStats harvesters;
    Page page;
    harvesters.note(page.log, 200, kBegin);
    Page wrong;
    wrong.request.arguments = {{"metadataPrefix", "x"}};
    wrong.log.errors = "badArgument";
    wrong.log.stats.records = 0;
    harvesters.note(wrong.log, 200, kBegin + 1s);
    wrong.log.errors = "noRecordsMatch";
    harvesters.note(wrong.log, 200, kBegin + 2s);
    wrong.log.errors = "";
    harvesters.note(wrong.log, 503, kBegin + 3s);
    harvesters.note(page.log, 304, kBegin + 4s);
    const auto seen = harvesters.busiest(10, kBegin + 4s);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].requests == 5);
    CHECK(seen[0].errors == 2);
    CHECK(seen[0].last_error == "unavailable");
    CHECK(seen[0].failed == kBegin + 3s);
    CHECK(seen[0].prefix == "oai_dc");
    CHECK(seen[0].records == 200);
}

TEST_CASE("harvester stats: the recently busiest harvesters come first") {
    HarvesterStats harvesters;
    Page page;
    for (int i = 0; i < 100; ++i) harvesters.note(page.log, 200, kBegin);
    page.log.client.address = "192.0.2.2";
    for (int i = 0; i < 10; ++i) harvesters.note(page.log, 200, kBegin + 10min);
    CHECK(addresses(harvesters.busiest(10, kBegin + 10min)) == Strings{"192.0.2.1", "192.0.2.2"});
    for (int i = 0; i < 10; ++i) harvesters.note(page.log, 200, kBegin + 1h);
    CHECK(addresses(harvesters.busiest(10, kBegin + 1h)) == Strings{"192.0.2.2", "192.0.2.1"});
    CHECK(addresses(harvesters.busiest(1, kBegin + 1h)) == Strings{"192.0.2.2"});
}

TEST_CASE("harvester stats: memory is bounded however many agents appear, and the busy ones stay") {
    HarvesterStats harvesters(50);
    Page page;
    for (int i = 0; i < 5; ++i) harvesters.note(page.log, 200, kBegin);
    for (int i = 0; i < 10'000; ++i) {
        page.log.client.agent = "made up " + std::to_string(i);
        harvesters.note(page.log, 200, kBegin + 1s);
    }
    const auto seen = harvesters.busiest(1000, kBegin + 1s);
    CHECK(seen.size() == 50);
    CHECK(seen[0].agent == "Sickle");
}

TEST_CASE("harvester stats: requests for admin pages are not counted") {
    HarvesterStats harvesters;
    Page page;
    page.log.page = "metrics";
    harvesters.note(page.log, 200, kBegin);
    CHECK(harvesters.busiest(10, kBegin).empty());
}
