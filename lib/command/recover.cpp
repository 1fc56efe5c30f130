// SPDX-License-Identifier: MIT
// oai recover URL --files DIR|URL --to DIR [OPTION...]: recovers documents of a web archive.
#include <fmt/format.h>
#include <sodium.h>

#include <functional>
#include <limits>
#include <thread>

#include "base/terminal.h"
#include "base/text.h"
#include "command/command.h"
#include "protocol/record.h"
#include "tools/harvest/harvest.h"
#include "tools/http_client/client.h"
#include "tools/load/field.h"
#include "tools/recover/output.h"
#include "tools/recover/recovery.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct RecoverOptions {
    std::string base_url, files, to, set, host, prefix, from, until, mail;
    bool partial = false;
    int attempts = 5;
};

RecoverOptions read_recover_options(const Invocation& invocation) {
    RecoverOptions options;
    const auto time = [](const std::string& s) {
        return load::parse_date(s)
                   ? std::string()
                   : "a time is YYYY-MM-DDThh:mm:ssZ, or a beginning of that, such as YYYY-MM";
    };
    parse(invocation,
          "Recovers documents of a web archive from its ARC and WARC files, which a repository "
          "describes in the format warc.",
          {{"URL", &options.base_url, "The repository's base URL", kRequired},
           {"--files", &options.files,
            "Directory of the archive files, a WACZ file, or the URL below which they are",
            kRequired},
           {"--to", &options.to, "Directory for a tree of documents", kRequired},
           {"--set", &options.set, "Only captures of this set"},
           {"--host", &options.host, "Only captures of this host"},
           {"--prefix", &options.prefix,
            "Only captures of URLs that begin with this, with or without http://"},
           {"--from", &options.from, "Only captures of this time or later", {.check = time}},
           {"--until", &options.until, "Only captures of this time or earlier", {.check = time}},
           {"--partial", &options.partial,
            "Also incomplete captures: parts, truncated ones, and those with another digest"},
           {"--mail", &options.mail, "Your address, for the header From of the requests"},
           {"--attempts", &options.attempts,
            "Number of attempts for a request when a server is busy or unreachable",
            in_range(1, 100, false)}});
    return options;
}

// The set of the host, so that the whole list need not be read; --set names another one.
std::string set_of(const RecoverOptions& options) {
    if (!options.set.empty()) return options.set;
    std::string url = options.host.empty() ? options.prefix : options.host + "/";
    if (url.find("://") == url.npos) url.insert(0, "http://");
    if (url.find('/', url.find("://") + 3) == url.npos)
        return "";  // the prefix may end within the host name
    const std::string domain = load::canonical_url(url).domain;
    return domain.empty() ? "" : "dom:" + domain;
}

std::optional<Seconds> from_second(const std::string& s) {
    return s.empty() ? std::nullopt : load::parse_date(s);
}

// The last second of a time, which may be shortened to a year, month, day or minute.
std::optional<Seconds> until_second(const std::string& s) {
    const auto first = from_second(s);
    if (!first) return first;
    const auto day = std::chrono::floor<std::chrono::days>(*first);
    const std::chrono::year_month_day date(day);
    const auto end_of = [](std::chrono::sys_days d) {
        return Seconds(d) + std::chrono::hours{24} - std::chrono::seconds{1};
    };
    switch (s.size()) {
        case 4: return end_of(date.year() / 12 / 31);
        case 7: return end_of(date.year() / date.month() / std::chrono::last);
        case 10: return end_of(day);
        case 17: return *first + std::chrono::seconds{59};  // 2015-03-01T12:00Z
        default: return first;
    }
}

// Prints why a request is repeated, and waits.
void print_and_wait(std::chrono::seconds wait, const std::string& why) {
    fmt::print(stderr, "waiting {} s: {}\n", wait.count(), why);
    std::this_thread::sleep_for(wait);
}

// A client for the repository and one for the archive files.
struct Clients {
    explicit Clients(const RecoverOptions& o)
        : lists({.from = o.mail, .max_bytes = std::int64_t{100} << 20}),
          files({.from = o.mail, .max_bytes = std::numeric_limits<std::int64_t>::max()}),
          retrying_files(files, {.attempts = o.attempts}, print_and_wait) {}
    http::Client lists, files;
    http::RetryingClient retrying_files;
};

