// SPDX-License-Identifier: MIT
#include "command/parallel_harvest.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "base/stop_signals.h"
#include "base/terminal.h"
#include "base/text.h"

namespace oai::command {
namespace {

class ParallelHarvest {
  public:
    explicit ParallelHarvest(bool quiet) : quiet_(quiet) {}

    void run(const HarvestTask& task) {
        HarvestTask::Result result{false, ""};
        try {
            harvest::HarvestProgress progress(stderr, quiet_, task.name,
                                              [this] { return signals_.requested(); });
            if (!signals_.requested()) result = task.run(progress);
        } catch (const std::exception& e) {
            result.summary = e.what();
        }
        if (!result.is_complete) all_complete_ = false;
        if (result.summary.empty()) return;
        const std::lock_guard lock(mutex_);
        std::FILE* const to = result.is_complete ? stdout : stderr;
        fmt::print(to, "{}: {}\n", task.name, text::to_terminal_text(result.summary));
        std::fflush(to);
    }
    bool all_complete() const { return all_complete_; }

  private:
    const bool quiet_;
    StopSignals signals_{[] {
        fmt::print(stderr, "oai: harvest: stopped within a page; the next harvest goes on there\n");
    }};
    std::mutex mutex_;
    std::atomic<bool> all_complete_{true};
};

}  // namespace

std::string host_and_port(const std::string& url) {
    const auto begin = url.find("://") == url.npos ? 0 : url.find("://") + 3;
    return text::lower_ascii(url.substr(begin, url.find_first_of("/?#", begin) - begin));
}

void run_by_host(const HostTasks& hosts, int parallel) {
    std::mutex mutex;
    auto next = hosts.begin();
    const auto work = [&] {
        for (;;) {
            std::unique_lock lock(mutex);
            if (next == hosts.end()) return;
            const auto host = next++;
            lock.unlock();
            for (const auto& run : host->second) run();
        }
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(hosts.size(), static_cast<std::size_t>(parallel)); ++i)
        threads.emplace_back(work);
}

bool run_harvests(const std::vector<HarvestTask>& tasks, int max_hosts, bool quiet) {
    HostTasks hosts;
    for (const HarvestTask& task : tasks) hosts[host_and_port(task.url)];
    ParallelHarvest harvests(quiet);
    for (const HarvestTask& task : tasks)
        hosts[host_and_port(task.url)].push_back([&] { harvests.run(task); });
    run_by_host(hosts, max_hosts);
    return harvests.all_complete();
}

}  // namespace oai::command
