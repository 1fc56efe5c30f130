// SPDX-License-Identifier: MIT
// oai dump --to DIR [--format PREFIX]... [--as xml|jsonl]...: all records as files, and what
// changed since. oai dump --verify DIR: whether they are whole.
#include "tools/dump/dump.h"

#include <fmt/format.h>
#include <sodium.h>

#include "base/log.h"
#include "base/text.h"
#include "command/command.h"
#include "format/watch.h"
#include "verb/handler.h"
#include "xml/document.h"

namespace oai::command {
namespace {

// Each page is read in one snapshot and becomes one gzip member.
constexpr int kPageRecords = 1000;
constexpr int kPageBytes = 16'000'000;
constexpr int kPageMilliseconds = 60'000;

struct CommandOptions {
    dump::DumpOptions dump;
    std::string verify;
    std::int64_t megabytes = 256;
};

// Splits values such as "a,b".
std::vector<std::string> words_of(const std::vector<std::string>& given) {
    std::vector<std::string> words;
    for (const std::string& list : given)
        for (const std::string_view word : text::split(list, ','))
            if (std::find(words.begin(), words.end(), word) == words.end())
                words.emplace_back(word);
    return words;
}

CommandOptions read_dump_options(const Invocation& invocation) {
    CommandOptions options;
    parse(
        invocation,
        "Write all records as files for a web server, or what has changed since; or verify them.",
        {{"--to", &options.dump.directory, "The directory, which must exist", {.directory = true}},
         {"--verify",
          &options.verify,
          "Verify the dump in this directory, without a database",
          {.directory = true, .excludes = "--to"}},
         {"--format", &options.dump.prefixes,
          "A metadataPrefix, or several with commas between; otherwise those that DIR has, or "
          "oai_dc"},
         {"--as", &options.dump.forms, "xml, jsonl, or both; otherwise as DIR has it, or xml"},
         {"--whole", &options.dump.whole, "A whole dump even if a difference would suffice"},
         {"--file-megabytes",
          &options.megabytes,
          "The size at which a file ends",
          {.show_default = true, .range = {{1, 1'000'000}}}},
         {"--days",
          &options.dump.days,
          "How long to keep files that are no longer in the manifest",
          {.show_default = true, .not_negative = true}}});
    if (options.dump.directory.empty() == options.verify.empty())
        throw UsageError("dump: --to DIR or --verify DIR is missing");
    options.dump.prefixes = words_of(options.dump.prefixes);
    options.dump.forms = words_of(options.dump.forms);
    for (const std::string& form : options.dump.forms)
        if (form != "xml" && form != "jsonl")
            throw UsageError("dump: --as " + form + ": it is xml or jsonl");
    options.dump.file_bytes = options.megabytes << 20;
    return options;
}

int verify(const std::string& directory) {
    int faults = 0;
    const auto lists = dump::read_manifest(xml::read_file(directory + "/manifest.json"));
    for (const dump::DumpList& list : lists) {
        for (const dump::DumpFile& file : list.files) {
            const std::string fault = dump::fault_of(directory + "/" + file.name, file);
            if (fault.empty()) continue;
            print_problem(fault);
            ++faults;
        }
        fmt::print("{}: {} records in {} files; a harvest goes on from {}\n", list.prefix,
                   list.records, list.files.size(), list.response_date);
    }
    return faults == 0 ? kFine : kRefused;
}

// Loads the formats until no file has changed between two loads. Does not watch them.
std::shared_ptr<const FormatRegistry> load_formats(const Config& config, const Clock& clock) {
    for (std::string before;;) {
        auto formats = FormatWatch({config.formats, {}}, clock).formats();
        std::string now = dump::checksum_of_files(*formats);
        if (now == before) return formats;
        before = std::move(now);
    }
}

void write(Config config, const dump::DumpOptions& options) {
    config.lists.records = kPageRecords;
    config.lists.page_bytes = kPageBytes;
    config.lists.page_milliseconds = kPageMilliseconds;
    const SystemClock clock;
    const Repository repository = make_repository(config);
    const TokenSealer sealer = read_token_sealer(config.token);
    Store store(store_options(config, "oai dump", 2));
    LatestHorizon latest;
    latest.remember(store.horizon());
    const Context context{repository, store, load_formats(config, clock), sealer, clock, latest};
    for (const std::string& line : dump::update(context, options)) fmt::print("{}\n", line);
}

}  // namespace

int command_dump(const Invocation& invocation) {
    const CommandOptions options = read_dump_options(invocation);
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
    xml::initialise();
    if (!options.verify.empty()) return verify(options.verify);
    const Config config = configuration(invocation);
    log::set_level(log::Level::warning);
    write(config, options.dump);
    return kFine;
}

}  // namespace oai::command
