// SPDX-License-Identifier: MIT
// The table of oai.ini's keys: how each value is stored in Config, and which values are valid.
// Only config.cpp, `oai check --keys` and the tests use it; others use config.h. The defaults are
// the initial values of Config.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/config.h"

namespace oai {

struct KeyType {
    std::string form;   // what a value looks like: "integer 1..1000"
    std::string valid;  // which values are valid
    // As in the file, "" if it is unset; the entries of a list with ", " between.
    std::function<std::string(const Config&)> print;
    // Stores the value, or appends it to a list. false: it is not valid, and nothing was changed.
    std::function<bool(Config&, std::string_view value)> set;
    bool is_list = false;
};

struct KeyRow {
    const char* section;
    const char* key;
    bool required;
    const char* meaning;
    KeyType type;
};

std::span<const KeyRow> key_rows();  // in file order

}  // namespace oai
