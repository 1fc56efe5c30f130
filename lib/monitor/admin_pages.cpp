// SPDX-License-Identifier: MIT
#include "monitor/admin_pages.h"

#include "web/mount.h"

namespace oai {
namespace {

constexpr std::string_view kAdminPath = "/-/";
constexpr AdminPage kPages[] = {
    {"health", health_page}, {"metrics", metrics_page}, {"status", status_page}};

}  // namespace

std::string admin_page_path(std::string_view base_url, std::string_view name) {
    return std::string(mount_of(base_url)).append(kAdminPath).append(name);
}

bool is_admin_path(std::string_view path, std::string_view base_url) {
    const std::string_view mount = mount_of(base_url);
    return path.starts_with(mount) && path.substr(mount.size()).starts_with(kAdminPath);
}

const AdminPage* find_admin_page(std::string_view path, std::string_view base_url) {
    if (!is_admin_path(path, base_url)) return nullptr;
    path.remove_prefix(mount_of(base_url).size() + kAdminPath.size());
    for (const AdminPage& page : kPages)
        if (page.name == path) return &page;
    return nullptr;
}

}  // namespace oai
