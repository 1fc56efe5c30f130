// SPDX-License-Identifier: MIT
// oai import-static [--collection SPEC] [--delete-missing] [--check] [--description FILE] FILE|URL
#include <fmt/format.h>
#include <sodium.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/fd.h"
#include "command/command.h"
#include "command/queries.h"
#include "http/retry.h"
#include "load/staging.h"
#include "load/surt.h"
#include "pg/binary.h"
#include "static_repository/importer.h"
#include "xml/document.h"
#include "xml/escape.h"

namespace oai::command {
namespace {

constexpr std::int64_t kMostFaults = 20;  // that are told
constexpr std::size_t kBatch = 1000;      // identifiers in one transaction

struct Options {
    std::string source, collection, description;
    bool delete_missing = false, check = false;
    bool is_url() const { return source.starts_with("http://") || source.starts_with("https://"); }
};

Options options_of(const Invocation& invocation) {
    Options options;
    CLI::App app("Take the records of a static repository into the model library, as a gateway does.");
    app.add_option("SOURCE", options.source, "A file, plain or gzip, or a URL")->required();
    auto* const collection =
        app.add_option("--collection", options.collection, "File the records here, as museum");
    app.add_flag("--delete-missing", options.delete_missing,
                 "Items of the collection that the file has not become deleted")
        ->needs(collection);
    auto* const check =
        app.add_flag("--check", options.check, "Look for faults alone; no database is needed");
    app.add_option("--description", options.description,
                   "Write Identify's description of a gateway for this URL to a file")
        ->excludes(check);
    parse(app, invocation);
    if (!options.collection.empty() && load::collection_name(options.collection).empty()) {
        fmt::print(stderr,
                   "oai: import-static: --collection {}: a collection is labels of A-Za-z0-9-_.!~*'() joined "
                   "by ':'\n",
                   options.collection);
        throw Finished{kUsage};
    }
    options.collection = load::collection_name(options.collection);
    if (!options.description.empty() && !options.is_url()) {
        fmt::print(stderr, "oai: import-static: --description is for a static repository that has a URL\n");
        throw Finished{kUsage};
    }
    return options;
}

// A file without a name for as long as it is read.
class Download {
  public:
    Download() {
        std::string name = (std::filesystem::temp_directory_path() / "oai-static-XXXXXX").string();
        const Fd made(::mkstemp(name.data()));
        if (!made) throw std::runtime_error(name + ": cannot be made");
        path_ = name;
    }
    ~Download() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    Download(const Download&) = delete;
    Download& operator=(const Download&) = delete;
    const std::string& path() const { return path_; }

    // Throws std::runtime_error in words.
    void fetch(const std::string& url) {
        http::Client client({.most_bytes = std::int64_t{4} << 30});
        http::Retry retry(client, {}, [](std::chrono::seconds wait, const std::string& why) {
            fmt::print(stderr, "waiting {} s: {}\n", wait.count(), why);
            std::this_thread::sleep_for(wait);
        });
        std::ofstream out;
        const auto begin = [&](const http::Answer&) {
            out.close();
            out.open(path_, std::ios::binary | std::ios::trunc);
        };
        const auto take = [&](std::string_view piece) {
            return static_cast<bool>(out.write(piece.data(), static_cast<std::streamsize>(piece.size())));
        };
        const http::Answer answer =
            retry.send({.url = url, .accept_encoding = "gzip"}, {.begin = begin, .take = take});
        if (answer.status != 200)
            throw std::runtime_error(fmt::format("{}: HTTP status {}", url, answer.status));
        if (!out.flush()) throw std::runtime_error(path_ + ": cannot be written");
    }

