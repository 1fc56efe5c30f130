// SPDX-License-Identifier: MIT
// oai harvest URL... --output FILE: what another repository has, into a file. oai harvest NAME... | --all | --due: what those
// of `oai repository` have, into the database. oai harvest URL... --friends, --sets, --formats: what one says of itself.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "command/command.h"
#include "command/harvest_files.h"
#include "command/harvest_sources.h"
#include "harvest/progress.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct Options {
    FileHarvest files;
    std::string contact;
    std::int64_t overlap_seconds = 60, first_wait_seconds = 2, longest_wait_seconds = 600, timeout_seconds = 120;
    std::int64_t page_megabytes = 256;
    bool friends = false, sets = false, formats = false;
    bool all = false, due = false;
};

void add_what(CLI::App& app, Options& o) {
    harvest::Wish& wish = o.files.wish;
    app.add_option("URL", o.files.urls, "Base URLs of repositories; or names that oai repository knows, into the database");
    app.add_flag("--all", o.all, "Into the database: all that oai repository knows");
    app.add_flag("--due", o.due, "Into the database: those whose interval has passed since their last harvest");
    app.add_option("--output", o.files.output, "The file to write, a directory for a file a list, or - for standard output");
    app.add_option("--format", wish.prefixes, "A metadataPrefix; may be repeated")->allow_extra_args(false)->default_str("oai_dc");
    app.add_option("--set", wish.set_specs, "A setSpec; may be repeated")->allow_extra_args(false);
    app.add_option("--from", wish.from, "From this datestamp on");
    app.add_option("--since", o.files.since, "What changed since the harvest that wrote this file")->excludes("--from");
    app.add_option("--until", wish.until, "Up to this datestamp, it included");
    app.add_flag("--full", wish.full, "From the start, whatever is there already");
    app.add_option("--max-records", wish.most_records, "Stop behind the page with this record; the same command goes on")
        ->check(CLI::PositiveNumber);
    app.add_flag("--friends", o.friends, "Only list the repositories that these name as friends, and ask each who it is");
    app.add_flag("--sets", o.sets, "Only list the sets");
    app.add_flag("--formats", o.formats, "Only list the formats");
}

void add_how(CLI::App& app, Options& o) {
    harvest::Patience& patience = o.files.wish.patience;
    app.add_option("--overlap", o.overlap_seconds, "With --since, begin so many seconds before it")->check(CLI::NonNegativeNumber);
    app.add_option("--parallel", o.files.parallel, "Hosts asked at a time, at most")->check(CLI::Range(1, 64));
    app.add_option("--tries", patience.tries, "Ask this often before giving up")->check(CLI::Range(1, 1000));
    app.add_option("--first-wait", o.first_wait_seconds, "Seconds before asking again, doubled each time")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--longest-wait", o.longest_wait_seconds, "Never wait longer, whatever Retry-After says")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--timeout", o.timeout_seconds, "Seconds without a byte before a connection counts as broken")
        ->check(CLI::PositiveNumber);
    app.add_option("--page-limit", o.page_megabytes, "Largest answer, in megabytes")->check(CLI::Range(1, 1024));
    app.add_option("--contact", o.contact, "A URL for those whom the harvest bothers: part of User-Agent");
    app.add_option("--mail", o.files.client.from, "A mail address for them: the header From");
    app.add_flag("-q,--quiet", o.files.quiet, "No progress");
}

Options read_options(const Invocation& invocation) {
    Options o;
    CLI::App app("Harvests other repositories.");
    add_what(app, o);
    add_how(app, o);
    parse(app, invocation);
    harvest::Wish& wish = o.files.wish;
    if (wish.prefixes.empty()) wish.prefixes = {"oai_dc"};
    if (wish.set_specs.empty()) wish.set_specs = {""};
    wish.overlap = std::chrono::seconds{o.overlap_seconds};
    wish.patience.first_wait = std::chrono::seconds{o.first_wait_seconds};
    wish.patience.longest_wait = std::chrono::seconds{o.longest_wait_seconds};
    http::Options& client = o.files.client;
    client.stall_timeout = std::chrono::seconds{o.timeout_seconds};
    client.most_bytes = o.page_megabytes << 20;
    return o;
}

