// SPDX-License-Identifier: MIT
#include "server/service.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>

#include "base/concurrency_limit.h"
#include "base/log.h"
#include "browse/browse.h"
#include "feed/changes.h"
#include "format/watch.h"
#include "monitor/admin_pages.h"
#include "monitor/request_log.h"
#include "protocol/arguments.h"
#include "protocol/error.h"
#include "protocol/repository.h"
#include "protocol/resumption_token.h"
#include "store/horizon_watch.h"
#include "store/replica.h"
#include "store/store.h"
#include "verb/handler.h"
#include "web/client_address.h"

namespace oai {
namespace {

Response unavailable(const char* why, int retry_after_seconds) {
    log::warning("fault", {{"kind", "unavailable"}, {"why", why}, {"id", "OAI-1104"}});
    return plain_response(
        503, "The repository cannot answer just now; please ask again later. [OAI-1104]",
        retry_after_seconds);
}

Response out_of_order() {
    return plain_response(500, "The repository is out of order; its log says why.");
}

Response fault(const char* kind, const char* why) {
    log::error("fault", {{"kind", kind}, {"why", why}, {"id", "OAI-1106"}});
    return out_of_order();
}

// The response to a request that failed: 503 with Retry-After if a retry may succeed, else 500. The
// cause is logged, not revealed. REQUIRES: called within a catch block.
Response error_response(int retry_after_seconds) noexcept {
    try {
        throw;
    } catch (const DatabaseError& e) {
        const pg::Trouble& trouble = pg::trouble_of(e);
        const std::string_view remedy = trouble.remedy.empty() ? "[OAI-1299]" : trouble.remedy;
        log::error("fault", {{"kind", "database"},
                             {"why", e.what()},
                             {"sqlstate", e.sqlstate()},
                             {"statement", e.statement()},
                             {"remedy", remedy}});
        if (!e.unavailable()) return out_of_order();
        std::string told = std::string(trouble.what) + " just now; please ask again later. ";
        told += remedy.substr(remedy.rfind('['));
        return plain_response(503, told, retry_after_seconds);
    } catch (const NoConnectionFree& e) {
        return unavailable(e.what(), retry_after_seconds);
    } catch (const Unavailable& e) {
        return unavailable(e.what(), e.retry_after_seconds());
    } catch (const Fault& e) {
        return fault("repository", e.what());
    } catch (const std::exception& e) {
        return fault("program", e.what());
    }
}

constexpr std::size_t kMaxHarvesters = 50;  // listed on the status page
constexpr int kClients = 16;                // whose requests an address range may send
constexpr int kPages = 150;                 // burst of page_budget(), refilled in half a minute

Response too_many_requests(RequestLog& log, int retry_after_seconds) {
    log.limited = true;
    return plain_response(503, "Too many requests from your address; please ask again later.",
                          retry_after_seconds);
}

// Whether the response needs no database. Two workers are reserved for such requests.
bool is_from_memory(const ParsedArguments& parsed) {
    return !parsed.errors.empty() || *parsed.verb == Verb::identify ||
           (*parsed.verb == Verb::list_metadata_formats && !parsed.arguments.identifier);
}

// The maximum of requests that wait for a replica at a time: half of the workers that neither use a
// connection nor wait for one.
int max_retrying(const Config& config) {
    return (config.server.workers - config.database.connections - config.database.max_waiters) / 2;
}

Response http_response(VerbResult result, const Request& request, const TokenSealer& sealer,
                       const Config& config, Seconds now) {
    const bool gzip = config.repository.compression && request.accepts_gzip;
    const CachePolicy policy{config.lists.cache_seconds, config.lists.token_lifetime_seconds};
    const bool closed = result.closed && policy.seconds > 0 && result.errors.empty();
    const std::string tag = closed ? page_tag(result.records_text(),
                                              sealer.generation(result.horizon.epoch), now, policy)
                                   : std::string();
    Response response = text_response("text/xml; charset=UTF-8", std::move(result.document), gzip);
    if (closed) mark_closed(response, request, tag, policy);
    return response;
}

// How many pages for people are rendered at a time; as many requests wait for their turn.
struct PageLimit {
    PageLimit(int at_once, int max_wait_milliseconds)
        : admitted(std::max(1, at_once) + at_once, 0, {}),
          turns(std::max(1, at_once), at_once, std::chrono::milliseconds{max_wait_milliseconds}) {}
    ConcurrencyLimit admitted;  // rendered or waiting
    ConcurrencyLimit turns;
};

}  // namespace

struct Service::State {
    // Contents of files that a reload reads again. A request uses one version throughout.
    struct ReloadableFiles {
        explicit ReloadableFiles(const Config& config)
            : repository(make_repository(config)), sealer(read_token_sealer(config.token)) {
            if (!config.browse.directory.empty()) browse.emplace(config, repository);
        }
        const Repository repository;
        const TokenSealer sealer;
        std::optional<BrowsePages> browse;
    };

