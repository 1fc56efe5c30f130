// SPDX-License-Identifier: MIT
#include "command/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "command/command.h"

namespace oai::command {
namespace {

// Prints help or the parse error, and exits.
[[noreturn]] void exit_after(const CLI::App& app, const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        app.exit(e);
        throw ExitRequest{kFine};
    }
    const std::string name = app.get_name();
    const std::size_t subcommand = name.find(' ');
    print_problem((subcommand == name.npos ? "" : name.substr(subcommand + 1) + ": ") + e.what());
    throw ExitRequest{kUsage};
}

}  // namespace

void print_problem(std::string_view problem) {
    for (const std::string_view line : text::split(problem, '\n'))
        fmt::print(stderr, "oai: {}\n", line);
}

const Option& Option::required() const { return option_->required(), *this; }
const Option& Option::single() const { return option_->allow_extra_args(false), *this; }
const Option& Option::show_default() const { return option_->capture_default_str(), *this; }
const Option& Option::show_default(const std::string& text) const {
    return option_->default_str(text), *this;
}
const Option& Option::range(int least, int most) const {
    return option_->check(CLI::Range(least, most)), *this;
}
const Option& Option::range(double least, double most) const {
    return option_->check(CLI::Range(least, most)), *this;
}
const Option& Option::positive() const { return option_->check(CLI::PositiveNumber), *this; }
const Option& Option::not_negative() const { return option_->check(CLI::NonNegativeNumber), *this; }
const Option& Option::one_of(const std::vector<std::string>& values) const {
    return option_->check(CLI::IsMember(values)), *this;
}
const Option& Option::directory() const { return option_->check(CLI::ExistingDirectory), *this; }
const Option& Option::check(const std::function<std::string(const std::string&)>& why_not) const {
    return option_->check(why_not), *this;
}
const Option& Option::needs(const Option& other) const {
    return option_->needs(other.option_), *this;
}
const Option& Option::excludes(const Option& other) const {
    return option_->excludes(other.option_), *this;
}
bool Option::is_given() const { return option_->count() > 0; }

Options::Options(const std::string& description) : app_(std::make_shared<CLI::App>(description)) {}

Option Options::add(const std::string& names, std::string& value, const std::string& help) {
    return Option(app_->add_option(names, value, help));
}
Option Options::add(const std::string& names, std::vector<std::string>& values,
                    const std::string& help) {
    return Option(app_->add_option(names, values, help));
}
Option Options::add(const std::string& names, int& value, const std::string& help) {
    return Option(app_->add_option(names, value, help));
}
Option Options::add(const std::string& names, std::int64_t& value, const std::string& help) {
    return Option(app_->add_option(names, value, help));
}
Option Options::add(const std::string& names, double& value, const std::string& help) {
    return Option(app_->add_option(names, value, help));
}
Option Options::add_flag(const std::string& names, bool& value, const std::string& help) {
    return Option(app_->add_flag(names, value, help));
}

Options Options::add_action(const std::string& name, const std::string& description) {
    app_->require_subcommand(1);
    return Options(std::shared_ptr<CLI::App>(app_, app_->add_subcommand(name, description)));
}
std::string Options::action() const { return app_->get_subcommands().front()->get_name(); }

void Options::set_footer(const std::string& text) { app_->footer(text); }

void Options::parse(const std::string& name, const std::vector<std::string>& arguments) {
    app_->name(name);
    try {
        // CLI11 expects the arguments in reverse order.
        app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& e) {
        exit_after(*app_, e);
    }
}

std::vector<std::string> Options::parse_beginning(const std::string& name,
                                                  const std::vector<std::string>& arguments) {
    app_->prefix_command();
    parse(name, arguments);
    return app_->remaining();
}

}  // namespace oai::command
