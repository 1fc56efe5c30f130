// SPDX-License-Identifier: MIT
#include "story.h"

#include <catch2/catch.hpp>

using namespace oai;

TEST_CASE("story: one word for what became of a request") {
    const Request request{};
    Story story{request, {}};
    CHECK(outcome_of(story, 200) == "ok");
    CHECK(outcome_of(story, 304) == "not_modified");
    CHECK(outcome_of(story, 405) == "refused");
    CHECK(outcome_of(story, 500) == "broken");
    CHECK(outcome_of(story, 503) == "unavailable");
    story.errors = "badArgument";
    CHECK(outcome_of(story, 200) == "badArgument");
    story.errors = "idDoesNotExist,cannotDisseminateFormat";
    CHECK(outcome_of(story, 200) == "idDoesNotExist");
    story.limited = true;
    CHECK(outcome_of(story, 503) == "limited");
}

TEST_CASE("story: the verb that was understood") {
    const Request request{};
    Story story{request, {}};
    CHECK(verb_of(story) == "none");
    story.parsed.verb = Verb::list_sets;
    CHECK(verb_of(story) == "ListSets");
    story.page = "metrics";
    CHECK(verb_of(story) == "page");
}

TEST_CASE("story: a token stands for the arguments of the first request") {
    Request request{};
    request.arguments = {{"metadataPrefix", "sent"}, {"set", "a"}, {"from", "x"}, {"metadataPrefix", "second"}};
    Story story{request, {}};
    CHECK(asked(story).prefix == "sent");
    CHECK(asked(story).set == "a");
    CHECK(asked(story).from == "x");
    CHECK(asked(story).until == "");
    CHECK(!asked(story).resumed);
    Token token{};
    token.metadata_prefix = "oai_dc";
    token.set = "b:c";
    token.until = Seconds{std::chrono::seconds{7}};
    story.parsed.arguments.token = token;
    CHECK(asked(story).prefix == "oai_dc");
    CHECK(asked(story).set == "b:c");
    CHECK(asked(story).from == "");
    CHECK(asked(story).until == "1970-01-01T00:00:07Z");
    CHECK(asked(story).resumed);
}
