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

// Which values of a key are valid. Pure.
struct ValueCheck {
    bool (*accepts)(std::string_view value);
    const char* valid;  // describes them
};

extern const ValueCheck kNotEmpty;
// An http or https URL without query, fragment and user. The registration validator of
// openarchives.org compares it byte for byte.
extern const ValueCheck kBaseUrl;
// local@dotted.domain without "mailto:", as the registration validator demands; emailType of
// OAI-PMH.xsd allows more.
extern const ValueCheck kEmail;
extern const ValueCheck kContact;  // the one or the other
// repositoryIdentifier of the oai-identifier guidelines: labels of letters, digits and '-' that
// begin with a letter.
extern const ValueCheck kNamespace;
extern const ValueCheck kSocket;     // a path that fits into sockaddr_un
extern const ValueCheck kLanguages;  // tags of letters, digits and '-', single blanks between
// An http or https URL in which {name} stands for a column. It has at least one column, and none in
// the host's name.
extern const ValueCheck kReplay;
extern const ValueCheck kLogo;          // a file whose name ends with .svg or .png
extern const ValueCheck kRuleName;      // of a file NAME.set
extern const ValueCheck kPrefixes;      // metadataPrefixes with commas between
extern const ValueCheck kAddressRange;  // what AddressRange::parse() accepts

struct TextKey {
    std::string& (*at)(Config&);
    const ValueCheck& check;
};
struct ListKey {
    std::vector<std::string>& (*at)(Config&);
    const ValueCheck& check;
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
