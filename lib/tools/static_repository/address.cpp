// SPDX-License-Identifier: MIT
#include "tools/static_repository/address.h"

#include <string_view>

namespace oai::static_repository {
namespace {

std::string without_scheme(const std::string& url) {
    const auto scheme = url.find("://");
    return scheme == url.npos ? url : url.substr(scheme + 3);
}

// "%3A" as ":".
std::string plain(const std::string& url) {
    std::string out;
    for (std::size_t i = 0; i < url.size(); ++i) {
        const std::string_view three = std::string_view(url).substr(i, 3);
        const bool colon = three == "%3A" || three == "%3a";
        out += colon ? ':' : url[i];
        if (colon) i += 2;
    }
    return out;
}

}  // namespace

std::string address_fault(const std::string& url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return url + ": it begins with http:// or https://";
    if (url.find_first_of("?# \t\r\n") != url.npos)
        return url + ": it has no query, no fragment and no blank";
    const std::string rest = without_scheme(url);
    const auto slash = rest.find('/');
    if (slash == 0 || slash == rest.npos || slash + 1 == rest.size())
        return url + ": it has a host and a path";
    return "";
}

std::string gateway_base_url(const std::string& gateway, const std::string& url) {
    const std::string rest = without_scheme(url);
    const auto path = rest.find('/');
    std::string base_url = gateway + (gateway.ends_with('/') ? "" : "/");
    for (const char c : rest.substr(0, path)) base_url += c == ':' ? "%3A" : std::string(1, c);
    return base_url + (path == rest.npos ? "" : rest.substr(path));
}

bool same_base_url(const std::string& a, const std::string& b) { return plain(a) == plain(b); }

std::optional<std::string> gateway_url(const std::string& base_url, const std::string& url) {
    const std::string behind = "/" + plain(without_scheme(url)), whole = plain(base_url);
    if (!whole.ends_with(behind) || whole.size() == behind.size()) return std::nullopt;
    return whole.substr(0, whole.size() - behind.size() + 1);
}

}  // namespace oai::static_repository
