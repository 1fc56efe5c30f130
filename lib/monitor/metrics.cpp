// SPDX-License-Identifier: MIT
// The metrics of admin_pages.h: counters, and gauges that are read when the page is requested.
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>

#include "base/text.h"
#include "base/version.h"
#include "monitor/admin_pages.h"

namespace oai {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;

const Histogram::BucketBoundaries kSeconds{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                           0.2,   0.5,   1,     2,    5,    10,   30};

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

Family<Counter>& counters(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

bool is_gzip(const Response& response) {
    return std::ranges::any_of(
        response.headers, [](const auto& h) { return h.first == "Content-Encoding"; });
}

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

constexpr std::size_t kMaxHarvesters = 10;
constexpr std::size_t kMaxFaults = 50;
constexpr std::size_t kMaxFaultBytes = 400;  // of a fault's label `why`

// Builds metric families one after the other; add() adds a series to the last one.
class FamilyBuilder {
  public:
    explicit FamilyBuilder(std::vector<MetricFamily> counted) : all_(std::move(counted)) {}
    void begin(const char* name, const char* help, MetricType type = MetricType::Gauge) {
        all_.push_back({name, help, type, {}});
    }
    void add(auto value, Labels labels = {}) {
        ClientMetric metric;
        metric.label = std::move(labels);
        (all_.back().type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
            static_cast<double>(value);
        all_.back().metric.push_back(std::move(metric));
    }
    // Families with a single series without labels.
    void gauge(const char* name, const char* help, auto value) {
        begin(name, help);
        add(value);
    }
    void counter(const char* name, const char* help, auto value) {
        begin(name, help, MetricType::Counter);
        add(value);
    }
    // The page. Leaves out families without a series, of which only the help text would remain.
    std::string text() {
        std::erase_if(all_, [](const MetricFamily& family) { return family.metric.empty(); });
        return prometheus::TextSerializer().Serialize(all_);
    }

  private:
    std::vector<MetricFamily> all_;
};

std::int64_t seconds_since_1970(Seconds t) { return t.time_since_epoch().count(); }

void add_health(FamilyBuilder& out, const ServerStatus& status) {
    const Health health = health_of(status);
    out.begin("oai_build_info", "1, and which version serves.");
    out.add(1, {{"version", version()}, {"revision", source_commit()}});
    out.begin("oai_healthy", "Whether the part is well; /-/health says why it is not.");
    for (const auto& [part, trouble] : health.parts()) out.add(trouble.empty(), {{"part", part}});
    out.gauge("oai_start_time_seconds", "When the server was started, in seconds since 1970.",
              seconds_since_1970(status.started));
}

void add_pool(FamilyBuilder& out, const ServerStatus& status) {
    out.begin("oai_pool_connections", "Connections to the database: in use, idle, and the limit.");
    out.add(status.pool.in_use, {{"state", "in_use"}});
    out.add(status.pool.idle, {{"state", "idle"}});
    out.add(status.connections, {{"state", "limit"}});
    out.gauge("oai_pool_waiting", "Requests that wait for a connection now.", status.pool.waiting);
    out.counter("oai_pool_waits_total", "Requests that had to wait for a connection.",
                status.pool.waited);
    out.counter("oai_pool_refusals_total", "Requests that got none: 503.", status.pool.refused);
    out.counter("oai_pool_wait_seconds_total", "Time that requests waited for a connection.",
                seconds(status.pool.waiting_time));
}

void add_publisher(FamilyBuilder& out, const ServerStatus& status) {
    if (const auto lag = lag_seconds(status))
        out.gauge("oai_publisher_lag_seconds",
                  "From what is published to the clock; 1 to 3 is well.", *lag);
    if (status.database.queued >= 0) {
        out.gauge("oai_publisher_queue",
                  "Changes that wait to be published: exact up to 1,000 of each transaction.",
                  status.database.queued);
        out.gauge("oai_held_departures",
                  "Items that are gone from their source with most others, and stay for a while.",
                  status.database.held);
        out.gauge("oai_publisher_blocked_seconds",
                  "For how long changes have been waiting for the lock of another session.",
                  status.database.blocked_seconds);
    }
    if (status.database.horizon)
        out.counter("oai_publications_total", "Publication numbers given out.",
                    status.database.horizon->last_seq);
}

// Splits "file:line: message" into the labels `where` and `why`.
Labels fault_labels(const std::string& fault) {
    const std::size_t colon = fault.find(": ");
    const bool has_place = colon != std::string::npos;
    const std::string why = text::to_xml_text(has_place ? fault.substr(colon + 2) : fault);
    return {{"where", text::to_xml_text(has_place ? fault.substr(0, colon) : "")},
            {"why", std::string(text::utf8_prefix(why, kMaxFaultBytes))}};
}

void add_formats(FamilyBuilder& out, const ServerStatus& status) {
    out.begin("oai_format",
              "1 for each format that serves, and how it runs: compiled, or by libxslt.");
    if (status.registry != nullptr)
        for (const auto& format : status.registry->formats())
            out.add(1,
                    {{"format", format->prefix},
                     {"runs", execution_of(*format, status.compiled) == "compiled" ? "compiled"
                                                                                   : "libxslt"}});
    out.gauge("oai_format_faults",
              "Stylesheets that are not as their directory says they should be, by what is wrong.",
              status.format_faults.size());
    out.begin("oai_format_fault", "1 for each fault, with file and line, and why.");
    for (std::size_t i = 0; i < std::min(kMaxFaults, status.format_faults.size()); ++i)
        out.add(1, fault_labels(status.format_faults[i]));
}

void add_harvesters(FamilyBuilder& out, const std::vector<Harvester>& all) {
    const std::span<const Harvester> busiest(all.data(), std::min(all.size(), kMaxHarvesters));
    const auto add_each = [&](const char* name, const char* help, MetricType type, auto value) {
        out.begin(name, help, type);
        for (const Harvester& h : busiest)
            out.add(std::invoke(value, h), {{"harvester", h.address}, {"agent", h.agent}});
    };
    add_each("oai_harvester_requests_total", "Requests of each of the ten busiest harvesters.",
             MetricType::Counter, &Harvester::requests);
    add_each("oai_harvester_errors_total",
             "Requests of each of the ten that were answered with an error.", MetricType::Counter,
             &Harvester::errors);
    add_each(
        "oai_harvester_seen_seconds", "When each of the ten last asked, in seconds since 1970.",
        MetricType::Gauge, [](const Harvester& h) { return seconds_since_1970(h.seen); });
    add_each(
        "oai_harvester_usual_seconds",
        "Time after which each of the ten usually comes again; 0: unknown.", MetricType::Gauge,
        [](const Harvester& h) { return h.usual.count(); });
    const auto list_labels = [](const Harvester& h) {
        return Labels{{"harvester", h.address},
                      {"agent", h.agent},
                      {"verb", h.verb},
                      {"format", h.prefix},
                      {"set", h.set}};
    };
    out.begin("oai_harvester_list_records",
              "How many records of the list that it is at each of the ten has.");
    for (const Harvester& h : busiest)
        if (!h.verb.empty()) out.add(h.delivered, list_labels(h));
    out.begin("oai_harvester_list_size", "completeListSize of that list, where it is known.");
    for (const Harvester& h : busiest)
        if (!h.verb.empty() && h.size >= 0) out.add(h.size, list_labels(h));
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
        prometheus::BuildHistogram()
            .Name("oai_request_seconds")
            .Help("Time from a whole request to the web server's having its answer.")
            .Register(registry);
    Family<Counter>& parts = counters(registry, "oai_request_part_seconds_total",
                                      "Of the time of requests, that spent waiting for the "
                                      "database, in stylesheets, and in handing answers over.");
    Counter& database = parts.Add({{"part", "database"}});
    Counter& transform = parts.Add({{"part", "transform"}});
    Counter& write = parts.Add({{"part", "write"}});
    Family<Counter>& sent_bytes =
        counters(registry, "oai_sent_bytes_total",
                 "Bodies of answers handed over, plain and as compressed by gzip.");
    Counter& plain_bytes = sent_bytes.Add({{"coding", "plain"}});
    Counter& gzip_bytes = sent_bytes.Add({{"coding", "gzip"}});
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
    for (const std::string_view verb : kVerbNames)
        for (const char* outcome : {"ok", "limited", "unavailable", "broken"})
            state_->requests.Add({{"verb", std::string(verb)}, {"outcome", outcome}});
}

Metrics::~Metrics() = default;

void Metrics::count(const RequestLog& log, const Response& response, std::string_view prefix) {
    State& s = *state_;
    const RequestStats& stats = log.stats;
    const std::string verb(verb_of(log));
    const std::string outcome(outcome_of(log, response.status));
    s.requests.Add({{"verb", verb}, {"outcome", outcome}}).Increment();
    s.page_seconds.Add({{"verb", verb}}, kSeconds)
        .Observe(seconds(std::chrono::steady_clock::now() - log.began));
    if (stats.records > 0) s.records.Add({{"verb", verb}}).Increment(stats.records);
    s.database.Increment(seconds(stats.database));
    s.transform.Increment(seconds(stats.transform));
    s.write.Increment(seconds(log.write));
    (is_gzip(response) ? s.gzip_bytes : s.plain_bytes)
        .Increment(static_cast<double>(response.body.size()));
    if (!stats.bad_records.empty())
        s.bad_records.Add({{"format", std::string(prefix)}})
            .Increment(static_cast<double>(stats.bad_records.size()));
    if (stats.difference) s.differences.Add({{"format", std::string(prefix)}}).Increment();
}

void Metrics::register_format(const std::string& prefix) {
    state_->bad_records.Add({{"format", prefix}});
    state_->differences.Add({{"format", prefix}});
}

std::vector<prometheus::MetricFamily> Metrics::collect() const {
    return state_->registry.Collect();
}

Response metrics_page(const ServerStatus& status, const Metrics& metrics) {
    FamilyBuilder families(metrics.collect());
    add_health(families, status);
    add_pool(families, status);
    add_publisher(families, status);
    add_formats(families, status);
    add_harvesters(families, status.harvesters);
    return {.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"},
                        {"Cache-Control", "no-store"}},
            .body = families.text()};
}

}  // namespace oai
