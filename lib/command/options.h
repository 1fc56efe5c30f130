// SPDX-License-Identifier: MIT
// The options of a command line, in tables: each subcommand lists what it takes, and parsing,
// --help and errors come from that. The one door to CLI11, which takes a compiler seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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
// Also, behind the last line, the id by which `oai explain` knows the problem (explain.cpp): that
// of the longest text of symptoms.md that is in it, or this one.
void print_problem(std::string problem, std::string_view otherwise);

struct OptionRules {
    bool required = false;
    bool several = false;       // takes all words that follow it, not one each time it is given
    bool show_default = false;  // the value before
    bool positive = false, not_negative = false, directory = false;  // a directory that exists
    std::optional<std::pair<double, double>> range{};
    std::vector<std::string> one_of{};
    // Returns what is wrong with a value, or "".
    std::function<std::string(const std::string&)> check{};
    std::string default_text{};                        // what the help says instead of the value
    const char *needs = nullptr, *excludes = nullptr;  // another option of the table, before this
};

// The rules that many options have.
inline const OptionRules kRequired{.required = true}, kSeveral{.several = true},
    kShowDefault{.show_default = true}, kPositive{.positive = true},
    kNotNegative{.not_negative = true}, kDirectory{.directory = true};
OptionRules in_range(double least, double most, bool show_default = true);
OptionRules one_of(std::vector<std::string> words);
OptionRules needs(const char* option);
OptionRules excludes(const char* option);

struct Option {
    // "-q,--quiet", "--format", or "FILE" for what stands without a dash.
    std::string names;
    // What takes the value; it must outlive the parsing, and its value before is the default.
    std::variant<bool*, int*, std::int64_t*, double*, std::string*, std::vector<std::string>*>
        value;
    std::string help;
    OptionRules rules{};
};

// What exactly one of must be named, with options of its own.
struct Action {
    std::string name, help;
    std::vector<Option> options{};
};

struct OptionTable {
    std::string name;  // what the help calls the command
    std::string description;
    std::vector<Option> options{};
    std::vector<Action> actions{};
    std::string footer{};
    std::string version{};      // what --version prints, if there is that
    bool ends_at_word = false;  // only options before the first word that is none are parsed
};

struct ParseResult {
    std::string action;             // "" if the table has none
    std::vector<std::string> rest;  // what ends_at_word left
};

// --help and --version print and throw ExitRequest{kFine}; wrong arguments print a message to
// stderr and throw ExitRequest{kUsage}.
ParseResult parse_options(const OptionTable& table, const std::vector<std::string>& arguments);

}  // namespace oai::command
