// SPDX-License-Identifier: MIT
#include "browse/captures.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <ctime>

#include "base/clock.h"
#include "browse/page_address.h"
#include "browse/search_question.h"
#include "web/surt.h"

namespace oai {
namespace {

constexpr int kRetrySeconds = 5;
constexpr std::size_t kMaxLinkBytes = 3'000;  // web servers have a buffer of 4 KB for headers
constexpr std::chrono::milliseconds kMaxFilterTime{200};  // of the processor, for one list

// Before the bracket of a key: "cz,example" of "http://www.example.cz/a"; "" if there is none.
std::string host_key(const std::string& url) {
    const std::string key = surt_of(with_scheme(url)).text;
    const auto bracket = key.find(')');
    if (bracket == key.npos) throw Refused{"url: it has no host"};
    return key.substr(0, bracket);
}

// As in CDX servers "*.example.org" means the domain, and "example.org/a*" a prefix.
CaptureRange range_of(CdxQuery& query) {
    if (!query.match) {
        query.match = MatchType::exact;
        if (query.key.empty() && query.url.starts_with("*.")) {
            query.match = MatchType::domain;
            query.url.erase(0, 2);
        } else if (query.key.empty() && query.url.ends_with('*')) {
            query.match = MatchType::prefix;
            query.url.pop_back();
        }
    }
    if (!query.method.empty()) query.url = url_of_request(query.url, query.method, query.body);
    switch (*query.match) {
        case MatchType::prefix:
            return query.key.empty() ? url_prefix(query.url)
                                     : CaptureRange{query.key, query.key + "\U0010FFFF"};
        // Behind the name of a host stands a bracket, or a comma and a further name; what follows
        // both in ASCII ends the range.
        case MatchType::host:
        case MatchType::domain: {
            const std::string host = host_key(query.url);
            return {host + ")", host + (*query.match == MatchType::host ? "*" : "-")};
        }
        default: break;
    }
    const std::string key = query.key.empty() ? surt_of(with_scheme(query.url)).text : query.key;
    return {key, *query.match == MatchType::range ? std::string("\U0010FFFF") : key + '\x01'};
}

bool passes_filter(const Capture& capture, const Filter& f) {
    const std::string value = f.field == nullptr ? cdx_line(capture) : f.field->value(capture);
    bool found = f.equal ? value == f.text : value.find(f.text) != value.npos;
    if (!found && f.expression)
        found = f.expression->Match(value, 0, value.size(),
                                    f.at_start ? RE2::ANCHOR_START : RE2::ANCHOR_BOTH, nullptr, 0);
    return found != f.inverted;
}

// What is made of captures as they are looked at, one after the other.
class Listing {
  public:
    Listing(const CdxQuery& query, std::int64_t limit)
        : query_(query), limit_(limit), left_(query.offset), value_(query.collapsed) {}

    // False once the list is full and there is another one, or the filters have taken their time.
    bool add(const Capture& capture) {
        if (capture.shown && passes(capture)) {
            std::string value = value_of(capture);
            if (!query_.collapse.empty() && value == value_) {
                if (query_.last_of_equal && !found.empty()) found.back() = capture;
            } else if (left_ == 0 && std::ssize(found) == limit_) {
                return false;
            } else {
                if (left_ > 0)
                    --left_;
                else
                    found.push_back(capture);
                value_ = std::move(value);
            }
        }
        last_ = capture.place;
        return query_.filters.empty() || processor_time() - began_ < kMaxFilterTime;
    }
    // Further ones may follow behind the last capture that was looked at.
    void end_early() { next = last_ ? place_text(*last_, value_) : ""; }

    std::vector<Capture> found{};
    std::string next{};
    bool late = false;

