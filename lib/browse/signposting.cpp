// SPDX-License-Identifier: MIT
#include "browse/signposting.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace oai {
namespace {

// A quoted-string of RFC 9110, 5.6.4; "" if the value cannot be one as it is.
std::string parameter(std::string_view name, const std::string& value) {
    const bool is_plain = std::all_of(value.begin(), value.end(), [](char c) {
        return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    return value.empty() || !is_plain ? "" : fmt::format("; {}=\"{}\"", name, value);
}

std::string header_value(const TypedLink& link) {
    return fmt::format("<{}>; rel=\"{}\"{}{}", link.target, link.relation,
                       parameter("type", link.type), parameter("profile", link.profile));
}

nlohmann::ordered_json target_of(const TypedLink& link) {
    nlohmann::ordered_json target{{"href", link.target}};
    if (!link.type.empty()) target["type"] = link.type;
    // What RFC 9264 does not name is an array (4.2.4.3).
    if (!link.profile.empty()) target["profile"] = nlohmann::ordered_json::array({link.profile});
    return target;
}

}  // namespace

std::string link_header(const TypedLinks& links) {
    std::string header = header_value({"linkset", links.linkset, std::string(kLinksetType)});
    if (header.size() > kMaxLinkHeaderBytes) return "";
    for (const TypedLink& link : links.links) {
        const std::string value = header_value(link);
        if (header.size() + 2 + value.size() <= kMaxLinkHeaderBytes)
            header.append(", ").append(value);
    }
    return header;
}

std::string linkset_json(const TypedLinks& links) {
    nlohmann::ordered_json page{{"anchor", links.page}}, back = nlohmann::ordered_json::array();
    for (const TypedLink& link : links.links) {
        page[link.relation].push_back(target_of(link));
        const char* const relation = link.relation == "describedby" ? "describes"
                                     : link.relation == "item"      ? "collection"
                                                                    : nullptr;
        if (relation == nullptr) continue;
        nlohmann::ordered_json context{{"anchor", link.target}};
        context[relation].push_back(target_of({"", links.page, "text/html"}));
        back.push_back(std::move(context));
    }
    nlohmann::ordered_json all = nlohmann::ordered_json::array({std::move(page)});
    for (auto& context : back) all.push_back(std::move(context));
    const nlohmann::ordered_json linkset{{"linkset", std::move(all)}};
    return linkset.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace oai
