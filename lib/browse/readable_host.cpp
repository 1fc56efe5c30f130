// SPDX-License-Identifier: MIT
#include "browse/readable_host.h"

#include <idn2.h>

#include <algorithm>
#include <memory>

#include "base/text.h"

namespace oai {
namespace {

constexpr std::size_t kMaxHostBytes = 253;  // RFC 1035, 2.3.4, as text

struct FreeLabels {
    void operator()(char* s) const noexcept { idn2_free(s); }
};
using Labels = std::unique_ptr<char, FreeLabels>;

bool is_host(std::string_view host) {
    return host.size() <= kMaxHostBytes && host.find('.') != std::string_view::npos &&
           std::all_of(
               host.begin(), host.end(),
               [](char c) {
                   return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
               });
}

// "" unless what is read is written in the same way again.
std::string to_u_labels(const std::string& host) {
    char* raw = nullptr;
    if (idn2_to_unicode_8z8z(host.c_str(), &raw, 0) != IDN2_OK) return "";
    const Labels readable(raw);
    if (idn2_to_ascii_8z(readable.get(), &raw, IDN2_NONTRANSITIONAL) != IDN2_OK) return "";
    const Labels back(raw);
    return host == back.get() && host != readable.get() ? std::string(readable.get()) : "";
}

}  // namespace

std::string readable_host(std::string_view address) {
    const std::size_t scheme = address.find("://");
    const bool is_url = address.starts_with("http://") || address.starts_with("https://");
    const std::size_t begin = is_url ? scheme + 3 : 0;
    const std::size_t end = std::min(address.find_first_of("/?#", begin), address.size());
    const std::size_t host_end = std::min(address.find(':', begin), end);
    const std::string host = text::lower_ascii(address.substr(begin, host_end - begin));
    if (host.find("xn--") == std::string::npos || !is_host(host)) return "";
    if (address.substr(host_end, end - host_end).find('@') != std::string_view::npos) return "";
    const std::string readable = to_u_labels(host);
    if (readable.empty()) return "";
    return std::string(address.substr(0, begin)).append(readable).append(address.substr(host_end));
}

}  // namespace oai
