// SPDX-License-Identifier: MIT
// The description with which a gateway presents itself in Identify (specification, 4.4.1;
// guidelines for gateways, 2). Pure.
#pragma once

#include <string>
#include <vector>

namespace oai::static_repository {

struct GatewayDescription {
    std::string source;               // the static repository's URL
    std::vector<std::string> admins;  // mail addresses of the gateway's administrators
    std::string url;                  // how all base URLs of the gateway begin; "" unknown
    std::string notes;                // URL of further information; "" none
};

// The <gateway> element, as a document.
std::string gateway_description(const GatewayDescription& gateway);

}  // namespace oai::static_repository
