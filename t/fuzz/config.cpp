// SPDX-License-Identifier: MIT
// Any bytes as oai.ini: accepted or refused with words, nothing else; and what is accepted is as the table
// says.
#include "base/config.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/config_keys.h"
#include "base/ini.h"
#include "base/text.h"
#include "require.h"

namespace {

using oai::fuzz::require;

// Every entry stands in the line that it names, whole.
void check_entries(std::string_view text) {
    const auto lines = oai::text::split(text, '\n');
    for (const oai::ini::Entry& entry : oai::ini::parse(text).entries) {
        const std::string_view line = lines.at(static_cast<std::size_t>(entry.line) - 1);
        require(line.starts_with(entry.key) && oai::text::trim(line).ends_with(entry.value));
        require(line.size() - entry.key.size() - entry.value.size() >= 1);
        require(oai::text::is_xml_text(entry.value));
    }
}

// A value that was accepted is accepted again as it is printed; one copy will do for all of them, each key has a place of
// its own.
void check_values(const oai::Config& config) {
    require(config.server.workers >= config.database.connections + config.database.max_waiters + 4);
    oai::Config copy = config;
    for (const oai::KeyRow& row : oai::key_rows()) {
        const std::string value = oai::print_value(row, config);
        if (value.empty() || std::holds_alternative<oai::ListKey>(row.place)) continue;
        require(!oai::set_value(row, value, copy) && oai::print_value(row, copy) == value);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(size, '\0');
    if (size > 0) std::memcpy(text.data(), data, size);
    check_entries(text);
    try {
        check_values(oai::parse_config(text, "oai.ini"));
    } catch (const oai::ConfigError& e) {
        require(std::string_view(e.what()).starts_with("oai.ini:"));
    }
    return 0;
}
