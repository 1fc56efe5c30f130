// SPDX-License-Identifier: MIT
#include "monitor/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <chrono>

namespace oai {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;

const Histogram::BucketBoundaries kSeconds{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                           0.2,   0.5,   1,     2,    5,    10,   30};
const Histogram::BucketBoundaries kRecords{0, 1, 10, 50, 100, 200, 500, 1000, 5000};

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

Family<Counter>& counters(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Family<Histogram>& histograms(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

bool is_list(const RequestLog& log) {
    if (!log.parsed.verb || !log.page.empty()) return false;
    const Verb verb = *log.parsed.verb;
    return verb == Verb::list_records || verb == Verb::list_identifiers || verb == Verb::list_sets;
}

bool is_gzip(const Response& response) {
    return std::any_of(
        response.headers.begin(), response.headers.end(),
        [](const auto& header) { return header.first == "Content-Encoding"; });
}

}  // namespace

struct Metrics::State {
    prometheus::Registry registry;
    Family<Counter>& requests =
        counters(registry, "oai_requests_total",
                 "Requests answered, by verb and outcome: ok, not_modified, an error code of "
                 "OAI-PMH, limited (client over its rate), "
                 "unavailable (503), broken (500) or refused (4xx).");
    Family<Histogram>& page_seconds =
        histograms(registry, "oai_request_seconds",
                   "Time from a whole request to the web server's having its answer.");
    Family<Histogram>& page_records = histograms(
        registry, "oai_page_records", "Records, or sets, in a page of a list that was answered.");
    Family<Counter>& parts = counters(registry, "oai_request_part_seconds_total",
                                      "Of the time of requests, that spent waiting for the "
                                      "database, in stylesheets, and in handing answers over.");
    Counter& database = parts.Add({{"part", "database"}});
    Counter& transform = parts.Add({{"part", "transform"}});
    Counter& write = parts.Add({{"part", "write"}});
    Counter& document_bytes = counters(registry, "oai_document_bytes_total",
                                       "OAI-PMH documents made, before compression.")
                                  .Add({});
    Family<Counter>& sent_bytes =
        counters(registry, "oai_sent_bytes_total",
                 "Bodies of answers handed over, plain and as compressed by gzip.");
    Counter& plain_bytes = sent_bytes.Add({{"coding", "plain"}});
    Counter& gzip_bytes = sent_bytes.Add({{"coding", "gzip"}});
    Counter& unsent = counters(registry, "oai_answers_unsent_total",
                               "Answers that the web server did not take to their end.")
                          .Add({});
    Family<Counter>& records =
        counters(registry, "oai_records_total", "Records, or sets, given out.");
    Family<Counter>& bad_records =
        counters(registry, "oai_bad_records_total",
                 "Times that a record could not be given out because a stylesheet failed on it; "
                 "the log has its identifier. Without "
                 "a format: sets whose description is no element.");
    Family<Counter>& differences = counters(
        registry, "oai_compiled_differences_total",
        "Records that a compiled stylesheet made otherwise than libxslt; the log has them.");
};

Metrics::Metrics() : state_(std::make_unique<State>()) {
    register_format("");
    for (const char* verb : {"Identify", "ListMetadataFormats", "ListSets", "GetRecord",
                             "ListIdentifiers", "ListRecords"})
        for (const char* outcome : {"ok", "limited", "unavailable", "broken"})
            state_->requests.Add({{"verb", verb}, {"outcome", outcome}});
}

Metrics::~Metrics() = default;

void Metrics::count(const RequestLog& log, const Response& response, std::string_view prefix) {
    State& s = *state_;
    const RequestStats& stats = log.stats;
    const std::string verb(verb_of(log));
    const std::string outcome(outcome_of(log, response.status));
    const std::string format(prefix);
    s.requests.Add({{"verb", verb}, {"outcome", outcome}}).Increment();
    s.page_seconds.Add({{"verb", verb}}, kSeconds)
        .Observe(seconds(std::chrono::steady_clock::now() - log.began));
    if (is_list(log) && (outcome == "ok" || outcome == "not_modified"))
        s.page_records.Add({{"verb", verb}}, kRecords).Observe(stats.records);
    if (stats.records > 0) s.records.Add({{"verb", verb}}).Increment(stats.records);
    s.database.Increment(seconds(stats.database));
    s.transform.Increment(seconds(stats.transform));
    s.write.Increment(seconds(log.write));
    s.document_bytes.Increment(static_cast<double>(log.document_bytes));
    (is_gzip(response) ? s.gzip_bytes : s.plain_bytes)
        .Increment(static_cast<double>(response.body.size()));
    if (!log.sent) s.unsent.Increment();
    if (!stats.bad_records.empty())
        s.bad_records.Add({{"format", format}})
            .Increment(static_cast<double>(stats.bad_records.size()));
    if (stats.difference) s.differences.Add({{"format", format}}).Increment();
}

void Metrics::register_format(const std::string& prefix) {
    state_->bad_records.Add({{"format", prefix}});
    state_->differences.Add({{"format", prefix}});
}

std::vector<prometheus::MetricFamily> Metrics::collect() const {
    return state_->registry.Collect();
}

}  // namespace oai
