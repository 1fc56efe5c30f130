// SPDX-License-Identifier: MIT
#include "monitor/admin_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/file.h"
#include "protocol/record.h"

namespace oai {
namespace {

constexpr std::string_view kAdminPath = "/-/";  // requests below this path are not OAI-PMH
constexpr std::string_view kSchemaPath = "/-/schema/";
constexpr std::string_view kExtension = ".xsd";
// The beginning of a problem that the publisher stored for itself, rather than for a lock holder.
constexpr std::string_view kPublisherFails = "publisher: ";
constexpr int kSchemaSeconds = 3600;  // lifetime of a schema in caches

bool is_safe_name(std::string_view name) {
    const auto allowed = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    };
    return name.size() > kExtension.size() && name.ends_with(kExtension) && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), allowed);
}

using namespace std::chrono;

// The longest time since the last check of a healthy database. HorizonWatch checks once a second,
// but a check may take longer while it connects.
constexpr seconds kMaxSilence{15};

std::string database_trouble(const DatabaseStatus& database) {
    if (!database.trouble.empty()) return database.trouble;
    if (!database.checked) return "it has not been asked yet";
    const auto silent = steady_clock::now() - *database.checked;
    if (silent > kMaxSilence)
        return fmt::format("it has not answered for {} s", duration_cast<seconds>(silent).count());
    return "";
}

bool has_holder(const DatabaseStatus& database) {
    return !database.blocked_by.empty() && !database.blocked_by.starts_with(kPublisherFails);
}

std::string publisher_trouble(const ServerStatus& status) {
    if (!status.database.unnumbered.empty()) return status.database.unnumbered;
    if (status.database.blocked_by.starts_with(kPublisherFails)) return status.database.blocked_by;
    const auto lag = lag_seconds(status);
    if (!lag) return "no horizon has been seen";
    if (*lag > status.late_seconds)
        return fmt::format(
            "the repository is published up to {}, {} s ago: is oai publish running?",
            print_datestamp(status.database.horizon->h), *lag);
    if (*lag < 0) return fmt::format("the clock is behind what is published by {} s", -*lag);
    return "";
}

constexpr AdminPage kPages[] = {
    {"health", health_page}, {"metrics", metrics_page}, {"status", status_page}};

using nlohmann::json;

json health_json(const std::string& trouble) {
    json out{{"ok", trouble.empty()}};
    if (!trouble.empty()) out["why"] = trouble;
    return out;
}

json harvester_json(const Harvester& h) {
    json out{{"address", h.address},
             {"agent", h.agent},
             {"requests", h.requests},
             {"records", h.records},
             {"errors", h.errors},
             {"seen", print_datestamp(h.seen)},
             {"usual_seconds", h.usual.count()}};
    if (!h.last_error.empty())
        out["last_error"] = {{"what", h.last_error}, {"when", print_datestamp(h.failed)}};
    if (h.verb.empty()) return out;
    out["list"] = {{"verb", h.verb},
                   {"prefix", h.prefix},
                   {"set", h.set},
                   {"from", h.from},
                   {"until", h.until},
                   {"began", h.began == Seconds{} ? "" : print_datestamp(h.began)},
                   {"delivered", h.delivered},
                   {"more", h.more}};
    if (h.size >= 0) out["list"]["size"] = h.size;
    return out;
}

json formats_json(const ServerStatus& status) {
    json prefixes = json::array();
    if (status.registry != nullptr)
        for (const auto& format : status.registry->formats()) prefixes.push_back(format->prefix);
    return {{"serving", prefixes}, {"faults", status.format_faults}};
}

Response json_response(int status, const json& page) {
    return {.status = status,
            .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
            .body = page.dump(2, ' ', true, json::error_handler_t::replace) + "\n"};
}

}  // namespace

std::optional<std::string_view> schema_file_name(std::string_view path) {
    path.remove_prefix(std::min(path.find(kAdminPath), path.size()));
    if (!path.starts_with(kSchemaPath)) return std::nullopt;
    path.remove_prefix(kSchemaPath.size());
    return is_safe_name(path) ? path : std::string_view();
}

Response schema_file_response(const std::string& folder, std::string_view name,
                              const Request& request) {
    if (request.method == "POST") return only_by_get("A schema is asked for by GET.");
    std::string content;
    try {
        if (!name.empty())
            content = read_regular_file(folder + "/" + std::string(name), 64U << 20U);
    } catch (const std::runtime_error&) {
    }
    if (content.empty()) return plain_response(404, "There is no schema of this name.");
    Response response;
    response.headers.emplace_back("Content-Type", "application/xml");
    response.body = std::move(content);
    mark_unchanging(response, request, entity_tag(response.body), kSchemaSeconds);
    return response;
}

std::optional<std::int64_t> lag_seconds(const ServerStatus& status) {
    if (!status.database.horizon) return std::nullopt;
    return (status.now - status.database.horizon->h).count();
}

Health health_of(const ServerStatus& status) {
    return {.database = database_trouble(status.database),
            .publisher = publisher_trouble(status),
            .formats = fmt::format("{}", fmt::join(status.format_faults, "\n")),
            .sets = status.database.set_problems,
            .sources = status.database.source_problems,
            .is_numbered = status.database.unnumbered.empty() && status.database.horizon};
}

const AdminPage* find_admin_page(std::string_view path, std::string_view base_url) {
    static constexpr AdminPage kNone{"none", nullptr};
    const std::string_view mount = mount_of(base_url);
    if (!path.starts_with(mount) || !path.substr(mount.size()).starts_with(kAdminPath))
        return nullptr;
    path.remove_prefix(mount.size() + kAdminPath.size());
    const auto* const found = std::ranges::find(kPages, path, &AdminPage::name);
    return found == std::end(kPages) ? &kNone : found;
}

Response health_page(const ServerStatus& status, const Metrics&) {
    const Health health = health_of(status);
    json page{{"live", true}, {"ready", health.ready()}, {"degraded", health.degraded()}};
    for (const auto& [part, trouble] : health.parts()) page[part] = health_json(trouble);
    if (const auto lag = lag_seconds(status)) page["publisher"]["lag_seconds"] = *lag;
    if (has_holder(status.database)) {
        page["publisher"]["blocked_by"] = status.database.blocked_by;
        page["publisher"]["blocked_seconds"] = status.database.blocked_seconds;
    }
    return json_response(health.ready() ? 200 : 503, page);
}

Response status_page(const ServerStatus& status, const Metrics&) {
    const Health health = health_of(status);
    json page{{"now", print_datestamp(status.now)},
              {"started", print_datestamp(status.started)},
              {"ready", health.ready()},
              {"degraded", health.degraded()},
              {"connections",
               {{"in_use", status.pool.in_use},
                {"limit", status.connections},
                {"waiting", status.pool.waiting},
                {"refused", status.pool.refused}}},
              {"harvesters", json::array()}};
    for (const auto& [part, trouble] : health.parts()) page[part] = trouble;
    page["formats"] = formats_json(status);
    if (const auto lag = lag_seconds(status)) page["lag_seconds"] = *lag;
    if (status.database.queued >= 0) page["queued"] = status.database.queued;
    if (has_holder(status.database)) page["blocked_by"] = status.database.blocked_by;
    for (const Harvester& h : status.harvesters) page["harvesters"].push_back(harvester_json(h));
    return json_response(200, page);
}

}  // namespace oai
