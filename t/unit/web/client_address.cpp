// SPDX-License-Identifier: MIT
#include "web/client_address.h"

#include "t/lib/unit_headers.h"

namespace {

std::string address_of(const std::string& peer, const std::string& forwarded_for) {
    const AddressRanges trusted = address_ranges({"10.0.0.0/8", "2001:db8::5"});
    Request request;
    request.client = peer;
    request.forwarded_for = forwarded_for;
    return client_of(request, trusted).address;
}

ClientAddress client(const std::string& address) {
    return {.address = address, .agent = "", .ip = Address::parse(address)};
}

const RateLimit::Time kBegin = RateLimit::Time{} + 1h;

}  // namespace

TEST_CASE("client: X-Forwarded-For counts from trusted proxies alone") {
    CHECK(address_of("192.0.2.1", "198.51.100.9") == "192.0.2.1");
    CHECK(address_of("10.0.0.1", "198.51.100.9") == "198.51.100.9");
    CHECK(address_of("2001:db8::5", "2001:db8:1::9") == "2001:db8:1::9");
    CHECK(address_of("10.0.0.1", "") == "10.0.0.1");
}

TEST_CASE("client: entries before the first address that is not trusted are ignored") {
    CHECK(address_of("10.0.0.1", "203.0.113.1, 198.51.100.9") == "198.51.100.9");
    CHECK(address_of("10.0.0.1", "203.0.113.1,198.51.100.9 ,\t10.2.3.4") == "198.51.100.9");
    CHECK(address_of("10.0.0.1", "10.9.9.9, 10.2.3.4") == "10.9.9.9");
    CHECK(address_of("10.0.0.1", "203.0.113.1, unknown") == "10.0.0.1");
    CHECK(address_of("10.0.0.1", "203.0.113.1, unknown, 10.2.3.4") == "10.2.3.4");
    CHECK(address_of("10.0.0.1", "203.0.113.1,") == "10.0.0.1");
    CHECK(address_of("10.0.0.1", ",") == "10.0.0.1");
}

TEST_CASE("client: a request is forwarded if any entry of X-Forwarded-For is another host") {
    const auto forwarded = [](const std::string& header) {
        Request request;
        request.client = "127.0.0.1";
        request.forwarded_for = header;
        return is_forwarded(request);
    };
    CHECK_FALSE(forwarded(""));
    CHECK_FALSE(forwarded("127.0.0.1"));
    CHECK_FALSE(forwarded("::1, 127.8.9.1"));
    CHECK(forwarded("203.0.113.9"));
    CHECK(forwarded("127.0.0.1, 203.0.113.9"));
    CHECK(forwarded("203.0.113.9, 127.0.0.1"));
    CHECK(forwarded("unknown"));
    CHECK(forwarded(","));
}

