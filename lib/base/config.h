// SPDX-License-Identifier: MIT
// The configuration file oai.ini. One table (config_keys.cpp) gives each key its name, type,
// default, bounds and meaning; a file with a key that is not in the table is refused. Debian's inih
// cuts long lines and reads 1OO as 1, so the length of each line is checked before it (ini.h) and
// each value after it.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"

namespace oai {

enum class DeletedRecord { no, transient, persistent };  // OAI-PMH 2.0, 2.5.1
enum class OnBadRecord { skip, fail };

// Every key of oai.ini, grouped by its section. The comments in oai.ini and the manual page
// oai.ini(5) explain each.
struct Config {
    struct Repository {
        std::string name = "";      // required
        std::string base_url = "";  // required; byte for byte the URL that harvesters use
        std::vector<std::string> admin_email;   // at least one
        std::string identifier_namespace = "";  // required; dotted: oai:<namespace>:<local_id>
        DeletedRecord deleted_record = DeletedRecord::persistent;
        // A lower bound of earliestDatestamp, which is computed when this is absent.
        std::optional<std::chrono::sys_seconds> earliest_datestamp;
        std::vector<std::string> description;  // files, each one XML element
        bool sets = true;
        bool compression = true;  // gzip for harvesters that accept it
        // A rule whose items alone exist here; empty: all do.
        std::string only = "";
    } repository;
    struct Lists {
        int records = 100;             // per page of ListIdentifiers and ListRecords
        int sets = 500;                // per page of ListSets
        int page_bytes = 4'000'000;    // a page ends after the record that exceeds this
        int page_milliseconds = 5000;  // and when it has taken this long
        int token_lifetime_seconds = 604'800;
        int cache_seconds = 3600;  // for a closed list (web/response.h); 0: no caching
        int count_limit = 10'000;  // completeListSize is counted up to here
        OnBadRecord on_bad_record = OnBadRecord::skip;
    } lists;
    struct Token {
        std::string key_file = "";           // required; 32 bytes as 64 hex digits
        std::string previous_key_file = "";  // tokens of this key are accepted, never issued
    } token;
    struct Formats {
        std::string directory = "";  // required; one stylesheet per format
        // An XML catalog for addresses of the network; empty: catalog.xml of the directory, if any.
        std::string catalog = "";
        std::string only = "";  // prefixes with commas between; empty: all, else these and oai_dc
        bool compiled = true;   // run simple stylesheets compiled; false: libxslt runs all
        // One record in this many is also made by libxslt and compared; 0: none.
        int compiled_check_every = 10'000;
    } formats;
    struct Browse {
        // Stylesheet, texts and style sheet of the pages for people; empty: there are no pages.
        std::string directory = "";
        std::string languages = "en cs sk de";  // the first is the default
        int records = 50;                       // per page of a list
        // Address at which a record's content can be viewed; {column} stands for a value.
        std::string replay = "";
        std::string name = "";  // shown instead of the repository's name
        std::string logo = "";  // a file; SVG or PNG
    } browse;
    struct Database {
        std::string connection = "";  // required; libpq conninfo of the reading role
        int connections = 4;
        int max_wait_milliseconds = 1000;
        int max_waiters = 8;
        int statement_timeout_milliseconds = 30'000;
        int connection_seconds = 600;  // a connection older than this is replaced
        int replica_lag_seconds = 0;   // how far replicas may be behind (store/replica.h)
    } database;
    struct Server {
        // Path of the FastCGI socket; empty: file descriptor 0, from spawn-fcgi or systemd.
        std::string socket = "";
        int workers = 16;
        int post_limit_bytes = 65'536;
        int request_seconds = 60;  // deadline of one request
        int idle_seconds = 10;  // a web server that sends or reads nothing for this long is dropped
        int retry_after_seconds = 10;
    } server;
    struct Clients {
        // Addresses and ranges of proxies whose X-Forwarded-For is trusted.
        std::vector<std::string> trusted_proxy;
        int requests_per_minute = 0;         // of one client; 0: no limit
        int burst = 100;                     // requests that one client may make at once
        std::vector<std::string> unlimited;  // addresses and ranges that are not limited
    } clients;
    struct Publisher {
        std::string connection = "";  // libpq conninfo of the publishing role, for `oai publish`
        int slice_records = 50'000;
        int late_seconds = 60;  // degraded if the horizon is further behind the clock
        // Directory of sets by a rule; unset: `sets` beside the file, if it is there.
        std::string sets = "";
    } publisher;
    struct Loader {
        std::string connection = "";  // libpq conninfo of the loading role, for `oai load`
        int slice_records = 50'000;
    } loader;
    struct Harvest {
        // Directory of stylesheets for harvested oai_dc; empty: there are none.
        std::string normalise = "";
        int repositories = 4;  // harvested at the same time
        // Mail address or URL that is shown to harvested repositories; empty: the first
        // admin_email.
        std::string contact = "";
        // Redirects of harvested repositories to private addresses are followed.
        bool allow_private = false;
    } harvest;
    struct Log {
        log::Level level = log::Level::info;
    } log;
};

// The message is for the admin: "FILE:LINE: [section] key: what is wrong, what would be right"; one
// line for each problem found, no line end after the last.
class ConfigError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Reads and checks a file. Throws ConfigError naming file and line for: an unreadable file, a line
// that ini.h refuses (200 bytes or more, indented, NUL, not UTF-8, ...), an unknown section or key,
// a key given twice (unless it is a list), a value that does not parse completely or is out of
// bounds, a missing required key, and a contradiction between two keys: workers < connections +
// max_waiters + 4, a page that may take longer than a request, the same file as current and
// previous token key, a password in a file that others may read.
Config read_config(const std::string& path);

// Reads the configuration from a text; `name` stands for the file in messages. Does not check
// permissions.
Config parse_config(std::string_view text, const std::string& name);

}  // namespace oai
