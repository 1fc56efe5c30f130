// SPDX-License-Identifier: MIT
// `oai import-static URL`: this repository as the gateway of one static repository (Specification
// for an OAI Static Repository and an OAI Static Repository Gateway, 4). Prints what it does on
// stdout, problems on stderr.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"

namespace oai::command {

struct GatewayOptions {
    std::string url;          // of the static repository
    std::string collection;   // "" none
    std::string description;  // file for Identify's gateway container; "" none is written
    std::vector<std::string> gateway_admins;  // empty: [repository] admin_email
    std::string notes;                        // URL in the container; "" none
    bool keep = false;                        // records of every format as they are
    bool delete_missing = false;  // of the whole collection, not only what came from here
    bool any_base_url = false;    // even if the file's baseURL is another one
    bool afresh = false;          // the whole file, even if it has not changed
    bool force = false;           // terminate: even if the file still names this gateway
};

// Both return exit codes of oai(1). Both throw pg::Error, and std::runtime_error in words if they
// cannot begin; faults of the static repository's server or file are printed and stored, and the
// result is kRefused.
int take_in(const Config& config, const GatewayOptions& options);    // 4.1, 4.3
int terminate(const Config& config, const GatewayOptions& options);  // 4.2

}  // namespace oai::command