  private:
    bool passes(const Capture& capture) const {
        return std::all_of(
            query_.filters.begin(), query_.filters.end(),
            [&](const Filter& f) { return passes_filter(capture, f); });
    }
    // As its tag, so that a key of what follows stays short.
    std::string value_of(const Capture& capture) const {
        if (query_.collapse.empty()) return "";
        std::string value;
        for (const Collapse& collapse : query_.collapse)
            value += collapse.field->value(capture).substr(0, collapse.characters) + ' ';
        return entity_tag(value);
    }
    const CdxQuery& query_;
    const std::int64_t limit_;
    std::int64_t left_;
    std::string value_;
    std::optional<CapturePlace> last_{};
    const std::chrono::nanoseconds began_ = processor_time();
};

int first_chunk(const CdxQuery& query) {
    const bool picks = !query.filters.empty() || !query.collapse.empty() ||
                       (query.closest && *query.match != MatchType::exact);
    return picks ? static_cast<int>(kMaxLimit)
                 : static_cast<int>(std::min(std::abs(query.limit) + query.offset + 1, kMaxLimit));
}

// Captures of one key by how far they are from a time. Of two that are as far the earlier one is
// nearer. What was looked at lies between two moments, and the last of them tells both.
void list_closest(Listing& list, SearchQueries& search, const CdxQuery& query,
                  const CaptureRange& range) {
    const Seconds time = *query.closest;
    const auto distance = [&](const Seconds& t) { return std::chrono::abs(t - time); };
    CaptureWalk::Bounds before{.range = range, .times = query.times, .backwards = true};
    CaptureWalk::Bounds behind{.range = range, .times = query.times};
    Seconds until = time, since = time + std::chrono::seconds{1};
    if (query.after) {
        const Seconds last{std::chrono::floor<std::chrono::seconds>(
            std::chrono::microseconds{query.after->moment})};
        if (last <= time) {
            before.after = query.after;
            since = std::max(since, time + distance(last));
        } else {
            behind.after = query.after;
            until = time - distance(last) - std::chrono::seconds{1};
        }
    }
    before.times.until = std::min(until, query.times.until.value_or(until));
    behind.times.since = std::max(since, query.times.since.value_or(since));
    const int chunk = std::min(first_chunk(query), 40);
    CaptureWalk earlier(search, before, chunk), later(search, behind, chunk);
    const Capture *a = earlier.next(), *b = later.next();
    list.late = earlier.is_late() || later.is_late();
    while (a != nullptr || b != nullptr) {
        if ((a == nullptr && earlier.is_cut_short()) || (b == nullptr && later.is_cut_short()))
            return list.end_early();
        const bool first =
            b == nullptr || (a != nullptr && distance(a->captured_at) <= distance(b->captured_at));
        if (!list.add(first ? *a : *b)) return list.end_early();
        (first ? a : b) = (first ? earlier : later).next();
    }
    if (earlier.is_cut_short() || later.is_cut_short()) list.end_early();
}

// end: where the page ends, if one was asked for by its number.
void list_in_order(Listing& list, SearchQueries& search, const CdxQuery& query,
                   const CaptureRange& range, const std::optional<CapturePlace>& end) {
    CaptureWalk walk(search,
                     {.range = range,
                      .times = query.times,
                      .after = query.after,
                      .backwards = query.sort == Sort::reverse},
                     first_chunk(query));
    while (const Capture* capture = walk.next()) {
        if (end &&
            std::tie(capture->place.key, capture->place.moment) >= std::tie(end->key, end->moment))
            return;
        if (!list.add(*capture)) return list.end_early();
    }
    list.late = walk.is_late();
    if (walk.is_cut_short()) list.end_early();
}

// Pages count captures whether they are shown or not, so that none is looked at.
std::int64_t pages_of(SearchQueries& search, const CdxQuery& query, const CaptureRange& range) {
    const auto all = search.position(range, 0, kMostPaged + 1);
    if (!all || all->captures > kMostPaged)
        throw Refused{
            "page, showNumPages: pages of more than 300,000 captures are not numbered; go from "
            "list to list by showResumeKey and resumeKey"};
    return (all->captures + query.blocks * kBlock - 1) / (query.blocks * kBlock);
}

Response page_count(const CdxQuery& query, std::int64_t pages) {
    if (query.output == CaptureOutput::text)
        return text_response("text/plain; charset=UTF-8", std::to_string(pages) + "\n", false);
    return text_response("application/json",
                         fmt::format("{{\"pages\": {}, \"pageSize\": {}, \"blocks\": {}}}\n", pages,
                                     query.blocks, pages * query.blocks),
                         false);
}

std::string address_of(const CapturesQuestion& question, const std::string& next) {
    std::vector<Argument> arguments = question.request.arguments;
    std::erase_if(arguments, [](const Argument& a) { return a.name == "resumeKey"; });
    arguments.push_back({"resumeKey", next});
    return question.base + question.request.path.substr(mount_of(question.base).size()) + "?" +
           query_of(arguments, ":/");
}

Response answer(const CapturesQuestion& question, CdxQuery query) {
    SearchQueries& search = question.search;
    CaptureRange range = range_of(query);
    if (query.after && (query.after->key < range.first || query.after->key >= range.before))
        throw Refused{"resumeKey: it belongs to other parameters"};
    std::optional<CapturePlace> end;
    if (query.counts_pages) return page_count(query, pages_of(search, query, range));
    if (query.page) {
        const auto pages = pages_of(search, query, range);
        if (*query.page > 0 && *query.page >= pages)  // clients ask until they hear this
            throw Refused{fmt::format("page: there are {} pages, from 0 on", pages)};
        const std::int64_t size = query.blocks * kBlock, passed = *query.page * size;
        const auto begin = search.position(range, passed, passed + size + 1);
        const auto behind = search.position(range, passed + size, passed + size + 1);
        if (!begin || !behind) throw late();
        if (!query.after) query.after = begin->place;
        end = behind->place;
    }
    const bool all = query.closest && *query.match != MatchType::exact;
    const std::int64_t limit = std::abs(query.limit);
    Listing list(query, all ? kMaxLimit : limit);
    if (query.closest && !all)
        list_closest(list, search, query, range);
    else
        list_in_order(list, search, query, range, end);
    if (all) {  // of as many as are looked at
        std::ranges::stable_sort(list.found, {}, [&](const Capture& capture) {
            return std::chrono::abs(capture.captured_at - *query.closest);
        });
        list.found.resize(std::min(list.found.size(), static_cast<std::size_t>(limit)));
    }
    if (query.limit < 0) std::ranges::reverse(list.found);
    if (list.late && list.found.empty()) throw late();
    Response response =
        write_captures(question, query, list.found, query.shows_key ? list.next : "");
    if (const std::string further = address_of(question, list.next);
        !list.next.empty() && further.size() < kMaxLinkBytes)
        response.headers.emplace_back("Link", "<" + further + ">; rel=\"next\"");
    return response;
}

}  // namespace

std::chrono::nanoseconds processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

Refused late() { return {"This took too long; ask for less, or again later", 503}; }

Response list_captures(const CapturesQuestion& question) {
    const CdxQuery query = read_query(question);
    Response response = answer(question, query);
    // What ends in the past rarely changes, by archives that are loaded late: it may be kept as
    // long as closed lists are. Any other list is asked for again.
    const bool closed = query.times.until && *query.times.until < query.now;
    mark_closed(response, question.request, entity_tag(response.body),
                closed ? question.closed : CachePolicy{0, 1});
    return response;
}

Response respond(const CapturesQuestion& question, CapturesAnswer* answer) {
    Response response;
    try {
        if (!question.search.offers().captures)
            throw Refused{"This repository has no captures of URLs", 404};
        response = answer(question);
    } catch (const Refused& refused) {
        response = plain_response(refused.status, refused.why + ".",
                                  refused.status == 503 ? kRetrySeconds : 0);
        if (answer == list_captures) return response;
    }
    response.headers.emplace_back("Access-Control-Allow-Origin", "*");  // all of it is public
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    mark_momentary(response);
    // The answer depends on the date that was asked for, also where there is none.
    if (answer == timegate) response.headers.emplace_back("Vary", "Accept-Datetime");
    return response;
}

}  // namespace oai
