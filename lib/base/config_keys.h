// SPDX-License-Identifier: MIT
// The table of oai.ini's keys: where each value is stored in Config, and which values are valid.
// Only config.cpp, `oai check --keys` and the tests use it; others use config.h. The defaults are
// the initial values of Config.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/config.h"

namespace oai {

// Checks of single values of oai.ini. Each function returns nullptr if the value is valid, else a
// description of valid values. Pure.

const char* check_not_empty(std::string_view value);
// An http or https URL without query, fragment and user. The registration validator of
// openarchives.org compares it byte for byte.
const char* check_base_url(std::string_view value);
// local@dotted.domain without "mailto:", as the registration validator demands; emailType of
// OAI-PMH.xsd allows more.
const char* check_email(std::string_view value);
// A mail address as for check_email or a URL as for check_base_url.
const char* check_contact(std::string_view value);
// repositoryIdentifier of the oai-identifier guidelines: labels of letters, digits and '-' that
// begin with a letter.
const char* check_namespace(std::string_view value);
// A path that fits into sockaddr_un.
const char* check_socket(std::string_view value);
// Language tags of letters, digits and '-', separated by single blanks.
const char* check_languages(std::string_view value);
// An http or https URL in which {name} stands for a column. It has at least one column, and none in
// the host's name.
const char* check_replay(std::string_view value);
// A file whose name ends with .svg or .png.
const char* check_logo(std::string_view value);
// An IP address or range that AddressRange::parse() accepts.
const char* check_address_range(std::string_view value);

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
