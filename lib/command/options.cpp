// SPDX-License-Identifier: MIT
#include "command/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <type_traits>

#include "base/text.h"
#include "command/command.h"

namespace oai::command {
namespace {

template <class Value>
CLI::Option* add_option(CLI::App& app, const Option& option, Value& value) {
    const OptionRules& rules = option.rules;
    if constexpr (std::is_same_v<Value, bool>) {
        return app.add_flag(option.names, value, option.help);
    } else {
        CLI::Option* const added = app.add_option(option.names, value, option.help);
        using Number = std::conditional_t<std::is_same_v<Value, double>, double, int>;
        if (rules.range)
            added->check(CLI::Range(static_cast<Number>(rules.range->first),
                                    static_cast<Number>(rules.range->second)));
        if constexpr (std::is_same_v<Value, std::vector<std::string>>)
            if (option.names.starts_with('-')) added->allow_extra_args(rules.several);
        return added;
    }
}

void add_options(CLI::App& app, const std::vector<Option>& options) {
    for (const Option& option : options) {
        const OptionRules& rules = option.rules;
        CLI::Option& added =
            *std::visit([&](auto* value) { return add_option(app, option, *value); }, option.value);
        added.required(rules.required);
        if (rules.show_default) added.capture_default_str();
        if (!rules.default_text.empty()) added.default_str(rules.default_text);
        if (rules.positive) added.check(CLI::PositiveNumber);
        if (rules.not_negative) added.check(CLI::NonNegativeNumber);
        if (rules.directory) added.check(CLI::ExistingDirectory);
        if (!rules.one_of.empty()) added.check(CLI::IsMember(rules.one_of));
        if (rules.check) added.check(rules.check);
        if (rules.needs != nullptr) added.needs(app.get_option(rules.needs));
        if (rules.excludes != nullptr) added.excludes(app.get_option(rules.excludes));
    }
}

// Prints help or the parse error, and exits.
[[noreturn]] void exit_after(const CLI::App& app, const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        app.exit(e);
        throw ExitRequest{kFine};
    }
    const std::string name = app.get_name();
    const std::size_t subcommand = name.find(' ');
    print_problem((subcommand == name.npos ? "" : name.substr(subcommand + 1) + ": ") + e.what(),
                  "OAI-1501");
    throw ExitRequest{kUsage};
}

}  // namespace

OptionRules in_range(double least, double most, bool show_default) {
    return {.show_default = show_default, .range = {{least, most}}};
}
OptionRules one_of(std::vector<std::string> words) { return {.one_of = std::move(words)}; }
OptionRules needs(const char* option) { return {.needs = option}; }
OptionRules excludes(const char* option) { return {.excludes = option}; }

void print_problem(std::string_view problem) {
    for (const std::string_view line : text::split(problem, '\n'))
        std::fputs(fmt::format("oai: {}\n", line).c_str(), stderr);  // fmt::print() may throw
}

ParseResult parse_options(const OptionTable& table, const std::vector<std::string>& arguments) {
    CLI::App app(table.description, table.name);
    add_options(app, table.options);
    if (!table.version.empty()) app.set_version_flag("--version", table.version);
    for (const Action& action : table.actions)
        add_options(*app.add_subcommand(action.name, action.help), action.options);
    if (!table.actions.empty()) app.require_subcommand(1);
    app.prefix_command(table.ends_at_word);
    app.footer(table.footer);  // last: an action would inherit it
    try {
        // CLI11 expects the arguments in reverse order.
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& e) {
        exit_after(app, e);
    }
    const auto chosen = app.get_subcommands();
    return {chosen.empty() ? "" : chosen.front()->get_name(), app.remaining()};
}

}  // namespace oai::command
