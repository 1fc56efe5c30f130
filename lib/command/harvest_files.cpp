// SPDX-License-Identifier: MIT
#include "command/harvest_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "base/text.h"
#include "command/command.h"
#include "command/hosts.h"
#include "command/stop_signals.h"
#include "harvest/file_sink.h"
#include "harvest/progress.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct Task {
    std::string url, prefix, set_spec;
    std::string path;  // "-": standard output
};

std::vector<Task> tasks_of(const FileHarvest& what) {
    const bool directory = std::filesystem::is_directory(what.output);
    std::vector<Task> tasks;
    for (const std::string& url : what.urls)
        for (const std::string& prefix : what.wish.prefixes)
            for (const std::string& set : what.wish.set_specs)
                tasks.push_back({url, prefix, set,
                                 directory ? (std::filesystem::path(what.output) / list_file_name(url, prefix, set)).string()
                                           : what.output});
    if (tasks.size() < 2 || (directory && what.since.empty())) return tasks;
    fmt::print(stderr, "oai: harvest: {}; these are {}\n",
               directory ? "--since: a file tells of one list" : "--output: a file takes one list, more want a directory", tasks.size());
    throw Finished{kUsage};
}

std::string summary(const harvest::Outcome& outcome, const std::string& written) {
    std::string out = fmt::format("{}: {} records, {} of them deleted, in {} pages", harvest::word_of(outcome.kind), outcome.records,
                                  outcome.deleted, outcome.pages);
    if (outcome.repaired > 0) out += fmt::format("; {} characters repaired", outcome.repaired);
    if (!outcome.why.empty()) out += "; " + outcome.why;
    if (!written.empty()) out += "; in " + written;
    return out;
}

class Harvesting {
  public:
    explicit Harvesting(const FileHarvest& what) : what_(what) {}

    bool run(const std::vector<Task>& tasks) {
        std::vector<HostTask> by_host;
        for (const Task& task : tasks) by_host.push_back({task.url, [this, &task] { run_one(task); }});
        alone_ = count_hosts(by_host) == 1;
        run_by_host(by_host, what_.parallel);
        return well_;
    }

  private:
    // What goes wrong with one list is that one's problem.
    void run_one(const Task& task) {
        try {
            if (!signals_.asked() && harvest_one(task)) return;
        } catch (const std::exception& e) {
            say(task, e.what());
        }
        well_ = false;
    }

    bool harvest_one(const Task& task) {
        std::unique_ptr<harvest::Sink> sink;
        harvest::FileSink* file = nullptr;
        if (task.path == "-") {
            sink = std::make_unique<harvest::StreamSink>();
        } else {
            auto made = std::make_unique<harvest::FileSink>(task.path, last_complete());
            file = made.get();
            sink = std::move(made);
        }
        harvest::Wish wish = what_.wish;
        wish.url = task.url;
        wish.prefixes = {task.prefix};
        wish.set_specs = {task.set_spec};
        http::Client client(what_.client);
        harvest::Progress progress(stderr, shown(), task.url, [this] { return signals_.asked(); });
        const harvest::Outcome outcome = harvest::harvest(client, wish, *sink, progress);
        progress.wipe();
        say(task, summary(outcome, file == nullptr ? "" : file->written()));
        return outcome.kind == harvest::Outcome::Kind::complete;
    }

    std::optional<std::string> last_complete() const {
        return what_.since.empty() ? std::nullopt : std::optional(harvest::response_date_of(what_.since));
    }

    // One line can be rewritten where one thread writes.
    harvest::Progress::Shown shown() const {
        using Shown = harvest::Progress::Shown;
        return what_.quiet ? Shown::notes : what_.terminal && alone_ ? Shown::rewritten : Shown::lines;
    }

    void say(const Task& task, const std::string& what) {
        const std::lock_guard lock(mutex_);
        fmt::print(task.path == "-" ? stderr : stdout, "{}: {}\n", task.url, text::to_xml_text(what));
        std::fflush(stdout);
    }

    const FileHarvest& what_;
    StopSignals signals_;
    std::mutex mutex_;
    std::atomic<bool> well_{true};
    bool alone_ = true;
};

}  // namespace

std::string list_file_name(const std::string& url, const std::string& prefix, const std::string& set_spec) {
    const auto begin = url.find("://") == url.npos ? 0 : url.find("://") + 3;
    std::string name = url.substr(begin) + "." + prefix + (set_spec.empty() ? "" : "." + set_spec);
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    };
    std::replace_if(name.begin(), name.end(), [&](char c) { return !plain(c); }, '_');
    return name + ".xml";
}

int harvest_files(const FileHarvest& what) {
    const std::vector<Task> tasks = tasks_of(what);
    for (auto task = tasks.begin(); task != tasks.end(); ++task)
        if (std::any_of(tasks.begin(), task, [&](const Task& t) { return t.path == task->path; }))
            throw std::runtime_error("harvest: two lists would be written to " + task->path);
    xml::initialise();
    return Harvesting(what).run(tasks) ? kFine : kRefused;
}

}  // namespace oai::command