void print_missing(const recover::ListedCapture& found, const std::string& why) {
    const bool is_partial = why.starts_with(recover::kNotWhole);
    fmt::print(stderr, "{}: {} {} {}: {}\n", is_partial ? "left out" : "missing",
               text::to_terminal_text(found.identifier),
               print_datestamp(found.capture.archived_time),
               text::to_terminal_text(found.capture.url), text::to_terminal_text(why));
}

int print_report(const recover::RecoveryReport& r) {
    fmt::print(
        "{} captures: {} recovered ({} by others that they repeat, {} without a digest to verify), "
        "{} older, {} no documents, {} not whole, {} missing\n",
        r.captures, r.recovered, r.revisits, r.unverified, r.older, r.no_document, r.partial,
        r.missing);
    return r.missing == 0 ? kFine : kRefused;
}

// Reads a list to its end, or until `stop` returns true. Returns false, after printing a message,
// if pages are missing. Throws std::runtime_error if there is no list.
bool read_list(
    http::Client& client, const RecoverOptions& options, const std::string& set,
    recover::CaptureSink::Callbacks callbacks, std::function<bool()> stop = [] { return false; }) {
    harvest::HarvestRequest request;
    request.url = options.base_url;
    request.prefixes = {"warc"};
    if (!set.empty()) request.set_specs = {set};
    request.retry_limits.tries = options.attempts;
    recover::CaptureSink sink(std::move(callbacks));
    harvest::HarvestProgress listener(stderr, true, options.base_url, std::move(stop));
    const harvest::HarvestResult result = harvest::harvest(client, request, sink, listener);
    if (result.kind == harvest::HarvestResult::Kind::failed)
        throw std::runtime_error(options.base_url + ": " + result.why);
    if (result.kind == harvest::HarvestResult::Kind::incomplete)
        fmt::print(stderr, "the list is incomplete: {}\n", text::to_terminal_text(result.why));
    return result.kind != harvest::HarvestResult::Kind::incomplete;
}

// Returns false if the list is incomplete or has unreadable captures.
bool take_captures(http::Client& client, const RecoverOptions& options,
                   recover::Recovery& recovery) {
    std::int64_t unreadable = 0;
    const auto begin = [&] {
        recovery.begin();
        unreadable = 0;
    };
    const auto complain = [&](const std::string& identifier, const std::string& why) {
        ++unreadable;
        fmt::print(stderr, "unreadable: {}: {}\n", text::to_terminal_text(identifier),
                   text::to_terminal_text(why));
    };
    const auto take = [&](const std::vector<recover::ListedCapture>& page) { recovery.take(page); };
    const bool whole = read_list(client, options, set_of(options), {begin, take, complain});
    return whole && unreadable == 0;
}

// Reads the whole list, since captures may repeat those of another host, which are not in the set.
void find_originals(http::Client& client, const RecoverOptions& options,
                    recover::Recovery& recovery) {
    if (!recovery.lacks_originals()) return;
    const auto look = [&](const std::vector<recover::ListedCapture>& page) {
        recovery.look_for_originals(page);
    };
    read_list(client, options, "", {[] {}, look, [](const std::string&, const std::string&) {}},
              [&] { return !recovery.lacks_originals(); });
}

// If it throws, the same command resumes later.
int recover_all(http::Client& client, const RecoverOptions& options, recover::Recovery& recovery) {
    try {
        const bool whole = take_captures(client, options, recovery);
        recovery.resolve();
        find_originals(client, options, recovery);
        recovery.finish();
        const int code = print_report(recovery.report());
        return whole ? code : kRefused;
    } catch (const std::exception&) {
        const recover::RecoveryReport& r = recovery.report();
        fmt::print(stderr,
                   "stopped after {} captures, {} of them recovered; the same command goes on from "
                   "there\n",
                   r.captures, r.recovered);
        throw;
    }
}

}  // namespace

int command_recover(const Invocation& invocation) {
    const RecoverOptions options = read_recover_options(invocation);
    const recover::CaptureFilter filter{options.prefix, text::lower_ascii(options.host),
                                        from_second(options.from), until_second(options.until)};
    xml::initialise();
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
    Clients clients(options);
    recover::Archive archive(options.files, clients.retrying_files);
    recover::Tree tree(options.to);
    recover::Recovery recovery(archive, filter, tree, print_missing, options.partial);
    return recover_all(clients.lists, options, recovery);
}

}  // namespace oai::command