    State(const Config& c, const Clock& k, std::vector<std::string> trial_command)
        : config(c),
          clock(k),
          files(std::make_shared<const ReloadableFiles>(c)),
          formats({c.formats, std::move(trial_command)}, k),
          store(store_options(c, "oai", c.database.connections, c.database.max_waiters)),
          behind_replica(max_retrying(c), 0, {}),
          trusted_proxies(address_ranges(c.clients.trusted_proxy)),
          rate_limit(c.clients),
          range_limit({{},
                       kClients * c.clients.requests_per_minute,
                       kClients * c.clients.burst,
                       c.clients.unlimited}),
          requests_at_once(c.server.workers - 2, 0, {}),
          page_rate_limit({{}, 2 * kPages, kPages, c.clients.unlimited}),
          all_pages_limit({{}, 4 * 2 * kPages, 4 * kPages, c.clients.unlimited}),
          pages(c.server.workers / 4, c.database.max_wait_milliseconds),
          crawler_pages(c.server.workers / 8, c.database.max_wait_milliseconds),
          watch(store_options(c, "oai"), latest, store.record_statements()) {}

    const Config config;
    const Clock& clock;
    std::atomic<std::shared_ptr<const ReloadableFiles>> files;
    FormatWatch formats;
    Store store;
    ConcurrencyLimit behind_replica;
    const AddressRanges trusted_proxies;
    RateLimit rate_limit;
    RateLimit range_limit;
    ConcurrencyLimit requests_at_once;  // all workers but two, see is_from_memory()
    RateLimit page_rate_limit;          // of address ranges and named crawlers
    RateLimit all_pages_limit;  // of all of them together, so that many take little of a processor
    PageLimit pages, crawler_pages;  // the latter is a part of the former
    LatestHorizon latest;
    HorizonWatch watch;  // declared after the members that it writes to
    const Seconds started = clock.now();
    Metrics metrics;
    HarvesterStats harvesters;

