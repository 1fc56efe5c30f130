// SPDX-License-Identifier: MIT
// Runs several harvests at a time, but only one per host. SIGTERM and SIGINT end them between two
// pages, or after three seconds within one. A failure of one harvest does not affect the others.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/harvest/sink.h"

namespace oai::command {

// "https://Example.org:8080/oai" -> "example.org:8080"
std::string host_and_port(const std::string& url);

// By host_and_port(): the tasks for that host, run one after the other. They must not throw.
using HostTasks = std::map<std::string, std::vector<std::function<void()>>>;

// Runs all tasks in up to `parallel` threads, each of which handles one host at a time.
void run_by_host(const HostTasks& hosts, int parallel);

struct HarvestTask {
    std::string url;   // base URL of the repository
    std::string name;  // prefix of the harvest's output lines
    struct Result {
        bool is_complete;
        std::string summary;  // one line, to stdout if complete, else to stderr
    };
    // Called by any thread. The message of an exception is printed instead of the summary.
    std::function<Result(harvest::HarvestProgress&)> run;
};

// Returns whether all were complete. Leaves SIGTERM and SIGINT blocked.
bool run_harvests(const std::vector<HarvestTask>& tasks, int max_hosts, bool quiet);

}  // namespace oai::command
