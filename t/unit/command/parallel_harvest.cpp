// SPDX-License-Identifier: MIT
#include "command/parallel_harvest.h"

#include "t/lib/unit_headers.h"

using namespace oai::command;

TEST_CASE("hosts: host and port of a URL") {
    CHECK(host_and_port("https://Example.org:8080/oai") == "example.org:8080");
    CHECK(host_and_port("http://e.org?x=/") == "e.org");
    CHECK(host_and_port("e.org/oai") == "e.org");
}

TEST_CASE("hosts: runs all tasks, those of one host in order by one thread") {
    std::mutex mutex;
    std::map<std::string, std::vector<int>> done;
    std::map<std::string, std::set<std::thread::id>> threads;
    HostTasks tasks;
    for (int i = 0; i < 60; ++i) {
        const std::string url = "http://h" + std::to_string(i % 7) + "/" + std::to_string(i);
        tasks[host_and_port(url)].push_back([&, i, host = host_and_port(url)] {
            const std::lock_guard lock(mutex);
            done[host].push_back(i);
            threads[host].insert(std::this_thread::get_id());
        });
    }
    CHECK(tasks.size() == 7);
    run_by_host(tasks, 3);
    std::size_t count = 0;
    std::set<std::thread::id> all;
    for (const auto& [host, numbers] : done) {
        count += numbers.size();
        CHECK(std::is_sorted(numbers.begin(), numbers.end()));
        CHECK(threads[host].size() == 1);
        all.insert(threads[host].begin(), threads[host].end());
    }
    CHECK(count == 60);
    CHECK(all.size() <= 3);
    run_by_host({}, 3);
}
