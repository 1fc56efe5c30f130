// SPDX-License-Identifier: MIT
#include "service.h"

#include <atomic>
#include <chrono>
#include <exception>

#include "arguments.h"
#include "base/log.h"
#include "caching.h"
#include "catch_up.h"
#include "envelope.h"
#include "format_watch.h"
#include "horizon_watch.h"
#include "page/schema_file.h"
#include "repository.h"
#include "store.h"
#include "token.h"
#include "verb.h"

namespace oai {

namespace {

using Stopwatch = std::chrono::steady_clock;

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

// What one request left behind, for its log line.
struct Story {
    const Request& request;
    Stopwatch::time_point began = Stopwatch::now();
    ParsedArguments parsed{};
    Account account{};
    std::string errors{};  // codes, separated by commas
};

// An argument as it was sent, whether or not it was understood: a refused request must be traceable too.
std::string sent(const Request& request, std::string_view name) {
    for (const Argument& argument : request.arguments) {
        if (argument.name == name) return argument.value;
    }
    return {};
}

std::string printed(const std::optional<Seconds>& t) { return t ? print_datestamp(*t) : std::string(); }

// The request as a page of its list says it: a token stands for the arguments of the first request.
Token described(const Story& story) { return story.parsed.arguments.token.value_or(Token{}); }

void log_request(const Story& story, const Response& response) {
    const Request& request = story.request;
    const Token token = described(story);
    const bool resumed = story.parsed.arguments.token.has_value();
    const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(Stopwatch::now() - story.began);
    log::write(response.status < 500 ? log::Level::info : log::Level::warning, "request",
               {{"client", request.client},
                {"method", request.method},
                {"verb", sent(request, "verb")},
                {"identifier", sent(request, "identifier")},
                {"prefix", resumed ? token.metadata_prefix : sent(request, "metadataPrefix")},
                {"set", resumed ? token.set : sent(request, "set")},
                {"from", resumed ? printed(token.from) : sent(request, "from")},
                {"until", resumed ? printed(token.until) : sent(request, "until")},
                {"token", sent(request, "resumptionToken").empty() ? "no" : "yes"},
                {"cursor", story.account.cursor},
                {"records", story.account.records},
                {"bad", story.account.bad_records.size()},
                {"status", response.status},
                {"errors", story.errors},
                {"bytes", response.body.size()},
                {"ms", spent.count()}});
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

Response unavailable(const char* why, int retry_after_seconds) {
    log::warning("fault", {{"kind", "unavailable"}, {"why", why}});
    return plain_response(503, "The repository cannot answer just now; please ask again later.",
                          retry_after_seconds);
}

Response broken(std::string_view kind, const char* why) {
    log::error("fault", {{"kind", kind}, {"why", why}});
    return plain_response(500, "The repository is out of order; its log says why.");
}

Response database_trouble(const pg::Error& e, int retry_after_seconds) {
    log::error(
        "fault",
        {{"kind", "database"}, {"why", e.what()}, {"sqlstate", e.sqlstate()}, {"statement", e.statement()}});
    if (e.unavailable()) {
        return plain_response(503, "The database cannot be reached just now; please ask again later.",
                              retry_after_seconds);
    }
    return plain_response(500, "The repository is out of order; its log says why.");
}

}  // namespace

struct Service::State {
    // What is read from files that a reload reads again. A request keeps those that it began with.
    struct Files {
        explicit Files(const Config& config)
            : repository(make_repository(config)), sealer(read_token_sealer(config.token)) {}
        const Repository repository;
        const TokenSealer sealer;
    };

    State(const Config& c, const Clock& k)
        : config(c),
          clock(k),
          files(std::make_shared<const Files>(c)),
          formats({c.formats.directory, c.formats.inotify, files.load()->repository.identifier_prefix, c.formats.compiled}, store_options(c, 1, 0), k),
          store(store_options(c, c.database.connections, c.database.max_waiters)),
          catch_up(store.pool(), store_options(c, 0, 0).pool.max_wait, most_catching_up(c)),
          watch(store_options(c, 1, 0), latest, exclusions) {}

