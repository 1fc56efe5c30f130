// SPDX-License-Identifier: MIT
#include "verb/list_request.h"

#include "t/unit/format/format_directory.h"

namespace {

Seconds second(int n) { return Seconds{std::chrono::seconds{n}}; }

Arguments arguments() {
    Arguments out;
    out.verb = Verb::list_records;
    out.metadata_prefix = "p";
    return out;
}

ListRequest first_request() {
    ListRequest request = list_request(arguments());
    request.start.from = second(10);
    request.start.until = second(20);
    request.start.set = "a:b";
    return request;
}

ListRequest resumed_request() {
    ResumptionToken token{};
    token.verb = Verb::list_identifiers;
    token.epoch = 7;
    token.after = 100;
    token.upto = 500;
    token.reach = 600;
    token.horizon = second(30);
    token.cursor = 40;
    token.size = 90;
    token.metadata_prefix = "p";
    Arguments out;
    out.verb = Verb::list_identifiers;
    out.token = token;
    return list_request(out);
}

Position position() {
    Position out;
    out.horizon = {.h = second(30), .last_seq = 600, .epoch = 7};
    out.after = 100;
    out.upto = 500;
    out.upto_fixed = true;
    return out;
}

}  // namespace

TEST_CASE("a first request becomes a token at the beginning of the list") {
    const ListRequest first = list_request(arguments());
    CHECK(first.first);
    CHECK(first.with_metadata);
    CHECK(first.start.metadata_prefix == "p");
    CHECK(first.start.after == 0);
    const ListRequest resumed = resumed_request();
    CHECK_FALSE(resumed.first);
    CHECK_FALSE(resumed.with_metadata);
    CHECK(resumed.start.after == 100);
}

TEST_CASE(
    "a list whose format or sets no longer exist is refused, with another error if it is requested "
    "by a token") {
    const Format format = some_format();
    ListRequest first = first_request();
    CHECK(check_request(first, &format, true).empty());
    const OaiErrors both = check_request(first, nullptr, false);
    REQUIRE(both.size() == 2);
    CHECK(both[0].code == ErrorCode::cannot_disseminate_format);
    CHECK(both[1].code == ErrorCode::no_set_hierarchy);
    ListRequest resumed = resumed_request();
    CHECK(check_request(resumed, &format, false).empty());
    REQUIRE(check_request(resumed, nullptr, true).size() == 1);
    resumed.start.set = "a";
    REQUIRE(check_request(resumed, nullptr, false).size() == 1);
    CHECK(check_request(resumed, &format, false)[0].code == ErrorCode::bad_resumption_token);
}

TEST_CASE(
    "the first query has the request's arguments, and counts only if the count can be exact") {
    Format format = some_format();
    const ListQuery query = first_query(first_request(), format, std::nullopt, 50, 1000);
    CHECK(query.with_records);
    CHECK(query.from == second(10));
    CHECK(query.until == second(20));
    CHECK(query.set == "a:b");
    CHECK(query.records == 50);
    CHECK_FALSE(query.after);
    CHECK(query.want_size);
    CHECK(query.count_limit == 1000);
    // A lower bound that every record of the format keeps anyway is none.
    CHECK_FALSE(first_query(first_request(), format, second(10), 50, 1000).from);
    CHECK(first_query(first_request(), format, second(9), 50, 1000).from == second(10));

    const ListQuery resumed = first_query(resumed_request(), format, std::nullopt, 50, 1000);
    CHECK_FALSE(resumed.with_records);
    CHECK(resumed.after == 100);
    CHECK(resumed.upto == 500);
    REQUIRE(resumed.seen);
    CHECK(resumed.seen->seq == 600);
    CHECK_FALSE(resumed.want_size);
    CHECK_FALSE(resumed.set);

    format.requires_columns = {"c"};
    CHECK(first_query(resumed_request(), format, std::nullopt, 50, 1000).with_records);
    CHECK(first_query(first_request(), format, std::nullopt, 50, 1000).required ==
          format.requires_columns);
}

