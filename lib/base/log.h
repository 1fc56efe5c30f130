// SPDX-License-Identifier: MIT
// One key=value line per event to standard error (systemd's journal takes it from there), by
// spdlog. Values with blanks, quotes, '=', '\\' or anything beyond printable ASCII are quoted and
// escaped as fmt does it ("{:?}": \n, \x1b, \u202e), so that a hostile value cannot forge a line or
// a key. A value longer than 1,024 bytes is cut and the rest counted (value...123_more_bytes),
// because the journal splits lines at 48 KiB. Bytes other than A-Za-z0-9_-. in a key become '_'.
// Thread-safe. Callers must not pass secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace oai::log {

enum class Level { debug, info, warning, error };
inline constexpr std::array<std::string_view, 4> kLevelNames{"debug", "info", "warning", "error"};

struct Field {
    Field(std::string_view k, std::string_view v) : key(k), value(v) {}
    Field(std::string_view k, const char* v) : key(k), value(v) {}
    Field(std::string_view k, const std::string& v) : key(k), value(v) {}
    Field(std::string_view k, std::int64_t v) : key(k), value(std::to_string(v)) {}
    Field(std::string_view k, int v) : key(k), value(std::to_string(v)) {}
    Field(std::string_view k, std::size_t v) : key(k), value(std::to_string(v)) {}
    std::string key;
    std::string value;
};

// Drops events below `minimum` from now on. The initial minimum is Level::info.
void set_level(Level minimum);

// Prints "time=2026-11-21T23:28:23.042Z " and the line of format().
void write(Level level, std::string_view event, std::initializer_list<Field> fields);

inline void debug(std::string_view event, std::initializer_list<Field> f) {
    write(Level::debug, event, f);
}
inline void info(std::string_view event, std::initializer_list<Field> f) {
    write(Level::info, event, f);
}
inline void warning(std::string_view event, std::initializer_list<Field> f) {
    write(Level::warning, event, f);
}
inline void error(std::string_view event, std::initializer_list<Field> f) {
    write(Level::error, event, f);
}

// What write() prints after the time, without a line end. For tests.
std::string format(Level level, std::string_view event, std::initializer_list<Field> fields);

}  // namespace oai::log
