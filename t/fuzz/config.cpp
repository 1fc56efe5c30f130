// SPDX-License-Identifier: MIT
// Reads any bytes as oai.ini. They are accepted or refused with a ConfigError, and accepted values
// conform to the table of keys.
#include "base/config.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/config_keys.h"
#include "base/ini.h"
#include "base/text.h"
#include "require.h"

namespace {

// Every entry is found complete in the line whose number it has.
void check_entries(std::string_view text) {
    const auto lines = text::split(text, '\n');
    for (const ini::Entry& entry : ini::parse(text).entries) {
        const std::string_view line = lines.at(static_cast<std::size_t>(entry.line) - 1);
        require(line.starts_with(entry.key) && text::trim(line).ends_with(entry.value));
        require(line.size() - entry.key.size() - entry.value.size() >= 1);
        require(text::is_xml_text(entry.value));
    }
}

// An accepted value, printed, is accepted again. One copy serves all keys, since each has a place
// of its own.
void check_values(const Config& config) {
    require(config.server.workers >= config.database.connections + config.database.max_waiters + 4);
    Config copy = config;
    for (const KeyRow& row : key_rows()) {
        const std::string value = row.type.print(config);
        if (value.empty() || row.type.is_list) continue;
        require(row.type.set(copy, value) && row.type.print(copy) == value);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(size, '\0');
    if (size > 0) std::memcpy(text.data(), data, size);
    check_entries(text);
    try {
        check_values(parse_config(text, "oai.ini"));
    } catch (const ConfigError& e) {
        require(std::string_view(e.what()).starts_with("oai.ini:"));
    }
    return 0;
}
