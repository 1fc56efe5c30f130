// SPDX-License-Identifier: MIT
#include "web/http_cache.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace oai {
namespace {

constexpr int kShareOfLifetime = 7;

int renewal_seconds(const CachePolicy& policy) {
    return std::max(1, policy.token_lifetime_seconds / kShareOfLifetime);
}

}  // namespace

std::string entity_tag(std::string_view content) {
    std::array<unsigned char, crypto_generichash_BYTES_MIN> hash{};
    crypto_generichash(hash.data(), hash.size(),
                       reinterpret_cast<const unsigned char*>(content.data()), content.size(),
                       nullptr, 0);
    std::array<char, 2 * hash.size() + 1> hex{};
    sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
    return '"' + std::string(hex.data()) + '"';
}

bool names_tag(std::string_view if_none_match, std::string_view tag) {
    const auto opaque = [](std::string_view t) { return t.starts_with("W/") ? t.substr(2) : t; };
    const auto fields = text::split(if_none_match, ',');
    return std::any_of(fields.begin(), fields.end(), [&](std::string_view field) {
        field = text::trim(field);
        return field == "*" || (!field.empty() && opaque(field) == opaque(tag));
    });
}

std::string page_tag(std::string_view records, std::string_view token_generation, Seconds now,
                     const CachePolicy& policy) {
    const auto renewal = now.time_since_epoch().count() / renewal_seconds(policy);
    std::string tag = "W/" + entity_tag(records);
    tag.insert(tag.size() - 1, "-" + std::to_string(renewal) + "-" + std::string(token_generation));
    return tag;
}

void mark_closed(Response& response, const Request& request, const std::string& tag,
                 const CachePolicy& policy) {
    const int seconds = std::min(policy.seconds, renewal_seconds(policy));
    response.headers.emplace_back("Cache-Control", "public, max-age=" + std::to_string(seconds));
    response.headers.emplace_back("ETag", tag);
    if (request.method == "POST" || !names_tag(request.if_none_match, tag)) return;
    response.status = 304;
    response.body.clear();
    std::erase_if(response.headers, [](const auto& h) {
        return h.first == "Content-Type" || h.first == "Content-Encoding";
    });
}

void mark_momentary(Response& response) {
    response.headers.emplace_back("Cache-Control", "no-cache");
}

}  // namespace oai
