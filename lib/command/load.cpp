// SPDX-License-Identifier: MIT
// oai load FILE...: loads files of any format into the database.
#include <fmt/core.h>
#include <sodium.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/terminal.h"
#include "base/text.h"
#include "command/command.h"
#include "pg/binary.h"
#include "pg/connection.h"
#include "tools/dump/dump.h"
#include "tools/load/capture.h"
#include "tools/load/field.h"
#include "tools/load/loader.h"
#include "tools/load/queries.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct LoadOptions {
    std::vector<std::string> collections, columns, files;
    std::string datestamps, model;
    std::string separator = "|", marc_deleted, visible_from;
    bool first_fill = false, leave_to_publisher = false, no_titles = false, verbose = false;
    bool dry_run = false;
};

// Replaces each directory by the files of the dump in it; of several lists, MARC or else the first.
std::vector<std::string> with_files_of_dumps(const std::vector<std::string>& given) {
    std::vector<std::string> files;
    for (const std::string& path : given) {
        if (!std::filesystem::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        const auto lists = dump::read_manifest(xml::read_file(path + "/manifest.json"));
        const dump::DumpList* chosen = nullptr;
        for (const dump::DumpList& list : lists)
            if (chosen == nullptr || list.prefix == "marc21") chosen = &list;
        if (chosen == nullptr) throw std::runtime_error(path + ": a dump of no format");
        for (const dump::DumpFile& file : chosen->files) {
            if (file.form != "xml") continue;
            files.push_back(path + "/" + file.name);
            if (const auto fault = dump::fault_of(files.back(), file); !fault.empty())
                throw std::runtime_error(fault);
        }
    }
    return files;
}

LoadOptions read_load_options(const Invocation& invocation) {
    LoadOptions options;
    const auto one_character = [](const std::string& s) {
        return s.size() == 1 ? "" : "must be one ASCII character";
    };
    parse(
        invocation,
        "Load files, plain or gzip: ARC, WARC, WACZ, CDX and CDXJ into the model webarchiv; "
        "MARC (XML, ISO 2709), Dublin Core, MODS, OAI-PMH answers and CSV into the model library.",
        {{"--model", &options.model, "webarchiv or library; the database knows its own",
          one_of({"webarchiv", "library"})},
         {"--collection", &options.collections,
          "File the records here, as culture:estonia; may be repeated"},
         {"--datestamps", &options.datestamps,
          "captured: first fill of webarchiv only; datestamps are the capture times",
          one_of({"captured"})},
         {"--first-fill", &options.first_fill,
          "webarchiv: fill an empty repository in one go, also from small files"},
         {"--leave-to-publisher", &options.leave_to_publisher,
          "Leave all new records to `oai publish`, which takes longer"},
         {"--no-titles", &options.no_titles,
          "webarchiv: do not look for titles, languages and descriptions in documents"},
         {"--separator",
          &options.separator,
          "CSV: the character between several values of a field",
          {.check = one_character}},
         {"--column", &options.columns,
          "CSV: NAME=COLUMN says which column NAME of the header is, NAME= leaves it out; may be "
          "repeated"},
         {"--dry-run", &options.dry_run, "Show what the files would become, and load nothing"},
         {"--marc-deleted", &options.marc_deleted,
          "keep: MARC records that are marked as deleted (leader 05: d) are loaded like others",
          one_of({"keep"})},
         {"--visible-from",
          &options.visible_from,
          "library: when records that do not say so themselves appear, as 2030-01-01",
          {.check =
               [](const std::string& s) {
                   return load::moment_of(s).empty() ? "must be a date, as 2030-01-01" : "";
               }}},
         {"-v,--verbose", &options.verbose, "Report what was skipped"},
         {"FILE", &options.files,
          "Files to load, whose names do not matter; or the directory of a dump (oai dump)",
          kRequired}});
    return options;
}

std::vector<std::string> collection_names(const std::vector<std::string>& given) {
    std::vector<std::string> names;
    for (const std::string& spec : given) {
        names.push_back(load::collection_name(spec));
        if (!names.back().empty()) continue;
        throw UsageError("load: --collection " + spec +
                         ": a collection is labels of A-Za-z0-9-_.!~*'() joined by ':', as "
                         "culture:estonia");
    }
    return names;
}

load::CsvOptions csv_options(const LoadOptions& options) {
    load::CsvOptions csv{options.separator[0], {}};
    for (const std::string& given : options.columns) {
        const auto equals = given.rfind('=');
        if (equals == given.npos)
            throw UsageError("load: --column " + given + ": has no = behind a name of the header");
        csv.columns[given.substr(0, equals)] = given.substr(equals + 1);
    }
    return csv;
}

constexpr int kShownItems = 10;

void print(const char* name, const std::string& value) {
    constexpr std::size_t kShownBytes = 100;
    const std::string_view shown = text::utf8_prefix(value, kShownBytes);
    fmt::print("    {}: {}{}\n", name, text::to_terminal_text(shown),
               shown.size() < value.size() ? "..." : "");
}

void print(const load::Item& item) {
    fmt::print("  {}{}\n", item.local_id, item.deleted.value_or(false) ? ", deleted" : "");
    for (std::size_t e = 0; e < load::kElements; ++e)
        for (const load::Value& value : item.elements[e])
            print(
                (load::kElementNames[e].name + (value.language.empty() ? "" : "@" + value.language))
                    .c_str(),
                value.text);
    for (const auto& column : load::kTextColumns)
        if (!(item.*column.value).empty()) print(column.name, item.*column.value);
    for (const std::string& name : item.collections) print("collection", name);
}

class Preview final : public load::ItemHandler, public load::CaptureHandler {
  public:
    Preview(const std::string& path, load::Progress& progress) : damages_(path, progress) {}

    void capture(load::Capture capture) override {
        if (count_++ >= kShownItems) return;
        fmt::print("  {} {} {}\n", print_utc(capture.archived_time),
                   text::to_terminal_text(capture.url), capture.mimetype);
        if (!capture.about.title.empty()) print("title", capture.about.title);
    }
    void skip(std::string_view kind) override {
        remarks_.pass_over("passed over, " + std::string(kind));
    }
    void note(const std::string& what) override { remarks_.pass_over(what); }

    void item(load::Item item) override {
        if (count_++ < kShownItems) print(item);
        for (const std::string& name : item.collections) sets_.pass_over("col:" + name);
        if (!item.kind.empty()) sets_.pass_over("kind:" + item.kind);
    }
    void damage(std::uint64_t line, const std::string& what) override {
        damages_.add(std::to_string(line), what);
    }
    void note(std::uint64_t, const std::string&) override {}
    void remark(const std::string& what) override { remarks_.pass_over(what); }

    bool finish(const char* records) {
        for (const auto& [set, n] : sets_.passed_over) fmt::print("set {}: {} items\n", set, n);
        for (const auto& [what, n] : remarks_.passed_over)
            fmt::print("{}: {} times\n", text::to_terminal_text(what), n);
        const std::int64_t damages = damages_.finish();
        fmt::print("{} {}, {} damaged\n", count_, records, damages);
        return damages == 0;
    }

  private:
    load::DamageReport damages_;
    load::LoadReport sets_, remarks_;
    std::int64_t count_ = 0;
};

// Quotes the word for a shell.
std::string shell_word(const std::string& s) {
    std::string word = "'";
    for (const char c : s) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

// Prints the columns. Returns whether all are known; else explains how to name the others.
bool print_columns(const std::string& path, const load::CsvHeader& header) {
    fmt::print("{}: CSV in {}, fields between '{}'\n", path,
               header.encoding == nullptr ? "UTF-8" : load::standard_name(header.encoding),
               header.separator == '\t' ? std::string("tab") : std::string(1, header.separator));
    if (header.rows_before > 0) fmt::print("  {} rows before the columns\n", header.rows_before);
    for (const load::CsvHeader::Column& column : header.columns)
        fmt::print("  {} -> {}\n", text::to_terminal_text(column.given),
                   !column.is_known      ? "not known"
                   : column.name.empty() ? "left out"
                                         : column.name);
    const auto unknown = header.unknown();
    if (unknown.empty()) return true;
    fmt::print(
        "Name the column that each of these is behind its =, or leave it out by nothing:\n"
        "  oai load");
    for (const std::string& name : unknown) fmt::print(" --column {}", shell_word(name + "="));
    fmt::print(" {}\n", shell_word(path));
    return false;
}

// Prints a preview without a database: columns, first records, sets and problems. Returns whether
// there are no problems.
bool preview(const std::string& path, const LoadOptions& options) {
    load::Progress progress(stderr, ::isatty(STDERR_FILENO) != 0);
    Preview handler(path, progress);
    const auto describe = options.no_titles ? load::Descriptions::left : load::Descriptions::read;
    load::Input archive = load::Input::open(path);
    if (load::is_archive(archive)) {
        load::read_archive(archive, path, handler, describe);
        return handler.finish("captures");
    }
    if (load::is_zip(archive.peek(4)))
        if (const load::ZipFile zip(path); !zip.warc_files().empty()) {
            for (const load::ZipFile::Member& member : zip.warc_files()) {
                load::Input input = load::Input::of_part(zip.open(member));
                load::read_archive(input, member.name, handler, describe);
            }
            return handler.finish("captures");
        }
    load::Input input = load::open_items(path);
    bool sound = true;
    load::read_items(input, csv_options(options), options.marc_deleted == "keep", handler,
                     [&](const auto& header) { sound = print_columns(path, header); });
    return handler.finish("items") && sound;
}

int dry_run(const LoadOptions& options) {
    bool sound = true;
    xml::initialise();
    for (const std::string& path : with_files_of_dumps(options.files)) {
        try {
            sound &= preview(path, options);
        } catch (const std::runtime_error& e) {
            std::fprintf(stderr, "%s: %s\n", path.c_str(), e.what());
            sound = false;
        }
    }
    return sound ? kFine : kRefused;
}

// Returns false if parts of the file were skipped, which has been printed.
template <class Loader>
bool load_one(Loader& loader, load::Progress& progress, const std::string& path, bool verbose) {
    try {
        const load::LoadReport report = loader.load(path);
        progress.wipe();
        std::puts(load::summary(path, report, verbose).c_str());
        std::fflush(stdout);
        return report.damaged == 0;
    } catch (const pg::Error&) {
        throw;  // the next file would fail in the same way
    } catch (const std::runtime_error& e) {
        progress.line(path + ": " + e.what());
        return false;
    }
}

// Whether to use a first fill: not for small files, since it ends the first numbering.
bool is_large(const LoadOptions& options) {
    constexpr std::uintmax_t kLargeBytes = std::uintmax_t{256} << 20;
    std::uintmax_t bytes = 0;
    for (const std::string& path : options.files) {
        std::error_code unreadable;  // reported when the file is loaded
        if (const auto size = std::filesystem::file_size(path, unreadable); !unreadable)
            bytes += size;
    }
    return options.first_fill || (bytes >= kLargeBytes && !options.leave_to_publisher);
}

template <class Loader>
bool load_all(Loader loader, load::Progress& progress, const LoadOptions& options) {
    bool sound = true;
    if constexpr (requires { loader.begin_fill(); })
        if (is_large(options) && !loader.begin_fill() && options.first_fill)
            throw std::runtime_error("--first-fill is for an empty repository");
    for (const std::string& path : options.files)
        sound &= load_one(loader, progress, path, options.verbose);
    if constexpr (requires { loader.finish(); }) loader.finish();
    return sound;
}

// Advice for a violation of a unique constraint; "" for other errors.
std::string advice_on_unique(const pg::Error& e) {
    if (e.sqlstate() != pg::kUniqueViolation) return "";
    if (e.statement() == load::queries::kFillEnd.name)
        return "two captures without digest are said to be at the same place of a file: correct "
               "that, or load with --leave-to-publisher, which takes one of them";
    const char* const table = e.statement() == load::queries::kInsert.name       ? "webarchiv.doc"
                              : e.statement() == load::queries::kItemInsert.name ? "library.item"
                                                                                 : nullptr;
    if (table == nullptr) return "";
    return fmt::format(
        "another program has brought ids of its own: let the sequence go on behind them, by {}, "
        "and run it again",
        fmt::format(load::queries::kSetSequence, table));
}

// Throws the error, with advice for a lost connection and for duplicate keys.
[[noreturn]] void fail(const pg::Error& e) {
    if (const std::string advice = advice_on_unique(e); !advice.empty())
        throw std::runtime_error(e.what() + (": " + advice));
    if (!e.sqlstate().empty() && !e.sqlstate().starts_with("57P")) throw e;
    throw std::runtime_error(std::string(e.what()) +
                             "; the database was lost: when it is back, run it again: what has "
                             "been loaded is found, the rest is loaded");
}

// Prints a message and lets the signal end the process; the open transaction is rolled back.
extern "C" void report_stop(int signal) {
    std::string_view words =
        "\noai: stopped: run it again: what has been loaded is found, the rest is loaded\n";
    if (::isatty(STDERR_FILENO) == 0)
        words.remove_prefix(1);  // without a terminal there is no progress line to end
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words.data(), words.size());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// The installed model, or that of the option, which the loader rejects if it is not installed.
std::string model_of(pg::Connection& connection, const LoadOptions& options) {
    const bool library = pg::read_bool(connection.query(load::queries::kLibrary).bytes(0, 0));
    const std::string model = !options.model.empty() ? options.model
                              : library              ? "library"
                                                     : "webarchiv";
    if (model == "library" && !options.datestamps.empty())
        throw std::runtime_error(
            "--datestamps captured is for web archives; a library's records bring their own");
    if (model == "library" && options.first_fill)
        throw std::runtime_error("--first-fill is for web archives");
    return model;
}

}  // namespace

int command_load(const Invocation& invocation) {
    LoadOptions options = read_load_options(invocation);
    const std::vector<std::string> collections = collection_names(options.collections);
    if (options.dry_run) return dry_run(options);
    const Config config = configuration(invocation);
    if (config.loader.connection.empty())
        throw ConfigError(invocation.config_path + ": [loader] connection: required by `oai load`");
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
    xml::initialise();
    options.files = with_files_of_dumps(options.files);
    for (const int signal : {SIGINT, SIGTERM})
        if (std::signal(signal, report_stop) == SIG_IGN) std::signal(signal, SIG_IGN);
    pg::Connection connection(config.loader.connection, "oai load");
    load::Progress progress(stderr, ::isatty(STDERR_FILENO) != 0);
    const int slice = config.loader.slice_records;
    bool sound = false;
    try {
        if (model_of(connection, options) == "library") {
            sound = load_all(
                load::ItemLoader(
                    config.loader.connection,
                    {collections, csv_options(options), options.marc_deleted == "keep", slice,
                     options.leave_to_publisher, load::moment_of(options.visible_from)},
                    progress),
                progress, options);
        } else {
            sound = load_all(load::CaptureLoader(config.loader.connection,
                                                 {{collections, options.datestamps == "captured"},
                                                  slice,
                                                  options.leave_to_publisher,
                                                  options.no_titles ? load::Descriptions::left
                                                                    : load::Descriptions::read},
                                                 progress),
                             progress, options);
        }
    } catch (const pg::Error& e) {
        fail(e);
    }
    return sound ? kFine : kRefused;
}

}  // namespace oai::command
