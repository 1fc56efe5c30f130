// SPDX-License-Identifier: MIT
// oai.ini: one table of keys (config_keys.cpp) gives name, type, default, bounds and meaning; reading refuses
// what the table does not know. Debian's inih cuts long lines and reads 1OO as 1, so lengths are checked
// before it (ini.h) and values after it.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace oai {

enum class DeletedRecord { no, transient, persistent };  // OAI-PMH 2.0, 2.5.1
enum class OnBadRecord { skip, fail };

// Every key of oai.ini, grouped by its section; the comments there and oai.ini(5) say what each means.
struct Config {
    struct Repository {
        std::string name = "";                  // required
        std::string base_url = "";              // required; byte for byte what harvesters are told to use
        std::vector<std::string> admin_email;   // at least one
        std::string identifier_namespace = "";  // required; dotted: oai:<namespace>:<local_id>
        DeletedRecord deleted_record = DeletedRecord::persistent;
        std::optional<std::chrono::sys_seconds> earliest_datestamp;  // a floor; computed when absent
        std::vector<std::string> description;                        // files, each one XML element
        bool sets = true;
        bool compression = true;  // gzip when a harvester asks for it
    } repository;
    struct Lists {
        int records = 100;             // per page of ListIdentifiers and ListRecords
        int sets = 500;                // per page of ListSets
        int page_bytes = 4'000'000;    // a page ends after the record that passes this
        int page_milliseconds = 5000;  // and when this is spent
        int token_lifetime_seconds = 604'800;
        int cache_seconds = 3600;  // of a list that is closed (caching.h); 0: nothing is cached
        int count_limit = 10'000;  // completeListSize is counted up to here
        OnBadRecord on_bad_record = OnBadRecord::skip;
    } lists;
    struct Token {
        std::string key_file = "";           // required; 32 bytes as 64 hex digits
        std::string previous_key_file = "";  // still accepted, never issued
    } token;
    struct Formats {
        std::string directory = "";  // required; one stylesheet per format
        bool inotify = true;         // false: changes are found by looking alone
        bool compiled = true;        // stylesheets of the plain subset; false: libxslt runs all
        int compiled_check_every = 10'000;  // one record in so many is made by libxslt too; 0: none
    } formats;
    struct Browse {
        std::string directory = "";         // of the pages for people: stylesheet, texts, style; empty: there are none
        std::string languages = "en cs";    // the first where a browser wants none of them
        int records = 50;                   // per page of a list
        std::string replay = "";            // address at which a record's content is seen: {column} stands for a value
    } browse;
    struct Database {
        std::string connection = "";  // required; libpq conninfo of the reading role
        int connections = 4;
        int max_wait_milliseconds = 1000;
        int max_waiters = 8;
        int statement_timeout_milliseconds = 30'000;
        int connection_seconds = 600;  // a connection older than this is opened anew
        int replica_lag_seconds = 0;   // databases may be so far behind one another (reach.h)
    } database;
    struct Server {
        std::string socket = "";  // path of the FastCGI socket; empty: file descriptor 0 (spawned or systemd)
        int workers = 16;
        int post_limit_bytes = 65'536;
        int request_seconds = 60;  // deadline of one request
        int idle_seconds = 10;     // a web server that sends or reads nothing for this long is dropped
        int retry_after_seconds = 10;
    } server;
    struct Clients {
        std::vector<std::string> trusted_proxy;  // addresses and ranges whose X-Forwarded-For is believed
        int requests_per_minute = 0;             // of one client; 0: no limit
        int burst = 100;                         // requests that one client may save up
        std::vector<std::string> unlimited;      // addresses and ranges that are not limited
    } clients;
    struct Publisher {
        std::string connection = "";  // libpq conninfo of the publishing role; required by `oai publish`
        int slice_records = 50'000;
        int late_seconds = 60;  // a horizon that is further behind the clock: not healthy
    } publisher;
    struct Loader {
        std::string connection = "";  // libpq conninfo of the loading role; required by `oai load`
        int slice_records = 20'000;
    } loader;
    struct Harvest {
        std::string normalise = "";  // directory of stylesheets for harvested oai_dc; empty: there are none
        int repositories = 4;        // harvested at the same time
        std::string contact = "";    // mail address or URL for those whom a harvest bothers; empty: the first admin_email
    } harvest;
    struct Log {
        std::string level = "info";  // debug, info, warning, error
    } log;
};

// The message is for the admin: "FILE:LINE: [section] key: what is wrong, what would be right"; one line for
// each problem found, no line end after the last.
class ConfigError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Reads and checks a file. Throws ConfigError naming file and line for: an unreadable file, a line that ini.h
// refuses (200 bytes or more, indented, NUL, not UTF-8, ...), an unknown section or key, a key given twice
// (unless it is a list), a value that does not parse completely or is out of bounds, a missing required key,
// and what only two keys together show: workers < connections + max_waiters + 4, a page that may take longer
// than a request, the same key file as current and previous.
Config read_config(const std::string& path);

// The same of a text; `name` stands for the file in messages.
Config parse_config(std::string_view text, const std::string& name);

// One row per key, in file order, for `oai check`, the lint and the tests.
struct ConfigKey {
    std::string section, key;
    std::string default_value;  // as it would be written in the file; "" unset
    std::string type;           // "text", "integer 1..1000", "yes or no", "skip or fail", ...
    std::string meaning;        // one sentence
    bool required, list;        // list: the key may be repeated
};
const std::vector<ConfigKey>& config_keys();

}  // namespace oai
