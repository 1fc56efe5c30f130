// SPDX-License-Identifier: MIT
#include "command/parallel_harvest.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "base/text.h"
#include "command/hosts.h"
#include "command/stop_signals.h"

namespace oai::command {
namespace {

class ParallelHarvest {
  public:
    explicit ParallelHarvest(HarvestDisplay display) : display_(display) {}

    bool run(const std::vector<HarvestTask>& tasks, int max_hosts) {
        std::vector<HostTask> by_host;
        for (const HarvestTask& task : tasks)
            by_host.push_back({task.url, [this, &task] { run_one(task); }});
        has_one_host_ = count_hosts(by_host) == 1;
        run_by_host(by_host, max_hosts);
        return all_complete_;
    }

  private:
    void run_one(const HarvestTask& task) {
        bool is_complete = false;
        try {
            if (!signals_.stop_requested()) is_complete = harvest(task);
        } catch (const std::exception& e) {
            print(task, e.what());
        }
        if (!is_complete) all_complete_ = false;
    }

    bool harvest(const HarvestTask& task) {
        harvest::HarvestProgress progress(stderr, progress_style(), task.name,
                                          [this] { return signals_.stop_requested(); });
        const HarvestTask::Result result = task.run(progress);
        progress.erase_line();
        print(task, result.summary);
        return result.is_complete;
    }

    // One line can be rewritten where one thread writes.
    harvest::HarvestProgress::Style progress_style() const {
        using Style = harvest::HarvestProgress::Style;
        return display_.quiet                       ? Style::notes
               : display_.terminal && has_one_host_ ? Style::rewritten
                                                    : Style::lines;
    }

    void print(const HarvestTask& task, const std::string& what) {
        const std::lock_guard lock(mutex_);
        fmt::print(task.summary_to, "{}: {}\n", task.name, text::to_terminal_text(what));
        std::fflush(stdout);
    }

    const HarvestDisplay display_;
    StopSignals signals_;
    std::mutex mutex_;
    std::atomic<bool> all_complete_{true};
    bool has_one_host_ = true;
};

}  // namespace

bool run_harvests(const std::vector<HarvestTask>& tasks, int max_hosts, HarvestDisplay display) {
    return ParallelHarvest(display).run(tasks, max_hosts);
}

std::string outcome_text(const harvest::HarvestResult& outcome) {
    const bool is_resumed = outcome.all_records > outcome.records;
    return fmt::format(
        "{}: {} records{}, {} of them deleted", harvest::word_of(outcome.kind), outcome.all_records,
        is_resumed ? fmt::format(" ({} in this run)", outcome.records) : "", outcome.all_deleted);
}

}  // namespace oai::command
