// SPDX-License-Identifier: MIT
// harvester SOURCE WHAT CLIENTS [REQUESTS] [gzip|once]: sends requests as harvesters do, as fast as
// the provider answers, and prints how fast that was: name, value, unit.
//   SOURCE    http://.../oai, or the path of an oai.ini: the service then answers in this process
//   WHAT      ListRecords, ListIdentifiers or ListSets: each client reads the whole list
//             first: REQUESTS times the first page of ListRecords
//             Identify, ListMetadataFormats: REQUESTS times
//             GetRecord: REQUESTS times, for records of the first page
//             in oai_dc, or with :PREFIX behind it in another format
//   CLIENTS   number of clients at the same time
//   REQUESTS  of a list the most pages that are read; unset: all of them
//   once      local identifiers are the numbers from 1 on: counts those that come again
// Fails if a list does not have as many records as its first page says, or an answer is not 200.
#include <curl/curl.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "base/text.h"
#include "server/service.h"
#include "web/request.h"
#include "xml/document.h"

namespace {

using Stopwatch = std::chrono::steady_clock;

double milliseconds_since(Stopwatch::time_point begin) {
    return std::chrono::duration<double, std::milli>(Stopwatch::now() - begin).count();
}

// One client's connection to the provider.
class Source {
  public:
    virtual ~Source() = default;
    // Sends a request and keeps the whole body as it was received.
    virtual void ask(const std::string& query) = 0;
    // Returns the decompressed body. Decompression is not counted as the provider's time.
    virtual const std::string& text() = 0;
};

struct CurlClose {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

struct CurlFree {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// Uses a very fast decompressor, since the server's speed is measured, not the client's.
void gunzip(std::string& packed, std::string& out) {
    inflate_state state;
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
    state.next_in = reinterpret_cast<std::uint8_t*>(packed.data());
    state.avail_in = static_cast<std::uint32_t>(packed.size());
    for (std::size_t made = 0; state.block_state != ISAL_BLOCK_FINISH; made = state.total_out) {
        if (out.size() < made + packed.size()) out.resize(2 * out.size() + packed.size());
        state.next_out = reinterpret_cast<std::uint8_t*>(out.data()) + made;
        state.avail_out = static_cast<std::uint32_t>(out.size() - made);
        if (isal_inflate(&state) != ISAL_DECOMP_OK || state.total_out == made)
            throw std::runtime_error("the answer is no gzip, or ends too soon");
    }
    out.resize(state.total_out);
}

class HttpSource final : public Source {
  public:
    HttpSource(std::string url, bool gzip)
        : url_(std::move(url)), gzip_(gzip), curl_(curl_easy_init()) {
        curl_easy_setopt(curl_.get(), CURLOPT_WRITEFUNCTION, append);
        curl_easy_setopt(curl_.get(), CURLOPT_WRITEDATA, &body_);
        if (gzip_) curl_easy_setopt(curl_.get(), CURLOPT_HTTPHEADER, accept_gzip_.get());
    }
    void ask(const std::string& query) override {
        body_.clear();
        curl_easy_setopt(curl_.get(), CURLOPT_URL, (url_ + "?" + query).c_str());
        const CURLcode failed = curl_easy_perform(curl_.get());
        long status = 0;
        curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
        if (failed != CURLE_OK || status != 200)
            throw std::runtime_error(query + ": " + curl_easy_strerror(failed) + ", status " +
                                     std::to_string(status));
    }
    const std::string& text() override {
        if (!gzip_) return body_;
        gunzip(body_, unpacked_);
        return unpacked_;
    }

  private:
    static std::size_t append(const char* data, std::size_t, std::size_t bytes, void* body) {
        static_cast<std::string*>(body)->append(data, bytes);
        return bytes;
    }
    const std::string url_;
    const bool gzip_;
    const std::unique_ptr<curl_slist, CurlFree> accept_gzip_{
        curl_slist_append(nullptr, "Accept-Encoding: gzip")};
    const std::unique_ptr<CURL, CurlClose> curl_;
    std::string body_, unpacked_;
};

class ServiceSource final : public Source {
  public:
    explicit ServiceSource(oai::Service& service) : service_(service) {}
    void ask(const std::string& query) override {
        const auto variable = [&](std::string_view name) -> std::string_view {
            if (name == "QUERY_STRING") return query;
            return name == "REQUEST_METHOD" ? "GET" : name == "REQUEST_URI" ? "/oai?" : "";
        };
        body_ = service_.answer(std::get<oai::Request>(oai::read_request(variable, ""))).body;
    }
    const std::string& text() override { return body_; }

