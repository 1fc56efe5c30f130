// SPDX-License-Identifier: MIT
#include "base/config_keys.h"

#include <algorithm>
#include <array>

#include "base/config_values.h"
#include "base/text.h"

namespace oai {
namespace {

constexpr std::array<std::string_view, 3> kDeletedRecord{"no", "transient", "persistent"};
constexpr std::array<std::string_view, 2> kOnBadRecord{"skip", "fail"};
constexpr std::array<std::string_view, 4> kLogLevel{"debug", "info", "warning", "error"};

// Pages and slices beyond these have no use, and products of them stay far inside an int.
constexpr int kDay = 86'400;
constexpr int kMostRows = 1'000'000;

const KeyRow kRows[] = {
    {"repository", "name", true, "repositoryName of Identify.",
     TextKey{[](Config& c) -> std::string& { return c.repository.name; }, judge_not_empty}},
    {"repository", "base_url", true, "baseURL of Identify, byte for byte what harvesters are told to use.",
     TextKey{[](Config& c) -> std::string& { return c.repository.base_url; }, judge_base_url}},
    {"repository", "admin_email", true, "adminEmail of Identify; repeat the key for several.",
     ListKey{[](Config& c) -> std::vector<std::string>& { return c.repository.admin_email; }, judge_email}},
    {"repository", "identifier_namespace", true,
     "The namespace in oai:<namespace>:<local id>, a domain name of yours.",
     TextKey{[](Config& c) -> std::string& { return c.repository.identifier_namespace; }, judge_namespace}},
    {"repository", "deleted_record", false, "deletedRecord of Identify: how long deletions are remembered.",
     ChoiceKey{
         kDeletedRecord,
         [](const Config& c) {
             return kDeletedRecord[static_cast<std::size_t>(c.repository.deleted_record)];
         },
         [](Config& c, std::size_t i) { c.repository.deleted_record = static_cast<DeletedRecord>(i); }}},
    {"repository", "earliest_datestamp", false,
     "A floor for earliestDatestamp, which is computed when this is unset.",
     DatestampKey{[](Config& c) -> std::optional<std::chrono::sys_seconds>& {
         return c.repository.earliest_datestamp;
     }}},
    {"repository", "description", false,
     "A file with one XML element for <description> of Identify; repeat for several.",
     ListKey{[](Config& c) -> std::vector<std::string>& { return c.repository.description; },
             judge_not_empty}},
    {"repository", "sets", false, "Whether the repository has sets.",
     FlagKey{[](Config& c) -> bool& { return c.repository.sets; }}},
    {"repository", "compression", false,
     "Whether answers are compressed by gzip for harvesters that ask for it.",
     FlagKey{[](Config& c) -> bool& { return c.repository.compression; }}},

    {"lists", "records", false, "Records in a page of ListIdentifiers and ListRecords, at most.",
     IntegerKey{[](Config& c) -> int& { return c.lists.records; }, 1, 10'000}},
    {"lists", "sets", false, "Sets in a page of ListSets, at most.",
     IntegerKey{[](Config& c) -> int& { return c.lists.sets; }, 1, 10'000}},
    {"lists", "page_bytes", false, "A page ends after the record that takes it beyond so many bytes.",
     IntegerKey{[](Config& c) -> int& { return c.lists.page_bytes; }, 1, 1'000'000'000}},
    {"lists", "page_milliseconds", false, "A page ends when so much time is spent on it.",
     IntegerKey{[](Config& c) -> int& { return c.lists.page_milliseconds; }, 1, 600'000}},
    {"lists", "token_lifetime_seconds", false,
     "How long a resumptionToken is accepted, as its expirationDate says.",
     IntegerKey{[](Config& c) -> int& { return c.lists.token_lifetime_seconds; }, 1, 3650 * kDay}},
    {"lists", "cache_seconds", false, "How long caches may keep a page of a list whose until is past; 0: never.",
     IntegerKey{[](Config& c) -> int& { return c.lists.cache_seconds; }, 0, 365 * kDay}},
    {"lists", "count_limit", false, "Lists are counted up to here for completeListSize.",
     IntegerKey{[](Config& c) -> int& { return c.lists.count_limit; }, 0, 100'000'000}},
    {"lists", "on_bad_record", false,
     "What becomes of a record that its stylesheet cannot turn into the format.",
     ChoiceKey{kOnBadRecord,
               [](const Config& c) { return kOnBadRecord[static_cast<std::size_t>(c.lists.on_bad_record)]; },
               [](Config& c, std::size_t i) { c.lists.on_bad_record = static_cast<OnBadRecord>(i); }}},

    {"token", "key_file", true, "The file with the secret key of resumptionTokens: 64 hex digits.",
     TextKey{[](Config& c) -> std::string& { return c.token.key_file; }, judge_not_empty}},
    {"token", "previous_key_file", false,
     "The key before, still accepted but never issued, while keys are changed.",
     TextKey{[](Config& c) -> std::string& { return c.token.previous_key_file; }, judge_not_empty}},

    {"formats", "directory", true, "The directory of the stylesheets, one for each metadata format.",
     TextKey{[](Config& c) -> std::string& { return c.formats.directory; }, judge_not_empty}},
    {"formats", "inotify", false, "Whether changes of the directory are found by inotify, beside looking.",
     FlagKey{[](Config& c) -> bool& { return c.formats.inotify; }}},
    {"formats", "compiled", false,
     "Whether stylesheets of the plain subset run compiled. no: libxslt runs all of them.",
     FlagKey{[](Config& c) -> bool& { return c.formats.compiled; }}},
    {"formats", "compiled_check_every", false,
     "One record in so many is made by libxslt too and compared; 0: none.",
     IntegerKey{[](Config& c) -> int& { return c.formats.compiled_check_every; }, 0, 1'000'000'000}},

    {"browse", "directory", false, "The directory of the pages for people; unset: there are none.",
     TextKey{[](Config& c) -> std::string& { return c.browse.directory; }, judge_not_empty}},
    {"browse", "languages", false, "Languages of the pages, the first for browsers that want none of them.",
     TextKey{[](Config& c) -> std::string& { return c.browse.languages; }, judge_languages}},
    {"browse", "records", false, "Records in a page of a list for people, at most.",
     IntegerKey{[](Config& c) -> int& { return c.browse.records; }, 1, 1'000}},
    {"browse", "replay", false, "Where the content of a record is seen: an address with columns as {name}.",
     TextKey{[](Config& c) -> std::string& { return c.browse.replay; }, judge_replay}},

    {"database", "connection", true, "libpq connection string of the role that only reads.",
     TextKey{[](Config& c) -> std::string& { return c.database.connection; }, judge_not_empty}},
    {"database", "connections", false, "Connections that the server holds, at most.",
     IntegerKey{[](Config& c) -> int& { return c.database.connections; }, 1, 1'000}},
    {"database", "max_wait_milliseconds", false,
     "A request waits so long for a free connection, then it is answered 503.",
     IntegerKey{[](Config& c) -> int& { return c.database.max_wait_milliseconds; }, 0, 600'000}},
    {"database", "max_waiters", false,
     "Requests that may wait at the same time; one more is answered 503 at once.",
     IntegerKey{[](Config& c) -> int& { return c.database.max_waiters; }, 0, 1'000}},
    {"database", "statement_timeout_milliseconds", false,
     "PostgreSQL stops a statement of the server after this.",
     IntegerKey{[](Config& c) -> int& { return c.database.statement_timeout_milliseconds; }, 1, 3'600'000}},
    {"database", "connection_seconds", false,
     "A connection is opened anew after this, so that a host that had fallen out comes back into use.",
     IntegerKey{[](Config& c) -> int& { return c.database.connection_seconds; }, 1, kDay}},
    {"database", "replica_lag_seconds", false,
     "So far may replicas be behind one another without a harvester having to wait; responseDate is so much earlier.",
     IntegerKey{[](Config& c) -> int& { return c.database.replica_lag_seconds; }, 0, kDay}},

    {"server", "socket", false, "Path of the FastCGI socket; unset: it is handed over, by systemd or as descriptor 0.",
     TextKey{[](Config& c) -> std::string& { return c.server.socket; }, judge_socket}},
    {"server", "workers", false, "Threads, each with one request at a time.",
     IntegerKey{[](Config& c) -> int& { return c.server.workers; }, 5, 4'096}},
    {"server", "post_limit_bytes", false, "A longer body of a POST request is answered 413.",
     IntegerKey{[](Config& c) -> int& { return c.server.post_limit_bytes; }, 1, 16'777'216}},
    {"server", "request_seconds", false, "The deadline of a request.",
     IntegerKey{[](Config& c) -> int& { return c.server.request_seconds; }, 1, 3'600}},
    {"server", "idle_seconds", false, "A web server that neither sends nor reads for so long is dropped.",
     IntegerKey{[](Config& c) -> int& { return c.server.idle_seconds; }, 1, 3'600}},
    {"server", "retry_after_seconds", false, "Retry-After of 503.",
     IntegerKey{[](Config& c) -> int& { return c.server.retry_after_seconds; }, 1, kDay}},

    {"clients", "trusted_proxy", false,
     "An address or range of proxies whose X-Forwarded-For is believed; repeat for several.",
     ListKey{[](Config& c) -> std::vector<std::string>& { return c.clients.trusted_proxy; }, judge_address_range}},
    {"clients", "requests_per_minute", false,
     "Requests for the database that one client may make in a minute, in the long run; 0: no limit.",
     IntegerKey{[](Config& c) -> int& { return c.clients.requests_per_minute; }, 0, 1'000'000}},
    {"clients", "burst", false, "Requests that a client may make at once after a pause.",
     IntegerKey{[](Config& c) -> int& { return c.clients.burst; }, 1, 1'000'000}},
    {"clients", "unlimited", false, "An address or range of clients that are not limited; repeat for several.",
     ListKey{[](Config& c) -> std::vector<std::string>& { return c.clients.unlimited; }, judge_address_range}},

    {"publisher", "connection", false,
     "libpq connection string of the publishing role; oai publish needs it.",
     TextKey{[](Config& c) -> std::string& { return c.publisher.connection; }, judge_not_empty}},
    {"publisher", "slice_records", false, "Records published in one transaction, at most.",
     IntegerKey{[](Config& c) -> int& { return c.publisher.slice_records; }, 1, kMostRows}},
    {"publisher", "late_seconds", false, "A repository published further behind the clock than this is not healthy.",
     IntegerKey{[](Config& c) -> int& { return c.publisher.late_seconds; }, 5, kDay}},

    {"loader", "connection", false, "libpq connection string of the loading role; oai load needs it.",
     TextKey{[](Config& c) -> std::string& { return c.loader.connection; }, judge_not_empty}},
    {"loader", "slice_records", false, "Records loaded in one transaction, at most.",
     IntegerKey{[](Config& c) -> int& { return c.loader.slice_records; }, 1, kMostRows}},

    {"harvest", "normalise", false, "The directory of the stylesheets that harvested oai_dc can go through.",
     TextKey{[](Config& c) -> std::string& { return c.harvest.normalise; }, judge_not_empty}},
    {"harvest", "repositories", false, "Repositories harvested at the same time, at most.",
     IntegerKey{[](Config& c) -> int& { return c.harvest.repositories; }, 1, 64}},
    {"harvest", "contact", false, "A mail address or URL for those whom a harvest bothers; unset: the first admin_email.",
     TextKey{[](Config& c) -> std::string& { return c.harvest.contact; }, judge_contact}},

    {"log", "level", false, "The least important lines that are logged.",
     ChoiceKey{kLogLevel, [](const Config& c) -> std::string_view { return c.log.level; },
               [](Config& c, std::size_t i) { c.log.level = kLogLevel[i]; }}},
};

std::string join(std::span<const std::string_view> words, std::string_view between) {
    std::string all;
    for (const std::string_view word : words) all.append(all.empty() ? "" : between).append(word);
    return all;
}

// describe_type by kind.
struct Describe {
    std::string operator()(const TextKey&) const { return "text"; }
    std::string operator()(const ListKey&) const { return "text, repeatable"; }
    std::string operator()(const IntegerKey& k) const {
        return "integer " + std::to_string(k.least) + ".." + std::to_string(k.most);
    }
    std::string operator()(const FlagKey&) const { return "yes or no"; }
    std::string operator()(const ChoiceKey& k) const { return join(k.words, " or "); }
    std::string operator()(const DatestampKey&) const { return "YYYY-MM-DDThh:mm:ssZ"; }
};

// print_value by kind. The accessors want a Config to write to; a copy of it serves.
struct Print {
    Config config;
    std::string operator()(const TextKey& k) { return k.at(config); }
    std::string operator()(const ListKey& k) {
        const auto& entries = k.at(config);
        const std::vector<std::string_view> views(entries.begin(), entries.end());
        return join(views, ", ");
    }
    std::string operator()(const IntegerKey& k) { return std::to_string(k.at(config)); }
    std::string operator()(const FlagKey& k) { return k.at(config) ? "yes" : "no"; }
    std::string operator()(const ChoiceKey& k) { return std::string(k.get(config)); }
    std::string operator()(const DatestampKey& k) {
        const auto& time = k.at(config);
        return time ? print_time(*time) : "";
    }
};

// set_value by kind: nullopt when the value was taken over.
struct SetValue {
    std::string_view value;
    Config& config;
    using Wrong = std::optional<std::string>;

    Wrong operator()(const TextKey& k) const {
        if (const char* right = k.judge(value)) return right;
        k.at(config) = value;
        return std::nullopt;
    }
    Wrong operator()(const ListKey& k) const {
        if (const char* right = k.judge(value)) return right;
        k.at(config).emplace_back(value);
        return std::nullopt;
    }
    Wrong operator()(const IntegerKey& k) const {
        const auto number = text::to_integer(value);
        if (!number || *number < k.least || *number > k.most) return Describe{}(k);
        k.at(config) = static_cast<int>(*number);
        return std::nullopt;
    }
    Wrong operator()(const FlagKey& k) const {
        if (value != "yes" && value != "no") return Describe{}(k);
        k.at(config) = value == "yes";
        return std::nullopt;
    }
    Wrong operator()(const ChoiceKey& k) const {
        const auto word = std::find(k.words.begin(), k.words.end(), value);
        if (word == k.words.end()) return Describe{}(k);
        k.set(config, static_cast<std::size_t>(word - k.words.begin()));
        return std::nullopt;
    }
    Wrong operator()(const DatestampKey& k) const {
        const auto time = parse_time(value);
        if (!time) return Describe{}(k);
        k.at(config) = *time;
        return std::nullopt;
    }
};

}  // namespace

std::span<const KeyRow> key_rows() { return kRows; }

std::string describe_type(const KeyRow& row) { return std::visit(Describe{}, row.place); }

std::string print_value(const KeyRow& row, const Config& config) {
    return std::visit(Print{config}, row.place);
}

std::optional<std::string> set_value(const KeyRow& row, std::string_view value, Config& config) {
    return std::visit(SetValue{value, config}, row.place);
}

}  // namespace oai
