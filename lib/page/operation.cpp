// SPDX-License-Identifier: MIT
#include "page/operation.h"

#include <algorithm>

namespace oai {
namespace {

constexpr std::string_view kRoom = "/-/";
constexpr OperationPage kPages[] = {{"health", health_page}, {"metrics", metrics_page}, {"status", status_page}};

// "https://host/oai/" -> "/oai"
std::string_view mount_of(std::string_view base_url) {
    const std::size_t slash = base_url.find('/', base_url.find("://") + 3);
    std::string_view path = slash == std::string_view::npos ? std::string_view() : base_url.substr(slash);
    while (path.ends_with('/')) path.remove_suffix(1);
    return path;
}

}  // namespace

std::string operation_path(std::string_view base_url, std::string_view name) {
    return std::string(mount_of(base_url)).append(kRoom).append(name);
}

const OperationPage* find_operation_page(std::string_view path, std::string_view base_url) {
    const std::string_view mount = mount_of(base_url);
    if (!path.starts_with(mount)) return nullptr;
    path.remove_prefix(mount.size());
    if (!path.starts_with(kRoom)) return nullptr;
    path.remove_prefix(kRoom.size());
    const auto* found = std::find_if(std::begin(kPages), std::end(kPages), [&](const OperationPage& page) { return page.name == path; });
    return found == std::end(kPages) ? nullptr : found;
}

}  // namespace oai
