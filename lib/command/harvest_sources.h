// SPDX-License-Identifier: MIT
// oai harvest NAME... | --all | --due: the repositories of `oai repository add`, into the model
// library.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"
#include "tools/harvest/harvest.h"
#include "tools/http_client/client.h"

namespace oai::command {

struct SourceHarvest {
    std::vector<std::string> names;  // empty: all
    bool due = false;                // of these, those whose interval has passed
    bool delete_missing = false;     // for this run, whatever the repository is noted with
    harvest::HarvestRequest
        request;  // patience, full and max_records count; the rest is the repository's
    http::ClientOptions client;
    bool quiet = false, terminal = false;  // as of FileHarvest
};

// Several at a time, those of one host one after the other; SIGTERM and SIGINT end it between two
// pages. Returns the exit status: kFine if all came to their end. Throws ConfigError, pg::Error,
// std::runtime_error in words.
int harvest_sources(const Config& config, const std::string& config_path,
                    const SourceHarvest& what);

}  // namespace oai::command
