// SPDX-License-Identifier: MIT
// What a gateway says of itself in Identify (specification, 4.4.1; guidelines for gateways, 2). Pure.
#pragma once

#include <string>
#include <vector>

namespace oai::static_repository {

struct Gateway {
    std::string source;               // the static repository's URL
    std::vector<std::string> admins;  // mail addresses of the gateway's administrators, not of the source's
    std::string url;                  // what all base URLs of the gateway have in common; "" nothing
    std::string notes;                // URL of what else there is to know; "" nothing
};

// The <gateway> element, as a document.
std::string gateway_description(const Gateway& gateway);

}  // namespace oai::static_repository
