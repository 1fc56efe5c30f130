// SPDX-License-Identifier: MIT
#include "t/unit/tools/http_client/server.h"
#include "tools/http_client/client.h"

using namespace oai::http;
using oai::http::test::answer, oai::http::test::Server;

namespace {

struct WaitRecorder {
    std::vector<int> seconds;
    Strings reasons;
    RetryingClient::Wait wait() {
        return [this](std::chrono::seconds s, const std::string& why) {
            seconds.push_back(static_cast<int>(s.count()));
            reasons.push_back(why);
        };
    }
};

}  // namespace

TEST_CASE("which statuses and failures are temporary") {
    for (const int status : {429, 502, 503, 504}) CHECK(is_temporary(status));
    for (const int status : {200, 301, 400, 404, 500, 501}) CHECK_FALSE(is_temporary(status));
    for (const FailureKind kind : {FailureKind::connection, FailureKind::timeout})
        CHECK(is_temporary(kind));
    for (const FailureKind kind :
         {FailureKind::address, FailureKind::certificate, FailureKind::redirects,
          FailureKind::too_large, FailureKind::answer})
        CHECK_FALSE(is_temporary(kind));
}

TEST_CASE("waits double up to the maximum, which also bounds Retry-After") {
    const RetryPolicy policy{.attempts = 9, .first_wait = 3s, .longest_wait = 20s};
    CHECK(retry_wait(policy, 1, {}) == 3s);
    CHECK(retry_wait(policy, 2, {}) == 6s);
    CHECK(retry_wait(policy, 3, {}) == 12s);
    CHECK(retry_wait(policy, 4, {}) == 20s);
    CHECK(retry_wait(policy, 1000, {}) == 20s);
    CHECK(retry_wait(policy, 4, 7s) == 7s);
    CHECK(retry_wait(policy, 1, 0s) == 1s);
    CHECK(retry_wait(policy, 1, 86'400s) == 20s);
}

TEST_CASE("retries until an overloaded server responds") {
    int asked = 0;
    Server server([&](const std::string&) {
        ++asked;
        if (asked == 1) return answer("503 Busy", "Retry-After: 11\r\n", "later");
        if (asked == 2) return std::string();
        if (asked == 3) return answer("502 Bad Gateway", "", "");
        return answer("200 OK", "", "now");
    });
    Client client({});
    WaitRecorder waits;
    RetryingClient retry(client, {}, waits.wait());
    CHECK(retry.send({.url = server.url()}).body == "now");
    CHECK(waits.seconds == std::vector<int>{11, 4, 8});
    CHECK(waits.reasons.at(0) == server.url() + ": HTTP status 503");
    CHECK(waits.reasons.at(1).starts_with(server.url() + ": "));
}

TEST_CASE("returns the last response after the last attempt") {
    Server busy([](const std::string&) { return answer("503 Busy", "", "later"); });
    Client client({});
    WaitRecorder waits;
    CHECK(RetryingClient(client, {.attempts = 3}, waits.wait()).send({.url = busy.url()}).status ==
          503);
    CHECK(busy.requests().size() == 3);
    CHECK(waits.seconds.size() == 2);
    Server gone([](const std::string&) { return ""; });
    CHECK_THROWS_AS(RetryingClient(client, {.attempts = 2}, waits.wait()).send({.url = gone.url()}),
                    TransferError);
    CHECK(gone.requests().size() == 2);
}

TEST_CASE("does not retry a permanent failure") {
    Server server([](const std::string&) { return answer("404 Not Found", "", ""); });
    Client client({});
    WaitRecorder waits;
    RetryingClient retry(client, {}, waits.wait());
    CHECK(retry.send({.url = server.url()}).status == 404);
    CHECK_THROWS_AS(retry.send({.url = "ftp://127.0.0.1/"}), TransferError);
    CHECK(waits.seconds.empty());
}

TEST_CASE("a receiver's begin() is called for each attempt") {
    int asked = 0;
    Server server([&](const std::string&) {
        if (++asked == 1) return std::string("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
        return answer("200 OK", "", "the whole");
    });
    Client client({});
    WaitRecorder waits;
    std::string got;
    RetryingClient(client, {}, waits.wait())
        .send({.url = server.url()}, {.begin = [&](const ClientResponse&) { got.clear(); },
                                      .take = [&](std::string_view s) { return got += s, true; }});
    CHECK(got == "the whole");
    CHECK(waits.seconds.size() == 1);
}

TEST_CASE("an exception of the wait function ends the retries") {
    Server server([](const std::string&) { return answer("503 Busy", "", ""); });
    Client client({});
    RetryingClient retry(client, {}, [](std::chrono::seconds, const std::string&) {
        throw std::runtime_error("stopped");
    });
    CHECK_THROWS_WITH(retry.send({.url = server.url()}), "stopped");
}