    Response answer(RequestLog& log);
    Response page(RequestLog& log, const ReloadableFiles& current);
    Response too_many_pages() const;
    std::optional<Response> admin_page(RequestLog& log);
    std::optional<Response> refusal(RequestLog& log);
    ServerStatus status() const;
    Context context(const ReloadableFiles& current) {
        return {current.repository, store, formats.formats(), current.sealer, clock, latest,
                latest.position()};
    }
};

// The path of every request.
Response Service::State::answer(RequestLog& log) {
    const Request& request = log.request;
    log.client = client_of(request, trusted_proxies);
    if (auto page = admin_page(log)) return *std::move(page);
    const std::shared_ptr<const ReloadableFiles> current = files.load();
    if (const auto path = changes_path(request.path, config.repository.base_url)) {
        log.page = "changes";
        if (auto refused = refusal(log)) return *std::move(refused);
        return changes_response(context(*current), request, *path, log.stats);
    }
    const auto& browse = current->browse;
    if (browse && browse->wants(request)) {
        log.page = "browse";
        return page(log, *current);
    }
    log.parsed = parse_arguments(
        request, {&current->sealer, clock.now(), config.lists.token_lifetime_seconds});
    if (!is_from_memory(log.parsed))
        if (auto refused = refusal(log)) return *std::move(refused);
    const Context verb_context = context(*current);
    const std::chrono::milliseconds max_wait{config.database.max_wait_milliseconds};
    std::chrono::nanoseconds lost{0};
    VerbResult result = retry_behind_replica(store.pool(), behind_replica, max_wait, lost,
                                             [&] { return run_verb(verb_context, log.parsed); });
    if (result.horizon.epoch != 0) latest.remember(result.horizon);
    log.stats = result.stats;
    log.stats.database += lost;
    log.errors = error_codes(result.errors, ",");
    log.document_bytes = result.document.size();
    if (!result.fault.empty()) throw Fault(result.fault);
    Response response =
        http_response(std::move(result), request, current->sealer, config, clock.now());
    if (browse && browse->varies_by_fetch_dest(request)) vary_by(response, "Sec-Fetch-Dest");
    return response;
}

// Pages for people need much processor time, so at most a quarter of the workers render them, and
// as many requests wait; crawlers share half of both. A request that may not even wait does not
// count in requests_at_once, so that a crowd of them does not keep harvesters out.
Response Service::State::page(RequestLog& log, const ReloadableFiles& current) {
    const auto budget = page_budget(log.request, log.client, current.browse->crawlers());
    const auto crawler = budget ? crawler_pages.admitted.enter() : ConcurrencyLimit::Turn();
    const auto admission = crawler || !budget ? pages.admitted.enter() : ConcurrencyLimit::Turn();
    if (!admission) return too_many_pages();
    if (auto refused = refusal(log)) return *std::move(refused);
    if (budget) {
        auto seconds = page_rate_limit.take_token(log.client, log.began, budget);
        if (!seconds) seconds = all_pages_limit.take_token(log.client, log.began, Address());
        if (seconds) return too_many_requests(log, *seconds);
    }
    const auto crawler_turn = budget ? crawler_pages.turns.enter() : ConcurrencyLimit::Turn();
    if (!budget || crawler_turn)
        if (const ConcurrencyLimit::Turn turn = pages.turns.enter())
            return current.browse->answer(context(current), log.request, log.stats);
    return too_many_pages();
}

Response Service::State::too_many_pages() const {
    return plain_response(503, "Too many pages are asked for at once; please try again.",
                          config.server.retry_after_seconds);
}

std::optional<Response> Service::State::admin_page(RequestLog& log) {
    if (const auto name = schema_file_name(log.request.path)) {
        log.page = "schema";
        return schema_file_response(config.formats.directory + "/schema", *name, log.request);
    }
    const AdminPage* page = find_admin_page(log.request.path, config.repository.base_url);
    if (page == nullptr) return std::nullopt;
    log.page = page->name;
    if (page->make == nullptr) return plain_response(404, "There is no such page.");
    if (is_forwarded(log.request))
        return plain_response(403, "This page is for the host itself, not through a proxy.");
    const auto registry = formats.formats();  // keeps this registry alive if a reload replaces it
    for (const auto& format : registry->formats()) metrics.register_format(format->prefix);
    return page->make(status(), metrics);
}

std::optional<Response> Service::State::refusal(RequestLog& log) {
    const auto now = std::chrono::steady_clock::now();
    auto seconds = rate_limit.take_token(log.client, now);
    if (!seconds) seconds = range_limit.take_token(log.client, now, range_of(log.client));
    if (seconds) return too_many_requests(log, *seconds);
    log.turn = requests_at_once.enter();
    if (log.turn) return std::nullopt;
    return plain_response(503, "Too many requests at once; please ask again later.",
                          config.server.retry_after_seconds);
}

ServerStatus Service::State::status() const {
    const Seconds now = clock.now();
    return {.now = now,
            .started = started,
            .connections = config.database.connections,
            .late_seconds = config.publisher.late_seconds,
            .database = watch.database_status(),
            .pool = store.pool().stats(),
            .format_faults = formats.faults(),
            .registry = formats.formats(),
            .compiled = config.formats.compiled,
            .harvesters = harvesters.busiest(kMaxHarvesters, now)};
}

Service::Service(const Config& config, const Clock& clock, std::vector<std::string> trial_command)
    : state_(std::make_unique<State>(config, clock, std::move(trial_command))) {}

Service::~Service() = default;

// A request that failed returns no stats; its whole duration counts as time of the database.
Response Service::answer(RequestLog& log) noexcept {
    Response response;
    try {
        response = state_->answer(log);
    } catch (...) {
        if (log.document_bytes == 0 && log.stats.bad_records.empty())
            log.stats.database = std::chrono::steady_clock::now() - log.began;
        response = error_response(state_->config.server.retry_after_seconds);
    }
    mark_momentary(response);
    return response;
}

Response Service::refuse(const Refusal& refusal, RequestLog& log) noexcept {
    log.client = client_of(log.request, state_->trusted_proxies);
    Response response = plain_response(refusal.status, refusal.reason);
    mark_momentary(response);
    return response;
}

void Service::finish(const RequestLog& log, const Response& response) noexcept {
    const auto registry = state_->formats.formats();
    const Format* format = registry->find(requested_list(log).prefix);
    state_->metrics.count(log, response, format == nullptr ? "" : format->prefix);
    state_->harvesters.note(log, response.status, state_->clock.now());
    write_request_log(log, response);
}

Response Service::answer(const Request& request) noexcept {
    RequestLog log{request};
    Response response = answer(log);
    finish(log, response);
    return response;
}

void Service::start_watching() {
    state_->watch.start();
    state_->formats.start();
}

void Service::reload(const Config& changed) {
    Config config = state_->config;
    config.token = changed.token;
    config.repository.description = changed.repository.description;
    state_->files.store(std::make_shared<const State::ReloadableFiles>(config));
    log::info("reload", {{"state", "live"}, {"what", "token keys, descriptions and pages"}});
}

void Service::reload_formats() noexcept { state_->formats.recheck_all(); }

void Service::read_horizon() { state_->watch.refresh(); }

}  // namespace oai
