// SPDX-License-Identifier: MIT
#include "tools/harvest/window.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "protocol/datestamp.h"

namespace oai::harvest {
namespace {

std::string print_in_granularity(Seconds t, bool has_seconds) {
    return print_datestamp(t).substr(0, has_seconds ? 20 : 10);
}

// Parses "+02:00", "-0130", "Z" or "" as the difference between local time and UTC.
std::optional<std::chrono::seconds> parse_offset(std::string_view zone) {
    if (zone.empty() || zone == "Z" || zone == "z") return std::chrono::seconds{0};
    if (zone.size() == 6 && zone[3] == ':')
        return parse_offset(std::string(zone.substr(0, 3)) + std::string(zone.substr(4)));
    if (zone.size() != 5 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
    const auto hours = text::to_integer(zone.substr(1, 2)),
               minutes = text::to_integer(zone.substr(3));
    if (!hours || !minutes) return std::nullopt;
    const auto all = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
    return zone[0] == '+' ? all : -all;
}

// Accepts what repositories send, such as 2024-01-01T10:00:00.123+02:00.
std::optional<Seconds> parse_response_date(std::string_view s) {
    if (s.size() == 10) {
        const auto day = parse_datestamp(s);
        return day ? std::optional(day->first) : std::nullopt;
    }
    if (s.size() < 19) return std::nullopt;
    std::string date(s.substr(0, 19));
    if (date[10] == ' ') date[10] = 'T';
    const auto stamp = parse_datestamp(date + "Z");
    std::string_view zone = s.substr(19);
    if (zone.starts_with('.') || zone.starts_with(',')) {
        const auto end = zone.find_first_not_of("0123456789", 1);
        zone = end == zone.npos ? "" : zone.substr(end);
    }
    const auto off = parse_offset(zone);
    if (!stamp || !off) return std::nullopt;
    return stamp->first - *off;
}

}  // namespace

std::string from_argument(const std::string& datestamp, bool has_seconds) {
    const auto stamp = parse_datestamp(datestamp);
    return stamp ? print_in_granularity(stamp->first, has_seconds) : datestamp;
}

std::string until_argument(const std::string& datestamp, bool has_seconds) {
    const auto stamp = parse_datestamp(datestamp);
    return stamp ? print_in_granularity(stamp->last(), has_seconds) : datestamp;
}

std::string from_after(const std::string& response_date, std::chrono::seconds overlap,
                       bool has_seconds) {
    const auto time = parse_response_date(response_date);
    return time ? print_in_granularity(*time - overlap, has_seconds) : "";
}

std::optional<std::chrono::seconds> seconds_between(const std::string& first,
                                                    const std::string& second) {
    const auto a = parse_response_date(first), b = parse_response_date(second);
    if (!a || !b) return std::nullopt;
    return *b - *a;
}

}  // namespace oai::harvest