bool is_mail(const std::string& contact) { return !contact.empty() && contact.find("://") == contact.npos; }

void name_contact(http::Options& client, const std::string& contact) {
    if (!contact.empty()) client.user_agent += (is_mail(contact) ? " (+mailto:" : " (+") + contact + ")";
}

// What the command line leaves unsaid.
void name_contact(http::Options& client, const std::string& said, const Config& config) {
    const auto& admins = config.repository.admin_email;
    const std::string admin = admins.empty() ? "" : admins.front();
    const std::string contact = config.harvest.contact.empty() ? admin : config.harvest.contact;
    if (client.from.empty()) client.from = is_mail(contact) ? contact : admin;
    name_contact(client, said.empty() ? contact : said);
}

// Asks one repository for what it says of itself.
class Questions {
  public:
    Questions(const Options& options, const std::string& url)
        : options_(options), client_(options.files.client), url_(url),
          progress_(stderr, harvest::Progress::Shown::notes, url, [] { return false; }) {}

    void formats() {
        for (const auto& f : harvest::list_formats(client_, url_, patience(), progress_))
            fmt::print("{}\t{}\t{}\n", f.prefix, f.name_space, f.schema);
    }
    void sets() {
        for (const auto& s : harvest::list_sets(client_, url_, patience(), progress_)) fmt::print("{}\t{}\n", s.spec, s.name);
    }
    // A friend that does not answer is no fault of the one that names it.
    void friends() {
        for (const std::string& url : harvest::identify(client_, url_, patience(), progress_).friends) {
            try {
                const harvest::Identity who = harvest::identify(client_, url, patience(), progress_);
                fmt::print("{}\t{}\t{}\t{}\n", url, who.name, who.granularity, who.deleted_record);
            } catch (const std::exception& e) {
                fmt::print("{}\t\t\t\t{}\n", url, e.what());
            }
        }
    }

  private:
    const harvest::Patience& patience() const { return options_.files.wish.patience; }
    const Options& options_;
    http::Client client_;
    const std::string url_;
    harvest::Progress progress_;
};

int ask(const Options& options) {
    xml::initialise();
    int status = kFine;
    for (const std::string& url : options.files.urls) {
        try {
            Questions questions(options, url);
            if (options.formats) questions.formats();
            if (options.sets) questions.sets();
            if (options.friends) questions.friends();
        } catch (const std::exception& e) {
            fmt::print(stderr, "oai: harvest: {}\n", e.what());
            status = kRefused;
        }
    }
    return status;
}

// Names have no "://", and base URLs do.
bool are_names(const Options& options) {
    const auto& given = options.files.urls;
    if (options.all || options.due) return true;
    return options.files.output.empty() && !options.friends && !options.sets && !options.formats && !given.empty() &&
           std::none_of(given.begin(), given.end(), [](const auto& g) { return g.find("://") != g.npos; });
}

int into_database(const Invocation& invocation, const Options& options) {
    const Config config = configuration(invocation);
    SourceHarvest what{.names = options.files.urls, .due = options.due, .wish = options.files.wish,
                       .client = options.files.client, .quiet = options.files.quiet, .terminal = ::isatty(STDERR_FILENO) != 0};
    name_contact(what.client, options.contact, config);
    return harvest_sources(config, invocation.config_path, what);
}

[[noreturn]] void refuse(const char* why) {
    fmt::print(stderr, "oai: harvest: {}\n", why);
    throw Finished{kUsage};
}

}  // namespace

int command_harvest(const Invocation& invocation) {
    Options options = read_options(invocation);
    if (are_names(options)) return into_database(invocation, options);
    name_contact(options.files.client, options.contact);
    if (options.files.urls.empty()) refuse("URLs or names of repositories are missing, or --all");
    if (options.friends || options.sets || options.formats) return ask(options);
    if (options.files.output.empty()) refuse("--output is missing: where the records go");
    options.files.terminal = ::isatty(STDERR_FILENO) != 0;
    return harvest_files(options.files);
}

}  // namespace oai::command
