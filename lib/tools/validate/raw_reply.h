// SPDX-License-Identifier: MIT
// Responses of HTTP/1.1 as they follow each other on a connection. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "tools/validate/transport.h"

namespace oai::validate {

// Takes the first response from `bytes`, with its body decoded from chunks. `to_head`: it answers
// HEAD, so it ends with its header. A body without a length goes to the end. Responses of status
// 1xx are passed over. Returns nullopt, and takes nothing, if the bytes do not begin with a whole
// response.
std::optional<Reply> take_reply(std::string_view& bytes, bool to_head);

}  // namespace oai::validate
