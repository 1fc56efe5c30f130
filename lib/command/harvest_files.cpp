// SPDX-License-Identifier: MIT
#include "command/harvest_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "command/command.h"
#include "command/parallel_harvest.h"
#include "tools/harvest/file_sink.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct ListHarvest {
    std::string url, prefix, set_spec;
    std::string path;  // "-": standard output
};

std::vector<ListHarvest> lists_of(const FileHarvest& what) {
    const bool directory = std::filesystem::is_directory(what.output);
    std::vector<ListHarvest> lists;
    for (const std::string& url : what.urls)
        for (const std::string& prefix : what.request.prefixes)
            for (const std::string& set : what.request.set_specs)
                lists.push_back({url, prefix, set,
                                 directory ? (std::filesystem::path(what.output) /
                                              list_file_name(url, prefix, set))
                                                 .string()
                                           : what.output});
    if (lists.size() < 2 || (directory && what.since.empty())) return lists;
    fmt::print(stderr, "oai: harvest: {}; these are {}\n",
               directory ? "--since: a file tells of one list"
                         : "--output: a file takes one list, more want a directory",
               lists.size());
    throw ExitRequest{kUsage};
}

std::string summary(const harvest::HarvestResult& outcome, const std::string& written) {
    std::string out = fmt::format("{}, in {} pages", outcome_text(outcome), outcome.all_pages);
    if (outcome.repaired > 0) out += fmt::format("; {} characters repaired", outcome.repaired);
    if (const std::string maladies = harvest::maladies_of(outcome); !maladies.empty())
        out += "; " + maladies;
    if (!outcome.why.empty()) out += "; " + outcome.why;
    if (!written.empty()) out += "; in " + written;
    return out;
}

std::optional<std::string> last_complete(const FileHarvest& what, const ListHarvest& list) {
    if (what.since.empty()) return std::nullopt;
    return harvest::response_date_of(what.since, list.url, list.prefix, list.set_spec);
}

HarvestTask::Result harvest_list(const FileHarvest& what, const ListHarvest& list,
                                 harvest::HarvestProgress& progress) {
    std::unique_ptr<harvest::Sink> sink;
    harvest::FileSink* file = nullptr;
    if (list.path == "-") {
        sink = std::make_unique<harvest::StreamSink>();
    } else {
        auto file_sink = std::make_unique<harvest::FileSink>(list.path, last_complete(what, list));
        file = file_sink.get();
        sink = std::move(file_sink);
    }
    harvest::HarvestRequest request = what.request;
    request.url = list.url;
    request.prefixes = {list.prefix};
    request.set_specs = {list.set_spec};
    http::Client client(what.client);
    const harvest::HarvestResult outcome = harvest::harvest(client, request, *sink, progress);
    return {outcome.kind == harvest::HarvestResult::Kind::complete,
            summary(outcome, file == nullptr ? "" : file->written())};
}

}  // namespace

std::string list_file_name(const std::string& url, const std::string& prefix,
                           const std::string& set_spec) {
    const auto begin = url.find("://") == url.npos ? 0 : url.find("://") + 3;
    std::string name = url.substr(begin) + "." + prefix + (set_spec.empty() ? "" : "." + set_spec);
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '-' || c == '_';
    };
    std::replace_if(
        name.begin(), name.end(), [&](char c) { return !plain(c); }, '_');
    return name + ".xml";
}

int harvest_files(const FileHarvest& what) {
    const std::vector<ListHarvest> lists = lists_of(what);
    std::vector<HarvestTask> tasks;
    for (auto list = lists.begin(); list != lists.end(); ++list) {
        if (std::any_of(lists.begin(), list, [&](const auto& l) { return l.path == list->path; }))
            throw std::runtime_error("harvest: two lists would be written to " + list->path);
        tasks.push_back({.url = list->url,
                         .name = list->url,
                         .summary_to = list->path == "-" ? stderr : stdout,
                         .run = [&what, list](harvest::HarvestProgress& progress) {
                             return harvest_list(what, *list, progress);
                         }});
    }
    xml::initialise();
    return run_harvests(tasks, what.parallel, {what.quiet, what.terminal}) ? kFine : kRefused;
}

}  // namespace oai::command
