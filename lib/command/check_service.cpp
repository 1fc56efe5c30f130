// SPDX-License-Identifier: MIT
// oai check: whether the services can read their files as the users that they run as; whether the
// repository responds at its base_url; and the problems on the server's status page.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "base/fd.h"
#include "base/text.h"
#include "command/check.h"
#include "command/command.h"
#include "command/queries.h"
#include "pg/binary.h"
#include "pg/connection.h"
#include "publish/publisher.h"
#include "tools/harvest/answer.h"
#include "tools/http_client/client.h"
#include "web/request.h"
#include "xml/document.h"

namespace oai::command {
namespace {

namespace fs = std::filesystem;

// Writes a line for each path at or below this one that cannot be read. Runs in a process that has
// changed its user. Missing files are reported by other checks.
void write_unreadable(const Fd& out, const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        for (fs::directory_iterator next(path, error), end; !error && next != end;
             next.increment(error))
            write_unreadable(out, next->path());
        if (!error)
            error.assign(::access(path.c_str(), X_OK) == 0 ? 0 : errno, std::generic_category());
    } else if (!error || error == std::errc::permission_denied) {
        const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        error.assign(file ? 0 : errno, std::generic_category());
    }
    if (error == std::errc::permission_denied) write_all(out, path.string() + "\n");
}

std::vector<std::string> unreadable(const passwd& user, const std::vector<std::string>& paths) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
    const Fd in(ends[0]);
    Fd out(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::initgroups(user.pw_name, user.pw_gid) != 0 || ::setgid(user.pw_gid) != 0 ||
            ::setuid(user.pw_uid) != 0)
            std::_Exit(1);
        for (const std::string& path : paths) write_unreadable(out, path);
        std::_Exit(0);
    }
    out.close();
    std::string lines;
    std::array<char, 4096> part;
    for (ssize_t n; (n = ::read(in.get(), part.data(), part.size())) > 0;)
        lines.append(part.data(), static_cast<std::size_t>(n));
    int status = 0;
    ::waitpid(child, &status, 0);
    if (child < 0 || status != 0)
        throw std::runtime_error(fmt::format("cannot become user {}", user.pw_name));
    std::vector<std::string> found;
    for (const std::string_view line : text::split(lines, '\n'))
        if (!line.empty()) found.emplace_back(line);
    return found;
}

// The role in a connection string, in either form of libpq; "" if there is none.
std::string role_of(const std::string& conninfo) {
    static const std::regex pattern(R"((?:^|\s)user\s*=\s*'?([^'\s]+)|://([^:@/?]+)(?::[^@/]*)?@)");
    std::smatch found;
    if (!std::regex_search(conninfo, found, pattern)) return "";
    return found[1].matched ? found[1].str() : found[2].str();
}

struct ServiceFiles {
    const char* service;
    const std::string& conninfo;  // its role's, of which its user has the name
    std::vector<std::string> paths;
};

const char* explain(const http::TransferError& error) {
    if (std::strstr(error.what(), "onnection timed out") != nullptr)
        return "a firewall, or a router that does not lead back in; try it from another network";
    switch (error.kind()) {
        case http::FailureKind::connection:
            return "no web server answers there: systemctl status nginx apache2; [repository] "
                   "base_url may name another host or port, or one that DNS does not know";
        case http::FailureKind::certificate:
            return "harvesters refuse this certificate: renew it, or send its whole chain";
        case http::FailureKind::timeout:
            return "the server does not answer: systemctl restart oai-fcgi; journalctl -u oai-fcgi";
        case http::FailureKind::redirects:
            return "put the address at which it answers into [repository] base_url";
        default: return "another program answers there; [repository] base_url is to be its address";
    }
}