TEST_CASE("further queries for records that the format has get larger, up to a limit") {
    ListQuery query = first_query(first_request(), some_format(), std::nullopt, 3000, 1000);
    query = further_query(query, 77);
    CHECK(query.after == 77);
    CHECK(query.records == 6000);
    CHECK_FALSE(query.want_size);
    CHECK(further_query(query, 88).records == 10'000);
}

TEST_CASE("each position that excludes a list has its error") {
    const ReplicaPosition reach = required_reach(resumed_request(), {});
    CHECK(reach == ReplicaPosition{7, 600, second(30)});
    const auto code = [&](const ListRequest& request, const Position& at,
                          std::optional<Seconds> since = {}) -> std::optional<ErrorCode> {
        const auto error = check_position(request, at, since, reach);
        return error ? std::optional(error->code) : std::nullopt;
    };
    CHECK_FALSE(code(resumed_request(), position()));
    CHECK_FALSE(code(first_request(), position()));

    Position rebuilt = position();
    rebuilt.horizon.epoch = 8;
    CHECK(code(resumed_request(), rebuilt) == ErrorCode::bad_resumption_token);
    CHECK_FALSE(code(first_request(), rebuilt));

    Position lost = position();
    lost.lost = true;
    CHECK(code(resumed_request(), lost) == ErrorCode::bad_resumption_token);

    Position no_set = position();
    no_set.set_exists = false;
    CHECK(code(resumed_request(), no_set) == ErrorCode::bad_resumption_token);
    CHECK(code(first_request(), no_set) == ErrorCode::no_records_match);
    no_set.horizon.last_seq = 599;  // a replica that may not have met the set yet
    no_set.horizon.h = second(29);
    CHECK_THROWS_AS(code(first_request(), no_set), ReplicaLagging);

    CHECK_FALSE(code(first_request(), position(), second(20)));
    CHECK(code(first_request(), position(), second(21)) == ErrorCode::no_records_match);
    ListRequest resumed = resumed_request();
    resumed.start.until = second(20);
    CHECK_FALSE(code(resumed, position(), second(21)));
}

TEST_CASE("completeListSize does not count records that are left out") {
    CHECK(corrected_size(10, false, 0) == 10);
    CHECK(corrected_size(10, false, 3) == 7);
    CHECK(corrected_size(2, false, 3) == 0);
    CHECK(corrected_size(10, true, 0) == -1);
    CHECK(corrected_size(-1, false, 3) == -1);
}

TEST_CASE("the next token continues after the page and keeps the arguments of the list") {
    const ReplicaPosition reach{7, 610, second(31)};
    const ResumptionToken next =
        next_token(resumed_request(), position(), reach, 140, 25, 88, second(99));
    CHECK(next.after == 140);
    CHECK(next.cursor == 65);
    CHECK(next.size == 88);
    CHECK(next.reach == 610);
    CHECK(next.horizon == second(31));
    CHECK(next.issued == second(99));
    CHECK(next.upto == 500);
    CHECK(next.metadata_prefix == "p");

    Position open = position();
    open.upto_fixed = false;
    CHECK(next_token(first_request(), open, reach, 1, 1, -1, second(9)).upto == 0);
    CHECK(next_token(first_request(), position(), reach, 1, 1, -1, second(9)).upto == 500);
}

TEST_CASE("a page ends by whichever budget is spent first, and is never empty") {
    const PageBudget budget{.records = 3, .bytes = 1000, .time = 50ms};
    CHECK_FALSE(budget.is_spent(0, 5000, 1h));
    CHECK_FALSE(budget.is_spent(2, 999, 49ms));
    CHECK(budget.is_spent(3, 10, 0ms));
    CHECK(budget.is_spent(1, 1000, 0ms));
    CHECK(budget.is_spent(1, 10, 50ms));
}

TEST_CASE("a format may have its own page size") {
    Config::Lists lists;
    lists.records = 100;
    Format format = some_format();
    CHECK(page_budget(lists, format).records == 100);
    format.records = 7;
    CHECK(page_budget(lists, format).records == 7);
}
