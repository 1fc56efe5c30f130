// SPDX-License-Identifier: MIT
#include "service.h"

#include <atomic>
#include <chrono>
#include <exception>

#include "arguments.h"
#include "base/log.h"
#include "base/timing.h"
#include "caching.h"
#include "catch_up.h"
#include "envelope.h"
#include "format_watch.h"
#include "horizon_watch.h"
#include "harvesters.h"
#include "metrics.h"
#include "page/browse.h"
#include "page/operation.h"
#include "page/schema_file.h"
#include "rate_limit.h"
#include "repository.h"
#include "store.h"
#include "story.h"
#include "token.h"
#include "trouble.h"
#include "verb.h"

namespace oai {

namespace {

constexpr std::size_t kMostHarvesters = 50;  // that pages may tell of
constexpr const char* kTooMany = "Too many requests from your address; please ask again later.";

VerbFunction function_of(Verb verb) {
    switch (verb) {
        case Verb::identify:
            return verb_identify;
        case Verb::list_metadata_formats:
            return verb_formats;
        case Verb::list_sets:
            return verb_sets;
        case Verb::get_record:
            return verb_get_record;
        case Verb::list_identifiers:
        case Verb::list_records:
            return verb_list;
    }
    return nullptr;
}

StoreOptions store_options(const Config& config, int connections, int max_waiters) {
    StoreOptions options;
    options.pool.conninfo = config.database.connection;
    options.pool.application_name = "oai";
    options.pool.connections = connections;
    options.pool.max_waiters = max_waiters;
    options.pool.max_wait = std::chrono::milliseconds{config.database.max_wait_milliseconds};
    options.statement_timeout = std::chrono::milliseconds{config.database.statement_timeout_milliseconds};
    options.pool.max_age = std::chrono::seconds{config.database.connection_seconds};
    options.replica_lag = std::chrono::seconds{config.database.replica_lag_seconds};
    return options;
}

// Half of the workers that are left when all connections are in use and waited for.
int most_catching_up(const Config& config) {
    return (config.server.workers - config.database.connections - config.database.max_waiters) / 2;
}

}  // namespace

struct Service::State {
    // What is read from files that a reload reads again. A request keeps those that it began with.
    struct Files {
        explicit Files(const Config& config)
            : repository(make_repository(config)), sealer(read_token_sealer(config.token)) {
            if (!config.browse.directory.empty()) browse.emplace(config, repository);
        }
        const Repository repository;
        const TokenSealer sealer;
        std::optional<BrowsePages> browse;
    };

    State(const Config& c, const Clock& k)
        : config(c),
          clock(k),
          files(std::make_shared<const Files>(c)),
          formats({c.formats.directory, c.formats.inotify, files.load()->repository.identifier_prefix, c.formats.compiled}, store_options(c, 1, 0), k),
          store(store_options(c, c.database.connections, c.database.max_waiters)),
          catch_up(store.pool(), store_options(c, 0, 0).pool.max_wait, most_catching_up(c)),
          trusted_proxies(address_ranges(c.clients.trusted_proxy)),
          rate_limit(c.clients),
          watch(store_options(c, 1, 0), latest, exclusions) {}

    Response guarded_answer(Story& story) noexcept;
    Response answer(Story& story);
    Context context(const Files& read, const Repository& repository);
    ParsedArguments parsed(const Request& request, const Files& read) const;
    VerbResult result(const ParsedArguments& parsed, const Context& context, Account& account);
    Response page_answer(Story& story, const Files& read);
    Response own_answer(const Request& request, const Repository& repository, const Files& read);
    Response verb_answer(Story& story, const Files& read);
    std::optional<int> over_rate(const Story& story);
    Response with_caching(VerbResult said, const Request& request, bool gzip);
    Response finish(Story& story, Response response, const Write& write);
    void tell(const Story& story, const Response& response);
    Condition condition() const;

