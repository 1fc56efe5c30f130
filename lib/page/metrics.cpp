// SPDX-License-Identifier: MIT
// /-/metrics: what has been counted, and how things are now. Of harvesters, formats and faults there are as many series as
// there are of them, up to a limit, so these are made at the time of asking.
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "base/text.h"
#include "page/health.h"
#include "page/operation.h"

namespace oai {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

constexpr std::size_t kMostHarvesters = 10;
constexpr std::size_t kMostFaults = 50;
constexpr std::size_t kFaultBytes = 400;

class Families {
  public:
    explicit Families(std::vector<MetricFamily> counted) : all_(std::move(counted)) {}
    void begin(const char* name, const char* help, MetricType type = MetricType::Gauge) {
        all_.push_back({name, help, type, {}});
    }
    void add(double value, Labels labels = {}) {
        ClientMetric metric;
        metric.label = std::move(labels);
        (all_.back().type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
        all_.back().metric.push_back(std::move(metric));
    }
    void one(const char* name, const char* help, double value, MetricType type = MetricType::Gauge) {
        begin(name, help, type);
        add(value);
    }
    // A family without a series is only its help.
    std::string text() {
        std::erase_if(all_, [](const MetricFamily& family) { return family.metric.empty(); });
        return prometheus::TextSerializer().Serialize(all_);
    }

  private:
    std::vector<MetricFamily> all_;
};

double number(std::int64_t n) { return static_cast<double>(n); }
double number(Seconds t) { return static_cast<double>(t.time_since_epoch().count()); }

void add_health(Families& out, const Condition& c) {
    const Health health = health_of(c);
    out.begin("oai_healthy", "Whether the part is well; /-/health says why it is not.");
    out.add(health.database.empty(), {{"part", "database"}});
    out.add(health.publisher.empty(), {{"part", "publisher"}});
    out.add(health.formats.empty(), {{"part", "formats"}});
    out.one("oai_start_time_seconds", "When the server was started, in seconds since 1970.", number(c.started));
    out.one("oai_workers", "Threads, each with one request at a time.", c.workers);
}

void add_pool(Families& out, const Condition& c) {
    out.begin("oai_pool_connections", "Connections to the database: in use, idle, and the limit.");
    out.add(c.pool.in_use, {{"state", "in_use"}});
    out.add(c.pool.idle, {{"state", "idle"}});
    out.add(c.connections, {{"state", "limit"}});
    out.one("oai_pool_waiting", "Requests that wait for a connection now.", c.pool.waiting);
    out.one("oai_pool_taken_total", "Connections taken.", number(c.pool.taken), MetricType::Counter);
    out.one("oai_pool_waits_total", "Requests that had to wait for a connection.", number(c.pool.waited), MetricType::Counter);
    out.one("oai_pool_refusals_total", "Requests that got none: 503.", number(c.pool.refused), MetricType::Counter);
    out.one("oai_pool_wait_seconds_total", "Time that requests waited for a connection.",
            std::chrono::duration<double>(c.pool.waiting_time).count(), MetricType::Counter);
}

void add_publisher(Families& out, const Condition& c) {
    if (const auto lag = lag_seconds(c))
        out.one("oai_publisher_lag_seconds", "From what is published to the clock; 1 to 3 is well.", number(*lag));
    if (c.database.queued >= 0)
        out.one("oai_publisher_queue", "Changes that wait to be published: exact up to 1,000, beyond that no less than there are.",
                number(c.database.queued));
    if (c.database.horizon)
        out.one("oai_publications_total", "Publication numbers given out; they end at 2147483647.",
                number(c.database.horizon->last_seq), MetricType::Counter);
}

// "file:line: message" in two.
Labels fault_labels(const std::string& fault) {
    const std::size_t colon = fault.find(": ");
    const bool parted = colon != std::string::npos;
    const std::string why = text::to_xml_text(parted ? fault.substr(colon + 2) : fault);
    return {{"where", text::to_xml_text(parted ? fault.substr(0, colon) : "")}, {"why", std::string(text::utf8_prefix(why, kFaultBytes))}};
}

void add_formats(Families& out, const Condition& c) {
    out.begin("oai_format", "1 for each format that serves, and how it runs: compiled, or by libxslt.");
    if (c.registry != nullptr)
        for (const auto& format : c.registry->formats())
            out.add(1, {{"format", format->prefix}, {"runs", way_of(*format, c.compiled) == "compiled" ? "compiled" : "libxslt"}});
    out.one("oai_format_faults", "Stylesheets that are not as their directory says they should be, by what is wrong.",
            number(static_cast<std::int64_t>(c.formats.faults.size())));
    out.begin("oai_format_fault", "1 for each fault, with file and line, and why.");
    for (std::size_t i = 0; i < std::min(kMostFaults, c.formats.faults.size()); ++i) out.add(1, fault_labels(c.formats.faults[i]));
    out.begin("oai_format_changes_total", "Stylesheets that went live, were refused, or were removed since the start.", MetricType::Counter);
    out.add(number(c.formats.live), {{"became", "live"}});
    out.add(number(c.formats.refused), {{"became", "refused"}});
    out.add(number(c.formats.removed), {{"became", "removed"}});
}

void add_harvesters(Families& out, const std::vector<Harvester>& all) {
    const std::span<const Harvester> busiest(all.data(), std::min(all.size(), kMostHarvesters));
    const auto who = [](const Harvester& h) { return Labels{{"harvester", h.address}, {"agent", h.agent}}; };
    const auto each = [&](const char* name, const char* help, MetricType type, auto value) {
        out.begin(name, help, type);
        for (const Harvester& h : busiest) out.add(value(h), who(h));
    };
    each("oai_harvester_requests_total", "Requests of each of the ten busiest harvesters.", MetricType::Counter,
         [](const Harvester& h) { return number(h.requests); });
    each("oai_harvester_records_total", "Records given to each of the ten.", MetricType::Counter,
         [](const Harvester& h) { return number(h.records); });
    each("oai_harvester_errors_total", "Requests of each of the ten that were answered with an error.", MetricType::Counter,
         [](const Harvester& h) { return number(h.errors); });
    each("oai_harvester_seen_seconds", "When each of the ten last asked, in seconds since 1970.", MetricType::Gauge,
         [](const Harvester& h) { return number(h.seen); });
    const auto list = [&](const Harvester& h) {
        Labels labels = who(h);
        for (const auto& [name, value] : {std::pair("verb", &h.verb), {"format", &h.prefix}, {"set", &h.set}}) labels.push_back({name, *value});
        return labels;
    };
    out.begin("oai_harvester_list_records", "How many records of the list that it is at each of the ten has.");
    for (const Harvester& h : busiest)
        if (!h.verb.empty()) out.add(number(h.delivered), list(h));
    out.begin("oai_harvester_list_size", "completeListSize of that list, where it is known.");
    for (const Harvester& h : busiest)
        if (!h.verb.empty() && h.size >= 0) out.add(number(h.size), list(h));
}

}  // namespace

Response metrics_page(const Condition& condition, const Metrics& metrics) {
    Families families(metrics.collect());
    add_health(families, condition);
    add_pool(families, condition);
    add_publisher(families, condition);
    add_formats(families, condition);
    add_harvesters(families, condition.harvesters);
    Response response;
    response.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}, {"Cache-Control", "no-store"}};
    response.body = families.text();
    return response;
}

}  // namespace oai
