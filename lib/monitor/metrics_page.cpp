// SPDX-License-Identifier: MIT
// The page /-/metrics: the counters of Metrics and the current ServerStatus. There is one series
// for each harvester (of the busiest), format and fault (up to a limit). These come and go, so they
// are made anew for each request of the page.
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <functional>
#include <span>

#include "base/text.h"
#include "monitor/admin_pages.h"

namespace oai {
namespace {

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
    template <typename Number>
    void add(Number value, Labels labels = {}) {
        ClientMetric metric;
        metric.label = std::move(labels);
        (all_.back().type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
            static_cast<double>(value);
        all_.back().metric.push_back(std::move(metric));
    }
    // Families with a single series without labels.
    template <typename Number>
    void gauge(const char* name, const char* help, Number value) {
        begin(name, help);
        add(value);
    }
    template <typename Number>
    void counter(const char* name, const char* help, Number value) {
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
    out.begin("oai_healthy", "Whether the part is well; /-/health says why it is not.");
    out.add(health.database.empty(), {{"part", "database"}});
    out.add(health.publisher.empty(), {{"part", "publisher"}});
    out.add(health.formats.empty(), {{"part", "formats"}});
    out.gauge("oai_start_time_seconds", "When the server was started, in seconds since 1970.",
              seconds_since_1970(status.started));
    out.gauge("oai_workers", "Threads, each with one request at a time.", status.workers);
}

void add_pool(FamilyBuilder& out, const ServerStatus& status) {
    out.begin("oai_pool_connections", "Connections to the database: in use, idle, and the limit.");
    out.add(status.pool.in_use, {{"state", "in_use"}});
    out.add(status.pool.idle, {{"state", "idle"}});
    out.add(status.connections, {{"state", "limit"}});
    out.gauge("oai_pool_waiting", "Requests that wait for a connection now.", status.pool.waiting);
    out.counter("oai_pool_taken_total", "Connections taken.", status.pool.taken);
    out.counter("oai_pool_waits_total", "Requests that had to wait for a connection.",
                status.pool.waited);
    out.counter("oai_pool_refusals_total", "Requests that got none: 503.", status.pool.refused);
    out.counter("oai_pool_wait_seconds_total", "Time that requests waited for a connection.",
                std::chrono::duration<double>(status.pool.waiting_time).count());
    out.counter("oai_prefetched_pages_total", "Pages of lists that were read ahead.",
                status.prefetched.asked);
    out.counter("oai_prefetched_pages_taken_total", "Those of them that were asked for then.",
                status.prefetched.taken);
}

void add_publisher(FamilyBuilder& out, const ServerStatus& status) {
    if (const auto lag = lag_seconds(status))
        out.gauge("oai_publisher_lag_seconds",
                  "From what is published to the clock; 1 to 3 is well.", *lag);
    if (status.database.queued >= 0)
        out.gauge(
            "oai_publisher_queue",
            "Changes that wait to be published: of each transaction exact up to 1,000, beyond "
            "that no less than there are.",
            status.database.queued);
    if (status.database.queued >= 0)
        out.gauge(
            "oai_publisher_blocked_seconds",
            "For how long changes have been waiting for the lock of another session; 0: none is.",
            status.database.blocked_seconds);
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
            out.add(1, {{"format", format->prefix},
                        {"runs",
                         way_of(*format, status.compiled) == "compiled" ? "compiled" : "libxslt"}});
    out.gauge("oai_format_faults",
              "Stylesheets that are not as their directory says they should be, by what is wrong.",
              status.formats.faults.size());
    out.begin("oai_format_fault", "1 for each fault, with file and line, and why.");
    for (std::size_t i = 0; i < std::min(kMaxFaults, status.formats.faults.size()); ++i)
        out.add(1, fault_labels(status.formats.faults[i]));
    out.gauge("oai_format_unannounced_changes",
              "Stylesheets that make records otherwise than before without a new `since`, so that "
              "incremental harvesters do not fetch them.",
              status.formats.unannounced.size());
    out.begin("oai_format_changes_total",
              "Stylesheets that went live, were refused, or were removed since the start.",
              MetricType::Counter);
    out.add(status.formats.live, {{"became", "live"}});
    out.add(status.formats.refused, {{"became", "refused"}});
    out.add(status.formats.removed, {{"became", "removed"}});
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
    add_each("oai_harvester_records_total", "Records given to each of the ten.",
             MetricType::Counter, &Harvester::records);
    add_each("oai_harvester_errors_total",
             "Requests of each of the ten that were answered with an error.", MetricType::Counter,
             &Harvester::errors);
    add_each(
        "oai_harvester_seen_seconds", "When each of the ten last asked, in seconds since 1970.",
        MetricType::Gauge, [](const Harvester& h) { return seconds_since_1970(h.seen); });
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
