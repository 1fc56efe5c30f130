// SPDX-License-Identifier: MIT
// oai recover URL --files DIR|URL --to DIR|FILE.warc.gz [--set SPEC] [--host HOST] [--prefix URL] [--from
// TIME]
//                 [--until TIME] [--links]
#include <fmt/format.h>
#include <sodium.h>

#include <functional>
#include <limits>
#include <thread>

#include "base/text.h"
#include "command/command.h"
#include "datestamp.h"
#include "harvest/harvest.h"
#include "http/retry.h"
#include "load/field.h"
#include "load/surt.h"
#include "recover/captures.h"
#include "recover/recovery.h"
#include "recover/rewrite.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct Options {
    std::string base_url, files, to, set, host, prefix, from, until, mail;
    bool links = false;
    int attempts = 5;
};

bool is_file(const std::string& to) { return to.ends_with(".warc.gz"); }

Options options_of(const Invocation& invocation) {
    Options options;
    CLI::App app(
        "Recover documents of a web archive from its ARC and WARC files, by what a repository says of them "
        "in the "
        "format warc.");
    const auto time = [](const std::string& s) {
        return load::parse_warc_date(s) ? std::string()
                                        : "a time is YYYY-MM-DDThh:mm:ssZ, or a part of that from its begin";
    };
    app.add_option("URL", options.base_url, "The repository's base URL")->required();
    app.add_option("--files", options.files, "Directory of the archive files, or URL below which they are")
        ->required();
    app.add_option("--to", options.to,
                   "Directory for a tree of documents; or FILE.warc.gz for a new archive file")
        ->required();
    app.add_option("--set", options.set, "Captures of this set");
    app.add_option("--host", options.host, "Captures of this host");
    app.add_option("--prefix", options.prefix, "Captures of URLs that begin so, with or without http://");
    app.add_option("--from", options.from, "Captured then or later")->check(time);
    app.add_option("--until", options.until, "Captured then or before")->check(time);
    app.add_flag("--links", options.links,
                 "Let the tree's pages and style sheets refer to each other by relative references");
    app.add_option("--mail", options.mail, "Your address, for the header From of the requests");
    app.add_option("--attempts", options.attempts, "Ask so often where a server is busy or gone")
        ->check(CLI::Range(1, 100));
    parse(app, invocation);
    if (options.to.ends_with(".warc") || options.to.ends_with(".arc") || options.to.ends_with(".arc.gz"))
        throw CLI::ValidationError("--to: a new archive file is named FILE.warc.gz");
    if (options.links && is_file(options.to)) throw CLI::ValidationError("--links is for a tree, not for " + options.to);
    return options;
}

// The repository's set of a host: without it the whole list would have to be taken. Fails where the
// repository has other sets; then --set helps.
std::string set_of(const Options& options) {
    if (!options.set.empty()) return options.set;
    std::string url = options.host.empty() ? options.prefix : options.host + "/";
    if (url.find("://") == url.npos) url.insert(0, "http://");
    if (url.find('/', url.find("://") + 3) == url.npos)
        return "";  // the prefix may end within the host's name
    const std::string domain = load::canonical(url).domain;
    return domain.empty() ? "" : "dom:" + domain;
}

std::optional<Seconds> first_second(const std::string& s) {
    return s.empty() ? std::nullopt : load::parse_warc_date(s);
}

// What is cut short means all of it: the year, the month, the day, the minute.
std::optional<Seconds> last_second(const std::string& s) {
    const auto first = first_second(s);
    if (!first) return first;
    const auto day = std::chrono::floor<std::chrono::days>(*first);
    const std::chrono::year_month_day date(day);
    const auto end_of = [](std::chrono::sys_days d) {
        return Seconds(d) + std::chrono::hours{24} - std::chrono::seconds{1};
    };
    switch (s.size()) {
        case 4:
            return end_of(date.year() / 12 / 31);
        case 7:
            return end_of(date.year() / date.month() / std::chrono::last);
        case 10:
            return end_of(day);
        case 17:
            return *first + std::chrono::seconds{59};  // 2015-03-01T12:00Z
        default:
            return first;
    }
}

void say_waiting(std::chrono::seconds wait, const std::string& why) {
    fmt::print(stderr, "waiting {} s: {}\n", wait.count(), why);
    std::this_thread::sleep_for(wait);
}

// One client for each server, so that each is spoken to as it wants.
struct Connections {
    explicit Connections(const Options& o)
        : lists({.from = o.mail, .most_bytes = std::int64_t{256} << 20}),
          files({.from = o.mail, .most_bytes = std::numeric_limits<std::int64_t>::max()}),
          for_files(files, {.attempts = o.attempts}, say_waiting) {}
    http::Client lists, files;
    http::Retry for_files;
};

