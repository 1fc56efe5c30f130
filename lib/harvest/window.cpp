// SPDX-License-Identifier: MIT
#include "harvest/window.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "datestamp.h"

namespace oai::harvest {
namespace {

std::string printed(Seconds t, bool seconds) { return print_datestamp(t).substr(0, seconds ? 20 : 10) ; }

// "+02:00", "-0130" as what to take off local time; nullopt: neither that nor Z.
std::optional<std::chrono::seconds> offset(std::string_view zone) {
    if (zone.empty() || zone == "Z" || zone == "z") return std::chrono::seconds{0};
    if (zone.size() == 6 && zone[3] == ':') return offset(std::string(zone.substr(0, 3)) + std::string(zone.substr(4)));
    if (zone.size() != 5 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
    const auto hours = text::to_integer(zone.substr(1, 2)), minutes = text::to_integer(zone.substr(3));
    if (!hours || !minutes) return std::nullopt;
    const auto all = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
    return zone[0] == '+' ? all : -all;
}

// What repositories print: 2024-01-01T10:00:00.123+02:00 as well.
std::optional<Seconds> time_of(std::string_view s) {
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
    const auto off = offset(zone);
    if (!stamp || !off) return std::nullopt;
    return stamp->first - *off;
}

}  // namespace

std::string from_argument(const std::string& given, bool seconds) {
    const auto stamp = parse_datestamp(given);
    return stamp ? printed(stamp->first, seconds) : given;
}

std::string until_argument(const std::string& given, bool seconds) {
    const auto stamp = parse_datestamp(given);
    return stamp ? printed(stamp->last(), seconds) : given;
}

std::string from_after(const std::string& response_date, std::chrono::seconds overlap, bool seconds) {
    const auto time = time_of(response_date);
    return time ? printed(*time - overlap, seconds) : "";
}

}  // namespace oai::harvest
