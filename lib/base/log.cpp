// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <memory>

#include "base/text.h"

namespace oai::log {
namespace {

std::string_view level_name(Level level) { return kLevelNames[static_cast<std::size_t>(level)]; }

spdlog::level::level_enum spdlog_level(Level level) {
    switch (level) {
        case Level::debug: return spdlog::level::debug;
        case Level::info: return spdlog::level::info;
        case Level::warning: return spdlog::level::warn;
        case Level::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

// Created on first use. It is not registered with spdlog by name, so no other code can find it and
// change its pattern.
spdlog::logger& logger() {
    static const std::unique_ptr<spdlog::logger> instance = [] {
        auto made = std::make_unique<spdlog::logger>(
            "oai", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_pattern("time=%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
        made->set_level(spdlog::level::info);
        return made;
    }();
    return *instance;
}

bool is_plain(unsigned char c) { return c > ' ' && c < 0x7F && c != '"' && c != '=' && c != '\\'; }

// Characters that a terminal or an editor may interpret or hide: C1 controls, line and paragraph
// separators, and the marks that change the direction of writing.
bool is_format_control(std::string_view character) {
    if (character.size() == 2)
        return character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0;
    if (character.size() != 3 || character[0] != '\xE2') return false;
    const auto second = static_cast<unsigned char>(character[1]);
    const auto third = static_cast<unsigned char>(character[2]);
    if (second == 0x80) return third == 0x8E || third == 0x8F || (third >= 0xA8 && third <= 0xAE);
    return second == 0x81 && third >= 0xA6 && third <= 0xA9;
}

void append_hex(std::string& out, std::string_view bytes) {
    for (const char c : bytes) text::append_hex(out += "\\x", c);
}

void append_ascii(std::string& out, char c) {
    switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        default:
            if (c < ' ' || c == 0x7F)
                append_hex(out, std::string_view(&c, 1));
            else
                out.push_back(c);
    }
}

// The number of bytes of the well-formed character at the start, 0 if there is none.
std::size_t character_length(std::string_view s) {
    for (std::size_t length = 1; length <= std::min<std::size_t>(4, s.size()); ++length)
        if (text::is_utf8(s.substr(0, length))) return length;
    return 0;
}

void append_quoted(std::string& out, std::string_view value) {
    out.push_back('"');
    while (!value.empty()) {
        const std::size_t length = character_length(value);
        const std::string_view character = value.substr(0, std::max<std::size_t>(length, 1));
        if (length == 1)
            append_ascii(out, value.front());
        else if (length == 0 || is_format_control(character))
            append_hex(out, character);
        else
            out.append(character);
        value.remove_prefix(character.size());
    }
    out.push_back('"');
}

void append_value(std::string& out, std::string_view value) {
    constexpr std::size_t kMaxBytes = 2048;  // see the header
    const std::size_t omitted = value.size() - std::min(value.size(), kMaxBytes);
    value = value.substr(0, kMaxBytes);
    if (!value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
            return is_plain(static_cast<unsigned char>(c));
        }))
        out.append(value);
    else
        append_quoted(out, value);
    if (omitted > 0) fmt::format_to(std::back_inserter(out), "...{}_more_bytes", omitted);
}

void append_key(std::string& out, std::string_view key) {
    for (const char c : key) {
        const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        out.push_back(allowed ? c : '_');
    }
}

}  // namespace

Level level_named(std::string_view name) {
    const auto* const found = std::find(kLevelNames.begin(), kLevelNames.end(), name);
    return static_cast<Level>(found - kLevelNames.begin());
}

void set_level(Level minimum) { logger().set_level(spdlog_level(minimum)); }

void write(Level level, std::string_view event, std::initializer_list<Field> fields) {
    if (!logger().should_log(spdlog_level(level))) return;
    logger().log(spdlog_level(level), spdlog::string_view_t(format(level, event, fields)));
}

std::string format(Level level, std::string_view event, std::initializer_list<Field> fields) {
    std::string line = "level=";
    line.append(level_name(level)).append(" event=");
    append_value(line, event);
    for (const Field& field : fields) {
        line.push_back(' ');
        append_key(line, field.key);
        line.push_back('=');
        append_value(line, field.value);
    }
    return line;
}

}  // namespace oai::log
