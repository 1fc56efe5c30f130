// SPDX-License-Identifier: MIT
#include "web/mount.h"

namespace oai {

std::string_view mount_of(std::string_view base_url) {
    const std::size_t host = base_url.find("://");
    const std::size_t path = host == std::string_view::npos ? host : base_url.find('/', host + 3);
    if (path == std::string_view::npos) return "";
    base_url.remove_prefix(path);
    while (base_url.ends_with('/')) base_url.remove_suffix(1);
    return base_url;
}

}  // namespace oai
