// SPDX-License-Identifier: MIT
// XML Schemas that a site keeps beside its stylesheets, given to whoever follows the address in a
// schemaLocation: GET .../-/schema/NAME.xsd. A schema that cannot be had breaks validators. Knows
// no OAI-PMH. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "web/request.h"
#include "web/response.h"

namespace oai {

// The NAME.xsd that the path asks for; "" where what follows is no such name: letters, digits, '.',
// '_' and '-', not beginning with '.', ending in .xsd, and nothing encoded, so that it is one
// file's name and no way out of the folder. nullopt: the path is not under /-/schema/.
std::optional<std::string_view> schema_file_name(std::string_view path);

// The file `name` of the folder as it is now: 200, application/xml, with a tag made from its
// content; 304 where the client has that already; 404 for no such file, or no name. 405 for POST.
Response schema_file_response(const std::string& folder, std::string_view name,
                              const Request& request);

}  // namespace oai
