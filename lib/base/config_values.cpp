// SPDX-License-Identifier: MIT
#include "base/config_values.h"

#include <sys/un.h>

#include <algorithm>

#include "base/address.h"
#include "base/colour.h"
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

// Two labels or more, the last of which begins with a letter. So IP addresses and bare host names
// are excluded.
bool is_dotted_domain(std::string_view domain) {
    const auto labels = text::split(domain, '.');
    return labels.size() >= 2 && domain.size() <= 253 &&
           std::all_of(labels.begin(), labels.end(), is_label) && is_letter(labels.back().front());
}

// host or host:port. Bare host names and IPv4 addresses are allowed, since tests and intranets use
// them.
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

// Only pchar and '/' of RFC 3986.
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

// A dot-atom of RFC 5322: no dot at either end, no two dots in a row.
bool is_mailbox_name(std::string_view local) {
    return !local.empty() && local.size() <= 64 && local.front() != '.' && local.back() != '.' &&
           local.find("..") == std::string_view::npos &&
           std::all_of(
               local.begin(), local.end(),
               [](char c) {
                   return is_letter(c) || is_digit(c) ||
                          std::string_view(".!#$%&'*+-/=?^_`{|}~").find(c) !=
                              std::string_view::npos;
               });
}

}  // namespace

const char* check_not_empty(std::string_view value) {
    return value.empty() ? "a value (or comment the line out)" : nullptr;
}

const char* check_base_url(std::string_view value) {
    constexpr const char* kValid = "an http:// or https:// URL without user, query and fragment";
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!value.starts_with(scheme)) continue;
        const std::string_view rest = value.substr(scheme.size());
        const std::size_t slash = std::min(rest.find('/'), rest.size());
        return is_authority(rest.substr(0, slash)) && is_path(rest.substr(slash)) ? nullptr
                                                                                  : kValid;
    }
    return kValid;
}

const char* check_email(std::string_view value) {
    const std::size_t at = value.find('@');
    const bool is_valid = at != std::string_view::npos && is_mailbox_name(value.substr(0, at)) &&
                          is_dotted_domain(value.substr(at + 1));
    return is_valid ? nullptr : "local@domain.tld, without mailto:";
}

const char* check_contact(std::string_view value) {
    const bool is_valid = check_email(value) == nullptr || check_base_url(value) == nullptr;
    return is_valid ? nullptr : "local@domain.tld, or http:// or https:// without a query";
}

const char* check_namespace(std::string_view value) {
    const auto labels = text::split(value, '.');
    const bool is_valid =
        labels.size() >= 2 && std::all_of(labels.begin(), labels.end(), [](std::string_view label) {
            return !label.empty() && is_letter(label.front()) &&
                   std::all_of(label.begin(), label.end(), is_label_character);
        });
    return is_valid ? nullptr : "a domain name with a dot, each label beginning with a letter";
}

const char* check_socket(std::string_view value) {
    const bool is_valid = !value.empty() && value.size() < sizeof(sockaddr_un::sun_path);
    return is_valid ? nullptr : "a path of 1 to 107 bytes (or comment the line out)";
}

const char* check_languages(std::string_view value) {
    const auto tags = text::split(value, ' ');
    return std::all_of(tags.begin(), tags.end(), is_label)
               ? nullptr
               : "language tags with single blanks between";
}

const char* check_replay(std::string_view value) {
    constexpr const char* kValid =
        "an http:// or https:// URL with columns behind its host, as https://host/{url}";
    const std::size_t column = value.find('{');
    if (column == std::string_view::npos || value.find('}', column) == std::string_view::npos)
        return kValid;
    const std::string_view fixed = value.substr(0, column);
    const std::size_t host = fixed.find("://");
    if (host == std::string_view::npos || fixed.find('/', host + 3) == std::string_view::npos)
        return kValid;
    return check_base_url(fixed.substr(0, fixed.find('?'))) == nullptr ? nullptr : kValid;
}

const char* check_logo(std::string_view value) {
    return value.ends_with(".svg") || value.ends_with(".png") ? nullptr
                                                              : "a file named *.svg or *.png";
}

const char* check_accent(std::string_view value) {
    return parse_colour(value) ? nullptr : "a colour of six hexadecimal digits, as #0b4f9e";
}

const char* check_origins(std::string_view value) {
    const auto origins = text::split(value, ' ');
    const bool is_valid = std::all_of(origins.begin(), origins.end(), [](std::string_view origin) {
        const std::size_t scheme = origin.find("://");
        return check_base_url(origin) == nullptr && origin.find('/', scheme + 3) == origin.npos;
    });
    return is_valid ? nullptr
                    : "http:// or https:// and a host, without a path, with single blanks between";
}

const char* check_address_range(std::string_view value) {
    return AddressRange::parse(value)
               ? nullptr
               : "an address (192.0.2.7, 2001:db8::7) or range (192.0.2.0/24, 2001:db8::/32)";
}

}  // namespace oai
