// SPDX-License-Identifier: MIT
// oai export-static --gateway URL --url URL [--set SPEC] [--format PREFIX]... [--limit N] FILE
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/log.h"
#include "command/command.h"
#include "server/service.h"
#include "tools/static_repository/gateway.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::command {
namespace {

constexpr std::int64_t kUsualLimit = 5000;  // the size that the specification has in mind

struct ExportOptions {
    std::string file, gateway, url, set;
    std::vector<std::string> prefixes;
    std::int64_t limit = kUsualLimit;
};

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
            {.required = true, .check = static_repository::address_fault}},
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

const xmlNode* child(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = parent->children; n != nullptr; n = n->next)
        if (xml::is_element(n) && xml::name_of(n) == name) return n;
    return nullptr;
}

std::string text_in(const xmlNode* parent, std::string_view name) {
    const xmlNode* const n = child(parent, name);
    return n == nullptr ? "" : xml::text_of(n);
}

// Asks this repository as harvesters do.
class RepositoryClient {
  public:
    explicit RepositoryClient(const Config& config) : service_(config, clock_) {
        service_.read_horizon();
    }

    using Arguments = std::vector<Argument>;
    // Returns the element of the verb's name in `document`, which owns it; nullptr if the answer is
    // noRecordsMatch or cannotDisseminateFormat. Throws std::runtime_error for all other errors.
    const xmlNode* ask(Arguments arguments, xml::DocumentHandle& document) {
        const std::string verb = arguments.front().value;
        Request request{.method = "GET", .path = "/", .arguments = std::move(arguments)};
        const Response response = service_.answer(request);
        if (response.status != 200)
            throw std::runtime_error(
                fmt::format("{}: status {}: {}", verb, response.status, response.body));
        document = xml::parse_memory(response.body, verb);
        const xmlNode* const root = xmlDocGetRootElement(document.get());
        if (const xmlNode* error = child(root, "error")) {
            const std::string code = xml::attribute_of(error, "code");
            if (code == "noRecordsMatch" || code == "cannotDisseminateFormat") return nullptr;
            throw std::runtime_error(fmt::format("{}: {}: {}", verb, code, xml::text_of(error)));
        }
        return child(root, verb);
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
    std::vector<static_repository::StaticFormat> write_lists(std::ostream& out) {
        std::vector<static_repository::StaticFormat> written;
        for (const static_repository::StaticFormat& format : formats()) {
            write_list(out, format.prefix);
            if (counts_.records[format.prefix] > 0) written.push_back(format);
        }
        if (counts_.records["oai_dc"] == 0)
            throw std::runtime_error("there is no record to export");
        return written;
    }

    static_repository::StaticIdentity identity(const Config& config,
                                               std::vector<std::string>& descriptions) {
        xml::DocumentHandle document;
        const xmlNode* const identify = client_.ask({{"verb", "Identify"}}, document);
        for (const xmlNode* n = identify->children; n != nullptr; n = n->next)
            if (xml::is_element(n) && xml::name_of(n) == "description")
                for (const xmlNode* d = n->children; d != nullptr; d = d->next)
                    if (xml::is_element(d)) descriptions.push_back(xml::document_text(d));
        return {config.repository.name,
                static_repository::gateway_base_url(options_.gateway, options_.url),
                text_in(identify, "earliestDatestamp"), config.repository.admin_email};
    }

    const ExportCounts& counts() const { return counts_; }

  private:
    std::vector<static_repository::StaticFormat> formats() {
        xml::DocumentHandle document;
        const xmlNode* const list = client_.ask({{"verb", "ListMetadataFormats"}}, document);
        std::vector<static_repository::StaticFormat> formats;
        for (const xmlNode* n = list->children; n != nullptr; n = n->next) {
            if (!xml::is_element(n)) continue;
            const std::string prefix = text_in(n, "metadataPrefix");
            if (options_.prefixes.empty() ||
                std::find(options_.prefixes.begin(), options_.prefixes.end(), prefix) !=
                    options_.prefixes.end())
                formats.push_back({prefix, text_in(n, "schema"), text_in(n, "metadataNamespace")});
        }
        return formats;
    }

    void write_list(std::ostream& out, const std::string& prefix) {
        RepositoryClient::Arguments arguments{{"verb", "ListRecords"}, {"metadataPrefix", prefix}};
        if (!options_.set.empty()) arguments.push_back({"set", options_.set});
        for (std::string token = " "; !token.empty();) {
            xml::DocumentHandle document;
            const xmlNode* const list = client_.ask(std::move(arguments), document);
            if (list == nullptr) break;
            for (const xmlNode* n = list->children; n != nullptr; n = n->next)
                if (xml::is_element(n) && xml::name_of(n) == "record") take(out, prefix, n);
            token = text_in(list, "resumptionToken");
            arguments = {{"verb", "ListRecords"}, {"resumptionToken", token}};
        }
        if (counts_.records[prefix] > 0) static_repository::end_list(out);
    }

    void take(std::ostream& out, const std::string& prefix, const xmlNode* record) {
        if (xml::attribute_of(child(record, "header"), "status") == "deleted") {
            if (prefix == "oai_dc") ++counts_.deleted;
            return;
        }
        if (++counts_.records[prefix] > options_.limit)
            throw std::runtime_error(fmt::format(
                "more than {} records: static repositories are for small ones. Export a set by "
                "--set SPEC, say --limit N, or let this server be harvested itself",
                options_.limit));
        if (counts_.records[prefix] == 1) static_repository::begin_list(out, prefix);
        static_repository::write_record(out, record);
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
    std::vector<std::string> descriptions;
    const static_repository::StaticIdentity identity = job.identity(config, descriptions);
    static_repository::write_head(whole.out(), identity, descriptions, formats);
    std::ifstream again(lists.path(), std::ios::binary);
    whole.out() << again.rdbuf();
    static_repository::write_end(whole.out());
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
