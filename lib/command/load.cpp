// SPDX-License-Identifier: MIT
// oai load [--collection SPEC]... [--datestamps captured] [--verbose] FILE...
#include <sodium.h>
#include <unistd.h>

#include <cstdio>

#include "command/command.h"
#include "load/loader.h"
#include "load/surt.h"
#include "pg/connection.h"

namespace oai::command {
namespace {

struct Options {
    std::vector<std::string> collections, files;
    std::string datestamps;
    bool verbose = false;
};

Options options_of(const Invocation& invocation) {
    Options options;
    CLI::App app("Load ARC, WARC, CDX and CDXJ files, plain or gzip, into the model webarchiv.");
    app.add_option("--collection", options.collections, "File the captures here, as culture:estonia; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--datestamps", options.datestamps, "captured: first fill only; datestamps are the capture times")
        ->check(CLI::IsMember({"captured"}));
    app.add_flag("-v,--verbose", options.verbose, "Say what was passed over");
    app.add_option("FILE", options.files, "Files to load; their names do not matter")->required();
    parse(app, invocation);
    return options;
}

std::vector<std::string> names_of(const std::vector<std::string>& given) {
    std::vector<std::string> names;
    for (const std::string& spec : given) {
        names.push_back(load::collection_name(spec));
        if (!names.back().empty()) continue;
        std::fprintf(stderr, "oai load: --collection %s: a collection is labels of A-Za-z0-9-_.!~*'() joined by ':', "
                             "as culture:estonia\n", spec.c_str());
        throw Finished{kUsage};
    }
    return names;
}

// False: something of it was lost, and that was said.
bool load_one(load::Loader& loader, load::Progress& progress, const std::string& path, bool verbose) {
    try {
        const load::LoadReport report = loader.load(path);
        progress.wipe();
        std::puts(load::summary(path, report, verbose).c_str());
        std::fflush(stdout);
        return report.damaged == 0;
    } catch (const pg::Error&) {
        throw;  // the next file would not fare better
    } catch (const std::runtime_error& e) {
        progress.line(path + ": " + e.what());
        return false;
    }
}

}  // namespace

int command_load(const Invocation& invocation) {
    const Options options = options_of(invocation);
    const std::vector<std::string> collections = names_of(options.collections);
    const Config config = configuration(invocation);
    if (config.loader.connection.empty())
        throw ConfigError(invocation.config_path + ": [loader] connection: required by `oai load`");
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
    pg::Connection connection(config.loader.connection, "oai load");
    load::Progress progress(stderr, ::isatty(STDERR_FILENO) != 0);
    load::Loader loader(connection, {{collections, options.datestamps == "captured"}, config.loader.slice_records},
                        progress);
    bool sound = true;
    for (const std::string& path : options.files) sound &= load_one(loader, progress, path, options.verbose);
    return sound ? kFine : kRefused;
}

}  // namespace oai::command
