// SPDX-License-Identifier: MIT
// Where the web server mounts the program. Pure.
#pragma once

#include <string_view>

namespace oai {

// The path of base_url without a slash at its end: "/oai"; "" where it has none. A view into it.
std::string_view mount_of(std::string_view base_url);

}  // namespace oai
