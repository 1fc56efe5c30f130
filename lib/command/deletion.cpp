// SPDX-License-Identifier: MIT
// oai delete ID... | --file FILE; oai undelete, withdraw and restore, the same; oai purge --before
// DATE.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>

#include "base/text.h"
#include "command/command.h"
#include "command/queries.h"
#include "pg/binary.h"
#include "protocol/identifier.h"
#include "protocol/record.h"

namespace oai::command {
namespace {

constexpr std::size_t kBatchSize = 1000;  // identifiers in one transaction
// The number of publication numbers that one transaction of a purge covers.
constexpr std::int64_t kWindow = 20'000;

struct DeletionCounts {
    std::int64_t changed = 0, unchanged = 0, wrong = 0;
};

// Accepts "oai:<namespace>:<local_id>", an identifier from another repository, or a local_id.
std::string local_id(std::string_view identifier, const std::string& prefix) {
    return identifier.starts_with("oai:") ? local_id_in(prefix, identifier)
                                          : std::string(identifier);
}

// The operation on the items.
struct Change {
    const char* what;
    bool mark;
    bool withdraws = false;  // not deletes
    std::optional<std::string> reason{};
};

class DeletionWriter {
  public:
    DeletionWriter(const Config& config, const char* name, const Change& change)
        : connection_(config.loader.connection, std::string("oai ") + name),
          change_(change),
          prefix_("oai:" + config.repository.identifier_namespace + ":") {}

    void take(std::string_view identifier) {
        std::string id = local_id(identifier, prefix_);
        if (id.empty() || !text::is_xml_text(id)) return refuse(identifier);
        ids_.push_back(std::move(id));
        if (ids_.size() == kBatchSize) apply();
    }

    DeletionCounts finish() {
        apply();
        return counts_;
    }

  private:
    void refuse(std::string_view identifier) {
        ++counts_.wrong;
        fmt::print(stderr, "oai: {}: no item of this repository\n", text::to_xml_text(identifier));
    }

    void apply() {
        if (ids_.empty()) return;
        const pg::Result rows = connection_.query(queries::kChangeDeleted,
                                                  pg::Parameters()
                                                      .add(pg::array_literal(ids_))
                                                      .add(change_.mark ? "true" : "false")
                                                      .add(change_.withdraws ? "true" : "false")
                                                      .add(change_.reason));
        for (int i = 0; i < rows.rows(); ++i)
            if (!pg::read_bool(rows.bytes(i, 1)))
                refuse(rows.bytes(i, 0));
            else if (pg::read_bool(rows.bytes(i, 2)))
                ++counts_.changed;
            else
                ++counts_.unchanged;
        ids_.clear();
    }

    pg::Connection connection_;
    const Change& change_;
    std::string prefix_;
    std::vector<std::string> ids_;
    DeletionCounts counts_;
};

// One identifier a line; empty lines are ignored.
void take_lines(std::istream& in, DeletionWriter& writer) {
    for (std::string line; std::getline(in, line);)
        if (const std::string_view word = text::trim(line); !word.empty()) writer.take(word);
    if (in.bad()) throw std::runtime_error("cannot be read");
}

// OAI-PMH 2.0, 2.5.1: a repository that declares persistent deletions has promised to keep them.
void require_transient(const Config& config, const std::string& path) {
    if (config.repository.deleted_record != DeletedRecord::transient)
        throw ConfigError(path +
                          ": [repository] deleted_record: purge is for transient; persistent "
                          "promises to keep deletions for ever, and no lists no deletions");
}

}  // namespace

int command_change(const Invocation& invocation) {
    const std::map<std::string_view, Change> changes{{"delete", {"deleted", true}},
                                                     {"undelete", {"undeleted", false}},
                                                     {"withdraw", {"withdrawn", true, true}},
                                                     {"restore", {"restored", false, true}}};
    Change change = changes.at(invocation.name);
    std::vector<std::string> identifiers, files;
    std::string reason;
    std::vector<Option> options{
        {"--file", &files, "a file of identifiers, one per line; -: standard input"},
        {"ID", &identifiers, "OAI identifiers, or what stands behind oai:NAMESPACE: in them"}};
    if (change.withdraws && change.mark)
        options.push_back({"--reason", &reason, "why, for the page of the record"});
    parse(invocation,
          fmt::format("Marks items as {}; the publisher tells harvesters.", change.what), options);
    if (!reason.empty()) change.reason = reason;
    if (identifiers.empty() && files.empty())
        throw UsageError(invocation.name + ": identifiers are missing");
    const Config config = configuration(invocation);
    if (config.loader.connection.empty())
        throw ConfigError(fmt::format("{}: [loader] connection: required by `oai {}`",
                                      invocation.config_path, invocation.name));
    DeletionWriter writer(config, invocation.name.c_str(), change);
    for (const std::string& identifier : identifiers) writer.take(identifier);
    for (const std::string& path : files) {
        std::ifstream in(path);
        if (!in && path != "-") throw std::runtime_error(path + ": cannot be opened");
        take_lines(path == "-" ? std::cin : in, writer);
    }
    const DeletionCounts counts = writer.finish();
    fmt::print("{} {}, {} unchanged, {} unknown\n", counts.changed, change.what, counts.unchanged,
               counts.wrong);
    return counts.wrong == 0 ? kFine : kRefused;
}

int command_purge(const Invocation& invocation) {
    std::string before;
    parse(invocation,
          "Forgets deleted records with datestamps before a date. Only under deleted_record = "
          "transient.",
          {{"--before", &before, "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ", kRequired}});
    const auto bound = parse_datestamp(before);
    if (!bound)
        throw UsageError("purge: --before " + before + ": use YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ");
    const Config config = configuration(invocation);
    require_transient(config, invocation.config_path);
    if (config.publisher.connection.empty())
        throw ConfigError(invocation.config_path +
                          ": [publisher] connection: required by `oai purge`");
    pg::Connection connection(config.publisher.connection, "oai purge");
    std::int64_t purged = 0;
    for (std::int64_t after = 0;;) {
        const pg::Result row = connection.query(
            queries::kPurge,
            pg::Parameters().add(print_datestamp(bound->first)).add(after).add(kWindow));
        purged += pg::read_integer(row.bytes(0, 0));
        if (row.is_null(0, 1)) break;
        after = pg::read_integer(row.bytes(0, 1));
    }
    fmt::print("{} deleted records purged\n", purged);
    return kFine;
}

}  // namespace oai::command
