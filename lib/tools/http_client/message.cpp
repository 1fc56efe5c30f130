// SPDX-License-Identifier: MIT
#include "tools/http_client/message.h"

#include <algorithm>

#include "base/text.h"

namespace oai::http {

std::optional<std::string_view> HeaderFields::find(std::string_view name) const {
    const std::string wanted = text::lower_ascii(name);
    const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const auto& f) {
        return text::lower_ascii(f.first) == wanted;
    });
    if (found == fields_.end()) return std::nullopt;
    return found->second;
}

}  // namespace oai::http
