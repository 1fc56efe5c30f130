// SPDX-License-Identifier: MIT
#include "monitor/request_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.h"

namespace oai {
namespace {

std::string milliseconds(std::chrono::nanoseconds time) {
    return fmt::format("{:.1f}", std::chrono::duration<double, std::milli>(time).count());
}

void log_page(const RequestLog& log, const Response& response) {
    log::write(log::Level::info, "page",
               {{"harvester", log.client.address},
                {"agent", log.client.agent},
                {"method", log.request.method},
                {"page", log.page},
                {"status", response.status},
                {"bytes", response.body.size()},
                {"ms", milliseconds(std::chrono::steady_clock::now() - log.began)}});
}

void log_request(const RequestLog& log, const Response& response) {
    const Request& request = log.request;
    const RequestStats& stats = log.stats;
    const RequestedList list = requested_list(log);
    log::write(response.status < 500 ? log::Level::info : log::Level::warning, "request",
               {{"harvester", log.client.address},
                {"agent", log.client.agent},
                {"method", request.method},
                {"verb", argument_of(request, "verb")},
                {"identifier", argument_of(request, "identifier")},
                {"prefix", list.prefix},
                {"set", list.set},
                {"from", list.from},
                {"until", list.until},
                {"token", argument_of(request, "resumptionToken").empty() ? "no" : "yes"},
                {"cursor", stats.cursor},
                {"records", stats.records},
                {"bad", stats.bad_records.size()},
                {"status", response.status},
                {"errors", log.errors},
                {"bytes", response.body.size()},
                {"ms", milliseconds(std::chrono::steady_clock::now() - log.began)},
                {"database_ms", milliseconds(stats.database)},
                {"transform_ms", milliseconds(stats.transform)},
                {"write_ms", milliseconds(log.write)}});
}

void log_bad_records(const RequestStats& stats, std::string_view prefix) {
    for (const BadRecord& bad : stats.bad_records)
        log::warning("bad_record",
                     {{"identifier", bad.identifier}, {"prefix", prefix}, {"why", bad.why}});
    if (const auto& bad = stats.difference)
        log::error("compiled_difference",
                   {{"identifier", bad->identifier}, {"prefix", prefix}, {"why", bad->why}});
}

constexpr double kHalfLifeSeconds = 600;
constexpr std::chrono::seconds kPause{600};  // after such a pause a request counts as a new visit
// The length to which arguments are cut, since clients may send any.
constexpr std::size_t kMaxArgumentBytes = 300;

double weight_at(const Harvester& harvester, Seconds now) {
    const double seconds =
        static_cast<double>(std::max<std::int64_t>(0, (now - harvester.seen).count()));
    return harvester.weight * std::exp2(-seconds / kHalfLifeSeconds);
}

void note_outcome(Harvester& harvester, const RequestLog& log, std::string_view outcome,
                  Seconds now) {
    if (outcome == "noRecordsMatch") return;
    if (outcome != "ok" && outcome != "not_modified") {
        ++harvester.errors;
        harvester.last_error = outcome;
        harvester.failed = now;
        return;
    }
    // The arguments were valid, so they are well-formed text.
    const RequestedList list = requested_list(log);
    if (!list.resumed) harvester.began = now;
    harvester.verb = verb_of(log);
    harvester.prefix = list.prefix.substr(0, kMaxArgumentBytes);
    harvester.set = list.set.substr(0, kMaxArgumentBytes);
    harvester.from = list.from.substr(0, kMaxArgumentBytes);
    harvester.until = list.until.substr(0, kMaxArgumentBytes);
    harvester.records += log.stats.records;
    harvester.delivered = log.stats.cursor + log.stats.records;
    harvester.more = log.stats.more;
    harvester.size = log.stats.size;
}

}  // namespace

RequestedList requested_list(const RequestLog& log) {
    if (const auto& token = log.parsed.arguments.token)
        return {token->metadata_prefix, token->set, print_datestamp(token->from),
                print_datestamp(token->until), true};
    const Request& request = log.request;
    return {std::string(argument_of(request, "metadataPrefix")),
            std::string(argument_of(request, "set")), std::string(argument_of(request, "from")),
            std::string(argument_of(request, "until")), false};
}

std::string_view outcome_of(const RequestLog& log, int status) {
    if (log.limited) return "limited";
    if (status == 503) return "unavailable";
    if (status >= 500) return "broken";
    if (status >= 400) return "refused";
    if (status == 304) return "not_modified";
    const std::string_view errors = log.errors;
    return errors.empty() ? "ok" : errors.substr(0, errors.find(','));
}

std::string_view verb_of(const RequestLog& log) {
    if (!log.page.empty()) return "page";
    return log.parsed.verb ? verb_name(*log.parsed.verb) : "none";
}

void write_request_log(const RequestLog& log, const Response& response) {
    if (!log.page.empty()) return log_page(log, response);
    log_bad_records(log.stats, requested_list(log).prefix);
    log_request(log, response);
}

void HarvesterStats::note(const RequestLog& log, int status, Seconds now) {
    if (!log.page.empty()) return;
    const std::lock_guard lock(mutex_);
    Harvester& harvester = find_or_add(log.client, now);
    harvester.weight = weight_at(harvester, now) + 1;
    if (harvester.came == Seconds{}) {
        harvester.came = now;
    } else if (now - harvester.seen >= kPause) {
        const std::chrono::seconds between = now - harvester.came;
        harvester.usual =
            harvester.usual.count() == 0 ? between : (3 * harvester.usual + between) / 4;
        harvester.came = now;
    }
    harvester.seen = now;
    ++harvester.requests;
    note_outcome(harvester, log, outcome_of(log, status), now);
}

Harvester& HarvesterStats::find_or_add(const ClientAddress& client, Seconds now) {
    const Key key{client.address, client.agent};
    if (const auto found = harvesters_.find(key); found != harvesters_.end()) return found->second;
    if (harvesters_.size() >= max_harvesters_) {
        harvesters_.erase(std::min_element(
            harvesters_.begin(), harvesters_.end(),
            [now](const auto& a, const auto& b) {
                return weight_at(a.second, now) < weight_at(b.second, now);
            }));
    }
    Harvester& harvester = harvesters_[key];
    harvester.address = client.address;
    harvester.agent = client.agent;
    harvester.seen = now;
    return harvester;
}

std::vector<Harvester> HarvesterStats::busiest(std::size_t n, Seconds now) const {
    std::vector<Harvester> all;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, harvester] : harvesters_) all.push_back(harvester);
    }
    std::stable_sort(all.begin(), all.end(), [now](const Harvester& a, const Harvester& b) {
        return weight_at(a, now) > weight_at(b, now);
    });
    if (all.size() > n) all.resize(n);
    return all;
}

}  // namespace oai
