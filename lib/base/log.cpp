// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <memory>

namespace oai::log {
namespace {

// The ids for `oai explain` of events at level warning or error. Other events bring their own id.
constexpr std::string_view kIds =
    " accept 1413 bad_record 1405 cannot_start 1107 clock_jumped 1409 compiled_difference 1406"
    " connection_lost 1413 format 1402 formats_unknown 1403 horizon 1408 manager_not_told 1415"
    " map_problem 1304 publish_failed 1408 publisher_blocked 1407 publisher_off 1410"
    " publisher_stopped 1415 reload 1414 request_reader 1413 set_problem 1411 starting_anew 1412"
    " stopped_in_flight 1412 wake 1413 worker_stuck 1412";

spdlog::level::level_enum spdlog_level(Level level) {
    constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                 spdlog::level::err};
    return kLevels[static_cast<std::size_t>(level)];
}

// Not registered with spdlog by name, so no other code can change its pattern.
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

void append_value(std::string& out, std::string_view value) {
    constexpr std::size_t kMaxBytes = 1024;  // see the header
    const std::size_t omitted = value.size() - std::min(value.size(), kMaxBytes);
    value = value.substr(0, kMaxBytes);
    if (!value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
            return is_plain(static_cast<unsigned char>(c));
        }))
        out.append(value);
    else
        fmt::format_to(std::back_inserter(out), "{:?}", value);
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

void set_level(Level minimum) { logger().set_level(spdlog_level(minimum)); }

void write(Level level, std::string_view event, std::initializer_list<Field> fields) {
    if (!logger().should_log(spdlog_level(level))) return;
    logger().log(spdlog_level(level), spdlog::string_view_t(format(level, event, fields)));
}

std::string format(Level level, std::string_view event, std::initializer_list<Field> fields) {
    std::string line = "level=";
    line.append(kLevelNames[static_cast<std::size_t>(level)]).append(" event=");
    append_value(line, event);
    for (const Field& field : fields) {
        line.push_back(' ');
        append_key(line, field.key);
        line.push_back('=');
        append_value(line, field.value);
    }
    const auto known = level < Level::warning ? kIds.npos : kIds.find(fmt::format(" {} ", event));
    if (known != kIds.npos) line.append(" id=OAI-").append(kIds, known + event.size() + 2, 4);
    return line;
}

}  // namespace oai::log
