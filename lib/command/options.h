// SPDX-License-Identifier: MIT
// The options of a command line: the one door to CLI11, which takes a compiler seconds wherever it
// is included. An Options is built, told of each option and the variable that takes its value, and
// parses once. The variables must outlive it; their values before are the defaults.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace oai::command {

// Thrown to exit with this code after all messages were printed: --help, wrong usage.
struct ExitRequest {
    int code;
};

// The user asked for what a subcommand cannot do. main() prints it and exits with kUsage.
class UsageError : public std::runtime_error {
    using runtime_error::runtime_error;
};

// Prints each line to stderr behind "oai: ".
void print_problem(std::string_view problem);

// What is expected of one option. It refers into its Options.
class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}

    const Option& required() const;
    const Option& single() const;  // takes one value each time that it is given
    const Option& show_default() const;
    const Option& show_default(const std::string& text) const;
    const Option& range(int least, int most) const;
    const Option& range(double least, double most) const;
    const Option& positive() const;
    const Option& not_negative() const;
    const Option& one_of(const std::vector<std::string>& values) const;
    const Option& directory() const;  // that exists
    // why_not returns what is wrong with a value, or nothing.
    const Option& check(const std::function<std::string(const std::string&)>& why_not) const;
    const Option& needs(const Option& other) const;
    const Option& excludes(const Option& other) const;
    bool is_given() const;  // after parsing

  private:
    CLI::Option* option_;
};

class Options {
  public:
    explicit Options(const std::string& description);

    // names: "-q,--quiet", "--format", or "FILE" for what stands without a dash.
    Option add(const std::string& names, std::string& value, const std::string& help);
    Option add(const std::string& names, std::vector<std::string>& values, const std::string& help);
    Option add(const std::string& names, int& value, const std::string& help);
    Option add(const std::string& names, std::int64_t& value, const std::string& help);
    Option add(const std::string& names, double& value, const std::string& help);
    Option add_flag(const std::string& names, bool& value, const std::string& help);

    // Exactly one of the actions must be named, which has options of its own.
    Options add_action(const std::string& name, const std::string& description);
    std::string action() const;  // after parsing

    void set_footer(const std::string& text);

    // name: what the help calls the command. --help prints the help and throws
    // ExitRequest{kFine}; wrong arguments print a message to stderr and throw ExitRequest{kUsage}.
    void parse(const std::string& name, const std::vector<std::string>& arguments);
    // Takes the options before the first word that is none; returns that word and what follows.
    std::vector<std::string> parse_beginning(const std::string& name,
                                             const std::vector<std::string>& arguments);

  private:
    explicit Options(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

    std::shared_ptr<CLI::App> app_;
};

}  // namespace oai::command
