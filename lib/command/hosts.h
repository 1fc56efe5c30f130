// SPDX-License-Identifier: MIT
// Work at several repositories at a time, one after the other where they are on one host.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace oai::command {

// "https://Example.org:8080/oai" -> "example.org:8080"
std::string host_of(const std::string& url);

struct HostTask {
    std::string url;
    std::function<void()> run;  // must not throw
};

// Returns how many hosts there are.
std::size_t count_hosts(const std::vector<HostTask>& tasks);

// By up to `parallel` threads, each of which takes the next host that nobody has, with all of its tasks in their order.
void run_by_host(const std::vector<HostTask>& tasks, int parallel);

}  // namespace oai::command
