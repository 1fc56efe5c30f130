// SPDX-License-Identifier: MIT
#include "monitor/request_log.h"

#include <catch2/catch.hpp>

using namespace oai;

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
    token.until = Seconds{std::chrono::seconds{7}};
    log.parsed.arguments.token = token;
    CHECK(requested_list(log).prefix == "oai_dc");
    CHECK(requested_list(log).set == "b:c");
    CHECK(requested_list(log).from == "");
    CHECK(requested_list(log).until == "1970-01-01T00:00:07Z");
    CHECK(requested_list(log).resumed);
}