// Who gave an answer of another status than 200, and why.
std::string explain_status(const http::ClientResponse& response, const Config& config) {
    const std::string_view mount = mount_of(config.repository.base_url);
    const std::string_view words = text::trim(std::string_view(response.body).substr(0, 200));
    if (response.status == 502 || response.status == 504 ||
        words.starts_with("The web server does not reach"))
        return fmt::format(
            "the web server does not reach oai.fcgi; it has to pass requests to the "
            "socket {0}, and its user may write to that (namei -l {0})",
            config.server.socket);
    if (words.find("[OAI-") != words.npos) return std::string(words);  // the server's own
    if (response.status == 404)
        return fmt::format(
            "the web server has no oai.fcgi at {}; include the file of the manual's "
            "page mount.md, whose location must be that path",
            mount.empty() ? "/" : mount);
    return "the web server, or what stands before it, does not let harvesters through: its "
           "configuration and error log; they send no password and solve no puzzle";
}

std::string explain(const http::ClientResponse& response, const Config& config) {
    const std::string& url = config.repository.base_url;
    if (!response.url.starts_with(url + "?"))
        return fmt::format("{}: redirects to {}; put that address into [repository] base_url", url,
                           response.url.substr(0, response.url.find('?')));
    if (response.status != 200)
        return fmt::format("{}: status {}: {}", response.url, response.status,
                           explain_status(response, config));
    if (response.url.find("verb=Identify") == response.url.npos) return "";
    harvest::RepositoryIdentity found;
    try {
        found = harvest::read_answer(response.body).identity;
    } catch (const xml::Error&) {  // it is not XML
    }
    if (found.base_url.empty())
        return url + ": another program answers there; the web server's configuration says which";
    if (found.base_url != url || found.name != config.repository.name)
        return fmt::format(
            "{}: another repository answers there, or one that runs by an older "
            "configuration, with base_url {}; systemctl restart oai-fcgi",
            url, found.base_url);
    return "";
}

// Returns whether Identify is answered at its base_url.
bool check_outside(const Config& config, Findings& findings) {
    const std::string& url = config.repository.base_url;
    http::Client client({.connect_timeout = std::chrono::seconds(5),
                         .stall_timeout = std::chrono::seconds(15),
                         .timeout = std::chrono::seconds(30)});
    std::string problem;
    bool is_identified = false;
    try {
        problem = explain(client.send({.url = url + "?verb=Identify"}), config);
        is_identified = problem.empty();
        const std::string list = url + "?verb=ListIdentifiers&metadataPrefix=oai_dc";
        if (is_identified) problem = explain(client.send({.url = list}), config);
    } catch (const http::TransferError& error) {
        problem = fmt::format("{}; {}", error.what(), explain(error));
    }
    if (!problem.empty()) findings.problem("outside", problem);
    return is_identified;
}

void check_status(const nlohmann::json& page, Findings& findings) {
    for (const char* part : {"database", "publisher"})
        if (const std::string why = page.value(part, ""); !why.empty())
            findings.problem("server", fmt::format("{}: {}", part, why));
    if (const std::string by = page.value("blocked_by", ""); !by.empty())
        findings.problem("server", "changes are held up by " + by);
    for (const auto& fault : page["formats"].value("faults", nlohmann::json::array()))
        findings.problem("formats", fault.get<std::string>());
}

// Publishes a slice of one record and rolls back, to meet whatever blocks the publisher. The
// publisher waits meanwhile, two seconds at most.
void try_to_publish(pg::Connection& database, bool keep_deleted, Findings& findings) {
    database.query(queries::kBegin);
    database.query(queries::kPatientLocks);
    const pg::Result held = database.query(queries::kHoldHorizon);
    const bool may_try = held.rows() == 1 && !held.is_null(0, 0) && !held.is_null(0, 1) &&
                         pg::read_bool(held.bytes(0, 1)) == keep_deleted;
    if (may_try) {
        database.query(queries::kWaitForSecond);
        const pg::Result tried = database.query(
            queries::kTryPublish, pg::Parameters().add(keep_deleted ? "true" : "false"));
        const auto ahead = -pg::read_integer(tried.bytes(0, 0));
        if (ahead > 1)
            findings.problem(
                "publisher",
                fmt::format(
                    "the clock of the database is {} s behind the last datestamp, so nothing "
                    "is published for so long: mend the clock; if it was ahead and is right now: "
                    "oai publish --mend-clock",
                    ahead));
        else if (pg::read_integer(tried.bytes(0, 1)) > 5)
            findings.problem("publisher",
                             fmt::format("changes have been waiting for a lock for {} s",
                                         pg::read_integer(tried.bytes(0, 1))));
    }
    database.query(queries::kRollback);
}

}  // namespace

