// SPDX-License-Identifier: MIT
// oai harvest URL... --output FILE: harvests repositories into files.
// oai harvest NAME... | --all | --due: harvests those known to `oai repository` into the database.
// oai harvest URL... --friends | --sets | --formats: prints what repositories say about themselves.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "command/command.h"
#include "command/harvest_files.h"
#include "command/harvest_sources.h"
#include "tools/harvest/progress.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct HarvestOptions {
    FileHarvest files;
    std::string contact;
    std::int64_t overlap_seconds = 60, first_wait_seconds = 2, longest_wait_seconds = 600,
                 timeout_seconds = 120;
    std::int64_t page_megabytes = 256;
    bool friends = false, sets = false, formats = false;
    bool all = false, due = false, delete_missing = false;
};

void add_selection_options(Options& app, HarvestOptions& o) {
    harvest::HarvestRequest& request = o.files.request;
    app.add("URL", o.files.urls,
            "Base URLs of repositories; or names known to oai repository, to harvest into "
            "the database");
    app.add_flag("--all", o.all, "Into the database: all repositories known to oai repository");
    app.add_flag("--due", o.due,
                 "Into the database: those whose interval since the last harvest has passed");
    app.add("--output", o.files.output,
            "The file to write; a directory for one file per list; or - for standard output");
    app.add("--format", request.prefixes, "A metadataPrefix; may be repeated")
        .single()
        .show_default("oai_dc");
    app.add("--set", request.set_specs, "A setSpec; may be repeated").single();
    const Option from =
        app.add("--from", request.from, "Only records changed at or after this datestamp");
    app.add("--since", o.files.since, "Only records changed since the harvest that wrote this file")
        .excludes(from);
    app.add("--until", request.until, "Only records changed at or before this datestamp");
    const Option full =
        app.add_flag("--full", request.full, "From the beginning, whatever was harvested before");
    app.add_flag("--delete-missing", o.delete_missing,
                 "Into the database: delete what is no longer among the records")
        .needs(full);
    app.add("--max-records", request.max_records,
            "Stop after the page that contains this record; the same command resumes there")
        .positive();
    app.add_flag(
        "--friends", o.friends,
        "Only list the repositories that these name as friends, with their Identify answers");
    app.add_flag("--sets", o.sets, "Only list the sets");
    app.add_flag("--formats", o.formats, "Only list the formats");
}

void add_transfer_options(Options& app, HarvestOptions& o) {
    harvest::RetryLimits& retry_limits = o.files.request.retry_limits;
    app.add("--overlap", o.overlap_seconds, "With --since: begin this many seconds earlier")
        .not_negative();
    app.add("--parallel", o.files.parallel, "Maximum number of hosts harvested at a time")
        .range(1, 64);
    app.add("--tries", retry_limits.tries, "Number of attempts for a request before giving up")
        .range(1, 1000);
    app.add("--first-wait", o.first_wait_seconds,
            "Seconds before the first retry, doubled each time")
        .not_negative();
    app.add("--longest-wait", o.longest_wait_seconds,
            "Maximum seconds before a retry, whatever Retry-After says")
        .not_negative();
    app.add("--timeout", o.timeout_seconds,
            "Seconds without receiving a byte before a connection counts as broken")
        .positive();
    app.add("--page-limit", o.page_megabytes, "Maximum size of an answer, in megabytes")
        .range(1, 1024);
    app.add("--contact", o.contact,
            "A URL for operators whom the harvest bothers: becomes part of User-Agent");
    app.add("--mail", o.files.client.from, "A mail address for them: becomes the header From");
    app.add_flag("-q,--quiet", o.files.quiet, "Print no progress");
}

HarvestOptions read_harvest_options(const Invocation& invocation) {
    HarvestOptions o;
    Options app("Harvests other repositories.");
    add_selection_options(app, o);
    add_transfer_options(app, o);
    parse(app, invocation);
    harvest::HarvestRequest& request = o.files.request;
    if (request.prefixes.empty()) request.prefixes = {"oai_dc"};
    if (request.set_specs.empty()) request.set_specs = {""};
    request.overlap = std::chrono::seconds{o.overlap_seconds};
    request.retry_limits.first_wait = std::chrono::seconds{o.first_wait_seconds};
    request.retry_limits.longest_wait = std::chrono::seconds{o.longest_wait_seconds};
    http::ClientOptions& client = o.files.client;
    client.stall_timeout = std::chrono::seconds{o.timeout_seconds};
    client.max_bytes = o.page_megabytes << 20;
    return o;
}

