// SPDX-License-Identifier: MIT
#include "base/config_values.h"

#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>

#include "base/address.h"
#include "base/text.h"

namespace oai {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_label_character(char c) { return is_letter(c) || is_digit(c) || c == '-'; }

bool is_label(std::string_view label) {
    return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
           std::all_of(label.begin(), label.end(), is_label_character);
}

// Two labels or more, and the last begins with a letter: no IP address, no bare host.
bool is_dotted_domain(std::string_view domain) {
    const auto labels = text::split(domain, '.');
    return labels.size() >= 2 && domain.size() <= 253 &&
           std::all_of(labels.begin(), labels.end(), is_label) && is_letter(labels.back().front());
}

// host or host:port. Tests and intranets have bare hosts and IPv4 addresses.
bool is_authority(std::string_view authority) {
    const std::size_t colon = authority.find(':');
    const auto labels = text::split(authority.substr(0, colon), '.');
    if (!std::all_of(labels.begin(), labels.end(), is_label)) return false;
    if (colon == std::string_view::npos) return true;
    const std::string_view port = authority.substr(colon + 1);
    if (!std::all_of(port.begin(), port.end(), is_digit)) return false;
    const auto number = text::to_integer(port);
    return number && *number >= 1 && *number <= 65'535;
}

// pchar and '/' of RFC 3986.
bool is_path(std::string_view path) {
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i] == '%') {
            if (!text::percent_decode(path.substr(i, 3)) || path.size() < i + 3) return false;
        } else if (!is_letter(path[i]) && !is_digit(path[i]) &&
                   std::string_view("/-._~!$&'()*+,;=:@").find(path[i]) == std::string_view::npos) {
            return false;
        }
    }
    return true;
}

// The characters of dot-atom in RFC 5322, dots judged apart.
bool is_mailbox_name(std::string_view local) {
    return !local.empty() && local.size() <= 64 && local.front() != '.' && local.back() != '.' &&
           local.find("..") == std::string_view::npos && std::all_of(local.begin(), local.end(), [](char c) {
               return is_letter(c) || is_digit(c) ||
                      std::string_view(".!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
           });
}

// Digits only: to_integer would take a sign.
std::optional<unsigned> number_at(std::string_view s, std::size_t at, std::size_t length) {
    const std::string_view digits = s.substr(at, length);
    if (!std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
    const auto number = text::to_integer(digits);
    return number ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
}

}  // namespace

const char* judge_not_empty(std::string_view value) {
    return value.empty() ? "a value (or comment the line out)" : nullptr;
}

const char* judge_base_url(std::string_view value) {
    constexpr const char* kRight = "an http:// or https:// URL without user, query and fragment";
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!value.starts_with(scheme)) continue;
        const std::string_view rest = value.substr(scheme.size());
        const std::size_t slash = std::min(rest.find('/'), rest.size());
        return is_authority(rest.substr(0, slash)) && is_path(rest.substr(slash)) ? nullptr : kRight;
    }
    return kRight;
}

const char* judge_email(std::string_view value) {
    const std::size_t at = value.find('@');
    const bool right = at != std::string_view::npos && is_mailbox_name(value.substr(0, at)) &&
                       is_dotted_domain(value.substr(at + 1));
    return right ? nullptr : "local@domain.tld, without mailto:";
}

const char* judge_contact(std::string_view value) {
    const bool right = judge_email(value) == nullptr || judge_base_url(value) == nullptr;
    return right ? nullptr : "local@domain.tld, or http:// or https:// without a query";
}

const char* judge_namespace(std::string_view value) {
    const auto labels = text::split(value, '.');
    const bool right =
        labels.size() >= 2 && std::all_of(labels.begin(), labels.end(), [](std::string_view label) {
            return !label.empty() && is_letter(label.front()) &&
                   std::all_of(label.begin(), label.end(), is_label_character);
        });
    return right ? nullptr : "a domain name with a dot, each label beginning with a letter";
}

const char* judge_socket(std::string_view value) {
    const bool right = !value.empty() && value.size() < sizeof(sockaddr_un::sun_path);
    return right ? nullptr : "a path of 1 to 107 bytes (or comment the line out)";
}

const char* judge_languages(std::string_view value) {
    const auto tags = text::split(value, ' ');
    return std::all_of(tags.begin(), tags.end(), is_label) ? nullptr : "language tags with single blanks between";
}

const char* judge_replay(std::string_view value) {
    constexpr const char* kRight = "an http:// or https:// URL with columns behind its host, as https://host/{url}";
    const std::size_t column = value.find('{');
    if (column == std::string_view::npos || value.find('}', column) == std::string_view::npos) return kRight;
    const std::string_view fixed = value.substr(0, column);
    const std::size_t host = fixed.find("://");
    if (host == std::string_view::npos || fixed.find('/', host + 3) == std::string_view::npos) return kRight;
    return judge_base_url(fixed.substr(0, fixed.find('?'))) == nullptr ? nullptr : kRight;
}

const char* judge_address_range(std::string_view value) {
    return AddressRange::parse(value) ? nullptr : "an address (192.0.2.7, 2001:db8::7) or range (192.0.2.0/24, 2001:db8::/32)";
}

std::optional<std::chrono::sys_seconds> parse_time(std::string_view s) {
    using namespace std::chrono;
    if (s.size() != 20 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' ||
        s[19] != 'Z')
        return std::nullopt;
    const auto y = number_at(s, 0, 4), mo = number_at(s, 5, 2), d = number_at(s, 8, 2);
    const auto h = number_at(s, 11, 2), mi = number_at(s, 14, 2), se = number_at(s, 17, 2);
    if (!y || !mo || !d || !h || !mi || !se || *y == 0 || *h > 23 || *mi > 59 || *se > 59)
        return std::nullopt;
    const year_month_day date{year{static_cast<int>(*y)}, month{*mo}, day{*d}};
    if (!date.ok()) return std::nullopt;
    return sys_days{date} + hours{*h} + minutes{*mi} + seconds{*se};
}

std::string print_time(std::chrono::sys_seconds time) {
    using namespace std::chrono;
    const auto midnight = floor<days>(time);
    const year_month_day date{midnight};
    const hh_mm_ss clock{time - midnight};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace oai
