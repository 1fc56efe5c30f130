// SPDX-License-Identifier: MIT
// oai import-static [--collection NAME] [--delete-missing] [--check] FILE|URL
//
// oai import-static URL [--keep] [--any-base-url] [--afresh] [--description FILE [--gateway-admin
// MAIL]... [--notes URL]]
//
// oai import-static --terminate [--force] URL
#include <fmt/format.h>
#include <sodium.h>

#include <stdexcept>

#include "command/command.h"
#include "command/http_transport.h"
#include "command/static_gateway.h"
#include "command/static_source.h"
#include "tools/load/field.h"
#include "tools/static_repository/gateway.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct ImportOptions {
    std::string source;
    GatewayOptions gateway;  // its URL is the source
    bool check = false, terminate = false;
    bool is_url() const { return source.starts_with("http://") || source.starts_with("https://"); }
};

[[noreturn]] void refuse(const std::string& what) {
    fmt::print(stderr, "oai: import-static: {}\n", what);
    throw ExitRequest{kUsage};
}

void parse_options(const Invocation& invocation, ImportOptions& options) {
    GatewayOptions& gateway = options.gateway;
    parse(
        invocation,
        "Take the records of a static repository into the model library, as a gateway does.",
        {{"SOURCE", &options.source, "A file, plain or gzip, or a URL", kRequired},
         {"--collection", &gateway.collection, "File the records here, as museum"},
         {"--delete-missing", &gateway.delete_missing,
          "Items of the collection that the file has not become deleted", needs("--collection")},
         {"--check", &options.check, "Look for faults alone; no database is needed"},
         {"--description", &gateway.description,
          "Write Identify's description of this gateway to a file"},
         {"--gateway-admin", &gateway.gateway_admins,
          "Mail address in it, if not [repository] admin_email; may be repeated",
          needs("--description")},
         {"--notes", &gateway.notes, "URL in it of what else there is to know",
          needs("--description")},
         {"--keep", &gateway.keep, "Keep the records of every format as they are, to be served so"},
         {"--any-base-url", &gateway.any_base_url,
          "Serve it though its baseURL names another address than ours"},
         {"--afresh", &gateway.afresh, "Take in the whole file though it has not changed"},
         {"--terminate", &options.terminate, "End it: all records of it become deleted",
          excludes("--check")},
         {"--force", &gateway.force, "End it though the file still names this gateway",
          needs("--terminate")}});
}

// Whether there are options that only a gateway has.
bool has_gateway_options(const ImportOptions& options) {
    const GatewayOptions& gateway = options.gateway;
    return !gateway.description.empty() || gateway.any_base_url || gateway.afresh || gateway.keep ||
           options.terminate;
}

ImportOptions read_import_options(const Invocation& invocation) {
    ImportOptions options;
    parse_options(invocation, options);
    options.gateway.url = options.source;
    std::string& collection = options.gateway.collection;
    if (!collection.empty() && load::collection_name(collection).empty())
        refuse(fmt::format(
            "--collection {}: a collection is labels of A-Za-z0-9-_.!~*'() joined by ':'",
            collection));
    collection = load::collection_name(collection);
    if (!options.is_url() && has_gateway_options(options))
        refuse(
            "--description, --keep, --any-base-url, --afresh and --terminate are for a static "
            "repository that has a URL");
    if (options.is_url())
        if (const std::string why = static_repository::address_fault(options.source); !why.empty())
            refuse(why);
    return options;
}

// Fetches the file. Returns the media type that its server gives it.
std::string fetch(const std::string& url, static_repository::Download& download) {
    const auto retrieved = download.fetch(url, {}, print_and_wait);
    if (retrieved.status != 200)
        throw std::runtime_error(fmt::format("{}: HTTP status {}", url, retrieved.status));
    return retrieved.content_type.value_or("text/xml");
}

int check(const ImportOptions& options) {
    std::string path = options.source, type = "text/xml";
    static_repository::Download download;
    if (options.is_url()) {
        type = fetch(options.source, download);
        path = download.path();
    }
    const StaticSource source(options.source, path, "");
    bool sound = source.survey().faults == 0;
    for (const std::string& why :
         {static_repository::content_type_fault(type),
          static_repository::charset_fault(type, source.survey().identity.encoding)}) {
        if (!why.empty()) fmt::print(stderr, "{}: {}\n", options.source, why);
        sound &= why.empty();
    }
    source.print_survey();
    return sound ? kFine : kRefused;
}

// Imports a file that was brought here in another way: this repository is no gateway for it,
// whatever its baseURL is.
int take_file(const ImportOptions& options, const Config& config) {
    StaticSource source(options.source, options.source, config.repository.identifier_namespace);
    if (source.survey().faults > 0) {
        source.print_survey();
        return kRefused;
    }
    if (!static_repository::same_base_url(source.survey().identity.base_url,
                                          config.repository.base_url))
        fmt::print(stderr, "note: the file says that it is served at {}, this repository at {}\n",
                   source.survey().identity.base_url, config.repository.base_url);
    if (config.loader.connection.empty())
        throw ConfigError("[loader] connection: required by `oai import-static`");
    pg::Connection connection(config.loader.connection, "oai import-static");
    source.import(connection, config, options.gateway.collection);
    source.note_abouts();
    if (options.gateway.delete_missing)
        fmt::print("{} deleted that are not in it any more\n",
                   source.delete_missing(connection, options.gateway.collection));
    return kFine;
}

}  // namespace

int command_import_static(const Invocation& invocation) {
    const ImportOptions options = read_import_options(invocation);
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
    xml::initialise();
    if (options.check) return check(options);
    const Config config = configuration(invocation);
    if (!options.is_url()) return take_file(options, config);
    return options.terminate ? terminate(config, options.gateway)
                             : take_in(config, options.gateway);
}

}  // namespace oai::command