    const Config config;
    const Clock& clock;
    std::atomic<std::shared_ptr<const Files>> files;
    FormatWatch formats;
    Store store;
    CatchUp catch_up;
    const AddressRanges trusted_proxies;
    RateLimit rate_limit;
    LatestHorizon latest;
    Exclusions exclusions;
    SpareThreads spare;
    HorizonWatch watch;  // after `latest` and `exclusions`, which it writes to
    const Seconds started = clock.now();
    Metrics metrics;
    Harvesters harvesters;
};

Context Service::State::context(const Files& read, const Repository& repository) {
    return {repository, store, formats.formats(), read.sealer, clock, [this] { return latest.get(); },
            [this] { return exclusions.get(store); }, spare, latest.reach()};
}

// Each request for the database costs the client one; what is answered without it, above all Identify, costs nothing.
std::optional<int> Service::State::over_rate(const Story& story) {
    if (!story.parsed.errors.empty()) return std::nullopt;
    const Verb verb = *story.parsed.verb;
    const bool of_all = verb == Verb::list_metadata_formats && !story.parsed.arguments.identifier;
    if (verb == Verb::identify || of_all) return std::nullopt;
    return rate_limit.refuse_for(story.client, std::chrono::steady_clock::now());
}

ParsedArguments Service::State::parsed(const Request& request, const Files& read) const {
    return parse_arguments(request, {&read.sealer, clock.now(), config.lists.token_lifetime_seconds});
}

// The line: arguments, then the verb, unless the arguments alone are at fault. Whoever erred has a document, too.
VerbResult Service::State::result(const ParsedArguments& parsed, const Context& context, Account& account) {
    VerbResult said{.errors = parsed.errors};
    if (parsed.errors.empty()) {
        said = catch_up([&] {
            const auto waited = account.database;  // of earlier attempts, too
            account = {};
            account.database = waited;
            return function_of(*parsed.verb)(context, parsed, account);
        });
        latest.remember(said.horizon);
    } else {
        said.horizon = latest.get();
    }
    if (!said.errors.empty())
        said.document = error_document(response_date(said.horizon), config.repository.base_url, parsed.echo, said.errors);
    return said;
}

Response Service::State::with_caching(VerbResult said, const Request& request, bool gzip) {
    const CachePolicy policy{config.lists.cache_seconds, config.lists.token_lifetime_seconds};
    const bool closed = said.closed && policy.seconds > 0;
    const std::string tag = closed ? page_tag(said.document, clock.now(), policy) : std::string();
    Response response = xml_response(std::move(said.document), gzip, &spare);
    if (closed) mark_closed(response, request, tag, policy);
    else mark_momentary(response);
    return response;
}

Response Service::State::answer(Story& story) {
    if (const auto name = schema_file_asked_for(story.request.path)) {
        story.page = "schema";
        return schema_file_response(config.formats.directory + "/schema", *name, story.request);
    }
    if (const OperationPage* page = find_operation_page(story.request.path, config.repository.base_url)) {
        story.page = page->name;
        for (const auto& format : formats.formats()->formats()) metrics.know_format(format->prefix);
        return page->make(condition(), metrics);
    }
    const std::shared_ptr<const Files> read = files.load();
    const auto& browse = read->browse;
    if (browse && browse->is_meant(story.request)) return page_answer(story, *read);
    Response response = verb_answer(story, *read);
    if (browse && browse->may_be_meant(story.request)) vary_by(response, "Sec-Fetch-Dest");
    return response;
}

// A page for people asks the database more than once, and costs its client one as a request of a harvester does.
Response Service::State::page_answer(Story& story, const Files& read) {
    story.page = "browse";
    if (const auto seconds = rate_limit.refuse_for(story.client, std::chrono::steady_clock::now())) {
        story.limited = true;
        return plain_response(503, kTooMany, *seconds);
    }
    const SpareThreads::Request busy(spare);
    const AskOwn own = [&](const Request& request, const Repository& repository) { return own_answer(request, repository, read); };
    return read.browse->answer(context(read, read.repository), story.request, own, story.account);
}

// What a harvester would get, for a page that shows it: no request of its own, neither counted nor logged.
Response Service::State::own_answer(const Request& request, const Repository& repository, const Files& read) {
    Account account;
    VerbResult said = result(parsed(request, read), context(read, repository), account);
    return xml_response(std::move(said.document), false);
}

Response Service::State::verb_answer(Story& story, const Files& read) {
    story.parsed = parsed(story.request, read);
    if (const auto seconds = over_rate(story)) {
        story.limited = true;
        return plain_response(503, kTooMany, *seconds);
    }
    const SpareThreads::Request busy(spare);
    VerbResult said = result(story.parsed, context(read, read.repository), story.account);
    story.document_bytes = said.document.size();
    for (const OaiError& error : said.errors) {
        if (!story.errors.empty()) story.errors += ',';
        story.errors += error_code_text(error.code);
    }
    const bool gzip = config.repository.compression && story.request.accepts_gzip;
    if (said.errors.empty()) return with_caching(std::move(said), story.request, gzip);
    return xml_response(std::move(said.document), gzip);
}

Response Service::State::guarded_answer(Story& story) noexcept {
    try {
        return answer(story);
    } catch (...) {
        return trouble_response(config.server.retry_after_seconds);
    }
}

// The answer is whole: it is handed over, and what there is to tell of it is told.
Response Service::State::finish(Story& story, Response response, const Write& write) {
    if (write) story.sent = timed(story.write, [&] { return write(response); });
    tell(story, response);
    return response;
}

void Service::State::tell(const Story& story, const Response& response) {
    const Format* format = formats.formats()->find(asked(story).prefix);
    metrics.count(story, response, format == nullptr ? "" : format->prefix);
    harvesters.note(story, response.status, clock.now());
    log_story(story, response);
}

Condition Service::State::condition() const {
    const Seconds now = clock.now();
    return {.now = now,
            .started = started,
            .workers = config.server.workers,
            .connections = config.database.connections,
            .late_seconds = config.publisher.late_seconds,
            .database = watch.sight(),
            .pool = store.pool().use(),
            .formats = formats.status(),
            .registry = formats.formats(),
            .compiled = config.formats.compiled,
            .harvesters = harvesters.busiest(kMostHarvesters, now)};
}

Service::Service(const Config& config, const Clock& clock) : state_(std::make_unique<State>(config, clock)) {}

Service::~Service() = default;

Response Service::answer(const Request& request, const Write& write) noexcept {
    Story story{request, client_of(request, state_->trusted_proxies)};
    Response response = state_->guarded_answer(story);
    return state_->finish(story, std::move(response), write);
}

Response Service::refuse(const Refusal& refusal, const Request& seen, const Write& write) noexcept {
    Story story{seen, client_of(seen, state_->trusted_proxies)};
    return state_->finish(story, plain_response(refusal.status, refusal.reason), write);
}

void Service::start_watching() {
    state_->watch.start();
    state_->formats.start();
}

void Service::reload(const Config& anew) noexcept {
    try {
        Config wanted = state_->config;
        wanted.token = anew.token;
        wanted.repository.description = anew.repository.description;
        state_->files.store(std::make_shared<const State::Files>(wanted));
        log::info("reload", {{"state", "live"}, {"what", "token keys, descriptions and pages"}});
    } catch (const std::exception& e) {
        log::error("reload", {{"state", "refused"}, {"serving", "what was read before"}, {"why", e.what()}});
    }
}

void Service::reload_formats() noexcept { state_->formats.judge_all_anew(); }

void Service::read_horizon() { state_->watch.ask_once(); }

}  // namespace oai
