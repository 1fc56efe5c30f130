// SPDX-License-Identifier: MIT
// oai publish: runs the publisher, as a service or once.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/fd.h"
#include "base/log.h"
#include "base/sd_notify.h"
#include "base/stop_signals.h"
#include "command/command.h"
#include "format/description.h"
#include "format/file.h"
#include "pg/connection.h"
#include "protocol/error.h"
#include "publish/publisher.h"
#include "publish/queries.h"
#include "xml/document.h"

namespace oai::command {
namespace {

using Columns = std::set<std::string>;

// nullopt: the file is not well-formed.
std::optional<Columns> columns_of(const std::string& path) try {
    const xml::DocumentHandle document = parse_format_file(path);
    Problems problems(path);
    const FormatDescription format = read_description(document.get(), path, problems).description;
    if (format.is_about) return Columns{};
    return Columns(format.requires_columns.begin(), format.requires_columns.end());
} catch (const xml::Error&) {
    return std::nullopt;
}

// The columns that the formats of a directory require, for the publisher, which keeps lists of the
// items that have them. Reads only the descriptions: no stylesheet is compiled or run.
class FormatRequirements {
  public:
    explicit FormatRequirements(std::string directory) : directory_(std::move(directory)) {}

    // The distinct sets of column names. Reads only files that have changed since the last call.
    // For a file that is unreadable or not well-formed, keeps the previous result. Throws
    // Fault if the directory cannot be read.
    std::set<Columns> read() {
        std::map<std::string, File> files;
        std::set<Columns> all;
        for (const std::string& path : format_files_of(directory_)) {
            File file = files_[path];
            if (const FileStamp stamp = FileStamp::of(path); stamp != file.stamp) {
                file.stamp = stamp;
                if (auto columns = columns_of(path)) file.columns = *std::move(columns);
            }
            if (!file.columns.empty()) all.insert(file.columns);
            files.emplace(path, std::move(file));
        }
        files_ = std::move(files);
        return all;
    }

  private:
    struct File {
        FileStamp stamp;
        Columns columns;
    };
    const std::string directory_;
    std::map<std::string, File> files_;
};

// Reads the requirements of the formats. If the directory cannot be read, as on a host without it,
// logs that once and changes nothing.
Publisher::Requirements requirements_of(const std::string& directory) {
    return [formats = std::make_shared<FormatRequirements>(directory),
            is_reported = false]() mutable -> std::optional<std::string> {
        try {
            return nlohmann::json(formats->read()).dump();
        } catch (const Fault& fault) {
            if (!std::exchange(is_reported, true))
                log::warning("formats_unknown",
                             {{"why", fault.what()},
                              {"meaning",
                               "lists in formats that few records have may be slow: publish where "
                               "the formats directory can be read"}});
            return std::nullopt;
        }
    };
}

// Replaces datestamps of a clock that was ahead by the current time.
int mend_clock(const Config& config) {
    pg::Connection database(config.publisher.connection, "oai publish --mend-clock");
    const pg::Result row = database.query(publish_queries::kMendClock);
    if (row.is_null(0, 0))
        fmt::print("the clock is not behind what is published; there is nothing to mend\n");
    else
        fmt::print(
            "{} records are published again now; what is published until {} will be once more "
            "after it, for harvesters that came while the clock was ahead\n",
            row.bytes(0, 1), row.bytes(0, 0));
    return kFine;
}

}  // namespace

int command_publish(const Invocation& invocation) {
    bool once = false, mend = false;
    parse(invocation, "Publishes what writers have changed, until SIGTERM or SIGINT.",
          {{"--once", &once, "publish what is waiting, then end"},
           {"--mend-clock", &mend, "correct datestamps of a clock that was ahead, then end"}});
    const Config config = configuration(invocation);
    if (mend) return mend_clock(config);
    Publisher publisher(config, requirements_of(config.formats.directory));
    if (once) {
        fmt::print("{} records published\n", publisher.run_until_idle());
        return kFine;
    }
    // Before any thread starts. An interrupted transaction is rolled back or committed.
    StopSignals signals([] {
        log::warning(
            "publisher_stopped",
            {{"left", "a slice that the database had not answered; it is published later"}});
    });
    notify_manager("READY=1");  // at once: the publisher itself waits for the database
    publisher.run_until_stopped(signals);
    return kFine;
}

}  // namespace oai::command
