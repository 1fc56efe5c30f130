// SPDX-License-Identifier: MIT
// oai export-static --gateway URL --url URL [--set SPEC] [--format PREFIX]... [--limit N] FILE
#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "base/new_file.h"
#include "command/command.h"
#include "server/service.h"
#include "tools/harvest/answer.h"
#include "tools/load/input.h"
#include "xml/document.h"
#include "xml/escape.h"

namespace oai::command {
namespace {

constexpr std::int64_t kUsualLimit = 5000;  // the size that the specification has in mind

constexpr const char* kNamespace = "http://www.openarchives.org/OAI/2.0/static-repository";
constexpr std::size_t kDayBytes = 10;  // YYYY-MM-DD

struct ExportOptions {
    std::string file, gateway, url, set;
    std::vector<std::string> prefixes;
    std::int64_t limit = kUsualLimit;
};

std::string without_scheme(const std::string& url) {
    const auto scheme = url.find("://");
    return scheme == url.npos ? url : url.substr(scheme + 3);
}

// Returns why the URL cannot be that of a gateway (specification, 2), or "".
std::string gateway_fault(const std::string& url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return url + ": it begins with http:// or https://";
    return url.find_first_of("?# \t\r\n") == url.npos
               ? ""
               : url + ": it has no query, no fragment and no blank";
}

// A static repository is at http://host:port/path/file, without query and fragment; https is
// accepted, too. Returns why the URL is no such address, or "" (specification, 2).
std::string address_fault(const std::string& url) {
    const std::string rest = without_scheme(url);
    const auto slash = rest.find('/');
    const bool has_path = slash != 0 && slash != rest.npos && slash + 1 != rest.size();
    const std::string fault = gateway_fault(url);
    return fault.empty() && !has_path ? url + ": it has a host and a path" : fault;
}

// The base URL of a static repository at `url` behind a gateway: "http://gateway/oai" and
// "http://a.org:81/r.xml" make "http://gateway/oai/a.org%3A81/r.xml" (4.4.1: the colon is encoded).
std::string gateway_base_url(const std::string& gateway, const std::string& url) {
    const std::string rest = without_scheme(url);
    const auto path = rest.find('/');
    std::string base_url = gateway + (gateway.ends_with('/') ? "" : "/");
    for (const char c : rest.substr(0, path)) base_url += c == ':' ? "%3A" : std::string(1, c);
    return base_url + rest.substr(path);
}

ExportOptions read_export_options(const Invocation& invocation) {
    ExportOptions options;
    parse(invocation,
          "Write this repository, or a set of it, as a static repository: one XML file that a "
          "gateway can serve.",
          {{"FILE", &options.file, "The file, replaced as a whole", kRequired},
           {"--url",
            &options.url,
            "Where the file is going to be, as http://example.org/repository.xml",
            {.required = true, .check = address_fault}},
           {"--gateway",
            &options.gateway,
            "Base URL of the gateway that serves it",
            {.required = true, .check = gateway_fault}},
           {"--set", &options.set, "Only the records of this set"},
           {"--format", &options.prefixes,
            "Only these formats, by metadataPrefix; oai_dc is always there"},
           {"--limit", &options.limit, "At most so many records", in_range(1, 1'000'000)}});
    if (!options.prefixes.empty()) options.prefixes.emplace_back("oai_dc");
    return options;
}

std::string wrapped(const char* name, const std::string& content) {
    return fmt::format("<oai:{0}>{1}</oai:{0}>", name, content);
}

std::string element(const char* name, std::string_view value) {
    std::string text;
    xml::append_text(text, value);
    return wrapped(name, text);
}

// Sends requests to this repository as a harvester does.
class RepositoryClient {
  public:
    explicit RepositoryClient(const Config& config) : service_(config, clock_) {
        service_.read_horizon();
    }

    // Returns an empty answer if there is nothing to list. Throws std::runtime_error for errors.
    harvest::ParsedAnswer ask(std::vector<Argument> arguments) {
        const std::string verb = arguments.front().value;
        const Response response =
            service_.answer({.method = "GET", .path = "/", .arguments = std::move(arguments)});
        if (response.status != 200)
            throw std::runtime_error(
                fmt::format("{}: status {}: {}", verb, response.status, response.body));
        harvest::ParsedAnswer answer = harvest::read_answer(response.body);
        for (const harvest::OaiError& error : answer.errors)
            if (error.code != "noRecordsMatch" && error.code != "cannotDisseminateFormat")
                throw std::runtime_error(verb + ": " + text_of(error));
        return answer;
    }

