// SPDX-License-Identifier: MIT
// Runs tasks on several hosts at a time, but the tasks on one host one after the other.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace oai::command {

// "https://Example.org:8080/oai" -> "example.org:8080"
std::string host_and_port(const std::string& url);

struct HostTask {
    std::string url;
    std::function<void()> run;  // must not throw
};

// The number of different hosts.
std::size_t count_hosts(const std::vector<HostTask>& tasks);

// Runs all tasks by up to `parallel` threads. Each thread takes the next unprocessed host and runs
// its tasks in their order.
void run_by_host(const std::vector<HostTask>& tasks, int parallel);

}  // namespace oai::command
