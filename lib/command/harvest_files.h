// SPDX-License-Identifier: MIT
// oai harvest URL... --output: lists into files, several repositories at a time, each asked by one
// client only.
#pragma once

#include <string>
#include <vector>

#include "tools/harvest/harvest.h"
#include "tools/http_client/client.h"

namespace oai::command {

struct FileHarvest {
    std::vector<std::string> urls;
    harvest::HarvestRequest request;  // of each; its prefixes and set_specs name the lists
    std::string output;  // a file, an existing directory (a file a list), or "-": standard output
    std::string
        since;  // a file of an earlier harvest of the one list: what changed since; "" all of it
    int parallel = 4;       // hosts at a time, at most
    bool quiet = false;     // no progress
    bool terminal = false;  // where progress goes
    http::ClientOptions client;
};

// Throws ExitRequest{kUsage} where one file is to take several lists, or to continue one. Returns
// the exit status: kFine if all came whole.
int harvest_files(const FileHarvest& what);

// "example.org_oai.oai_dc.xml": the list's file in a directory.
std::string list_file_name(const std::string& url, const std::string& prefix,
                           const std::string& set_spec);

}  // namespace oai::command
