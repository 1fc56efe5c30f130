// SPDX-License-Identifier: MIT
#include "tools/load/surt.h"

#include "base/text.h"
#include "protocol/set_spec.h"
#include "web/surt.h"

namespace oai::load {
namespace {

constexpr std::size_t kHostBytes = 253;  // RFC 1035, 2.3.4

std::string reversed_labels(std::string_view host) {
    std::string out;
    const auto labels = text::split(host, '.');
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
        out.append(out.empty() ? "" : ":").append(set_label(*label));
    return out;
}

std::string domain_name(const UrlHost& host) {
    if (host.text.empty() || host.text.size() > kHostBytes) return "";
    if (!host.ip) return reversed_labels(host.text);
    const bool v6 = host.text.front() == '[';
    return "ip:" +
           set_label(v6 ? std::string_view(host.text).substr(1, host.text.size() - 2) : host.text);
}

}  // namespace

CanonicalUrl canonical_url(std::string_view url) {
    Surt surt = surt_of(url);
    return {std::move(surt.text), domain_name(surt.host)};
}

std::string mimetype_name(std::string_view media_type) {
    const auto slash = media_type.find('/');
    if (slash == media_type.npos) return "";
    return set_label(media_type.substr(0, slash)) + ":" + set_label(media_type.substr(slash + 1));
}

std::string collection_name(std::string_view given) {
    if (given.starts_with("col:")) given.remove_prefix(4);
    return is_set_spec(given) && given.size() <= 1000 ? std::string(given) : "";
}

}  // namespace oai::load
