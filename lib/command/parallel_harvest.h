// SPDX-License-Identifier: MIT
// Several harvests at a time, each host asked by one client only. SIGTERM and SIGINT end them
// between two pages, or within one that takes longer than three seconds; what goes wrong with one
// of them is that one's problem.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/harvest/sink.h"

namespace oai::command {

// "https://Example.org:8080/oai" -> "example.org:8080"
std::string host_and_port(const std::string& url);

// By host_and_port(): what is to be done there, one after the other. Must not throw.
using HostTasks = std::map<std::string, std::vector<std::function<void()>>>;

// Runs all tasks by up to `parallel` threads, each of which takes the next host that none has.
void run_by_host(const HostTasks& hosts, int parallel);

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

// Blocks SIGTERM and SIGINT from then on. Returns whether all were complete.
bool run_harvests(const std::vector<HarvestTask>& tasks, int max_hosts, bool quiet);

}  // namespace oai::command
