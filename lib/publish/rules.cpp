// SPDX-License-Identifier: MIT
#include "publish/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/ini.h"
#include "base/text.h"
#include "protocol/identifier.h"
#include "publish/queries.h"

namespace oai {
namespace {

namespace fs = std::filesystem;

// The problem of one file.
class BadSet : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr std::string_view kQueryCanceled = "57014";
constexpr std::size_t kMaxFileBytes = 1 << 20;

std::string read_text(const std::string& path) try {
    return read_regular_file(path, kMaxFileBytes);
} catch (const std::runtime_error& e) {
    throw BadSet(std::string(e.what()).substr(path.size() + 2));
}

std::string name_of(const std::string& path) {
    return text::to_xml_text(fs::path(path).stem().string());
}

// The member for the key; nullptr: the key is unknown.
std::string* member_of(SetRule& rule, const ini::Entry& entry) {
    if (entry.section != (rule.is_view ? "view" : "set")) return nullptr;
    if (entry.key == (rule.is_view ? "set" : "spec")) return &rule.spec;
    if (entry.key == "where") return &rule.condition;
    if (entry.key == "name" && !rule.is_view) return &rule.title;
    return entry.key == "description" && !rule.is_view ? &rule.description : nullptr;
}

// Throws BadSet; `line` is then that of the problem, or 0.
void fill(SetRule& rule, int& line) {
    if (!text::is_utf8(rule.path)) throw BadSet("the name of the file is not UTF-8");
    const std::string text = read_text(rule.path);
    const ini::File file = ini::parse(text);
    for (const auto& [number, what] : file.problems) {
        line = number;
        throw BadSet(what);
    }
    rule.is_view = !file.entries.empty() && file.entries.front().section == "view";
    for (const ini::Entry& entry : file.entries) {
        line = entry.line;
        std::string* value = member_of(rule, entry);
        if (value == nullptr)
            throw BadSet(
                fmt::format("[{}] {}: unknown; a set has [set] with spec, name, "
                            "description and where, a view [view] with set and where",
                            entry.section, entry.key));
        // A long condition is written as several lines, each of which begins with `where`.
        if (entry.key == "where") {
            if (rule.line == 0) rule.line = entry.line;
            if (!value->empty()) *value += '\n';
        } else if (!value->empty()) {
            throw BadSet(entry.key + ": given twice");
        }
        *value += entry.value;
        if (value == &rule.spec && !is_set_spec(entry.value))
            throw BadSet(entry.key + ": \"" + entry.value +
                         "\" is no setSpec; right is open_access or open:theses");
        if (entry.key == "description" && entry.value.ends_with(".xml"))
            *value = read_text(fs::path(rule.path).parent_path() / entry.value);
        if (!text::is_xml_text(*value)) throw BadSet(entry.value + ": is not UTF-8");
    }
    line = 0;
    if (rule.is_view) {
        if (rule.spec.empty() && rule.condition.empty())
            throw BadSet("[view] needs set, where, or both");
        if (rule.condition.empty()) rule.condition = "true";
    } else if (rule.spec.empty() || rule.title.empty() || rule.condition.empty())
        throw BadSet("[set] needs spec, name and where");
}

bool is_being_written(const fs::path& path) {
    std::error_code error;
    const auto written = fs::last_write_time(path, error);
    return !error && fs::file_time_type::clock::now() - written < std::chrono::seconds{1};
}

void reject_duplicates(std::vector<SetRule>& rules) {
    std::map<std::string, std::vector<SetRule*>> by_spec;
    for (SetRule& rule : rules)
        if (!rule.spec.empty() && !rule.is_view) by_spec[rule.spec].push_back(&rule);
    for (auto& [spec, same] : by_spec)
        for (SetRule* rule : same)
            if (same.size() > 1 && rule->problem.empty())
                rule->problem = fmt::format("{}: {} has the setSpec {}, too", rule->path,
                                            same[same[0] == rule ? 1 : 0]->path, spec);
}

}  // namespace

SetRule read_set_rule(const std::string& path) {
    SetRule rule{.name = name_of(path), .path = path};
    int line = 0;
    try {
        fill(rule, line);
    } catch (const BadSet& fault) {
        rule.problem =
            text::to_xml_text(line > 0 ? fmt::format("{}:{}: {}", path, line, fault.what())
                                       : fmt::format("{}: {}", path, fault.what()));
    }
    return rule;
}

std::string validate_set_rule(pg::Connection& database, const SetRule& rule) {
    std::string what;
    database.query(publish_queries::kLimitValidation);
    try {
        const pg::Result row =
            database.query(publish_queries::kValidateRule, pg::Parameters()
                                                               .add(rule.is_view ? "" : rule.spec)
                                                               .add(rule.condition)
                                                               .add(rule.description));
        if (!row.is_null(0, 0)) what = row.bytes(0, 0);
    } catch (const pg::Error& e) {
        if (e.sqlstate() != kQueryCanceled) throw;
        what = "where: does not end within five seconds";
    }
    database.query(publish_queries::kEndValidation);
    return what.empty() ? "" : fmt::format("{}:{}: {}", rule.path, rule.line, what);
}

const std::vector<SetRule>& SetRules::read(pg::Connection& database) {
    std::vector<SetRule> rules;
    std::set<std::string> paths;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory_, error))
        if (entry.path().extension() == ".set" && entry.path().filename().string()[0] != '.')
            paths.insert(entry.path());
    if (error) throw SetsUnreadable(directory_ + ": " + error.message());
    std::map<std::string, std::string> validated;
    for (const std::string& path : paths) {
        if (is_being_written(path)) {
            const auto before = std::find_if(rules_.begin(), rules_.end(),
                                             [&](const auto& rule) { return rule.path == path; });
            rules.push_back(before != rules_.end()
                                ? *before
                                : SetRule{.name = name_of(path), .path = path, .problem = " "});
            continue;
        }
        SetRule rule = read_set_rule(path);
        if (rule.problem.empty()) {
            const std::string content = rule.path + (rule.is_view ? "\nv" : "\n") + rule.spec +
                                        '\n' + rule.description + '\n' + rule.condition;
            const auto known = validated_.find(content);
            rule.problem =
                known != validated_.end() ? known->second : validate_set_rule(database, rule);
            validated.emplace(content, rule.problem);
        }
        rules.push_back(std::move(rule));
    }
    reject_duplicates(rules);
    validated_ = std::move(validated);
    rules_ = std::move(rules);
    return rules_;
}

std::string rules_json(const std::vector<SetRule>& rules, bool views) {
    nlohmann::json all = nlohmann::json::array();
    for (const SetRule& rule : rules)
        if (rule.problem.empty() && rule.is_view == views)
            all.push_back({{"name", rule.name},
                           {"spec", rule.spec},
                           {"title", rule.title},
                           {"description", rule.description},
                           {"condition", rule.condition}});
    return all.dump();
}

std::vector<std::string> names_with_problems(const std::vector<SetRule>& rules) {
    std::vector<std::string> names;
    for (const SetRule& rule : rules)
        if (!rule.problem.empty()) names.push_back(rule.name);
    return names;
}

}  // namespace oai
