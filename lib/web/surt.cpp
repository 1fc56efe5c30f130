// SPDX-License-Identifier: MIT
#include "web/surt.h"

#include <arpa/inet.h>
#include <idn2.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/text.h"

namespace oai {
namespace {

constexpr std::size_t kSurtBytes = 2000;

// %25%32%35 -> %25 -> %: decodes until nothing changes. A decoded character can complete an escape
// only together with the characters around it, so looking at the last three is enough.
std::string unescape_repeatedly(std::string_view s) {
    std::string out;
    out.reserve(s.size());
    for (char c : s) {
        out += c;
        while (out.size() >= 3) {
            const auto decoded = text::percent_escape_at(out, out.size() - 3);
            if (!decoded) break;
            out.resize(out.size() - 3);
            out += *decoded;
        }
    }
    return out;
}

std::string escape_once(std::string_view s) {
    std::string out;
    out.reserve(s.size());
    for (char c : s)
        if (c > 0x20 && c < 0x7f && c != '#' && c != '%')
            out += c;
        else
            text::append_hex(out += '%', c);
    return out;
}

// RFC 3986, 5.2.4 without its corner cases, and without empty segments.
std::string normal_path(std::string_view path) {
    std::vector<std::string_view> kept;
    const auto parts = text::split(path.empty() ? path : path.substr(1), '/');
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] == "..") {
            if (!kept.empty()) kept.pop_back();
        } else if (parts[i] != "." && !parts[i].empty()) {
            kept.push_back(parts[i]);
        }
    }
    std::string out;
    for (std::string_view part : kept) out.append("/").append(part);
    return out.empty() ? "/" : out;
}

bool matches(const RE2& expression, std::string_view text) {
    return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression);
}

// A session id in one parameter of a lower-case query. ("cfid=..&cftoken=.." is a pair: both go.)
bool is_session_id(std::string_view parameter) {
    static const RE2 kSession(
        "(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[^=]{8}=[0-9a-z]{24}");
    return matches(kSession, parameter);
}

std::string normal_query(std::string_view raw) {
    const std::string query = text::lower_ascii(escape_once(unescape_repeatedly(raw)));
    std::vector<std::string_view> parameters = text::split(query, '&');
    const auto has = [&](std::string_view name) {
        return std::any_of(parameters.begin(), parameters.end(),
                           [&](auto p) { return p.starts_with(name); });
    };
    const bool coldfusion = has("cfid=") && has("cftoken=");
    std::erase_if(parameters, [&](std::string_view p) {
        return is_session_id(p) ||
               (coldfusion && (p.starts_with("cfid=") || p.starts_with("cftoken=")));
    });
    const auto name_and_value = [](std::string_view p) {
        const auto equals = p.find('=');
        return std::pair(p.substr(0, equals),
                         equals == p.npos ? std::string_view() : p.substr(equals));
    };
    std::stable_sort(parameters.begin(), parameters.end(),
                     [&](auto a, auto b) { return name_and_value(a) < name_and_value(b); });
    std::string out;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        out.append(i == 0 ? "" : "&").append(parameters[i]);
    return out;
}

// ";jsessionid=" and 32 characters at the end of the path.
std::string_view without_path_session(std::string_view path) {
    static const RE2 kSession(";jsessionid=[0-9a-z]{32}");
    constexpr std::size_t kBytes = 44;
    const std::size_t begin = path.size() - std::min(path.size(), kBytes);
    return matches(kSession, path.substr(begin)) ? path.substr(0, begin) : path;
}

struct FreeIdn {
    void operator()(char* s) const noexcept { idn2_free(s); }
};

std::optional<std::string> to_a_labels(const std::string& host) {
    if (host.find('\0') != host.npos) return std::nullopt;
    char* raw = nullptr;
    for (int flags : {IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT, IDN2_TRANSITIONAL | IDN2_NFC_INPUT}) {
        if (idn2_to_ascii_8z(host.c_str(), &raw, flags) != IDN2_OK) continue;
        const std::unique_ptr<char, FreeIdn> owner(raw);
        return std::string(raw);
    }
    return std::nullopt;
}

