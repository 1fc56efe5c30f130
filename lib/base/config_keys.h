// SPDX-License-Identifier: MIT
// The table of oai.ini's keys: where each value is stored in Config, and which values are valid.
// Only config.cpp and the tests use it; others use config.h. The defaults are the initial values of
// Config.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/config.h"

namespace oai {

// Returns nullptr if the value is valid, else a description of valid values.
using ValueCheck = const char* (*)(std::string_view value);

struct TextKey {
    std::string& (*at)(Config&);
    ValueCheck check;
};
struct ListKey {
    std::vector<std::string>& (*at)(Config&);
    ValueCheck check;
};
struct IntegerKey {
    int& (*at)(Config&);
    int min, max;
};
struct FlagKey {
    bool& (*at)(Config&);
};
struct ChoiceKey {
    std::span<const std::string_view> words;
    std::size_t (*get)(const Config&);  // which of the words
    void (*set)(Config&, std::size_t word);
};
struct DatestampKey {
    std::optional<std::chrono::sys_seconds>& (*at)(Config&);
};

struct KeyRow {
    const char* section;
    const char* key;
    bool required;
    const char* meaning;
    std::variant<TextKey, ListKey, IntegerKey, FlagKey, ChoiceKey, DatestampKey> place;
};

std::span<const KeyRow> key_rows();  // in file order

// What a value of the key looks like: "integer 1..1000".
std::string describe_type(const KeyRow& row);

// The value as it would be written in the file, "" if it is unset. The entries of a list are joined
// by ", ".
std::string print_value(const KeyRow& row, const Config& config);

// Stores the value in config (appends it to a list) and returns nullopt; or returns a description
// of valid values and leaves config unchanged.
std::optional<std::string> set_value(const KeyRow& row, std::string_view value, Config& config);

}  // namespace oai
