// SPDX-License-Identifier: MIT
// oai format restamp PREFIX: sets `since` in the file of a format, so that its records count as
// changed and every incremental harvester fetches them once more.
#include <fmt/format.h>

#include <filesystem>

#include "base/clock.h"
#include "base/new_file.h"
#include "command/command.h"
#include "format/file.h"
#include "format/since.h"
#include "protocol/error.h"
#include "protocol/record.h"
#include "xml/document.h"

namespace oai::command {
namespace {

namespace fs = std::filesystem;

// The file must be in use on every worker and host before `since`: a harvester that came between
// the two would keep the old records.
constexpr std::chrono::seconds kAhead{10};

struct FormatOptions {
    std::string prefix, at;
};

FormatOptions read_format_options(const Invocation& invocation) {
    FormatOptions options;
    parse(invocation, "Tells harvesters of a change of a format.", {},
          {{"restamp",
            "writes since into the file of a format: all its records count as changed then",
            {{"prefix", &options.prefix, "the metadataPrefix", kRequired},
             {"--at", &options.at,
              "the moment, YYYY-MM-DDThh:mm:ssZ; default: ten seconds ahead"}}}});
    return options;
}

Seconds moment_of(const FormatOptions& options) {
    if (options.at.empty()) return SystemClock().now() + kAhead;
    if (const auto at = parse_datestamp(options.at)) return at->first;
    throw UsageError("--at: is YYYY-MM-DDThh:mm:ssZ");
}

// The file that describes the format, even if its stylesheet is invalid.
std::string file_of(const std::string& directory, const std::string& prefix) {
    for (const std::string& path : format_files_of(directory)) try {
            Problems problems(path);
            const auto document = parse_format_file(path);
            const auto read = read_description(document.get(), path, problems);
            if (read.element != nullptr && is_named(read.description, prefix)) return path;
        } catch (const xml::Error&) {  // oai check names it
        }
    throw Fault(
        fmt::format("{}: no file in {} describes a format of that name", prefix, directory));
}

}  // namespace

int command_format(const Invocation& invocation) {
    const FormatOptions options = read_format_options(invocation);
    const Config config = configuration(invocation);
    xml::initialise();
    const Seconds moment = moment_of(options);
    const std::string path = file_of(config.formats.directory, options.prefix);
    const auto text = with_since(xml::read_file(path), path, moment);
    if (!text)
        throw Fault(fmt::format("{}: since=\"{}\" cannot be written into it; do so by hand", path,
                                print_datestamp(moment)));
    try {  // replaced atomically, since the server may read it at any time
        NewFile file(fs::canonical(path).string());
        file.write(*text);
        file.keep_owner();
        file.finish();
    } catch (const std::runtime_error& e) {
        throw Fault(fmt::format("{}: cannot be written with its owner", e.what()));
    }
    fmt::print("{}: since=\"{}\"; from then on harvesters fetch all records in {} again, once\n",
               path, print_datestamp(moment), options.prefix);
    return kFine;
}

}  // namespace oai::command
