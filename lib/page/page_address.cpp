// SPDX-License-Identifier: MIT
#include "page/page_address.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace oai {
namespace {

using Kind = PageAddress::Kind;

constexpr std::string_view kRoom = "/browse";

struct Place {
    std::string_view path;
    Kind kind;
};
constexpr std::array kPlaces{
    Place{"", Kind::home},           Place{"/", Kind::home},
    Place{"/formats", Kind::formats}, Place{"/sets", Kind::sets},
    Place{"/list", Kind::list},       Place{"/record", Kind::record},
    Place{"/explore", Kind::explore}, Place{"/explore/conformance", Kind::conformance},
    Place{"/robots.txt", Kind::robots}, Place{"/sitemap.xml", Kind::sitemap_index},
};
// Places with something behind them.
constexpr std::array kFolders{
    Place{"/record/", Kind::record},
    Place{"/sitemap/", Kind::sitemap},
    Place{"/file/", Kind::file},
};

// Of a path, where a plus is a plus.
std::optional<std::string> decode(std::string_view encoded) {
    std::string form;
    for (const char c : encoded) {
        if (c == '+') form += "%2B";
        else form += c;
    }
    auto decoded = text::percent_decode(form);
    if (!decoded || decoded->empty() || !text::is_xml_text(*decoded)) return std::nullopt;
    return decoded;
}

}  // namespace

std::string mount_of(std::string_view base_url) {
    const std::size_t host = base_url.find("://");
    const std::size_t path = host == std::string_view::npos ? host : base_url.find('/', host + 3);
    if (path == std::string_view::npos) return "";
    base_url.remove_prefix(path);
    while (base_url.ends_with('/')) base_url.remove_suffix(1);
    return std::string(base_url);
}

bool is_base(std::string_view path, std::string_view mount) {
    return path == mount || (path.starts_with(mount) && path.substr(mount.size()) == "/");
}

std::optional<PageAddress> page_address(std::string_view path, std::string_view mount) {
    if (!path.starts_with(mount)) return std::nullopt;
    path.remove_prefix(mount.size());
    if (!path.starts_with(kRoom)) return std::nullopt;
    path.remove_prefix(kRoom.size());
    if (!path.empty() && path.front() != '/') return std::nullopt;
    const auto place = std::find_if(kPlaces.begin(), kPlaces.end(), [&](const Place& p) { return p.path == path; });
    if (place != kPlaces.end()) return PageAddress{place->kind};
    for (const Place& folder : kFolders) {
        if (!path.starts_with(folder.path)) continue;
        if (auto subject = decode(path.substr(folder.path.size()))) return PageAddress{folder.kind, *std::move(subject)};
    }
    return PageAddress{};
}

std::string record_path(std::string_view identifier) { return "record/" + text::percent_encode(identifier, "/:"); }

std::string_view argument_of(const Request& request, std::string_view name) {
    for (const Argument& argument : request.arguments)
        if (argument.name == name) return argument.value;
    return {};
}

}  // namespace oai
