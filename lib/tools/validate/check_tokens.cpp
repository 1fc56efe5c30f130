// SPDX-License-Identifier: MIT
// Flow control (OAI-PMH 2.0, 3.5).
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "protocol/record.h"
#include "tools/validate/check.h"

namespace oai::validate {
namespace {

constexpr int kMaxSets = 4;  // that are searched for one with several pages
constexpr const char* kOnePage = "each list that was looked at fits one page";

// Applies `judge` to a list of several pages.
template <auto judge>
Finding with_several_pages(Session& session) {
    for (const Walk* walk : {&session.headers(), &session.records()})
        if (walk->pages.size() > 1) return judge(session, *walk);
    return skipped(kOnePage);
}

// Every page that a token leads to must have something on it, also the last one.
Finding resumes(const Walk& walk) {
    for (std::size_t i = 1; i < walk.pages.size(); ++i) {
        const Answer& page = usable(*walk.pages[i]);
        if (!page.errors.empty())
            return wrong("the token is refused: " + page.error_codes(), page)
                .against(*walk.pages[i - 1]);
        if (page.records.empty() && page.sets.empty())
            return wrong("the page that a token leads to is empty", page)
                .against(*walk.pages[i - 1]);
    }
    return walk.pages.size() > 1 ? fine() : skipped(kOnePage);
}

// A repository may have sets on several pages and records on one, or the other way round.
Finding resumes(Session& session) {
    return judge_all(
        std::array{&session.headers(), &session.records(), &session.sets()}, kOnePage,
        [](const Walk* walk) { return resumes(*walk); });
}

Finding goes_on(Session& session, const Walk& walk) {
    for (const Record& record : walk.pages[1]->records)
        if (const Record* before = record_of(*walk.pages[0], record.header.identifier))
            return wrong(record.header.identifier + " is on the first page and on the second",
                         *walk.pages[1])
                .against(session, *before)
                .against(session, record);
    return fine();
}

// A token must give the same page again, except for records that have changed since; GetRecord
// shows whether a missing record has.
Finding expect_again(Session& session, const Answer& page, const Answer& again,
                     const std::string& what) {
    for (const Record& record : page.records) {
        if (has_same_record(page, again, record.header.identifier)) continue;
        Finding found = wrong(what + ": " +
                                  (again.errors.empty() ? record.header.identifier + " is missing"
                                                        : again.error_codes()),
                              again);
        found.evidence.push_back({{.arguments = get_record(session, record.header.identifier)},
                                  &page,
                                  record.header.identifier});
        return found;
    }
    return expect_same(page, again, what);
}

// A repository must take only the token that it gave last, and the one before (guidelines for
// repositories, 5.3), so the list is begun again. Returns the arguments of its second page, if any.
std::string begin_again(Session& session, const Walk& walk) {
    const Answer& first = session.repeat(walk.pages[0]->question);
    return first.token && !first.token->value.empty()
               ? "verb=" + first.verb + "&resumptionToken=" + url_encode(first.token->value)
               : "";
}

// Asks for the second page of a list that is begun again, and once more.
Finding twice(Session& session, const Walk& walk, const std::string& method,
              const std::string& what) {
    const std::string arguments = begin_again(session, walk);
    if (arguments.empty()) return skipped("the list has one page now");
    const Answer& page = session.repeat({.arguments = arguments});
    const Question question{.arguments = arguments, .method = method};
    return expect_again(session, page, session.repeat(question), what);
}

Finding again(Session& session, const Walk& walk) {
    return twice(session, walk, "GET", "the same token once more");
}

Finding by_post(Session& session, const Walk& walk) {
    return twice(session, walk, "POST", "the token by POST");
}

// The token may have been replaced meanwhile, so that is an error, too.
Finding exclusive(Session& session, const Walk& walk) {
    return expect_error(
        session,
        walk.pages[1]->question.arguments + "&metadataPrefix=" + url_encode(session.scope().prefix),
        {"badArgument", "badResumptionToken"});
}

Finding cursor(Session&, const Walk& walk) {
    const auto& token = walk.pages[1]->token;
    if (!token || token->cursor.empty()) return skipped("there is no cursor");
    const std::string wanted = std::to_string(walk.pages[0]->records.size());
    return token->cursor == wanted ? fine()
                                   : wrong("the cursor of the second page is " + token->cursor +
                                               ", after " + wanted + " records",
                                           *walk.pages[1]);
}

Finding size_true(Session&, const Walk& walk) {
    const auto size = text::to_integer(walk.pages[0]->token->size);
    if (!size) return skipped("there is no completeListSize");
    if (!walk.ended) return skipped("the end of the list was not reached");
    if (*size == std::ssize(walk.records)) return fine();
    return wrong("completeListSize is " + walk.pages[0]->token->size + " of " +
                     std::to_string(walk.records.size()) + " records",
                 *walk.pages[0])
        .against(walk);
}

Finding last_empty(Session&, const Walk& walk) {
    if (!walk.ended || !walk.pages.back()->errors.empty())
        return skipped("the end of the list was not reached");
    return walk.pages.back()->token
               ? fine()
               : wrong("the last page has no resumptionToken, where an empty one is due",
                       *walk.pages.back());
}

Finding first_not_empty(Session& session) {
    const auto& sets = session.sets().sets;
    const bool none = session.headers().records.empty() && sets.empty();
    for (const Answer& answer : session.answers()) {
        if (!is_list(answer) && answer.verb != "ListSets") continue;
        if (argument_of(answer, "resumptionToken").empty() && answer.token &&
            answer.token->value.empty())
            return wrong("an empty resumptionToken ends a list that has one page alone", answer);
    }
    return none ? skipped("there is no list") : fine();
}

Finding expiration(Session& session) {
    session.headers();
    Finding found = skipped("no token says when it expires");
    for (const Answer& answer : session.answers()) {
        if (!answer.token || answer.token->expires.empty()) continue;
        const auto date = parse_datestamp(answer.token->expires);
        if (!date || date->granularity != Granularity::second)
            return wrong("expirationDate is \"" + answer.token->expires + "\"", answer);
        const auto now = parse_datestamp(answer.response_date);
        if (now && date->first <= now->first)
            return wrong("the token has expired when it is given: " + answer.token->expires,
                         answer);
        found = fine();
    }
    return found;
}

// A format may have records with several root elements, and a page none but deleted records.
Finding prefix_kept(Session& session) {
    const Walk& walk = session.records();
    if (walk.pages.size() < 2) return skipped(kOnePage);
    std::set<std::string_view> first;
    for (const Record& record : walk.pages[0]->records)
        if (record.metadata) first.insert(record.metadata->name_space);
    const Format* format = find_format(session.formats(), session.scope().prefix);
    if (first.empty() && format == nullptr) return skipped("the first page has no metadata");
    Finding found = skipped("the second page has no metadata");
    for (const Record& record : walk.pages[1]->records) {
        if (!record.metadata) continue;
        found = fine();
        if (first.contains(record.metadata->name_space)) continue;
        if (format == nullptr || !uses_namespace(*record.metadata, format->name_space))
            return wrong(record.header.identifier + " is in " + record.metadata->name_space,
                         *walk.pages[1]);
    }
    return found;
}

// Applies `judge` to the lists of both verbs, whose tokens may be made in different ways.
template <class Judge>
Finding in_both_lists(std::string why_skipped, const Judge& judge) {
    return judge_all(std::array<std::string_view, 2>{"ListIdentifiers", "ListRecords"},
                     std::move(why_skipped), judge);
}

// The second page of a list by set; no validator but this one looks at it.
Finding second_page_of_set(Session& session, std::string_view verb) {
    std::set<std::string> tried;
    for (const Record* record : session.headers().records) {
        for (const std::string& set : record->header.sets) {
            if (std::ssize(tried) == kMaxSets || !tried.insert(set).second) continue;
            const Walk& walk =
                session.walk("verb=" + std::string(verb) + "&metadataPrefix=" +
                             url_encode(session.scope().prefix) + "&set=" + url_encode(set));
            if (walk.pages.size() < 2 || walk.pages[1]->records.empty()) continue;
            for (const Record& met : walk.pages[1]->records)
                if (!is_within(met.header.sets, set))
                    return wrong(met.header.identifier + " on the second page is not in " + set,
                                 *walk.pages[1]);
            return fine();
        }
    }
    return not_applicable();
}

Finding set_kept(Session& session) {
    return in_both_lists(
        "no set was met whose list has several pages",
        [&](std::string_view verb) { return second_page_of_set(session, verb); });
}

// Whether the pages behind the first of a list between dates have only records of those dates.
Finding within(Session& session, std::string_view verb, const std::string& from,
               const std::string& until) {
    const Walk& walk =
        session.walk(session.list(verb) + (from.empty() ? "" : "&from=" + url_encode(from)) +
                     (until.empty() ? "" : "&until=" + url_encode(until)));
    Finding found = not_applicable();
    for (std::size_t i = 1; i < walk.pages.size(); ++i) {
        for (const Record& record : walk.pages[i]->records) {
            const std::string& date = record.header.datestamp;
            if ((!from.empty() && date < from) || (!until.empty() && date > until))
                return wrong(record.header.identifier + " on page " + std::to_string(i + 1) +
                                 " is of " + date,
                             *walk.pages[i]);
            found = fine();
        }
    }
    return found;
}

// Uses dates in the middle of the second page: a token without them would lead beyond.
Finding dates_kept(Session& session) {
    const auto& first = session.headers();
    if (first.pages.size() < 2) return skipped(kOnePage);
    std::vector<std::string> dates;
    for (const Record& record : first.pages[1]->records) dates.push_back(record.header.datestamp);
    if (dates.empty()) return skipped("the second page has no record");
    std::sort(dates.begin(), dates.end());
    const std::pair<std::string, std::string> ranges[] = {
        {"", dates.front()}, {"", dates.back()}, {dates[dates.size() / 2], ""}};
    return judge_all(ranges, "the lists by date have one page", [&](const auto& range) {
        return in_both_lists("", [&](std::string_view verb) {
            return within(session, verb, range.first, range.second);
        });
    });
}

Finding of_another_verb(Session& session, const Walk& walk) {
    return expect_error(session,
                        "verb=ListSets&resumptionToken=" + url_encode(walk.pages[0]->token->value),
                        {"badResumptionToken", "badArgument", "noSetHierarchy"});
}

const CheckFunction kTokens[] = {
    {"token.resumes", resumes},
    {"token.goes-on", with_several_pages<goes_on>},
    {"token.again", with_several_pages<again>},
    {"token.post", with_several_pages<by_post>},
    {"token.exclusive", with_several_pages<exclusive>},
    {"token.other-verb", with_several_pages<of_another_verb>},
    {"token.cursor", with_several_pages<cursor>},
    {"token.size-true", with_several_pages<size_true>},
    {"token.last-empty", with_several_pages<last_empty>},
    {"token.first-not-empty", first_not_empty},
    {"token.prefix-kept", prefix_kept},
    {"token.set-kept", set_kept},
    {"token.dates-kept", dates_kept},
    {"token.expiration", expiration},
};
}  // namespace

std::span<const CheckFunction> token_checks() { return kTokens; }

}  // namespace oai::validate
