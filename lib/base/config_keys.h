// SPDX-License-Identifier: MIT
// The table of oai.ini's keys: where each value lives in Config, and what it may be. Only config.cpp and the
// tests look at it; others use config.h. Defaults stand in Config itself and are printed from there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/config.h"

namespace oai {

// What would be right, if the value is not; nullptr if it is.
using Judge = const char* (*)(std::string_view value);

struct TextKey {
    std::string& (*at)(Config&);
    Judge judge;
};
struct ListKey {
    std::vector<std::string>& (*at)(Config&);
    Judge judge;
};
struct IntegerKey {
    int& (*at)(Config&);
    int least, most;
};
struct FlagKey {
    bool& (*at)(Config&);
};
struct ChoiceKey {
    std::span<const std::string_view> words;
    std::string_view (*get)(const Config&);
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

// The value as the file would have it; "" unset. A list gives its entries joined by ", ".
std::string print_value(const KeyRow& row, const Config& config);

// Takes the value over, or returns what would be right and leaves config as it was. A list is appended to.
std::optional<std::string> set_value(const KeyRow& row, std::string_view value, Config& config);

}  // namespace oai
