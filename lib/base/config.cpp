// SPDX-License-Identifier: MIT
#include "base/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/config_keys.h"
#include "base/file.h"
#include "base/ini.h"
#include "base/secret.h"

namespace oai {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

// Collects everything that is wrong with one file, so that an administrator sees all of it at the
// first start instead of one fault each time.
class Problems {
  public:
    explicit Problems(const std::string& file) : file_(file) {}

    // Line 0 stands for the file as a whole.
    void add(int line, const std::string& what) {
        lines_.emplace(line, line > 0 ? fmt::format("{}:{}: {}", file_, line, what)
                                      : fmt::format("{}: {}", file_, what));
    }
    void throw_if_any() {
        if (lines_.empty()) return;
        std::string all;
        for (const auto& [line, what] : lines_) all.append(all.empty() ? "" : "\n").append(what);
        throw ConfigError(all);
    }

  private:
    std::string file_;
    std::multimap<int, std::string> lines_;
};

std::string label(const KeyRow& row) { return fmt::format("[{}] {}", row.section, row.key); }

const KeyRow* find_row(const ini::Entry& entry) {
    for (const KeyRow& row : key_rows())
        if (entry.section == row.section && entry.key == row.key) return &row;
    return nullptr;
}

std::string unknown_key_message(const ini::Entry& entry) {
    const auto rows = key_rows();
    const bool is_known_section = std::any_of(
        rows.begin(), rows.end(), [&](const KeyRow& r) { return entry.section == r.section; });
    return is_known_section ? fmt::format("[{}] {}: unknown key; see oai.ini(5) for all keys",
                                          entry.section, entry.key)
                            : fmt::format("[{}]: unknown section; see oai.ini(5) for all sections",
                                          entry.section);
}

// The line at which each key stands first.
using Lines = std::map<const KeyRow*, int>;

void apply_entry(const ini::Entry& entry, Config& config, Lines& lines, Problems& problems) {
    const KeyRow* row = find_row(entry);
    if (row == nullptr) return problems.add(entry.line, unknown_key_message(entry));
    const auto [first, is_first] = lines.emplace(row, entry.line);
    if (!is_first && !row->type.is_list)
        return problems.add(entry.line, fmt::format("{}: given twice, first in line {}",
                                                    label(*row), first->second));
    if (!row->type.set(config, entry.value))
        problems.add(entry.line, fmt::format("{}: \"{}\" is wrong; right is {}", label(*row),
                                             entry.value, row->type.valid));
}

int line_of(const Lines& lines, std::string_view section, std::string_view key) {
    for (const auto& [row, line] : lines)
        if (section == row->section && key == row->key) return line;
    return 0;
}

// Finds contradictions between several keys. REQUIRES: every value is within its own bounds.
void check_combinations(const Config& c, const Lines& lines, Problems& problems) {
    const int min_workers = c.database.connections + c.database.max_waiters + 4;
    if (c.server.workers < min_workers)
        problems.add(line_of(lines, "server", "workers"),
                     fmt::format("[server] workers: {} is less than [database] connections + "
                                 "max_waiters + 4 = {}, so "
                                 "waiting requests could take every worker and Identify would wait "
                                 "too; raise workers or lower the others",
                                 c.server.workers, min_workers));
    if (c.lists.page_milliseconds > c.server.request_seconds * 1000)
        problems.add(line_of(lines, "lists", "page_milliseconds"),
                     fmt::format("[lists] page_milliseconds: {} is more than [server] "
                                 "request_seconds = {} s, so a long "
                                 "page would never be answered; lower it",
                                 c.lists.page_milliseconds, c.server.request_seconds));
    if (!c.token.key_file.empty() && c.token.key_file == c.token.previous_key_file)
        problems.add(
            line_of(lines, "token", "previous_key_file"),
            "[token] previous_key_file: the same file as key_file; give the key before, or none");
}

// Whether conninfo holds a password: "password=..." or "...//user:password@host".
bool has_password(std::string_view connection) {
    const std::size_t user = connection.find("://");
    const std::string_view authority = user == connection.npos ? "" : connection.substr(user + 3);
    return connection.find("password") != connection.npos ||
           authority.substr(0, authority.find('@') + 1).find(':') != authority.npos;
}

// A file with a database password must not be readable by others, who could then log in with it.
void check_permissions(const Config& config, const std::string& path) {
    struct stat file {};
    const auto connections = {&config.database.connection, &config.publisher.connection,
                              &config.loader.connection};
    if (std::none_of(connections.begin(), connections.end(),
                     [](const auto* c) { return has_password(*c); }))
        return;
    if (::stat(path.c_str(), &file) != 0)
        throw ConfigError(fmt::format("{}: {}", path, std::strerror(errno)));
    if (!exposure_of(file).empty())
        throw ConfigError(
            fmt::format("{}: has a password in a connection, and may be read by others (replace "
                        "the password, and keep "
                        "it in a file for each role: passfile=/etc/oai-fcgi/oai_reader.pgpass in "
                        "the connection, oai.ini(5))",
                        path));
}

}  // namespace

Config parse_config(std::string_view text, const std::string& name) {
    Problems problems(name);
    const ini::File file = ini::parse(text);
    for (const auto& [line, what] : file.problems) problems.add(line, what);
    problems.throw_if_any();

    Config config;
    Lines lines;
    for (const ini::Entry& entry : file.entries) apply_entry(entry, config, lines, problems);
    for (const KeyRow& row : key_rows())
        if (row.required && !lines.contains(&row))
            problems.add(0, fmt::format("{}: missing, it has no default", label(row)));
    problems.throw_if_any();
    check_combinations(config, lines, problems);
    problems.throw_if_any();
    return config;
}

Config read_config(const std::string& path) {
    std::string text;
    try {
        text = read_regular_file(path, kMaxBytes);
    } catch (const std::runtime_error& e) {
        throw ConfigError(e.what());
    }
    Config config = parse_config(text, path);
    check_permissions(config, path);
    const std::filesystem::path sets = std::filesystem::path(path).parent_path() / "sets";
    if (config.publisher.sets.empty() && std::filesystem::is_directory(sets))
        config.publisher.sets = sets;
    return config;
}

}  // namespace oai