  private:
    oai::Service& service_;
    std::string body_;
};

struct Tally {
    std::int64_t records = 0, requests = 0, bytes = 0, distinct = 0;
    std::vector<double> milliseconds;  // of each request
};

std::int64_t count(std::string_view body, std::string_view what) {
    std::int64_t n =
        0;  // memmem, since string_view::find takes as long as the server takes for the page
    const char* const end = body.data() + body.size();
    for (const char* at = body.data(); at != end; ++n) {
        const void* found =
            memmem(at, static_cast<std::size_t>(end - at), what.data(), what.size());
        if (found == nullptr) break;
        at = static_cast<const char*>(found) + what.size();
    }
    return n;
}

std::string_view between(std::string_view body, std::string_view begin, char end) {
    const std::size_t at = body.find(begin);
    if (at == std::string_view::npos) return {};
    const std::size_t from = at + begin.size();
    return body.substr(from, body.find(end, from) - from);
}

// Returns the resumptionToken element at the end of a page, "" if there is none.
std::string_view token_element(std::string_view body) {
    const std::size_t at = body.rfind("<resumptionToken");
    return at == std::string_view::npos ? std::string_view() : body.substr(at);
}

// Returns the token, "" at the end of a list, where the element has no content or is an
// empty-element tag.
std::string_view token_of(std::string_view element) {
    const bool is_empty_tag = element.substr(0, element.find('>')).ends_with('/');
    return is_empty_tag ? std::string_view() : between(element, ">", '<');
}

const std::string& ask(Source& source, const std::string& query, Tally& tally) {
    const auto begin = Stopwatch::now();
    source.ask(query);
    tally.milliseconds.push_back(milliseconds_since(begin));
    const std::string& body = source.text();
    ++tally.requests;
    tally.bytes += static_cast<std::int64_t>(body.size());
    return body;
}

// Marks the numbers of a page's records; returns how many of them were not marked before.
std::int64_t mark_numbers(std::string_view body, std::vector<bool>& seen) {
    constexpr std::string_view kEnd = "</identifier>";
    std::int64_t fresh = 0;
    for (std::size_t at = 0; (at = body.find(kEnd, at)) != body.npos; at += kEnd.size()) {
        const std::size_t from = body.rfind(':', at) + 1;
        const auto number = static_cast<std::size_t>(
            oai::text::to_integer(body.substr(from, at - from)).value_or(0));
        if (seen.size() <= number) seen.resize(2 * number + 1);
        fresh += seen[number] ? 0 : 1;
        seen[number] = true;
    }
    return fresh;
}

struct Wanted {
    std::string what;
    int requests;  // 0: as many as a list has pages
    bool once;
};

// Answers may leave the number of sets out, and do that of records if they fit on one page.
Tally take_list(Source& source, const std::string& verb, const std::string& prefix,
                const Wanted& wanted) {
    const bool of_sets = verb == "ListSets";
    Tally tally;
    std::vector<bool> seen;
    std::string query = "verb=" + verb + (of_sets ? "" : "&metadataPrefix=" + prefix), size;
    while (!query.empty()) {
        const std::string& body = ask(source, query, tally);
        tally.records += count(body, of_sets ? "</set>" : "</header>");
        if (wanted.once) tally.distinct += mark_numbers(body, seen);
        if (tally.requests == wanted.requests) return tally;
        const std::string_view element = token_element(body);
        if (size.empty()) size = between(element, "completeListSize=\"", '"');
        const std::string token(token_of(element));
        query = token.empty() ? "" : "verb=" + verb + "&resumptionToken=" + token;
    }
    const bool is_one_page = tally.requests == 1 && tally.records > 0;
    if (size != std::to_string(tally.records) && !(size.empty() && (of_sets || is_one_page)))
        throw std::runtime_error(verb + ": " + std::to_string(tally.records) + " records came of " +
                                 size);
    return tally;
}

Tally repeat(Source& source, const std::vector<std::string>& queries, int requests) {
    Tally tally;
    for (int i = 0; i < requests; ++i) {
        const std::string& body =
            ask(source, queries[static_cast<std::size_t>(i) % queries.size()], tally);
        if (body.find("<error") != std::string::npos)
            throw std::runtime_error(body.substr(0, 1000));
        tally.records += count(body, "</header>");
    }
    return tally;
}

std::vector<std::string> records_of_first_page(Source& source, const std::string& prefix) {
    source.ask("verb=ListIdentifiers&metadataPrefix=" + prefix);
    std::string_view body = source.text();
    std::vector<std::string> queries;
    for (std::size_t at = 0; (at = body.find("<header>", at)) != std::string_view::npos; ++at) {
        const std::string identifier(between(body.substr(at), "<identifier>", '<'));
        queries.push_back("verb=GetRecord&metadataPrefix=" + prefix + "&identifier=" + identifier);
    }
    if (queries.empty()) throw std::runtime_error("the first page lists no record");
    return queries;
}

Tally work(Source& source, const Wanted& wanted) {
    const std::string& given = wanted.what;
    const int requests = std::max(1, wanted.requests);
    const std::size_t colon = given.find(':');
    const std::string what = given.substr(0, colon);
    const std::string prefix = colon == given.npos ? "oai_dc" : given.substr(colon + 1);
    if (what == "ListRecords" || what == "ListIdentifiers" || what == "ListSets")
        return take_list(source, what, prefix, wanted);
    if (what == "first")
        return repeat(source, {"verb=ListRecords&metadataPrefix=" + prefix}, requests);
    if (what == "Identify" || what == "ListMetadataFormats")
        return repeat(source, {"verb=" + what}, requests);
    if (what == "GetRecord") return repeat(source, records_of_first_page(source, prefix), requests);
    throw std::runtime_error("unknown: " + given);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Shows whether a list becomes slower towards its end: the times of its first ten and of its last
// ten pages, and the speed of its last tenth over that of its first, as the first client measured.
void report_ends(const std::vector<double>& milliseconds) {
    const auto tenth = static_cast<std::ptrdiff_t>((milliseconds.size() + 9) / 10);
    const double first = std::accumulate(milliseconds.begin(), milliseconds.begin() + tenth, 0.0);
    const double last = std::accumulate(milliseconds.end() - tenth, milliseconds.end(), 0.0);
    std::printf("last_over_first_tenth\t%.3f\tratio\n", first / last);
    const auto ten = static_cast<std::ptrdiff_t>(std::min<std::size_t>(10, milliseconds.size()));
    std::printf("request_first_p50\t%.2f\tms\nrequest_last_p50\t%.2f\tms\n",
                median({milliseconds.begin(), milliseconds.begin() + ten}),
                median({milliseconds.end() - ten, milliseconds.end()}));
}

// Runs all clients at once; rethrows an exception that any of them threw.
std::vector<Tally> work_together(const std::vector<std::unique_ptr<Source>>& sources,
                                 const Wanted& wanted) {
    std::vector<Tally> tallies(sources.size());
    std::vector<std::exception_ptr> failures(sources.size());
    {
        std::vector<std::jthread> clients;
        for (std::size_t i = 0; i < sources.size(); ++i)
            clients.emplace_back([&, i] {
                try {
                    tallies[i] = work(*sources[i], wanted);
                } catch (...) {
                    failures[i] = std::current_exception();
                }
            });
    }
    for (const auto& failure : failures)
        if (failure) std::rethrow_exception(failure);
    return tallies;
}

void report(const std::vector<Tally>& tallies, double seconds) {
    Tally all;
    for (const Tally& t : tallies) {
        all.records += t.records;
        all.requests += t.requests;
        all.bytes += t.bytes;
        all.milliseconds.insert(all.milliseconds.end(), t.milliseconds.begin(),
                                t.milliseconds.end());
    }
    std::sort(all.milliseconds.begin(), all.milliseconds.end());
    const auto percentile = [&](std::size_t p) {
        return all.milliseconds[(all.milliseconds.size() - 1) * p / 100];
    };
    std::printf(
        "seconds\t%.3f\ts\nrecords_per_second\t%.0f\trecords/"
        "s\nrequests_per_second\t%.1f\trequests/s\n"
        "megabytes_per_second\t%.1f\tMB/s\nrequest_p50\t%.2f\tms\nrequest_p99\t%.2f\tms\n",
        seconds, static_cast<double>(all.records) / seconds,
        static_cast<double>(all.requests) / seconds, static_cast<double>(all.bytes) / seconds / 1e6,
        percentile(50), percentile(99));
}

int run(const std::vector<std::string>& arguments) {
    const std::string& where = arguments[0];
    const int clients = std::stoi(arguments[2]);
    const bool gzip = arguments.back() == "gzip";
    const bool has_number = arguments.size() > 3 && std::isdigit(arguments[3][0]) != 0;
    const Wanted wanted{.what = arguments[1],
                        .requests = has_number ? std::stoi(arguments[3]) : 0,
                        .once = arguments.back() == "once"};
    const oai::SystemClock clock;
    std::optional<oai::Service> service;
    std::vector<std::unique_ptr<Source>> sources;
    if (where.starts_with("http")) {
        curl_global_init(CURL_GLOBAL_DEFAULT);
    } else {
        oai::log::set_level(oai::log::Level::warning);
        oai::xml::initialise();
        service.emplace(oai::read_config(where), clock);
        service->read_horizon();
    }
    for (int i = 0; i < clients; ++i)
        if (service)
            sources.push_back(std::make_unique<ServiceSource>(*service));
        else
            sources.push_back(std::make_unique<HttpSource>(where, gzip));
    const auto begin = Stopwatch::now();
    const std::vector<Tally> tallies = work_together(sources, wanted);
    report(tallies, milliseconds_since(begin) / 1000);
    report_ends(tallies.front().milliseconds);
    if (const Tally& t = tallies.front(); wanted.once)
        std::printf("records\t%ld\trecords\ndoubled\t%ld\trecords\n", t.records,
                    t.records - t.distinct);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4 || argc > 6) {
        std::fputs("usage: harvester URL|INI WHAT CLIENTS [REQUESTS] [gzip]\n", stderr);
        return 2;
    }
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& e) {
        std::fprintf(stderr, "harvester: %s\n", e.what());
        return 1;
    }
}