void say_missing(const recover::Found& found, const std::string& why) {
    fmt::print(stderr, "missing: {} {} {}: {}\n", text::shown(found.identifier),
               print_datestamp(found.capture.archived_time), text::shown(found.capture.url), text::shown(why));
}

int finish(const recover::Report& r) {
    fmt::print(
        "{} captures: {} recovered ({} by others that they repeat, {} without a digest to verify), {} older, "
        "{} no documents, {} missing\n",
        r.captures, r.recovered, r.revisits, r.unverified, r.older, r.no_document, r.missing);
    return r.missing == 0 ? kFine : kRefused;
}

class Told final : public harvest::Listener {
  public:
    explicit Told(std::function<bool()> enough) : enough_(std::move(enough)) {}
    void at(const harvest::Position&) override {}
    void note(const std::string& what) override { fmt::print(stderr, "{}\n", what); }
    bool stop() const override { return enough_ && enough_(); }
    void wait(std::chrono::seconds time, const std::string& why) override { say_waiting(time, why); }

  private:
    const std::function<bool()> enough_;
};

// A list to its end, or until there is enough. False: pages of it cannot be had, which was said. Throws
// std::runtime_error where the repository gives no list.
bool walk(http::Client& client, const Options& options, const std::string& set, recover::CaptureSink::Reader reader,
          std::function<bool()> enough = {}) {
    harvest::Wish wish{.url = options.base_url, .prefixes = {"warc"}, .set_specs = {}, .from = {}, .until = {}, .patience = {}};
    if (!set.empty()) wish.set_specs = {set};
    wish.patience.tries = options.attempts;
    recover::CaptureSink sink(std::move(reader));
    Told told(std::move(enough));
    const harvest::Outcome outcome = harvest::harvest(client, wish, sink, told);
    if (outcome.kind == harvest::Outcome::Kind::failed) throw std::runtime_error(options.base_url + ": " + outcome.why);
    if (outcome.kind == harvest::Outcome::Kind::incomplete) fmt::print(stderr, "the list is incomplete: {}\n", outcome.why);
    return outcome.kind != harvest::Outcome::Kind::incomplete;
}

// False: some captures could not even be read of.
bool take_list(http::Client& client, const Options& options, recover::Recovery& recovery) {
    std::int64_t unreadable = 0;
    const auto begin = [&] {
        recovery.begin();
        unreadable = 0;
    };
    const auto complain = [&](const std::string& identifier, const std::string& why) {
        ++unreadable;
        fmt::print(stderr, "unreadable: {}: {}\n", identifier, why);
    };
    const auto take = [&](const std::vector<recover::Found>& page) { recovery.take(page); };
    const bool whole = walk(client, options, set_of(options), {begin, take, complain});
    return whole && unreadable == 0;
}

// What repeats a capture of another host, which the host's own set does not have, needs a second look.
void find_originals(http::Client& client, const Options& options, recover::Recovery& recovery) {
    if (!recovery.lacks_originals()) return;
    const auto look = [&](const std::vector<recover::Found>& page) { recovery.look_for_originals(page); };
    walk(client, options, "", {[] {}, look, [](const std::string&, const std::string&) {}},
         [&] { return !recovery.lacks_originals(); });
}

// What was recovered so far is there, and the same command goes on behind it.
int recover_all(http::Client& client, const Options& options, recover::Recovery& recovery) {
    try {
        const bool whole = take_list(client, options, recovery);
        recovery.resolve();
        find_originals(client, options, recovery);
        recovery.finish();
        const int code = finish(recovery.report());
        return whole ? code : kRefused;
    } catch (const std::exception&) {
        const recover::Report& r = recovery.report();
        fmt::print(stderr,
                   "stopped after {} captures, {} of them recovered; the same command goes on from there\n",
                   r.captures, r.recovered);
        throw;
    }
}

void link_up(recover::Tree& tree) {
    const recover::Rewriting done = recover::rewrite_links(tree);
    for (const std::string& place : done.left) fmt::print(stderr, "not rewritten, for its encoding: {}\n", text::shown(place));
    fmt::print("{} documents with relative references\n", done.changed);
}

}  // namespace

int command_recover(const Invocation& invocation) {
    const Options options = options_of(invocation);
    const recover::Wanted wanted{options.prefix, text::lower_ascii(options.host), first_second(options.from),
                                 last_second(options.until)};
    xml::initialise();
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
    Connections connections(options);
    recover::Archive archive(options.files, connections.for_files);
    if (is_file(options.to)) {
        recover::WarcFile file(options.to);
        recover::Recovery recovery(archive, wanted, file, say_missing);
        return recover_all(connections.lists, options, recovery);
    }
    recover::Tree tree(options.to);
    recover::Recovery recovery(archive, wanted, tree, say_missing);
    const int code = recover_all(connections.lists, options, recovery);
    if (options.links) link_up(tree);
    return code;
}

}  // namespace oai::command