    Response answer(Story& story);
    VerbResult result(Story& story);
    Response with_caching(VerbResult said, const Request& request, bool gzip) const;

    const Config config;
    const Clock& clock;
    std::atomic<std::shared_ptr<const Files>> files;
    FormatWatch formats;
    Store store;
    CatchUp catch_up;
    LatestHorizon latest;
    Exclusions exclusions;
    SpareThreads spare;
    HorizonWatch watch;  // after `latest` and `exclusions`, which it writes to
};

// The line: arguments, then the verb, unless the arguments alone are at fault.
VerbResult Service::State::result(Story& story) {
    const std::shared_ptr<const Files> read = files.load();
    story.parsed =
        parse_arguments(story.request, {&read->sealer, clock.now(), config.lists.token_lifetime_seconds});
    if (!story.parsed.errors.empty()) return {.errors = story.parsed.errors, .horizon = latest.get()};
    const Context context{read->repository, store, formats.formats(), read->sealer, clock, [this] { return latest.get(); },
                          [this] { return exclusions.get(store); }, spare, latest.reach()};
    const SpareThreads::Request busy(spare);
    VerbResult result = catch_up([&] {
        story.account = {};
        return function_of(*story.parsed.verb)(context, story.parsed, story.account);
    });
    latest.remember(result.horizon);
    return result;
}

Response Service::State::with_caching(VerbResult said, const Request& request, bool gzip) const {
    const CachePolicy policy{config.lists.cache_seconds, config.lists.token_lifetime_seconds};
    const bool closed = said.closed && policy.seconds > 0;
    const std::string tag = closed ? page_tag(said.document, clock.now(), policy) : std::string();
    Response response = xml_response(std::move(said.document), gzip);
    if (closed) mark_closed(response, request, tag, policy);
    else mark_momentary(response);
    return response;
}

Response Service::State::answer(Story& story) {
    if (const auto name = schema_file_asked_for(story.request.path))
        return schema_file_response(config.formats.directory + "/schema", *name, story.request);
    const bool gzip = config.repository.compression && story.request.accepts_gzip;
    VerbResult said = result(story);
    if (said.errors.empty()) return with_caching(std::move(said), story.request, gzip);
    for (const OaiError& error : said.errors) {
        if (!story.errors.empty()) story.errors += ',';
        story.errors += error_code_text(error.code);
    }
    return xml_response(error_document(response_date(said.horizon), config.repository.base_url,
                                       story.parsed.echo, said.errors),
                        gzip);
}

Service::Service(const Config& config, const Clock& clock) : state_(std::make_unique<State>(config, clock)) {}

Service::~Service() = default;

Response Service::answer(const Request& request) noexcept {
    Story story{request};
    const int retry_after_seconds = state_->config.server.retry_after_seconds;
    const Response response = [&] {
        try {
            return state_->answer(story);
        } catch (const pg::Error& e) {
            return database_trouble(e, retry_after_seconds);
        } catch (const pg::Busy& e) {
            return unavailable(e.what(), retry_after_seconds);
        } catch (const Unavailable& e) {
            return unavailable(e.what(), e.retry_after_seconds());
        } catch (const Fault& e) {
            return broken("repository", e.what());
        } catch (const std::exception& e) {
            return broken("program", e.what());
        }
    }();
    log_bad_records(story.account, story.parsed.arguments.token ? described(story).metadata_prefix
                                                                : sent(request, "metadataPrefix"));
    log_request(story, response);
    return response;
}

Response Service::refuse(const Refusal& refusal, const Request& seen) noexcept {
    const Story story{seen};
    const Response response = plain_response(refusal.status, refusal.reason);
    log_request(story, response);
    return response;
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
        log::info("reload", {{"state", "live"}, {"what", "token keys and descriptions"}});
    } catch (const std::exception& e) {
        log::error("reload", {{"state", "refused"}, {"serving", "what was read before"}, {"why", e.what()}});
    }
}

void Service::reload_formats() noexcept { state_->formats.judge_all_anew(); }

void Service::read_horizon() { state_->watch.ask_once(); }

}  // namespace oai
