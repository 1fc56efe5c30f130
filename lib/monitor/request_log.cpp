// SPDX-License-Identifier: MIT
#include "monitor/request_log.h"

#include <fmt/format.h>

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

}  // namespace oai
