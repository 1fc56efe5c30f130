// SPDX-License-Identifier: MIT
// Several harvests at a time, each host asked by one client only. SIGTERM and SIGINT end them
// between two pages; what goes wrong with one of them is that one's problem.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "tools/harvest/harvest.h"
#include "tools/harvest/progress.h"

namespace oai::command {

struct HarvestTask {
    std::string url;   // base URL of the repository
    std::string name;  // what lines about the harvest begin with
    std::FILE* summary_to = stdout;
    struct Result {
        bool is_complete;
        std::string summary;  // of one line
    };
    // Called by any thread. An exception is printed in the place of the summary.
    std::function<Result(harvest::HarvestProgress&)> run;
};

struct HarvestDisplay {
    bool quiet = false;     // no progress
    bool terminal = false;  // where progress goes
};

// Blocks SIGTERM and SIGINT from then on. Returns whether all were complete.
bool run_harvests(const std::vector<HarvestTask>& tasks, int max_hosts, HarvestDisplay display);

// "complete: 5 records, 1 of them deleted": how the summary of every harvest begins.
std::string outcome_text(const harvest::HarvestResult& outcome);

}  // namespace oai::command
