// SPDX-License-Identifier: MIT
// One key=value line per event to standard error (systemd's journal takes it from there), by spdlog.
// Values with blanks, quotes, '=', '\\' or anything beyond printable ASCII are quoted and escaped, so a line stays a
// line and a hostile value cannot forge a key: \" \\ \n \r \t, and \xHH for each byte of other control characters, of
// ill-formed UTF-8, and of what changes the direction of writing. Of a value longer than 2,048 bytes the rest is left
// out and counted (value...123_more_bytes): the journal breaks lines at 48 KiB, and a break would forge a line.
// Other bytes than A-Za-z0-9_-. in a key become '_'. Thread-safe. Never logs a secret: callers do not hand one in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace oai::log {

enum class Level { debug, info, warning, error };

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

// What is below `least` is dropped. Level::info until it is called.
void set_level(Level least);

// Prints "time=2026-11-21T23:28:23.042Z " and the line of format(). Does not throw but for want of memory.
void write(Level level, std::string_view event, std::initializer_list<Field> fields);

inline void debug(std::string_view event, std::initializer_list<Field> f) { write(Level::debug, event, f); }
inline void info(std::string_view event, std::initializer_list<Field> f) { write(Level::info, event, f); }
inline void warning(std::string_view event, std::initializer_list<Field> f) { write(Level::warning, event, f); }
inline void error(std::string_view event, std::initializer_list<Field> f) { write(Level::error, event, f); }

// The line without its end, as write() prints it after the time: "level=info event=... key=value". For tests.
std::string format(Level level, std::string_view event, std::initializer_list<Field> fields);

}  // namespace oai::log
