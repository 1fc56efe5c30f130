// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "http/retry.h"
#include "http_server.h"

using namespace oai::http;
using namespace std::chrono_literals;
using oai::http::test::answer;
using oai::http::test::Server;

namespace {

struct Waits {
    std::vector<int> seconds;
    std::vector<std::string> reasons;
    Retry::Wait wait() {
        return [this](std::chrono::seconds s, const std::string& why) {
            seconds.push_back(static_cast<int>(s.count()));
            reasons.push_back(why);
        };
    }
};

}  // namespace

TEST_CASE("what passes and what does not") {
    for (const int status : {429, 502, 503, 504}) CHECK(passes(status));
    for (const int status : {200, 301, 400, 404, 500, 501}) CHECK_FALSE(passes(status));
    for (const Trouble trouble : {Trouble::connection, Trouble::timeout}) CHECK(passes(trouble));
    for (const Trouble trouble :
         {Trouble::address, Trouble::certificate, Trouble::redirects, Trouble::too_large, Trouble::answer})
        CHECK_FALSE(passes(trouble));
}

TEST_CASE("pauses double up to the longest, and a server's word counts up to it") {
    const RetryPolicy policy{.attempts = 9, .first_wait = 3s, .longest_wait = 20s};
    CHECK(pause(policy, 1, {}) == 3s);
    CHECK(pause(policy, 2, {}) == 6s);
    CHECK(pause(policy, 3, {}) == 12s);
    CHECK(pause(policy, 4, {}) == 20s);
    CHECK(pause(policy, 1000, {}) == 20s);
    CHECK(pause(policy, 4, 7s) == 7s);
    CHECK(pause(policy, 1, 0s) == 1s);
    CHECK(pause(policy, 1, 86'400s) == 20s);
}

TEST_CASE("an overloaded server is asked until it answers") {
    int asked = 0;
    Server server([&](const std::string&) {
        ++asked;
        if (asked == 1) return answer("503 Busy", "Retry-After: 11\r\n", "later");
        if (asked == 2) return std::string();
        if (asked == 3) return answer("502 Bad Gateway", "", "");
        return answer("200 OK", "", "now");
    });
    Client client({});
    Waits waits;
    Retry retry(client, {}, waits.wait());
    CHECK(retry.send({.url = server.url()}).body == "now");
    CHECK(waits.seconds == std::vector<int>{11, 4, 8});
    CHECK(waits.reasons.at(0) == server.url() + ": HTTP status 503");
    CHECK(waits.reasons.at(1).starts_with(server.url() + ": "));
}

TEST_CASE("after so many attempts the last answer is the answer") {
    Server busy([](const std::string&) { return answer("503 Busy", "", "later"); });
    Client client({});
    Waits waits;
    CHECK(Retry(client, {.attempts = 3}, waits.wait()).send({.url = busy.url()}).status == 503);
    CHECK(busy.requests().size() == 3);
    CHECK(waits.seconds.size() == 2);
    Server gone([](const std::string&) { return ""; });
    CHECK_THROWS_AS(Retry(client, {.attempts = 2}, waits.wait()).send({.url = gone.url()}), Error);
    CHECK(gone.requests().size() == 2);
}

TEST_CASE("what does not pass is asked once") {
    Server server([](const std::string&) { return answer("404 Not Found", "", ""); });
    Client client({});
    Waits waits;
    Retry retry(client, {}, waits.wait());
    CHECK(retry.send({.url = server.url()}).status == 404);
    CHECK_THROWS_AS(retry.send({.url = "ftp://127.0.0.1/"}), Error);
    CHECK(waits.seconds.empty());
}

TEST_CASE("a receiver is told that it begins anew") {
    int asked = 0;
    Server server([&](const std::string&) {
        if (++asked == 1) return std::string("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
        return answer("200 OK", "", "the whole");
    });
    Client client({});
    Waits waits;
    std::string got;
    Retry(client, {}, waits.wait())
        .send({.url = server.url()}, {.begin = [&](const Answer&) { got.clear(); },
                                      .take = [&](std::string_view s) { return got += s, true; }});
    CHECK(got == "the whole");
    CHECK(waits.seconds.size() == 1);
}

TEST_CASE("whoever waits may give up") {
    Server server([](const std::string&) { return answer("503 Busy", "", ""); });
    Client client({});
    Retry retry(client, {},
                [](std::chrono::seconds, const std::string&) { throw std::runtime_error("stopped"); });
    CHECK_THROWS_WITH(retry.send({.url = server.url()}), "stopped");
}