bool is_mail(const std::string& contact) {
    return !contact.empty() && contact.find("://") == contact.npos;
}

void name_contact(http::ClientOptions& client, const std::string& contact) {
    if (!contact.empty())
        client.user_agent += (is_mail(contact) ? " (+mailto:" : " (+") + contact + ")";
}

// Uses the configuration for what the command line does not say.
void name_contact(http::ClientOptions& client, const std::string& said, const Config& config) {
    const auto& admins = config.repository.admin_email;
    const std::string admin = admins.empty() ? "" : admins.front();
    const std::string contact = config.harvest.contact.empty() ? admin : config.harvest.contact;
    if (client.from.empty()) client.from = is_mail(contact) ? contact : admin;
    name_contact(client, said.empty() ? contact : said);
}

// Prints what one repository says about itself.
class RepositoryPrinter {
  public:
    RepositoryPrinter(const HarvestOptions& options, const std::string& url)
        : options_(options),
          client_(options.files.client),
          url_(url),
          progress_(stderr, harvest::HarvestProgress::Style::notes, url, [] { return false; }) {}

    void print_formats() {
        for (const auto& f : harvest::list_formats(client_, url_, retry_limits(), progress_))
            fmt::print("{}\t{}\t{}\n", f.prefix, f.name_space, f.schema);
    }
    void print_sets() {
        for (const auto& s : harvest::list_sets(client_, url_, retry_limits(), progress_))
            fmt::print("{}\t{}\n", s.spec, s.name);
    }
    // A friend that does not answer is printed with the reason; it is not an error of the
    // repository.
    void print_friends() {
        for (const std::string& url :
             harvest::identify(client_, url_, retry_limits(), progress_).friends) {
            try {
                const harvest::RepositoryIdentity who =
                    harvest::identify(client_, url, retry_limits(), progress_);
                fmt::print("{}\t{}\t{}\t{}\n", url, who.name, who.granularity, who.deleted_record);
            } catch (const std::exception& e) {
                fmt::print("{}\t\t\t\t{}\n", url, e.what());
            }
        }
    }

  private:
    const harvest::RetryLimits& retry_limits() const { return options_.files.request.retry_limits; }
    const HarvestOptions& options_;
    http::Client client_;
    const std::string url_;
    harvest::HarvestProgress progress_;
};

int print_descriptions(const HarvestOptions& options) {
    xml::initialise();
    int status = kFine;
    for (const std::string& url : options.files.urls) {
        try {
            RepositoryPrinter printer(options, url);
            if (options.formats) printer.print_formats();
            if (options.sets) printer.print_sets();
            if (options.friends) printer.print_friends();
        } catch (const std::exception& e) {
            fmt::print(stderr, "oai: harvest: {}\n", e.what());
            status = kRefused;
        }
    }
    return status;
}

// Whether the arguments are names of repositories; base URLs contain "://".
bool wants_database(const HarvestOptions& options) {
    const auto& given = options.files.urls;
    if (options.all || options.due) return true;
    return options.files.output.empty() && !options.friends && !options.sets && !options.formats &&
           !given.empty() && std::none_of(given.begin(), given.end(), [](const auto& g) {
               return g.find("://") != g.npos;
           });
}

int into_database(const Invocation& invocation, const HarvestOptions& options) {
    const Config config = configuration(invocation);
    SourceHarvest what{.names = options.files.urls,
                       .due = options.due,
                       .delete_missing = options.delete_missing,
                       .request = options.files.request,
                       .client = options.files.client,
                       .quiet = options.files.quiet,
                       .terminal = ::isatty(STDERR_FILENO) != 0};
    name_contact(what.client, options.contact, config);
    return harvest_sources(config, invocation.config_path, what);
}

[[noreturn]] void refuse(const char* why) {
    fmt::print(stderr, "oai: harvest: {}\n", why);
    throw ExitRequest{kUsage};
}

}  // namespace

int command_harvest(const Invocation& invocation) {
    HarvestOptions options = read_harvest_options(invocation);
    if (wants_database(options)) return into_database(invocation, options);
    name_contact(options.files.client, options.contact);
    if (options.files.urls.empty()) refuse("URLs or names of repositories are missing, or --all");
    if (options.friends || options.sets || options.formats) return print_descriptions(options);
    if (options.delete_missing) refuse("--delete-missing is for harvests into the database");
    if (options.files.output.empty()) refuse("--output is missing: where the records go");
    options.files.terminal = ::isatty(STDERR_FILENO) != 0;
    return harvest_files(options.files);
}

}  // namespace oai::command