// The canonical text of an IP address, without the brackets of IPv6; nullopt for a name.
std::optional<std::string> ip_address(std::string_view host) {
    std::string bare(host);
    int family = AF_INET;
    if (bare.size() > 2 && bare.front() == '[' && bare.back() == ']') {
        bare = bare.substr(1, bare.size() - 2);
        family = AF_INET6;
    }
    std::array<unsigned char, sizeof(in6_addr)> binary{};
    std::array<char, INET6_ADDRSTRLEN> printed{};
    if (inet_pton(family, bare.c_str(), binary.data()) != 1) return std::nullopt;
    inet_ntop(family, binary.data(), printed.data(), printed.size());
    return std::string(printed.data());
}

// "www.example.org" -> "org,example,www".
std::string reversed(std::string_view host) {
    std::string out;
    const auto labels = text::split(host, '.');
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
        out.append(out.empty() ? "" : ",").append(escape_once(*label));
    return out;
}

// Without "www.", "www2." and the like.
std::string_view without_www(std::string_view host) {
    if (!host.starts_with("www")) return host;
    const auto end = host.find_first_not_of("0123456789", 3);
    return end != host.npos && host[end] == '.' ? host.substr(end + 1) : host;
}

struct UrlParts {
    std::string scheme;
    std::string_view host, port, path;
    std::optional<std::string_view> query;
};

// nullopt: not scheme://authority.
std::optional<UrlParts> split_url(std::string_view url) {
    UrlParts parts;
    const auto colon = url.find("://");
    if (colon == url.npos || colon == 0 || url.substr(0, colon).find_first_of("/?#") != url.npos)
        return std::nullopt;
    parts.scheme = text::lower_ascii(url.substr(0, colon));
    url.remove_prefix(colon + 3);
    url = url.substr(0, url.find('#'));
    const auto end = std::min(url.find_first_of("/?\\"), url.size());
    std::string_view authority = url.substr(0, end);
    url.remove_prefix(end);
    if (const auto at = authority.rfind('@'); at != authority.npos) authority.remove_prefix(at + 1);
    const auto port = authority.rfind(':');
    const auto bracket = authority.rfind(']');
    if (port != authority.npos && (bracket == authority.npos || port > bracket)) {
        parts.port = authority.substr(port + 1);
        authority = authority.substr(0, port);
    }
    parts.host = authority;
    const auto mark = url.find('?');
    parts.path = url.substr(0, mark);
    if (mark != url.npos) parts.query = url.substr(mark + 1);
    return parts;
}

std::string bounded(std::string surt) {
    if (surt.size() <= kSurtBytes) return surt;
    return surt.substr(0, kSurtBytes - 65) + "~" + text::hex_hash(surt, 32);
}

}  // namespace

std::string url_of_request(std::string_view url, std::string_view method, std::string_view body) {
    std::string all(url);
    if (method.empty() || method == "GET") return all;
    all.append(url.find('?') == url.npos ? "?" : "&").append("__wb_method=").append(method);
    return body.empty() ? all : all.append("&").append(body);
}

UrlHost normal_host(std::string_view raw) {
    std::string host = text::lower_ascii(unescape_repeatedly(raw));
    if (const auto ip = ip_address(host))
        return {host.front() == '[' ? "[" + *ip + "]" : *ip, true};
    const bool ascii = std::all_of(host.begin(), host.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (!ascii) host = to_a_labels(host).value_or(host);
    std::string out;
    for (std::string_view label : text::split(host, '.'))
        if (!label.empty()) out.append(out.empty() ? "" : ".").append(label);
    return {out, false};
}

std::string surt_of_host(const UrlHost& host) {
    return host.ip ? host.text : reversed(without_www(host.text));
}

Surt surt_of(std::string_view url) {
    const auto parts = split_url(url);
    if (!parts || parts->host.empty()) return {bounded(text::lower_ascii(url)), {}};
    UrlHost host = normal_host(parts->host);
    const bool web = parts->scheme == "http" || parts->scheme == "https";
    const std::string_view default_port = parts->scheme == "http"    ? "80"
                                          : parts->scheme == "https" ? "443"
                                                                     : "";
    std::string surt = web ? "" : parts->scheme + "://";
    surt += surt_of_host(host);
    if (!parts->port.empty() && parts->port != default_port) surt.append(":").append(parts->port);
    surt += ')';
    const std::string path =
        text::lower_ascii(escape_once(normal_path(unescape_repeatedly(parts->path))));
    surt += without_path_session(path);
    const std::string query = normal_query(parts->query.value_or(""));
    if (!query.empty()) surt.append("?").append(query);
    return {bounded(std::move(surt)), std::move(host)};
}

}  // namespace oai
