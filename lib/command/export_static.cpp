// SPDX-License-Identifier: MIT
// oai export-static --gateway URL --url URL [--set SPEC] [--format PREFIX]... [--limit N] FILE
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/log.h"
#include "command/command.h"
#include "server/service.h"
#include "tools/harvest/answer.h"
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

// A static repository is at http://host:port/path/file, without query and fragment; https is
// accepted, too. Returns why the URL is no such address, or "" (specification, 2).
std::string address_fault(const std::string& url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return url + ": it begins with http:// or https://";
    if (url.find_first_of("?# \t\r\n") != url.npos)
        return url + ": it has no query, no fragment and no blank";
    const std::string rest = without_scheme(url);
    const auto slash = rest.find('/');
    if (slash == 0 || slash == rest.npos || slash + 1 == rest.size())
        return url + ": it has a host and a path";
    return "";
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

// Why the URL cannot be a gateway's, behind which the address of a static repository is put
// (specification, 2); "" if it can.
std::string gateway_fault(const std::string& url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return url + ": it begins with http:// or https://";
    return url.find_first_of("?# ") == url.npos
               ? ""
               : url + ": it has no query, no fragment and no blank";
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

std::string element(const char* name, std::string_view value) {
    std::string out = std::string("<oai:") + name + ">";
    xml::append_text(out, value);
    return out + "</oai:" + name + ">";
}

std::string wrapped(const char* name, const std::string& content) {
    return std::string("<oai:") + name + ">" + content + "</oai:" + name + ">";
}

// Its datestamp becomes a day, sets are left out.
void write_record(std::ostream& out, const harvest::Record& record) {
    out << "<oai:record>"
        << wrapped("header", element("identifier", record.identifier) +
                                 element("datestamp", record.datestamp.substr(0, kDayBytes)))
        << wrapped("metadata", record.metadata);
    for (const std::string& about : record.abouts) out << wrapped("about", about);
    out << "</oai:record>\n";
}

// Asks this repository as harvesters do.
class RepositoryClient {
  public:
    explicit RepositoryClient(const Config& config) : service_(config, clock_) {
        service_.read_horizon();
    }

    // Without anything in it if there is nothing to list. Throws std::runtime_error for errors.
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

struct ExportCounts {
    std::map<std::string, std::int64_t> records;  // by prefix
    std::int64_t deleted = 0;                     // in oai_dc
};

class Export {
  public:
    Export(RepositoryClient& client, const ExportOptions& options)
        : client_(client), options_(options) {}

    // Writes the lists of the formats that have records; returns these formats.
    std::vector<harvest::FormatInfo> write_lists(std::ostream& out) {
        std::vector<harvest::FormatInfo> written;
        for (const harvest::FormatInfo& format : formats()) {
            write_list(out, format.prefix);
            if (counts_.records[format.prefix] > 0) written.push_back(format);
        }
        if (counts_.records["oai_dc"] == 0)
            throw std::runtime_error("there is no record to export");
        return written;
    }

    // Writes what stands before the lists.
    void write_head(std::ostream& out, const Config& config,
                    const std::vector<harvest::FormatInfo>& formats) {
        const harvest::RepositoryIdentity identity = client_.ask({{"verb", "Identify"}}).identity;
        out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Repository xmlns=\"" << kNamespace
            << "\" xmlns:oai=\"http://www.openarchives.org/OAI/2.0/\" "
               "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
            << "            xsi:schemaLocation=\"" << kNamespace << " " << kNamespace
            << ".xsd\">\n<Identify>\n"
            << element("repositoryName", config.repository.name) << "\n"
            << element("baseURL", gateway_base_url(options_.gateway, options_.url)) << "\n"
            << element("protocolVersion", "2.0") << "\n";
        for (const std::string& mail : config.repository.admin_email)
            out << element("adminEmail", mail) << "\n";
        out << element("earliestDatestamp", identity.earliest_datestamp.substr(0, kDayBytes))
            << "\n"
            << element("deletedRecord", "no") << "\n"
            << element("granularity", "YYYY-MM-DD") << "\n";
        for (const std::string& description : identity.descriptions)
            out << wrapped("description", description) << "\n";
        out << "</Identify>\n<ListMetadataFormats>\n";
        for (const harvest::FormatInfo& format : formats)
            out << wrapped("metadataFormat", element("metadataPrefix", format.prefix) +
                                                 element("schema", format.schema) +
                                                 element("metadataNamespace", format.name_space))
                << "\n";
        out << "</ListMetadataFormats>\n";
    }

    const ExportCounts& counts() const { return counts_; }

  private:
    std::vector<harvest::FormatInfo> formats() {
        std::vector<harvest::FormatInfo> formats =
            client_.ask({{"verb", "ListMetadataFormats"}}).formats;
        const auto& wanted = options_.prefixes;
        std::erase_if(formats, [&](const harvest::FormatInfo& format) {
            return !wanted.empty() &&
                   std::find(wanted.begin(), wanted.end(), format.prefix) == wanted.end();
        });
        return formats;
    }

    void write_list(std::ostream& out, const std::string& prefix) {
        std::vector<Argument> arguments{{"verb", "ListRecords"}, {"metadataPrefix", prefix}};
        if (!options_.set.empty()) arguments.push_back({"set", options_.set});
        for (bool more = true; more;) {
            const harvest::ParsedAnswer page = client_.ask(std::move(arguments));
            for (const harvest::Record& record : page.records) take(out, prefix, record);
            more = !page.token.empty();
            arguments = {{"verb", "ListRecords"}, {"resumptionToken", page.token}};
        }
        if (counts_.records[prefix] > 0) out << "</ListRecords>\n";
    }

    void take(std::ostream& out, const std::string& prefix, const harvest::Record& record) {
        if (record.deleted) {
            if (prefix == "oai_dc") ++counts_.deleted;
            return;
        }
        if (++counts_.records[prefix] > options_.limit)
            throw std::runtime_error(fmt::format(
                "more than {} records: static repositories are for small ones. Export a set by "
                "--set SPEC, say --limit N, or let this server be harvested itself",
                options_.limit));
        if (counts_.records[prefix] == 1) {
            std::string escaped;
            xml::append_attribute(escaped, prefix);
            out << "<ListRecords metadataPrefix=\"" << escaped << "\">\n";
        }
        write_record(out, record);
    }

    RepositoryClient& client_;
    const ExportOptions& options_;
    ExportCounts counts_;
};

// A temporary file, removed at the end in any case.
class Draft {
  public:
    explicit Draft(std::string path)
        : path_(std::move(path)), out_(path_, std::ios::binary | std::ios::trunc) {
        if (!out_) throw std::runtime_error(path_ + ": cannot be written");
    }
    ~Draft() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    std::ostream& out() { return out_; }
    void flush() {
        if (!out_.flush()) throw std::runtime_error(path_ + ": cannot be written");
    }
    const std::string& path() const { return path_; }

  private:
    const std::string path_;
    std::ofstream out_;
};

void write_file(const Config& config, const ExportOptions& options, Export& job) {
    Draft lists(options.file + ".lists"), whole(options.file + ".draft");
    const auto formats = job.write_lists(lists.out());
    lists.flush();
    job.write_head(whole.out(), config, formats);
    std::ifstream again(lists.path(), std::ios::binary);
    whole.out() << again.rdbuf();
    whole.out() << "</Repository>\n";
    whole.flush();
    std::filesystem::rename(whole.path(), options.file);
}

}  // namespace

int command_export_static(const Invocation& invocation) {
    const ExportOptions options = read_export_options(invocation);
    const Config config = configuration(invocation);
    log::set_level(log::Level::warning);
    xml::initialise();
    RepositoryClient client(config);
    Export job(client, options);
    write_file(config, options, job);
    for (const auto& [prefix, records] : job.counts().records)
        fmt::print("{}: {} records\n", prefix, records);
    if (job.counts().deleted > 0)
        fmt::print("{} deleted records left out: a static repository cannot have them\n",
                   job.counts().deleted);
    return kFine;
}

}  // namespace oai::command