TEST_CASE("client: a peer that is not an address becomes bounded text") {
    CHECK(address_of("unix:", "198.51.100.9") == "unix:");
    CHECK(address_of("", "198.51.100.9") == "");
    CHECK(address_of(std::string(1000, 'x'), "").size() == 64);
    Request request;
    request.user_agent = std::string(199, 'a') + "\xC3\xA4\xC3\xA4\n\xFF";
    CHECK(client_of(request, {}).agent.size() <= 200);
    request.user_agent = "a\x01\xFF";
    CHECK(client_of(request, {}).agent == "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("rate limit: allows a burst, then one request per interval") {
    RateLimit limit({.trusted_proxy = {}, .requests_per_minute = 60, .burst = 3, .unlimited = {}});
    const ClientAddress a = client("192.0.2.1");
    for (int i = 0; i < 3; ++i) CHECK(!limit.take_token(a, kBegin));
    CHECK(limit.take_token(a, kBegin) == 1);
    CHECK(limit.take_token(a, kBegin + 999ms) == 1);
    CHECK(!limit.take_token(a, kBegin + 1s));
    CHECK(limit.take_token(a, kBegin + 1s) == 1);
    // A long pause fills the bucket, and not more than that.
    for (int i = 0; i < 3; ++i) CHECK(!limit.take_token(a, kBegin + 1h));
    CHECK(limit.take_token(a, kBegin + 1h) == 1);
}

TEST_CASE("rate limit: a client that waits for the time returned gets a token") {
    RateLimit limit({.trusted_proxy = {}, .requests_per_minute = 7, .burst = 1, .unlimited = {}});
    const ClientAddress a = client("192.0.2.1");
    auto now = kBegin;
    CHECK(!limit.take_token(a, now));
    for (int i = 0; i < 20; ++i) {
        const auto seconds = limit.take_token(a, now);
        REQUIRE(seconds == 9);  // 60 / 7, whole seconds
        now += std::chrono::seconds{*seconds};
        CHECK(!limit.take_token(a, now));
    }
}

TEST_CASE("rate limit: clients do not share a bucket, the addresses of an IPv6 network do") {
    RateLimit limit({.trusted_proxy = {}, .requests_per_minute = 1, .burst = 1, .unlimited = {}});
    CHECK(!limit.take_token(client("192.0.2.1"), kBegin));
    CHECK(!limit.take_token(client("192.0.2.2"), kBegin));
    CHECK(limit.take_token(client("192.0.2.1"), kBegin) == 60);
    CHECK(!limit.take_token(client("2001:db8::1"), kBegin));
    CHECK(limit.take_token(client("2001:db8::2"), kBegin) == 60);
    CHECK(!limit.take_token(client("unix:"), kBegin));
    CHECK(limit.take_token(client("elsewhere"), kBegin) == 60);
}

TEST_CASE(
    "rate limit: clients on the allow list have no limit, and without a configured rate nobody "
    "has") {
    RateLimit limit({.trusted_proxy = {},
                     .requests_per_minute = 1,
                     .burst = 1,
                     .unlimited = {"192.0.2.0/24", "::1"}});
    RateLimit none({});
    for (int i = 0; i < 1000; ++i) {
        CHECK(!limit.take_token(client("192.0.2.1"), kBegin));
        CHECK(!limit.take_token(client("::1"), kBegin));
        CHECK(!none.take_token(client("198.51.100.1"), kBegin));
    }
}

TEST_CASE("rate limit: memory is bounded, and known clients stay limited") {
    RateLimit limit({.trusted_proxy = {}, .requests_per_minute = 1, .burst = 1, .unlimited = {}});
    const auto numbered = [](int i) {
        return client("10." + std::to_string(i / 65536) + "." + std::to_string(i / 256 % 256) +
                      "." + std::to_string(i % 256));
    };
    for (int i = 0; i < 150'000; ++i) limit.take_token(numbered(i), kBegin);
    CHECK(limit.take_token(numbered(0), kBegin) == 60);
    CHECK(!limit.take_token(numbered(140'000), kBegin));  // has no bucket
    // A minute later all buckets are full again, and are removed when a new client comes.
    CHECK(!limit.take_token(numbered(140'000), kBegin + 1min));
    CHECK(limit.take_token(numbered(140'000), kBegin + 1min) == 60);
}

TEST_CASE("page budget: people have none, crawlers one each, all others that of their range") {
    const Strings crawlers{"gptbot", "bot"};
    const auto of = [&](const std::string& ip, const std::string& agent, const char* dest = "") {
        Request request;
        request.client = ip;
        request.user_agent = agent;
        request.fetch_dest = dest;
        return page_budget(request, client_of(request, {}), crawlers);
    };
    CHECK_FALSE(of("192.0.2.1", "Mozilla/5.0", "document"));
    CHECK_FALSE(of("127.0.0.1", "curl/8"));
    CHECK(of("192.0.2.1", "curl/8") == Address::parse("192.0.2.0"));
    CHECK(of("2001:db8:7:8::1", "curl/8") == Address::parse("2001:db8:7::"));
    const auto crawler = of("192.0.2.1", "Mozilla/5.0 (compatible; GPTBot/1.2)", "document");
    CHECK(crawler);
    CHECK(crawler == of("198.51.100.1", "gptbot"));
    CHECK(crawler != of("192.0.2.1", "OtherBot"));
    CHECK(of("nobody", "curl/8") == Address().prefix(48));
}
