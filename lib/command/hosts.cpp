// SPDX-License-Identifier: MIT
#include "command/hosts.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "base/text.h"

namespace oai::command {
namespace {

using Hosts = std::map<std::string, std::vector<const HostTask*>>;

Hosts by_host(const std::vector<HostTask>& tasks) {
    Hosts hosts;
    for (const HostTask& task : tasks) hosts[host_and_port(task.url)].push_back(&task);
    return hosts;
}

}  // namespace

std::string host_and_port(const std::string& url) {
    const auto begin = url.find("://") == url.npos ? 0 : url.find("://") + 3;
    return text::lower_ascii(url.substr(begin, url.find_first_of("/?#", begin) - begin));
}

std::size_t count_hosts(const std::vector<HostTask>& tasks) { return by_host(tasks).size(); }

void run_by_host(const std::vector<HostTask>& tasks, int parallel) {
    const Hosts hosts = by_host(tasks);
    std::vector<const std::vector<const HostTask*>*> queue;
    for (const auto& [host, of_host] : hosts) queue.push_back(&of_host);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < queue.size(); i = next++)
            for (const HostTask* task : *queue[i]) task->run();
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(queue.size(), static_cast<std::size_t>(parallel)); ++i)
        threads.emplace_back(work);
}

}  // namespace oai::command
