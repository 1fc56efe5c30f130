// SPDX-License-Identifier: MIT
// Answers are cached, requests are paced and retried, and the time is limited.
#include "tools/validate/session.h"

#include "t/unit/tools/validate/provider.h"

using std::chrono::milliseconds;

namespace {

struct Conversation {
    explicit Conversation(
        Mutate mutate = [](const Question&, Reply&, Provider&) {}, validate::Limits limits = {})
        : mutant({},
                 [this, mutate](const Question& q, Reply& r, Provider& p) {
                     ++asked;
                     mutate(q, r, p);
                 }),
          session(mutant, kBase, {}, limits, clock, schemas,
                  [this](milliseconds time) { slept.push_back(time); }) {}
    int asked = 0;
    std::vector<milliseconds> slept;
    const FixedClock clock{kNow};
    validate::Schemas schemas;
    Mutant mutant;
    validate::Session session;
};

}  // namespace

TEST_CASE("session: a request is sent once, unless it is repeated on purpose") {
    Conversation c;
    const validate::Answer& first = c.session.get("verb=Identify");
    CHECK(&c.session.get("verb=Identify") == &first);
    CHECK(c.asked == 1);
    c.session.ask({.arguments = "verb=Identify", .method = "POST"});
    c.session.repeat({.arguments = "verb=Identify"});
    CHECK(c.asked == 3);
    CHECK(c.session.answers().size() == 3);
    CHECK(c.session.identification().base_url == kBase);
}

TEST_CASE("session: there is a pause before each request but the first") {
    Conversation c;
    c.session.get("verb=Identify");
    c.session.get("verb=ListSets");
    c.session.get("verb=ListSets");
    CHECK(c.slept == std::vector<milliseconds>{milliseconds{250}});
}

TEST_CASE("session: a list is read up to the limits") {
    Conversation c;
    CHECK(c.session.headers().pages.size() == 3);
    CHECK(c.session.headers().records.size() == 9);
    CHECK_FALSE(c.session.headers().ended);
    CHECK(c.session.sets().ended);
    CHECK(c.asked == 4);
    CHECK(c.session.live_record()->header.identifier == "oai:provider.example.org:1");
    CHECK(c.session.deleted_record()->header.identifier == "oai:provider.example.org:4");
}

TEST_CASE("session: a 503 is retried twice after its Retry-After") {
    int refused = 0;
    Conversation c([&](const Question&, Reply& reply, Provider&) {
        if (refused-- <= 0) return;
        reply.status = 503;
        reply.retry_after = 7s;
    });
    refused = 2;
    CHECK(c.session.get("verb=Identify").reply.status == 200);
    CHECK(c.slept == std::vector<milliseconds>(2, milliseconds{7000}));
    CHECK(c.session.refusals().size() == 2);
    refused = 100;
    CHECK_THROWS_AS(c.session.get("verb=ListSets"), validate::LimitReached);
    CHECK(c.asked == 6);
}

TEST_CASE("session: a 503 without a usable Retry-After is not retried") {
    std::optional<std::chrono::seconds> wait;
    Conversation c([&](const Question&, Reply& reply, Provider&) {
        reply.status = 503;
        reply.retry_after = wait;
    });
    CHECK(c.session.get("verb=Identify").reply.status == 503);
    wait = 3600s;
    CHECK_THROWS_AS(c.session.repeat({.arguments = "verb=Identify"}), validate::LimitReached);
    CHECK(c.slept.size() == 1);  // the pause between them
}

TEST_CASE("session: it throws when its time limit is reached") {
    Conversation c([](const Question&, Reply&, Provider&) {},
                   {.max_pages = 3, .pause = 2s, .total = 1s});
    c.session.get("verb=Identify");
    CHECK_THROWS_AS(c.session.get("verb=ListSets"), validate::LimitReached);
}

TEST_CASE("session: no answer is a fault of the question if others are answered") {
    bool gone = false;
    int broken = 0;
    std::chrono::seconds seconds{1};
    Conversation c([&](const Question& q, Reply& reply, Provider&) {
        if (gone || (q.arguments == "verb=ListSets" && broken-- > 0))
            reply = {.error = "closed", .duration = seconds};
    });
    c.session.get("verb=Identify");
    broken = 1;
    CHECK(c.session.repeat({.arguments = "verb=ListSets"}).reply.status == 200);
    broken = 2;
    CHECK(c.session.repeat({.arguments = "verb=ListSets"}).reply.error == "closed");
    seconds = 120s;
    broken = 1;
    CHECK(c.session.repeat({.arguments = "verb=ListSets"}).reply.error == "closed");
    gone = true;
    CHECK_THROWS_WITH(c.session.get("verb=ListMetadataFormats"),
                      "the repository does not answer any more: closed");
    CHECK(c.session.answers().back().reply.status == 0);
    CHECK_THROWS_AS(c.session.get("verb=ListSets"), validate::LimitReached);
    gone = false;
    CHECK(c.session.get("verb=ListMetadataFormats").reply.status == 200);
}

TEST_CASE("session: it throws when it would have to keep too much") {
    Conversation c([](const Question&, Reply& reply, Provider&) {
        reply.body = "<a>" + std::string(std::size_t{65} << 20, ' ') + "</a>";
    });
    for (int i = 0; i < 8; ++i) c.session.repeat({.arguments = "verb=ListSets"});
    CHECK_THROWS_WITH(c.session.get("verb=Identify"), Contains("larger than 512 MiB"));
}
