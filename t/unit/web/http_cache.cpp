// SPDX-License-Identifier: MIT
#include "web/http_cache.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace oai;

namespace {

constexpr CachePolicy kPolicy{.seconds = 3600, .token_lifetime_seconds = 604'800};
constexpr Seconds kNow{std::chrono::seconds{1'700'000'000}};

std::string header_of(const Response& response, const std::string& name) {
    const auto found = std::find_if(response.headers.begin(), response.headers.end(),
                                    [&](const auto& h) { return h.first == name; });
    return found == response.headers.end() ? "" : found->second;
}

}  // namespace

TEST_CASE("the ETag of a page depends on its records, and stays the same for a while") {
    const std::string tag = page_tag("<record>1</record>", "key", kNow, kPolicy);
    CHECK(tag.starts_with("W/\""));
    CHECK(tag.ends_with("\""));
    CHECK(tag == page_tag("<record>1</record>", "key", kNow + std::chrono::seconds{9}, kPolicy));
    CHECK(tag != page_tag("<record>2</record>", "key", kNow, kPolicy));
    CHECK(tag != page_tag("<record>1</record>", "other key", kNow, kPolicy));
}

TEST_CASE("an ETag expires before the token in its page") {
    const std::string_view records = "<record>1</record>";
    const auto later = kNow + std::chrono::seconds{kPolicy.token_lifetime_seconds / 7};
    CHECK(page_tag(records, "key", kNow, kPolicy) != page_tag(records, "key", later, kPolicy));
}

TEST_CASE("If-None-Match is matched against the ETag") {
    CHECK(names_tag("\"a\"", "\"a\""));
    CHECK(names_tag("W/\"a\"", "\"a\""));
    CHECK(names_tag("\"a\"", "W/\"a\""));
    CHECK(names_tag("\"b\" , W/\"a\"", "W/\"a\""));
    CHECK(names_tag("*", "W/\"a\""));
    CHECK_FALSE(names_tag("", "W/\"a\""));
    CHECK_FALSE(names_tag("\"ab\"", "W/\"a\""));
    CHECK_FALSE(names_tag(",", "\"\""));
}

TEST_CASE("a list that cannot change may be cached, and is 304 for a client that has it") {
    Request request;
    request.method = "GET";
    Response fresh = xml_response("<x/>", false);
    mark_closed(fresh, request, "W/\"t\"", kPolicy);
    CHECK(fresh.status == 200);
    CHECK(header_of(fresh, "Cache-Control") == "public, max-age=3600");
    CHECK(header_of(fresh, "ETag") == "W/\"t\"");

    request.if_none_match = "W/\"t\"";
    Response known = xml_response("<x/>", false);
    mark_closed(known, request, "W/\"t\"", kPolicy);
    CHECK(known.status == 304);
    CHECK(known.body.empty());
    CHECK(header_of(known, "Content-Type").empty());
    CHECK(header_of(known, "Vary") == "Accept-Encoding");
    CHECK(header_of(known, "Cache-Control") == "public, max-age=3600");

    request.method = "POST";  // what POST brings cannot be revalidated
    Response posted = xml_response("<x/>", false);
    mark_closed(posted, request, "W/\"t\"", kPolicy);
    CHECK(posted.status == 200);
}

TEST_CASE("a page is cached no longer than its token is valid") {
    Request request;
    request.method = "GET";
    Response response = xml_response("<x/>", false);
    mark_closed(response, request, "W/\"t\"", {.seconds = 3600, .token_lifetime_seconds = 700});
    CHECK(header_of(response, "Cache-Control") == "public, max-age=100");
}
