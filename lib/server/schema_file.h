// SPDX-License-Identifier: MIT
// XML Schemas that a site keeps beside its stylesheets, at the address that its schemaLocations
// name: GET .../-/schema/NAME.xsd. Without them validators reject its records. Knows no OAI-PMH.
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "web/request.h"
#include "web/response.h"

namespace oai {

// The NAME.xsd in the path; nullopt if the path is not below /-/schema/. A name has letters,
// digits,
// '.', '_' and '-', does not begin with '.', ends in .xsd and contains nothing encoded, so that it
// cannot lead out of the folder; "" for anything else.
std::optional<std::string_view> schema_file_name(std::string_view path);

// The file `name` of the folder as it is now: 200, application/xml, with an ETag made from its
// content; 304 if the client has that version; 404 if there is no such file or `name` is "". 405
// for POST.
Response schema_file_response(const std::string& folder, std::string_view name,
                              const Request& request);

}  // namespace oai