void check_publisher(const Config& config, Findings& findings) {
    if (config.publisher.connection.empty())
        return findings.problem("publisher",
                                "[publisher] connection is missing, so nothing is published");
    std::optional<pg::Connection> connection;
    try {
        connection.emplace(config.publisher.connection, "oai check");
    } catch (const pg::Error&) {
        return;  // the part "roles" says why
    }
    pg::Connection& database = *connection;
    if (!pg::read_bool(database.query(queries::kHorizonThere).bytes(0, 0))) return;
    const pg::Result holders = database.query(queries::kLockHolders);
    for (int i = 0; i < holders.rows(); ++i) findings.problem("publisher", holders.bytes(i, 0));
    if (!pg::read_bool(database.query(queries::kPublisherRuns).bytes(0, 0)))
        findings.problem("publisher",
                         "no publisher is connected; systemctl enable --now oai-publish");
    try {
        try_to_publish(database, config.repository.deleted_record != DeletedRecord::no, findings);
    } catch (const pg::Error& error) {
        database.reset_quietly();
        const auto by = error.sqlstate() == "55P03"
                            ? Blockers(config.publisher.connection).find(database, {}, {})
                            : std::nullopt;
        findings.problem("publisher",
                         by ? fmt::format("{}; the lock is held by {}: let it end, or select "
                                          "pg_terminate_backend(PID)",
                                          error.what(), *by)
                            : pg::with_remedy(error));
    }
}

void check_files(const Config& config, const std::string& config_file, Findings& findings) {
    if (::geteuid() != 0) return;  // as another user, each program reports what it cannot read
    const std::string& formats = config.formats.directory;
    std::vector<std::string> of_server{
        config_file, config.token.key_file,  config.token.previous_key_file,
        formats,     config.formats.catalog, config.browse.directory};
    of_server.insert(of_server.end(), config.repository.description.begin(),
                     config.repository.description.end());
    std::erase(of_server, "");
    const ServiceFiles services[] = {
        {"server", config.database.connection, of_server},
        {"publisher", config.publisher.connection, {config_file, formats}},
        {"loader", config.loader.connection, {config_file}}};
    for (const auto& [service, conninfo, paths] : services) {
        const std::string role = role_of(conninfo);
        const passwd* user = role.empty() ? nullptr : ::getpwnam(role.c_str());
        if (user == nullptr || user->pw_uid == 0) continue;
        const std::string& key = config.token.key_file;
        for (const std::string& path : unreadable(*user, paths))
            findings.problem("rights",
                             fmt::format("{0} cannot be read by {1}, the user of the {2}; {3} {0} "
                                         "(namei -l {0} shows each directory)",
                                         path, role, service,
                                         path == key || path == config.token.previous_key_file
                                             ? fmt::format("chgrp {} {} && chmod 640", role, path)
                                             : "chmod a+rX"));
    }
}

// A server started by mod_fcgid has no socket that can be reached.
void check_server(const Config& config, Findings& findings) {
    const bool is_outside = check_outside(config, findings);
    const std::string& socket = config.server.socket;
    if (std::error_code error;
        is_outside && socket.starts_with(kSocketDirectory) && !fs::exists(socket, error))
        return;
    try {
        const std::string answer = status_page(config, socket);
        const auto page = nlohmann::json::parse(answer, nullptr, false);
        if (page.is_object() && page.contains("formats")) return check_status(page, findings);
        const bool cannot_start = answer.ends_with("[OAI-1107]\n");
        findings.problem("server", cannot_start ? "cannot start: " + std::string(text::trim(answer))
                                                : socket +
                                                      ": no oai.fcgi of this configuration "
                                                      "answers there; systemctl restart oai-fcgi");
    } catch (const std::runtime_error& e) {
        const bool hangs = std::string_view(e.what()).ends_with("no answer");
        findings.problem("server",
                         fmt::format("{}; systemctl {} oai-fcgi; journalctl -u oai-fcgi says why",
                                     e.what(), hangs ? "restart" : "start oai-fcgi.socket"));
    }
}

}  // namespace oai::command
