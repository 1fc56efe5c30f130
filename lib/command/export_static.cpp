// SPDX-License-Identifier: MIT
// oai export-static --gateway URL --url URL [--set SPEC] [--format PREFIX]... [--limit N] FILE
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/log.h"
#include "command/command.h"
#include "service.h"
#include "static_repository/address.h"
#include "static_repository/writer.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::command {
namespace {

constexpr std::int64_t kUsualLimit = 5000;  // what the specification has in mind

struct Options {
    std::string file, gateway, url, set;
    std::vector<std::string> prefixes;
    std::int64_t limit = kUsualLimit;
};

// A static repository's address is put behind it (specification, 2).
std::string why_no_gateway(const std::string& url) {
    if (!url.starts_with("http://") && !url.starts_with("https://")) return url + ": it begins with http:// or https://";
    return url.find_first_of("?# ") == url.npos ? "" : url + ": it has no query, no fragment and no blank";
}

Options options_of(const Invocation& invocation) {
    Options options;
    CLI::App app(
        "Write this repository, or a set of it, as a static repository: one XML file that a gateway can "
        "serve.");
    app.add_option("FILE", options.file, "The file, replaced as a whole")->required();
    app.add_option("--url", options.url,
                   "Where the file is going to be, as http://example.org/repository.xml")
        ->required()
        ->check(static_repository::why_no_address);
    app.add_option("--gateway", options.gateway, "Base URL of the gateway that serves it")
        ->required()
        ->check(why_no_gateway);
    app.add_option("--set", options.set, "Only the records of this set");
    app.add_option("--format", options.prefixes,
                   "Only these formats, by metadataPrefix; oai_dc is always there")
        ->allow_extra_args(false);
    app.add_option("--limit", options.limit, "At most so many records")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
        ->capture_default_str();
    parse(app, invocation);
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

// This repository, as harvesters see it.
class Answers {
  public:
    explicit Answers(const Config& config) : service_(config, clock_) { service_.read_horizon(); }

    using Arguments = std::vector<Argument>;
    // The element of the verb's name in `document`, which holds it; nullptr: noRecordsMatch, or this format
    // is not there. Throws std::runtime_error for all else.
    const xmlNode* ask(Arguments arguments, xml::DocumentHandle& document) {
        const std::string verb = arguments.front().value;
        Request request{.method = "GET", .path = "/", .arguments = std::move(arguments)};
        const Response response = service_.answer(request);
        if (response.status != 200)
            throw std::runtime_error(fmt::format("{}: status {}: {}", verb, response.status, response.body));
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

struct Tally {
    std::map<std::string, std::int64_t> records;  // by prefix
    std::int64_t deleted = 0;                     // in oai_dc
};

class Export {
  public:
    Export(Answers& answers, const Options& options) : answers_(answers), options_(options) {}

    // The lists of the formats that have records; and which they are.
    std::vector<static_repository::Format> write_lists(std::ostream& out) {
        std::vector<static_repository::Format> written;
        for (const static_repository::Format& format : formats()) {
            write_list(out, format.prefix);
            if (tally_.records[format.prefix] > 0) written.push_back(format);
        }
        if (tally_.records["oai_dc"] == 0) throw std::runtime_error("there is no record to export");
        return written;
    }

    static_repository::Identity identity(const Config& config, std::vector<std::string>& descriptions) {
        xml::DocumentHandle document;
        const xmlNode* const identify = answers_.ask({{"verb", "Identify"}}, document);
        for (const xmlNode* n = identify->children; n != nullptr; n = n->next)
            if (xml::is_element(n) && xml::name_of(n) == "description")
                for (const xmlNode* d = n->children; d != nullptr; d = d->next)
                    if (xml::is_element(d)) descriptions.push_back(xml::document_text(d));
        return {config.repository.name, static_repository::gateway_base_url(options_.gateway, options_.url),
                text_in(identify, "earliestDatestamp"), config.repository.admin_email};
    }

    const Tally& tally() const { return tally_; }

  private:
    std::vector<static_repository::Format> formats() {
        xml::DocumentHandle document;
        const xmlNode* const list = answers_.ask({{"verb", "ListMetadataFormats"}}, document);
        std::vector<static_repository::Format> formats;
        for (const xmlNode* n = list->children; n != nullptr; n = n->next) {
            if (!xml::is_element(n)) continue;
            const std::string prefix = text_in(n, "metadataPrefix");
            if (options_.prefixes.empty() || std::find(options_.prefixes.begin(), options_.prefixes.end(),
                                                       prefix) != options_.prefixes.end())
                formats.push_back({prefix, text_in(n, "schema"), text_in(n, "metadataNamespace")});
        }
        return formats;
    }

    void write_list(std::ostream& out, const std::string& prefix) {
        Answers::Arguments arguments{{"verb", "ListRecords"}, {"metadataPrefix", prefix}};
        if (!options_.set.empty()) arguments.push_back({"set", options_.set});
        for (std::string token = " "; !token.empty();) {
            xml::DocumentHandle document;
            const xmlNode* const list = answers_.ask(std::move(arguments), document);
            if (list == nullptr) break;
            for (const xmlNode* n = list->children; n != nullptr; n = n->next)
                if (xml::is_element(n) && xml::name_of(n) == "record") take(out, prefix, n);
            token = text_in(list, "resumptionToken");
            arguments = {{"verb", "ListRecords"}, {"resumptionToken", token}};
        }
        if (tally_.records[prefix] > 0) static_repository::end_list(out);
    }

    void take(std::ostream& out, const std::string& prefix, const xmlNode* record) {
        if (xml::attribute_of(child(record, "header"), "status") == "deleted") {
            if (prefix == "oai_dc") ++tally_.deleted;
            return;
        }
        if (++tally_.records[prefix] > options_.limit)
            throw std::runtime_error(
                fmt::format("more than {} records: static repositories are for small ones. Export a set "
                            "by --set SPEC, say --limit N, or let this server be harvested itself",
                            options_.limit));
        if (tally_.records[prefix] == 1) static_repository::begin_list(out, prefix);
        static_repository::write_record(out, record);
    }

    Answers& answers_;
    const Options& options_;
    Tally tally_;
};

// Gone with the program's work, whatever came of it.
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

void write_file(const Config& config, const Options& options, Export& job) {
    Draft lists(options.file + ".lists"), whole(options.file + ".draft");
    const auto formats = job.write_lists(lists.out());
    lists.flush();
    std::vector<std::string> descriptions;
    const static_repository::Identity identity = job.identity(config, descriptions);
    static_repository::write_head(whole.out(), identity, descriptions, formats);
    std::ifstream again(lists.path(), std::ios::binary);
    whole.out() << again.rdbuf();
    static_repository::write_end(whole.out());
    whole.flush();
    std::filesystem::rename(whole.path(), options.file);
}

}  // namespace

int command_export_static(const Invocation& invocation) {
    const Options options = options_of(invocation);
    const Config config = configuration(invocation);
    log::set_level(log::Level::warning);
    xml::initialise();
    Answers answers(config);
    Export job(answers, options);
    write_file(config, options, job);
    for (const auto& [prefix, records] : job.tally().records) fmt::print("{}: {} records\n", prefix, records);
    if (job.tally().deleted > 0)
        fmt::print("{} deleted records left out: a static repository cannot have them\n",
                   job.tally().deleted);
    return kFine;
}

}  // namespace oai::command