  private:
    const SystemClock clock_;
    Service service_;
};

// The records of a format in their final form, in a temporary file.
struct StaticList {
    harvest::FormatInfo format;
    Fd file = load::temporary_file();
    std::int64_t records = 0, deleted = 0;
};

// Reads a list. Datestamps become days; sets and deleted records are left out.
StaticList read_list(RepositoryClient& client, const ExportOptions& options,
                     const harvest::FormatInfo& format) {
    StaticList list{.format = format};
    std::vector<Argument> arguments{{"verb", "ListRecords"}, {"metadataPrefix", format.prefix}};
    if (!options.set.empty()) arguments.push_back({"set", options.set});
    for (bool more = true; more;) {
        const harvest::ParsedAnswer page = client.ask(std::move(arguments));
        std::string text;
        for (const harvest::Record& record : page.records) {
            ++(record.deleted ? list.deleted : list.records);
            if (record.deleted) continue;
            std::string content =
                wrapped("header", element("identifier", record.identifier) +
                                      element("datestamp", record.datestamp.substr(0, kDayBytes))) +
                wrapped("metadata", record.metadata);
            for (const std::string& about : record.abouts) content += wrapped("about", about);
            text += wrapped("record", content) + "\n";
        }
        load::write_temporary(list.file, text);
        if (list.records > options.limit)
            throw std::runtime_error(fmt::format(
                "more than {} records: static repositories are for small ones. Export a set by "
                "--set SPEC, say --limit N, or let this server be harvested itself",
                options.limit));
        more = !page.token.empty();
        arguments = {{"verb", "ListRecords"}, {"resumptionToken", page.token}};
    }
    return list;
}

// Reads the lists of all formats that have records.
std::vector<StaticList> read_lists(RepositoryClient& client, const ExportOptions& options) {
    const auto& wanted = options.prefixes;
    std::vector<StaticList> lists;
    for (const auto& format : client.ask({{"verb", "ListMetadataFormats"}}).formats)
        if (wanted.empty() ||
            std::find(wanted.begin(), wanted.end(), format.prefix) != wanted.end())
            lists.push_back(read_list(client, options, format));
    std::erase_if(
        lists, [](const StaticList& list) { return list.records == 0; });
    if (std::none_of(lists.begin(), lists.end(),
                     [](const StaticList& list) { return list.format.prefix == "oai_dc"; }))
        throw std::runtime_error("there is no record to export");
    return lists;
}

std::string head_of(RepositoryClient& client, const Config& config, const ExportOptions& options,
                    const std::vector<StaticList>& lists) {
    const harvest::RepositoryIdentity identity = client.ask({{"verb", "Identify"}}).identity;
    std::string identify = element("repositoryName", config.repository.name) + "\n" +
                           element("baseURL", gateway_base_url(options.gateway, options.url)) +
                           "\n" + element("protocolVersion", "2.0") + "\n";
    for (const std::string& mail : config.repository.admin_email)
        identify += element("adminEmail", mail) + "\n";
    identify += element("earliestDatestamp", identity.earliest_datestamp.substr(0, kDayBytes)) +
                "\n" + element("deletedRecord", "no") + "\n" +
                element("granularity", "YYYY-MM-DD") + "\n";
    for (const std::string& description : identity.descriptions)
        identify += wrapped("description", description) + "\n";
    std::string formats;
    for (const StaticList& list : lists)
        formats +=
            wrapped("metadataFormat", element("metadataPrefix", list.format.prefix) +
                                          element("schema", list.format.schema) +
                                          element("metadataNamespace", list.format.name_space)) +
            "\n";
    return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<Repository xmlns="{0}" xmlns:oai="http://www.openarchives.org/OAI/2.0/"
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{0} {0}.xsd">
<Identify>
{1}</Identify>
<ListMetadataFormats>
{2}</ListMetadataFormats>
)",
                       kNamespace, identify, formats);
}

void write_list(const StaticList& list, NewFile& to) {
    std::string prefix;
    xml::append_attribute(prefix, list.format.prefix);
    to.write(fmt::format("<ListRecords metadataPrefix=\"{}\">\n", prefix));
    std::string bytes(std::size_t{64} << 10, '\0');
    ::lseek(list.file.get(), 0, SEEK_SET);
    for (ssize_t n = 0; (n = ::read(list.file.get(), bytes.data(), bytes.size())) != 0;) {
        if (n < 0 && errno != EINTR) fail_at(to.path());
        to.write(
            std::string_view(bytes).substr(0, static_cast<std::size_t>(std::max<ssize_t>(n, 0))));
    }
    to.write("</ListRecords>\n");
}

}  // namespace

int command_export_static(const Invocation& invocation) {
    const ExportOptions options = read_export_options(invocation);
    const Config config = configuration(invocation);
    log::set_level(log::Level::warning);
    xml::initialise();
    RepositoryClient client(config);
    const std::vector<StaticList> lists = read_lists(client, options);
    NewFile file(options.file);
    file.write(head_of(client, config, options, lists));
    for (const StaticList& list : lists) write_list(list, file);
    file.write("</Repository>\n");
    file.finish();
    for (const StaticList& list : lists)
        fmt::print("{}: {} records\n", list.format.prefix, list.records);
    for (const StaticList& list : lists)
        if (list.format.prefix == "oai_dc" && list.deleted > 0)
            fmt::print("{} deleted records left out: a static repository cannot have them\n",
                       list.deleted);
    return kFine;
}

}  // namespace oai::command
