// SPDX-License-Identifier: MIT
// The page of the search. What is asked of the database for it is bounded (store/search.h); what
// was not there in time, the page says.
#include <fmt/format.h>

#include <array>
#include <map>

#include "base/clock.h"
#include "base/text.h"
#include "browse/captures.h"
#include "browse/markup.h"
#include "browse/pages.h"
#include "browse/search_question.h"
#include "protocol/identifier.h"
#include "store/search.h"

namespace oai {
namespace {

constexpr int kWordRecords = 25, kListedCaptures = 50, kListedUrls = 40;
constexpr int kFewUrls = 12;
constexpr std::array<std::string_view, 4> kFacets{"kind", "language", "year", "collection"};
constexpr std::size_t kMaxTitleBytes = 300;
// In the order of SearchKind.
constexpr const char* kKindNames[] = {"empty", "too-long", "identifier", "url",
                                      "host",  "prefix",   "words"};

// The question, and what it is answered by.
struct Search {
    const PageQuestion& page;
    SearchQueries& queries;
    const SearchQuestion& question;
    SearchOffers offers;
};

std::string shortened(const std::string& text) {
    return text.size() <= kMaxTitleBytes
               ? text
               : std::string(text::utf8_prefix(text, kMaxTitleBytes)) + "\u2026";
}

void append_capture(std::string& out, const Search& search, const Capture& capture) {
    markup::empty(out, "capture",
                  {{"time", print_utc(capture.captured_at)},
                   {"url", capture.url},
                   {"status", capture.status.value_or(0)},
                   {"type", capture.media_type},
                   {"path", record_path(capture.identifier)},
                   {"replay", capture_replay(search.page.browse.replay, capture)}});
}

// shown: the month whose days are shown, as "201003", or more digits.
void append_calendar(std::string& out, const CaptureCalendar& calendar, std::string_view shown) {
    std::map<int, std::map<int, std::int64_t>> years;
    std::string days;
    for (const CaptureDay& day : calendar.days) {
        years[day.year][day.month] += day.captures;
        if (shown.starts_with(fmt::format("{:04}{:02}", day.year, day.month)))
            markup::empty(days, "day",
                          {{"day", std::int64_t{day.day}}, {"captures", day.captures}});
    }
    markup::open(out, "calendar", {{"captures", calendar.captures}, {"capped", calendar.capped}});
    for (auto year = years.rbegin(); year != years.rend(); ++year) {
        std::int64_t all = 0;
        for (const auto& [month, captures] : year->second) all += captures;
        markup::open(out, "year", {{"year", std::int64_t{year->first}}, {"captures", all}});
        for (int month = 1; month <= 12; ++month) {
            const auto found = year->second.find(month);
            markup::empty(out, "month",
                          {{"month", std::int64_t{month}},
                           {"captures", found == year->second.end() ? 0 : found->second}});
        }
        markup::close(out, "year");
    }
    out += days;
    markup::close(out, "calendar");
}

void append_urls(std::string& out, const CapturedUrls& urls) {
    markup::open(out, "urls");
    for (const CapturedUrl& url : urls.found)
        markup::empty(out, "url",
                      {{"url", url.url},
                       {"latest", print_utc(url.latest)},
                       {"captures", url.captures},
                       {"capped", url.capped}});
    markup::close(out, "urls");
    if (!urls.next.empty())
        markup::empty(out, "next", {{"after", text::base64url_encode(urls.next)}});
}

void append_captures(std::string& out, const Search& search, const CaptureTimes& times) {
    const Request& request = search.page.request;
    const std::string& key = search.question.key;
    auto before = read_place(argument_of(request, "after"));
    if (before && before->key != key) before.reset();
    CaptureWalk walk(
        search.queries,
        {.range = {key, key + '\x01'}, .times = times, .after = before, .backwards = true},
        kListedCaptures + 1);
    std::string rows, next;
    const Capture* capture = walk.next();
    for (int shown = 0; capture != nullptr && shown < kListedCaptures; capture = walk.next()) {
        if (capture->shown) append_capture(rows, search, *capture), ++shown;
        next = place_text(capture->place);
    }
    if (walk.is_late()) return markup::empty(out, "slow");
    markup::open(out, "captures");
    out += rows;
    markup::close(out, "captures");
    if (capture != nullptr || walk.is_cut_short()) markup::empty(out, "next", {{"after", next}});
}

void append_some_urls(std::string& out, const Search& search, const CaptureRange& range) {
    auto urls = search.queries.urls(range, "", kFewUrls);
    if (!urls) return markup::empty(out, "slow");
    urls->next = "";
    append_urls(out, *urls);
}

PageContent refused_time(std::string_view name, std::string_view value) {
    constexpr std::size_t kMaxQuotedBytes = 60;
    const std::string shown = text::to_xml_text(value.substr(0, kMaxQuotedBytes));
    return refused_page({{ErrorCode::bad_argument,
                          std::string(name) + ": a time of 1 to 14 digits, as 2010 or 201003",
                          "time",
                          {std::string(name), '"' + shown + '"'}}});
}

PageContent captures_page(const Search& search) {
    const Request& request = search.page.request;
    CaptureTimes times;
    const auto from = argument_of(request, "from"), to = argument_of(request, "to");
    if (!from.empty() && !(times.since = capture_time(from, false)))
        return refused_time("from", from);
    if (!to.empty() && !(times.until = capture_time(to, true))) return refused_time("to", to);
    PageContent page{.kind = "search"};
    const auto calendar = search.queries.calendar(search.question.key);
    if (!calendar)
        markup::empty(page.xml, "slow");
    else if (calendar->captures > 0)
        append_calendar(page.xml, *calendar, from.substr(0, 6) == to.substr(0, 6) ? from : "");
    if (!calendar || calendar->captures > 0 || calendar->capped)
        append_captures(page.xml, search, times);
    const SearchQuestion& asked = search.question;
    if (!asked.set.empty() && search.page.context.repository.facts.sets)
        append_sets(page.xml, "path", search.page.queries.path(asked.set));
    if (asked.kind == SearchKind::host)
        append_some_urls(page.xml, search, asked.range);
    else if (calendar && calendar->captures == 0)
        append_some_urls(page.xml, search, url_prefix(asked.url));
    return page;
}

PageContent prefix_page(const Search& search) {
    PageContent page{.kind = "search"};
    auto after = text::base64url_decode(argument_of(search.page.request, "after")).value_or("");
    if (!text::is_xml_text(after)) after = "";
    if (after < search.question.range.first || after >= search.question.range.before) after = "";
    if (const auto urls = search.queries.urls(search.question.range, after, kListedUrls))
        append_urls(page.xml, *urls);
    else
        markup::empty(page.xml, "slow");
    return page;
}

void append_matches(std::string& out, const WordMatches& matches) {
    using Extent = WordMatches::Extent;
    const std::string_view extent = matches.extent == Extent::nothing  ? "nothing"
                                    : matches.extent == Extent::capped ? "capped"
                                    : matches.extent == Extent::newest ? "newest"
                                                                       : "all";
    markup::open(out, "matches",
                 {{"extent", extent},
                  {"found", matches.found},
                  {"looked", matches.looked},
                  {"behind", matches.behind}});
    for (const WordMatches::Record& record : matches.records)
        markup::empty(out, "match",
                      {{"path", record_path(record.identifier)},
                       {"title", shortened(record.title)},
                       {"creator", shortened(record.creator)},
                       {"date", shortened(record.date)},
                       {"kind", record.kind},
                       {"address", shortened(record.address)}});
    for (const WordMatches::Facet& facet : matches.facets)
        markup::empty(out, "facet",
                      {{"name", facet.name},
                       {"value", facet.value},
                       {"label", facet.label},
                       {"records", facet.records}});
    markup::close(out, "matches");
    if (!matches.next.empty()) markup::empty(out, "next", {{"after", matches.next}});
}

PageContent words_page(const Search& search) {
    PageContent page{.kind = "search"};
    if (!search.offers.words) return page;
    const Request& request = search.page.request;
    WordSearch words{.words = search.question.text,
                     .after = argument_of(request, "after"),
                     .records = kWordRecords};
    if (!text::is_xml_text(words.after)) words.after = "";
    for (const std::string_view facet : kFacets) {
        const std::string value = text::to_xml_text(argument_of(request, facet));
        if (value.empty()) continue;
        words.filters.push_back(std::string(facet) + "=" + value);
        markup::empty(page.xml, "filter", {{"name", facet}, {"value", value}});
    }
    auto matches = search.queries.words(words);
    if (!matches) {
        markup::empty(page.xml, "slow");
        words.newest_only = true;
        matches = search.queries.words(words);
    }
    if (matches) append_matches(page.xml, *matches);
    return page;
}

PageContent identifier_page(const Search& search) {
    const Context& context = search.page.context;
    const std::string local_id =
        local_id_in(context.repository.identifier_prefix, search.question.text);
    PageContent page{.kind = "search"};
    if (local_id.empty()) return page;
    const Store::FoundRecord found = context.store.get(local_id, false);
    if (found.batch.size() > 0 && is_visible(context.repository, found.batch.header(0)))
        page.location = record_path(search.question.text);
    return page;
}

PageContent answer_of(const Search& search) {
    switch (search.question.kind) {
        case SearchKind::identifier: return identifier_page(search);
        case SearchKind::url:
        case SearchKind::host: return captures_page(search);
        case SearchKind::prefix: return prefix_page(search);
        case SearchKind::words: return words_page(search);
        case SearchKind::too_long: return {.kind = "search", .status = 400};
        case SearchKind::empty: break;
    }
    return {.kind = "search"};
}

}  // namespace

PageContent search_page(const PageQuestion& question) {
    SearchQueries queries(question.context.store, question.context.repository.identifier_prefix);
    const SearchOffers offers = queries.offers();
    const SearchQuestion asked = parse_search(argument_of(question.request, "q"), offers.captures);
    PageContent page = answer_of({question, queries, asked, offers});
    std::string head;
    markup::empty(head, "asked",
                  {{"kind", kKindNames[static_cast<std::size_t>(asked.kind)]},
                   {"q", asked.text},
                   {"url", asked.url},
                   {"from", argument_of(question.request, "from")},
                   {"to", argument_of(question.request, "to")},
                   {"after", argument_of(question.request, "after")},
                   {"words", offers.words},
                   {"captures", offers.captures}});
    page.xml.insert(0, head);
    return page;
}

}  // namespace oai
