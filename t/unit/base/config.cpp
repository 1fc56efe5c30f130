// SPDX-License-Identifier: MIT
#include "base/config.h"

#include "base/config_keys.h"
#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"

namespace {

// A key of the table, with its default and its type as text.
struct ConfigKey {
    std::string section, key, default_value, type, meaning;
    bool required, list;
};
const std::vector<ConfigKey>& config_keys() {
    static const std::vector<ConfigKey> kKeys = [] {
        std::vector<ConfigKey> keys;
        for (const KeyRow& row : key_rows())
            keys.push_back({row.section, row.key, row.type.print(Config{}), row.type.form,
                            row.meaning, row.required, row.type.is_list});
        return keys;
    }();
    return kKeys;
}

const std::string kRequired =
    "[repository]\n"                  // 1
    "name = R\n"                      // 2
    "base_url = http://r.org/oai\n"   // 3
    "admin_email = a@r.org\n"         // 4
    "identifier_namespace = r.org\n"  // 5
    "[token]\n"                       // 6
    "key_file = k\n"                  // 7
    "[formats]\n"                     // 8
    "directory = d\n"                 // 9
    "[database]\n"                    // 10
    "connection = dbname=oai\n";      // 11

std::string refusal(const std::string& text) {
    try {
        parse_config(text, "f");
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "accepted";
}

// The error message for one more line after the required ones, which is line 13.
std::string refusal(const std::string& section, const std::string& line) {
    return refusal(kRequired + "[" + section + "]\n" + line + "\n");
}

// A value of the key's type that is not its default.
std::string other_value(const ConfigKey& k) {
    if (k.key == "deleted_record") return "transient";
    if (k.key == "on_bad_record") return "fail";
    if (k.key == "level") return "debug";
    if (k.key == "only") return k.section == "formats" ? "oai_dc,marcxml" : "theses";
    if (k.key == "languages") return "cs de";
    if (k.key == "replay") return "https://r.org/{url}";
    if (k.key == "logo") return "path/x.svg";
    if (k.key == "contact") return "b@r.org";
    if (k.key == "workers") return "17";
    if (k.type == "yes or no") return k.default_value == "yes" ? "no" : "yes";
    if (k.type == "YYYY-MM-DDThh:mm:ssZ") return "2001-02-03T04:05:06Z";
    if (k.key == "max_waiters") return "7";
    if (k.type.starts_with("integer"))
        return k.key == "connections" ? "3" : std::to_string(std::stoi(k.default_value) + 1);
    return k.section == "clients" ? "192.0.2.0/24" : "path/x";
}

}  // namespace

TEST_CASE("config: the required keys suffice, all others have their defaults") {
    const Config c = parse_config(kRequired, "f");
    CHECK(c.repository.name == "R");
    CHECK(c.repository.base_url == "http://r.org/oai");
    CHECK(c.repository.admin_email == Strings{"a@r.org"});
    CHECK(c.repository.identifier_namespace == "r.org");
    CHECK(c.token.key_file == "k");
    CHECK(c.formats.directory == "d");
    CHECK(c.database.connection == "dbname=oai");
    CHECK(c.repository.deleted_record == DeletedRecord::persistent);
    CHECK(c.repository.description.empty());
    CHECK_FALSE(c.repository.earliest_datestamp);
    CHECK(c.lists.token_lifetime_seconds == 604'800);
    CHECK(c.server.workers == 16);
    CHECK(c.log.level == log::Level::info);
}

TEST_CASE("config: each value gets into its member") {
    const Config c = parse_config(
        kRequired +
            "[repository]\nadmin_email = b@r.org\ndeleted_record = no\nsets = no\n"
            "compression = no\nearliest_datestamp = 1970-01-01T00:00:07Z\n"
            "description = x.xml\ndescription = y.xml\n"
            "[lists]\nrecords = 1\nsets = 2\npage_bytes = 3\npage_milliseconds = 4\n"
            "token_lifetime_seconds = 5\ncount_limit = 6\non_bad_record = fail\n"
            "[token]\nprevious_key_file = p\n"
            "[database]\nconnections = 8\nmax_wait_milliseconds = 9\nmax_waiters = 10\n"
            "statement_timeout_milliseconds = 11\nconnection_seconds = 18\nreplica_lag_seconds = "
            "19\n"
            "[server]\nsocket = s\nworkers = 22\npost_limit_bytes = 12\nrequest_seconds = 13\n"
            "idle_seconds = 14\nretry_after_seconds = 15\n"
            "[clients]\ntrusted_proxy = 10.0.0.0/8\ntrusted_proxy = ::1\nrequests_per_minute = 18\n"
            "burst = 19\nunlimited = 192.0.2.1\n"
            "[publisher]\nconnection = dbname=p\nslice_records = 16\nlate_seconds = 20\n"
            "[loader]\nconnection = dbname=l\nslice_records = 17\n[harvest]\nnormalise = "
            "/n\nrepositories = 18\ncontact = http://e.org/us\n[log]\nlevel = error\n"
            "[browse]\ndirectory = b\nlanguages = cs\nrecords = 18\nreplay = https://r.org/{url}\n"
            "name = N\nlogo = l.png\n",
        "f");
    CHECK(c.repository.admin_email == Strings{"a@r.org", "b@r.org"});
    CHECK(c.repository.deleted_record == DeletedRecord::no);
    CHECK_FALSE(c.repository.sets);
    CHECK_FALSE(c.repository.compression);
    CHECK(c.repository.earliest_datestamp == std::chrono::sys_seconds{7s});
    CHECK(c.repository.description == Strings{"x.xml", "y.xml"});
    CHECK(std::vector{c.lists.records, c.lists.sets, c.lists.page_bytes, c.lists.page_milliseconds,
                      c.lists.token_lifetime_seconds,
                      c.lists.count_limit} == std::vector{1, 2, 3, 4, 5, 6});
    CHECK(c.lists.on_bad_record == OnBadRecord::fail);
    CHECK(c.token.previous_key_file == "p");
    CHECK(std::vector{c.database.connections, c.database.max_wait_milliseconds,
                      c.database.max_waiters, c.database.statement_timeout_milliseconds,
                      c.database.connection_seconds,
                      c.database.replica_lag_seconds} == std::vector{8, 9, 10, 11, 18, 19});
    CHECK(c.server.socket == "s");
    CHECK(std::vector{c.server.workers, c.server.post_limit_bytes, c.server.request_seconds,
                      c.server.idle_seconds,
                      c.server.retry_after_seconds} == std::vector{22, 12, 13, 14, 15});
    CHECK(c.clients.trusted_proxy == Strings{"10.0.0.0/8", "::1"});
    CHECK(std::vector{c.clients.requests_per_minute, c.clients.burst, c.publisher.late_seconds} ==
          std::vector{18, 19, 20});
    CHECK(c.clients.unlimited == Strings{"192.0.2.1"});
    CHECK(c.publisher.connection == "dbname=p");
    CHECK(c.loader.connection == "dbname=l");
    CHECK(c.harvest.normalise == "/n");
    CHECK(c.harvest.contact == "http://e.org/us");
    CHECK(std::vector{c.publisher.slice_records, c.loader.slice_records, c.harvest.repositories} ==
          std::vector{16, 17, 18});
    CHECK(c.log.level == log::Level::error);
    CHECK(c.browse.directory == "b");
    CHECK(c.browse.languages == "cs");
    CHECK(c.browse.records == 18);
    CHECK(c.browse.replay == "https://r.org/{url}");
    CHECK(std::vector{c.browse.name, c.browse.logo} == Strings{"N", "l.png"});
}

TEST_CASE("config: every key that is not required can be given, once unless it is a list") {
    for (const ConfigKey& k : config_keys()) {
        if (k.required) continue;
        CAPTURE(k.section, k.key);
        const std::string line = k.key + " = " + other_value(k);
        CHECK(refusal(k.section, line) == "accepted");
        const std::string twice = refusal(k.section, line + "\n" + line);
        if (k.list)
            CHECK(twice == "accepted");
        else
            CHECK(twice ==
                  "f:14: [" + k.section + "] " + k.key + ": given twice, first in line 13");
    }
}

TEST_CASE("config: a missing required key is reported, and an empty value does not count") {
    CHECK(refusal("").find("f: [repository] name: missing") == 0);
    for (const ConfigKey& k : config_keys()) {
        CAPTURE(k.section, k.key);
        const std::string missed =
            "f: [" + k.section + "] " + k.key + ": missing, it has no default";
        CHECK((refusal("").find(missed) != std::string::npos) == k.required);
        if (!k.required)
            CHECK(
                refusal(k.section, k.key + " =").starts_with("f:13: [" + k.section + "] " + k.key));
    }
}

TEST_CASE("config: integers are whole and within their bounds") {
    for (const ConfigKey& k : config_keys()) {
        if (!k.type.starts_with("integer ")) continue;
        CAPTURE(k.section, k.key);
        const std::size_t dots = k.type.find("..");
        const long long least = std::stoll(k.type.substr(8, dots - 8)),
                        most = std::stoll(k.type.substr(dots + 2));
        REQUIRE(least <= std::stoll(k.default_value));
        REQUIRE(std::stoll(k.default_value) <= most);
        for (const std::string& bad :
             {std::to_string(least - 1), std::to_string(most + 1), std::string("1OO"),
              std::string("1.5"), std::string("0x10"), std::string("1 0"),
              std::string("99999999999999999999"), std::string("ten")}) {
            CHECK(refusal(k.section, k.key + " = " + bad) == "f:13: [" + k.section + "] " + k.key +
                                                                 ": \"" + bad +
                                                                 "\" is wrong; right is " + k.type);
        }
    }
}

TEST_CASE("config: words must match exactly") {
    CHECK(refusal("repository", "sets = true").ends_with("right is yes or no"));
    CHECK(refusal("repository", "sets = Yes").ends_with("right is yes or no"));
    CHECK(refusal("repository", "deleted_record = never")
              .ends_with("right is no or transient or persistent"));
    CHECK(refusal("lists", "on_bad_record = ignore").ends_with("right is skip or fail"));
    CHECK(refusal("log", "level = warn").ends_with("right is debug or info or warning or error"));
    CHECK(refusal("repository", "earliest_datestamp = 2026-01-01")
              .ends_with("right is YYYY-MM-DDThh:mm:ssZ"));
    CHECK_THAT(refusal("repository", "admin_email = mailto:a@r.org"),
               Contains("right is local@domain.tld"));
}

TEST_CASE("config: keys and sections that the table does not have are refused") {
    CHECK(refusal("lists", "recordz = 1") ==
          "f:13: [lists] recordz: unknown key; see oai.ini(5) for all keys");
    CHECK(refusal("lists", "Records = 1") ==
          "f:13: [lists] Records: unknown key; see oai.ini(5) for all keys");
    CHECK(refusal("list", "records = 1") ==
          "f:13: [list]: unknown section; see oai.ini(5) for all sections");
    CHECK(refusal("lists", "  records = 1").starts_with("f:13: the line is indented"));
    CHECK(refusal("lists", "records") == "f:13: neither a comment, a [section] nor key = value");
}

TEST_CASE("config: contradictions between keys are found") {
    CHECK(refusal("server", "workers = 15")
              .starts_with("f:13: [server] workers: 15 is less than [database] connections + "
                           "max_waiters + 4 = 16"));
    CHECK(
        refusal("database", "connections = 5").starts_with("f: [server] workers: 16 is less than"));
    CHECK(refusal("server", "request_seconds = 4")
              .starts_with("f: [lists] page_milliseconds: 5000 is more than"));
    CHECK(refusal("lists", "page_milliseconds = 60001")
              .starts_with("f:13: [lists] page_milliseconds"));
    CHECK(refusal("token", "previous_key_file = k")
              .starts_with("f:13: [token] previous_key_file: the same file"));
}

TEST_CASE("config: all faults are reported at once, by line") {
    CHECK(refusal("[lists]\nrecords = 0\nsets = 0\n[repository]\nname = R\n") ==
          "f: [repository] base_url: missing, it has no default\n"
          "f: [repository] admin_email: missing, it has no default\n"
          "f: [repository] identifier_namespace: missing, it has no default\n"
          "f: [token] key_file: missing, it has no default\n"
          "f: [formats] directory: missing, it has no default\n"
          "f: [database] connection: missing, it has no default\n"
          "f:2: [lists] records: \"0\" is wrong; right is integer 1..10000\n"
          "f:3: [lists] sets: \"0\" is wrong; right is integer 1..10000");
}

TEST_CASE("config: a file that cannot be read is named") {
    CHECK(read_config("etc/oai-minimal.ini").repository.name == "Example Repository");
    CHECK_THROWS_WITH(read_config("t/no-such.ini"), "t/no-such.ini: No such file or directory");
    CHECK_THROWS_WITH(read_config("etc"), "etc: no regular file");
    CHECK_THROWS_WITH(read_config("/dev/null"), "/dev/null: no regular file");
    CHECK_THROWS_WITH(read_config("etc/oai.ini"),
                      StartsWith("etc/oai.ini: [repository] name: missing"));
}

TEST_CASE("config: the table has every key once, with an explanation") {
    std::set<std::pair<std::string, std::string>> seen;
    for (const ConfigKey& k : config_keys()) {
        CAPTURE(k.section, k.key);
        CHECK(seen.emplace(k.section, k.key).second);
        CHECK(k.meaning.ends_with("."));
        CHECK(k.meaning.find_first_of("\t\n") == std::string::npos);
        CHECK((k.required ? k.default_value.empty() : true));
    }
    CHECK(seen.size() == 59);
}

TEST_CASE("config: a file with a password must not be readable by others") {
    const TemporaryDirectory directory;
    const fs::path file = directory.at("oai.ini");
    const auto with_connection = [&](const std::string& connection, int mode) {
        fs::remove(file);
        std::ofstream(file) << kRequired.substr(0, kRequired.rfind("connection"))
                            << "connection = " << connection << '\n';
        fs::permissions(file, fs::perms(mode));
        return read_config(file).database.connection;
    };
    for (const std::string secret :
         {"dbname=oai password=x", "postgres://reader:x@host/oai", "sslpassword = y dbname=oai"}) {
        CHECK(with_connection(secret, 0640) == secret);
        CHECK_THROWS_WITH(with_connection(secret, 0644),
                          StartsWith(file.string() + ": has a password") && Contains("passfile="));
        CHECK_THROWS_AS(with_connection(secret, 0660), ConfigError);
    }
    for (const std::string open : {"dbname=oai", "postgres://reader@host:5432/oai"})
        CHECK(with_connection(open, 0644) == open);
}
