// SPDX-License-Identifier: MIT
#include "browse/page_address.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace oai {
namespace {

using Kind = PageAddress::Kind;

constexpr std::string_view kRoom = "/browse";

struct Route {
    std::string_view path;
    Kind kind;
};
constexpr std::array kRoutes{
    Route{"", Kind::home},
    Route{"/", Kind::home},
    Route{"/formats", Kind::formats},
    Route{"/sets", Kind::sets},
    Route{"/list", Kind::list},
    Route{"/record", Kind::record},
    Route{"/explore", Kind::explore},
    Route{"/search", Kind::search},
    Route{"/captures", Kind::captures},
    Route{"/robots.txt", Kind::robots},
    Route{"/sitemap.xml", Kind::sitemap_index},
};
// Routes whose path goes on with the subject.
constexpr std::array kPrefixRoutes{
    Route{"/record/", Kind::record},   Route{"/cite/", Kind::citation},
    Route{"/linkset/", Kind::linkset}, Route{"/sitemap/", Kind::sitemap},
    Route{"/file/", Kind::file},
};

constexpr std::array kMementoRoutes{Route{"/timemap/", Kind::timemap},
                                    Route{"/timegate/", Kind::timegate}};

// Decodes part of a path; unlike in a query, a plus is a plus there.
std::optional<std::string> decode(std::string_view encoded) {
    std::string form;
    for (const char c : encoded)
        if (c == '+')
            form += "%2B";
        else
            form += c;
    auto decoded = text::percent_decode(form);
    if (!decoded || decoded->empty() || !text::is_xml_text(*decoded)) return std::nullopt;
    return decoded;
}

}  // namespace

bool is_base(std::string_view path, std::string_view mount) {
    return path == mount || (path.starts_with(mount) && path.substr(mount.size()) == "/");
}

std::optional<PageAddress> page_address(std::string_view path, std::string_view mount) {
    if (!path.starts_with(mount)) return std::nullopt;
    path.remove_prefix(mount.size());
    if (path == "/captures") return PageAddress{Kind::captures};
    for (const Route& memento : kMementoRoutes)
        if (path.starts_with(memento.path))
            return PageAddress{memento.kind, std::string(path.substr(memento.path.size()))};
    if (!path.starts_with(kRoom)) return std::nullopt;
    path.remove_prefix(kRoom.size());
    if (!path.empty() && path.front() != '/') return std::nullopt;
    const auto route = std::find_if(kRoutes.begin(), kRoutes.end(),
                                    [&](const Route& p) { return p.path == path; });
    if (route != kRoutes.end()) return PageAddress{route->kind};
    for (const Route& prefix : kPrefixRoutes) {
        if (!path.starts_with(prefix.path)) continue;
        if (auto subject = decode(path.substr(prefix.path.size())))
            return PageAddress{prefix.kind, *std::move(subject)};
    }
    return PageAddress{};
}

std::string record_path(std::string_view identifier) {
    return "record/" + text::percent_encode(identifier, "/:");
}

std::string encoded_address(std::string_view address) {
    return text::percent_encode(address, "%:/?#[]@!$&'()*+,;=");
}

std::vector<Argument> filled_fields(const Request& form, std::span<const std::string_view> names) {
    std::vector<Argument> arguments;
    for (const std::string_view name : names)
        if (const std::string_view value = argument_of(form, name); !value.empty())
            arguments.push_back({std::string(name), std::string(value)});
    return arguments;
}

std::string query_of(const std::vector<Argument>& arguments, std::string_view kept) {
    std::string query;
    for (const auto& [name, value] : arguments)
        query.append(query.empty() ? "" : "&")
            .append(text::percent_encode(name) + "=" + text::percent_encode(value, kept));
    return query;
}

}  // namespace oai