  private:
    std::string path_;
};

static_repository::Survey survey_of(const Options& options, const std::string& name_space,
                                    load::Input& input) {
    std::int64_t told = 0, remarked = 0;
    try {
        const auto tell = [&](std::int64_t& said, const char* word, long line, const std::string& what) {
            if (++said <= kMostFaults) fmt::print(stderr, "{}:{}: {}{}\n", options.source, line, word, what);
        };
        static_repository::Survey survey = static_repository::survey(
            input, name_space,
            {.wrong = [&](long line, const std::string& what) { tell(told, "", line, what); },
             .remark = [&](long line, const std::string& what) { tell(remarked, "note: ", line, what); }});
        if (told > kMostFaults)
            fmt::print(stderr, "{}: {} more faults\n", options.source, told - kMostFaults);
        if (remarked > kMostFaults)
            fmt::print(stderr, "{}: {} more notes\n", options.source, remarked - kMostFaults);
        return survey;
    } catch (const xml::Error& e) {
        throw std::runtime_error(options.source + ":" + e.what());
    } catch (const std::runtime_error& e) {
        throw std::runtime_error(options.source + ": " + e.what());
    }
}

void print_survey(const Options& options, const static_repository::Survey& survey) {
    fmt::print("{}: {} <{}>, {} faults\n", options.source, survey.identity.name, survey.identity.base_url,
               survey.wrong);
    for (const auto& [prefix, records] : survey.records) fmt::print("{}: {} records\n", prefix, records);
}

// A base URL is a promise to harvesters.
void say_differences(const Config& config, const static_repository::Survey& survey) {
    if (survey.identity.base_url != config.repository.base_url)
        fmt::print(stderr, "note: the file says that it is served at {}, this repository at {}\n",
                   survey.identity.base_url, config.repository.base_url);
}

// The guidelines' gateway container. gatewayURL is what stands before the static repository's address in our
// own.
std::string gateway_description(const Config& config, const std::string& url) {
    const auto element = [](const char* name, const std::string& value) {
        std::string out = std::string("  <") + name + ">";
        xml::append_text(out, value);
        return out + "</" + name + ">\n";
    };
    const std::string rest = url.substr(url.find("://") + 3), &base = config.repository.base_url;
    const std::string gateway = base.ends_with(rest) ? base.substr(0, base.size() - rest.size()) : base;
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gateway "
        "xmlns=\"http://www.openarchives.org/OAI/2.0/gateway/\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
        "         xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/gateway/ "
        "http://www.openarchives.org/OAI/2.0/gateway.xsd\">\n";
    out +=
        element("source", url) +
        element("gatewayDescription", "http://www.openarchives.org/OAI/2.0/guidelines-static-repository.htm");
    for (const std::string& mail : config.repository.admin_email) out += element("gatewayAdmin", mail);
    return out + element("gatewayURL", gateway) + "</gateway>\n";
}

void write_file(const std::string& path, const std::string& content) {
    const std::string beside = path + ".draft";
    {
        std::ofstream out(beside, std::ios::binary | std::ios::trunc);
        out << content;
        if (!out.flush()) throw std::runtime_error(beside + ": cannot be written");
    }
    std::filesystem::rename(beside, path);
}

// Items of the collection that were not taken. Returns how many.
std::int64_t delete_missing(pg::Connection& connection, const std::string& collection,
                            const std::set<std::string>& taken) {
    const pg::Result rows = connection.query(queries::kItemsOfCollection, pg::Parameters().add(collection));
    std::vector<std::string> gone;
    std::int64_t deleted = 0;
    for (int i = 0; i <= rows.rows(); ++i) {
        if (i < rows.rows() && !taken.contains(std::string(rows.bytes(i, 0))))
            gone.emplace_back(rows.bytes(i, 0));
        if (gone.empty() || (gone.size() < kBatch && i < rows.rows())) continue;
        connection.query(queries::kChangeDeleted,
                         pg::Parameters().add(load::array_literal(gone)).add("true"));
        deleted += static_cast<std::int64_t>(gone.size());
        gone.clear();
    }
    return deleted;
}

void import(const Options& options, const Config& config, load::Input& input,
            const static_repository::Survey& survey) {
    if (config.loader.connection.empty())
        throw ConfigError("[loader] connection: required by `oai import-static`");
    pg::Connection connection(config.loader.connection, "oai import-static");
    const std::vector<std::string> collections =
        options.collection.empty() ? std::vector<std::string>{} : std::vector{options.collection};
    load::ItemStaging staging(connection, collections);
    const load::LoadReport report = static_repository::import(
        input, survey, config.repository.identifier_namespace, staging, config.loader.slice_records);
    fmt::print("{}\n", load::summary(options.source, report, true));
    if (options.delete_missing)
        fmt::print("{} deleted that are not in it any more\n",
                   delete_missing(connection, options.collection, survey.local_ids));
}

int run(const Options& options, const Invocation& invocation, const std::string& path) {
    const Config config = options.check ? Config{} : configuration(invocation);
    load::Input input = load::Input::open(path);
    const static_repository::Survey survey =
        survey_of(options, config.repository.identifier_namespace, input);
    if (options.check || survey.wrong > 0) {
        print_survey(options, survey);
        return survey.wrong == 0 ? kFine : kRefused;
    }
    say_differences(config, survey);
    import(options, config, input, survey);
    if (!options.description.empty())
        write_file(options.description, gateway_description(config, options.source));
    return kFine;
}

}  // namespace

int command_import_static(const Invocation& invocation) {
    const Options options = options_of(invocation);
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
    xml::initialise();
    if (!options.is_url()) return run(options, invocation, options.source);
    Download download;
    download.fetch(options.source);
    return run(options, invocation, download.path());
}

}  // namespace oai::command
