// SPDX-License-Identifier: MIT
#include "story.h"

#include <fmt/format.h>

#include "base/log.h"

namespace oai {
namespace {

std::string printed(const std::optional<Seconds>& t) { return t ? print_datestamp(*t) : std::string(); }

std::string milliseconds(std::chrono::nanoseconds time) {
    return fmt::format("{:.1f}", std::chrono::duration<double, std::milli>(time).count());
}

void log_page(const Story& story, const Response& response) {
    log::write(log::Level::info, "page",
               {{"harvester", story.client.address},
                {"agent", story.client.agent},
                {"method", story.request.method},
                {"page", story.page},
                {"status", response.status},
                {"bytes", response.body.size()},
                {"ms", milliseconds(std::chrono::steady_clock::now() - story.began)}});
}

void log_request(const Story& story, const Response& response) {
    const Request& request = story.request;
    const Account& account = story.account;
    const Asked list = asked(story);
    log::write(response.status < 500 ? log::Level::info : log::Level::warning, "request",
               {{"harvester", story.client.address},
                {"agent", story.client.agent},
                {"method", request.method},
                {"verb", sent(request, "verb")},
                {"identifier", sent(request, "identifier")},
                {"prefix", list.prefix},
                {"set", list.set},
                {"from", list.from},
                {"until", list.until},
                {"token", sent(request, "resumptionToken").empty() ? "no" : "yes"},
                {"cursor", account.cursor},
                {"records", account.records},
                {"bad", account.bad_records.size()},
                {"status", response.status},
                {"errors", story.errors},
                {"bytes", response.body.size()},
                {"ms", milliseconds(std::chrono::steady_clock::now() - story.began)},
                {"database_ms", milliseconds(account.database)},
                {"transform_ms", milliseconds(account.transform)},
                {"write_ms", milliseconds(story.write)}});
}

void log_bad_records(const Account& account, std::string_view prefix) {
    for (const BadRecord& bad : account.bad_records) {
        log::warning("bad_record", {{"identifier", bad.identifier}, {"prefix", prefix}, {"why", bad.why}});
    }
    if (const auto& differs = account.difference) {
        log::error("compiled_difference",
                   {{"identifier", differs->identifier}, {"prefix", prefix}, {"why", differs->why}});
    }
}

}  // namespace

std::string sent(const Request& request, std::string_view name) {
    for (const Argument& argument : request.arguments) {
        if (argument.name == name) return argument.value;
    }
    return {};
}

Asked asked(const Story& story) {
    if (const auto& token = story.parsed.arguments.token)
        return {token->metadata_prefix, token->set, printed(token->from), printed(token->until), true};
    const Request& request = story.request;
    return {sent(request, "metadataPrefix"), sent(request, "set"), sent(request, "from"), sent(request, "until"), false};
}

std::string_view outcome_of(const Story& story, int status) {
    if (story.limited) return "limited";
    if (status == 503) return "unavailable";
    if (status >= 500) return "broken";
    if (status >= 400) return "refused";
    if (status == 304) return "not_modified";
    const std::string_view errors = story.errors;
    return errors.empty() ? "ok" : errors.substr(0, errors.find(','));
}

std::string_view verb_of(const Story& story) {
    if (!story.page.empty()) return "page";
    return story.parsed.verb ? verb_name(*story.parsed.verb) : "none";
}

void log_story(const Story& story, const Response& response) {
    if (!story.page.empty()) return log_page(story, response);
    log_bad_records(story.account, asked(story).prefix);
    log_request(story, response);
}

}  // namespace oai
