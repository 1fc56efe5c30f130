// SPDX-License-Identifier: MIT
// oai status: prints the harvesters of a server with their progress and errors. Requests /-/status
// over the server's socket, so the figures are those of one process.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command/command.h"
#include "command/fastcgi_client.h"
#include "protocol/record.h"
#include "web/request.h"

namespace oai::command {
namespace {

using nlohmann::json;

constexpr std::size_t kAgentWidth = 30;

// Names and sets come from harvesters, so only printable ASCII may reach a terminal.
std::string printable(const json& text, std::size_t max_bytes = 200) {
    std::string out = text.get<std::string>().substr(0, max_bytes);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return out;
}

std::string ago(const json& then, Seconds now) {
    const auto moment = parse_datestamp(then.get<std::string>());
    if (!moment) return "?";
    const auto seconds = std::max<std::int64_t>(0, (now - moment->first).count());
    if (seconds < 120) return fmt::format("{} s", seconds);
    if (seconds < 7200) return fmt::format("{} min", seconds / 60);
    return fmt::format("{} h", seconds / 3600);
}

// "ListRecords oai_dc set=a:b from=2020-01-01"
std::string list_of(const json& harvester) {
    if (!harvester.contains("list")) return "-";
    const json& list = harvester.at("list");
    std::string out = printable(list.at("verb"));
    if (const std::string prefix = printable(list.at("prefix")); !prefix.empty())
        out += " " + prefix;
    for (const char* name : {"set", "from", "until"})
        if (const std::string value = printable(list.at(name)); !value.empty())
            out += fmt::format(" {}={}", name, value);
    return out;
}

// "1200 of 5000 (24 %)", "1200, ended"
std::string progress_of(const json& harvester) {
    if (!harvester.contains("list")) return "-";
    const json& list = harvester.at("list");
    const auto delivered = list.at("delivered").get<std::int64_t>();
    std::string out = fmt::format("{}", delivered);
    if (const auto size = list.value("size", std::int64_t{0}); size > 0)
        out += fmt::format(" of {} ({} %)", size, 100 * delivered / size);
    return list.at("more").get<bool>() ? out : out + ", ended";
}

std::string errors_of(const json& harvester, Seconds now) {
    const auto errors = harvester.at("errors").get<std::int64_t>();
    if (errors == 0) return "none";
    const json& last = harvester.at("last_error");
    return fmt::format("{}, last {} {} ago", errors, printable(last.at("what")),
                       ago(last.at("when"), now));
}

const char* state_of(const json& page) {
    if (!page.at("ready").get<bool>()) return "NOT READY";
    return page.at("degraded").get<bool>() ? "ready, but DEGRADED" : "ready";
}

void print_server(const json& page, const std::string& socket, Seconds now) {
    fmt::print("{}: {}, up {}\n", socket, state_of(page), ago(page.at("started"), now));
    for (const char* part : {"database", "publisher", "sets", "sources"})
        if (const std::string why = printable(page.value(part, json("")), 2000); !why.empty())
            fmt::print("{}: {}\n", part, why);
    if (page.contains("lag_seconds"))
        fmt::print("published up to {} s ago, {} changes wait\n",
                   page.at("lag_seconds").get<std::int64_t>(),
                   page.value("queued", std::int64_t{0}));
    if (page.contains("blocked_by"))
        fmt::print("changes are held up by {}\n", printable(page.at("blocked_by"), 2000));
    const json& pool = page.at("connections");
    fmt::print("database connections: {} of {} in use, {} requests wait, {} were refused\n",
               pool.at("in_use").get<int>(), pool.at("limit").get<int>(),
               pool.at("waiting").get<int>(), pool.at("refused").get<std::int64_t>());
    const json& formats = page.at("formats");
    fmt::print("formats: {} serve, {} faults\n", formats.at("serving").size(),
               formats.at("faults").size());
    for (const json& fault : formats.at("faults")) fmt::print("  {}\n", printable(fault, 2000));
}

using Row = std::vector<std::string>;

void print_table(const std::vector<Row>& rows) {
    std::vector<std::size_t> width(rows.front().size());
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += fmt::format("{:<{}}", row[i], width[i] + 2);
        line.erase(line.find_last_not_of(' ') + 1);
        fmt::print("{}\n", line);
    }
}

// "3 h ago", or "3 d ago, usually every 6 h" for an overdue harvester.
std::string seen_of(const json& harvester, Seconds now) {
    const std::string seen = ago(harvester.at("seen"), now) + " ago";
    const std::chrono::seconds usual(harvester.value("usual_seconds", std::int64_t{0}));
    const auto last = parse_datestamp(harvester.at("seen").get<std::string>());
    if (usual.count() == 0 || !last || now - last->first <= 3 * usual) return seen;
    return seen + ", usually every " + ago(print_datestamp(now - usual), now);
}

void print_harvesters(const json& harvesters, Seconds now) {
    std::vector<Row> rows{
        {"harvester", "agent", "seen", "requests", "records", "errors", "list", "delivered"}};
    for (const json& h : harvesters)
        rows.push_back({printable(h.at("address")), printable(h.at("agent"), kAgentWidth),
                        seen_of(h, now), h.at("requests").dump(), h.at("records").dump(),
                        errors_of(h, now), list_of(h), progress_of(h)});
    fmt::print("\n");
    if (rows.size() == 1) return fmt::print("no harvester has been seen\n");
    print_table(rows);
}

}  // namespace

std::string status_page(const Config& config, const std::string& socket) {
    return get_by_fastcgi(socket, std::string(mount_of(config.repository.base_url)) + "/-/status");
}

int command_status(const Invocation& invocation) {
    std::string socket;
    bool as_json = false;
    parse(invocation, "Shows who harvests what from a server, how far and with which errors.",
          {{"--socket", &socket,
            fmt::format("the server's socket; default: [server] socket, or {}NAME.sock of NAME.ini",
                        kSocketDirectory)},
           {"--json", &as_json, "print the server's answer unchanged"}});
    const Config config = configuration(invocation);
    if (socket.empty()) socket = config.server.socket;
    const std::string answer = status_page(config, socket);
    const json page = json::parse(answer, nullptr, false);
    if (!page.is_object())
        throw std::runtime_error(socket +
                                 ": this is not an oai.fcgi of this configuration, or one " +
                                 "that cannot start: " + answer.substr(0, 500));
    if (as_json) {
        fmt::print("{}", answer);
    } else {
        const Seconds now = parse_datestamp(page.at("now").get<std::string>()).value().first;
        print_server(page, socket, now);
        print_harvesters(page.at("harvesters"), now);
    }
    return page.at("ready").get<bool>() ? kFine : kRefused;
}

}  // namespace oai::command
