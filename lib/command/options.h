// SPDX-License-Identifier: MIT
// The options of a command line, in tables: each subcommand lists its options; parsing, --help and
// errors follow from the table. Only options.cpp includes CLI11, which takes seconds to compile.
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

// The arguments are invalid in combination. main() prints the message and exits with kUsage.
class UsageError : public std::runtime_error {
    using runtime_error::runtime_error;
};

// Prints each line to stderr, with the prefix "oai: ".
void print_problem(std::string_view problem);
// Appends the problem's id for `oai explain` (explain.cpp): that of the longest text of symptoms.md
// in the message, or else `otherwise`.
void print_problem(std::string problem, std::string_view otherwise);

struct OptionRules {
    bool required = false;
    bool several = false;       // takes all following words, not one for each occurrence
    bool show_default = false;  // in the help
    bool positive = false, not_negative = false, directory = false;  // an existing directory
    std::optional<std::pair<double, double>> range{};
    std::vector<std::string> one_of{};
    // Returns the problem of a value, or "".
    std::function<std::string(const std::string&)> check{};
    std::string default_text{};                        // text of the default in the help
    const char *needs = nullptr, *excludes = nullptr;  // another option, earlier in the table
};

// Frequent rules.
inline const OptionRules kRequired{.required = true}, kSeveral{.several = true},
    kShowDefault{.show_default = true}, kPositive{.positive = true},
    kNotNegative{.not_negative = true}, kDirectory{.directory = true};
OptionRules in_range(double least, double most, bool show_default = true);
OptionRules one_of(std::vector<std::string> words);
OptionRules needs(const char* option);
OptionRules excludes(const char* option);

struct Option {
    // "-q,--quiet", "--format", or "FILE" for a positional argument.
    std::string names;
    // The variable for the value. Its initial value is the default.
    std::variant<bool*, int*, std::int64_t*, double*, std::string*, std::vector<std::string>*>
        value;
    std::string help;
    OptionRules rules{};
};

// An action with options of its own. If a table has actions, exactly one must be named.
struct Action {
    std::string name, help;
    std::vector<Option> options{};
};

struct OptionTable {
    std::string name;  // of the command, for the help
    std::string description;
    std::vector<Option> options{};
    std::vector<Action> actions{};
    std::string footer{};
    std::string version{};      // the output of --version; "": there is no such option
    bool ends_at_word = false;  // stop parsing at the first word that is not an option
};

struct ParseResult {
    std::string action;             // "" if the table has none
    std::vector<std::string> rest;  // the unparsed words after ends_at_word
};

// --help and --version print and throw ExitRequest{kFine}; wrong arguments print a message to
// stderr and throw ExitRequest{kUsage}.
ParseResult parse_options(const OptionTable& table, const std::vector<std::string>& arguments);

}  // namespace oai::command
