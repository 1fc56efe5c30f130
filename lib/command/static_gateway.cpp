// SPDX-License-Identifier: MIT
#include "command/static_gateway.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/config.h"
#include "base/text.h"
#include "command/command.h"
#include "command/http_transport.h"
#include "command/static_source.h"
#include "tools/http_client/client.h"
#include "tools/static_repository/gateway.h"
#include "tools/static_repository/importer.h"
#include "tools/static_repository/reader.h"

namespace oai::command {
namespace {

void write_file(const std::string& path, const std::string& content) {
    const std::string beside = path + ".draft";
    {
        std::ofstream out(beside, std::ios::binary | std::ios::trunc);
        out << content;
        if (!out.flush()) throw std::runtime_error(beside + ": cannot be written");
    }
    std::filesystem::rename(beside, path);
}

// What the file of a static repository and the configuration of its gateway must agree in: the base
// URL (specification, 3.2), and the name and addresses in Identify (4.4.1). Keeps references to its
// arguments.
class GatewayAgreement {
  public:
    GatewayAgreement(const Config& config, const GatewayOptions& options)
        : repository_(config.repository), options_(options) {}

    // Throws std::runtime_error in words if this repository's base URL is not that of a gateway for
    // the file.
    void require_gateway() const {
        if (options_.any_base_url ||
            static_repository::gateway_url(repository_.base_url, options_.url))
            return;
        throw std::runtime_error(fmt::format(
            "[repository] base_url is {}; a gateway serves this static repository at its own "
            "address and the file's, as {}. Let base_url be so, or serve it at another one by "
            "--any-base-url",
            repository_.base_url,
            static_repository::gateway_base_url("https://gateway.example.org/oai", options_.url)));
    }

    bool has_our_base_url(const static_repository::StaticIdentity& identity) const {
        return static_repository::same_base_url(identity.base_url, repository_.base_url);
    }

    std::string base_url_difference(const static_repository::StaticIdentity& identity) const {
        return fmt::format(
            "its baseURL is {0}, and this gateway serves it at {1}. Its owner wants this gateway "
            "and writes <oai:baseURL>{1}</oai:baseURL> into the file, or has chosen another one",
            identity.base_url, repository_.base_url);
    }

    // A line for each key of oai.ini that answers Identify otherwise than the file, with the value
    // that it should have.
    std::vector<std::string> differences(const static_repository::StaticIdentity& identity) const {
        std::vector<std::string> all;
        if (identity.name != repository_.name)
            all.push_back(fmt::format(
                "oai.ini answers to Identify otherwise than the file: [repository] name = {}",
                identity.name));
        if (identity.admin_emails != repository_.admin_email)
            all.push_back(
                fmt::format("oai.ini answers to Identify otherwise than the file: [repository] "
                            "admin_email = {}",
                            fmt::join(identity.admin_emails, ", ")));
        return all;
    }

    // Writes Identify's gateway container if the options name a file for it. Throws
    // std::runtime_error.
    void describe() const {
        if (options_.description.empty()) return;
        const auto url = static_repository::gateway_url(repository_.base_url, options_.url);
        write_file(options_.description,
                   static_repository::gateway_description({.source = options_.url,
                                                           .admins = options_.gateway_admins.empty()
                                                                         ? repository_.admin_email
                                                                         : options_.gateway_admins,
                                                           .url = url.value_or(""),
                                                           .notes = options_.notes}));
    }

  private:
    const Config::Repository& repository_;
    const GatewayOptions& options_;
};

using static_repository::Intermediation;
using static_repository::RetrievalResult;

constexpr int kOk = 200, kNotModified = 304, kNotFound = 404, kGone = 410;

void note(const std::string& what) { fmt::print(stderr, "note: {}\n", what); }

// The static repository or its server is at fault; the message begins with its URL.
class UnusableSource : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

pg::Connection loader(const Config& config) {
    if (config.loader.connection.empty())
        throw ConfigError("[loader] connection: required by `oai import-static`");
    return pg::Connection(config.loader.connection, "oai import-static");
}

class Gateway {
  public:
    Gateway(const Config& config, const GatewayOptions& options)
        : config_(config),
          options_(options),
          agreement_(config, options),
          connection_(loader(config)),
          state_(connection_) {
        known_ = state_.read();
        if (known_ && known_->url != options.url)
            throw std::runtime_error(
                fmt::format("this repository is the gateway of {}: end that by `oai import-static "
                            "--terminate {}`, or use a configuration and a database of its own",
                            known_->url, known_->url));
    }

    int take_in() {
        agreement_.require_gateway();
        try {
            const RetrievalResult retrieved = retrieve();
            if (retrieved.status == kNotModified) return finish_unchanged();
            StaticSource source = open();
            require_sound(source.survey());
            if (const std::string why = static_repository::charset_fault(
                    retrieved.content_type.value_or(""), source.survey().identity.encoding);
                !why.empty())
                throw UnusableSource(options_.url + ": " + why);
            take(source, retrieved);
            return kFine;
        } catch (const UnusableSource& e) {
            return finish_unusable(e.what());
        }
    }

    int terminate() {
        if (!known_)
            throw std::runtime_error("this repository is not the gateway of " + options_.url);
        if (const std::string why = options_.force ? "" : reason_to_go_on(); !why.empty()) {
            fmt::print(stderr, "oai: {}: {}\n", options_.url, why);
            return kRefused;
        }
        fmt::print("{}: ended, {} records deleted; tell {}\n", options_.url, state_.end(),
                   fmt::join(known_->admin_emails, ", "));
        return kFine;
    }

  private:
    // None if the file is to be taken in with other options than last time: then the server must
    // send it although it has not changed.
    static_repository::Validators validators() const {
        const bool same = known_ && known_->base_url == config_.repository.base_url &&
                          known_->collection == options_.collection &&
                          known_->keep == options_.keep;
        return same && !options_.afresh ? known_->validators : static_repository::Validators{};
    }

    RetrievalResult retrieve() {
        try {
            RetrievalResult retrieved = download_.fetch(options_.url, validators(), print_and_wait);
            if (retrieved.status == kNotModified && !validators().empty()) return retrieved;
            if (retrieved.status != kOk)
                throw UnusableSource(
                    fmt::format("{}: HTTP status {}", options_.url, retrieved.status));
            check_type(retrieved);
            return retrieved;
        } catch (const http::TransferError& e) {
            throw UnusableSource(e.what());
        }
    }

    void check_type(const RetrievalResult& retrieved) const {
        if (!retrieved.content_type)
            return note("its server gives no Content-Type: a static repository is text/xml");
        const std::string why = static_repository::content_type_fault(*retrieved.content_type);
        if (!why.empty()) throw UnusableSource(options_.url + ": " + why);
    }

    StaticSource open() const {
        try {
            return StaticSource(options_.url, download_.path(),
                                config_.repository.identifier_namespace);
        } catch (const std::runtime_error& e) {
            throw UnusableSource(e.what());
        }
    }

    void require_sound(const static_repository::RepositorySurvey& survey) const {
        if (survey.faults > 0)
            throw UnusableSource(fmt::format("{}: {} faults", options_.url, survey.faults));
        if (agreement_.has_our_base_url(survey.identity)) return;
        const std::string why =
            options_.url + ": " + agreement_.base_url_difference(survey.identity);
        if (!options_.any_base_url) throw UnusableSource(why);
        note(why);
    }

    int finish_unchanged() {
        state_.note_unchanged();
        agreement_.describe();
        fmt::print("{}: not changed since it was taken in on {}\n", options_.url, known_->taken_at);
        return kFine;
    }

    void take(StaticSource& source, const RetrievalResult& retrieved) {
        const static_repository::StaticIdentity& identity = source.survey().identity;
        const std::set<std::string>& local_ids = source.survey().local_ids;
        for (const std::string& difference : agreement_.differences(identity)) note(difference);
        if (retrieved.validators.empty())
            note(
                "its server gives no Last-Modified, nor ETag: the whole file is asked for each "
                "time");
        else if (retrieved.validators.last_modified.empty())
            note("its server gives no Last-Modified: it is asked by ETag");
        state_.begin({.url = options_.url,
                      .base_url = config_.repository.base_url,
                      .collection = options_.collection,
                      .admin_emails = identity.admin_emails,
                      .keep = options_.keep},
                     local_ids);
        source.import(connection_, config_, options_.collection);
        if (options_.keep) {
            state_.note_formats(source.survey().formats);
            source.keep(connection_);
        } else {
            source.note_abouts();
        }
        std::int64_t deleted = state_.delete_others(local_ids);
        if (options_.delete_missing)
            deleted += source.delete_missing(connection_, options_.collection);
        fmt::print("{} deleted that are not in it any more\n", deleted);
        state_.finish(retrieved.validators);
        agreement_.describe();
    }

    int finish_unusable(const std::string& why) {
        fmt::print(stderr, "oai: {}\n", why);
        if (!known_ || known_->taken_at.empty()) return kRefused;
        state_.note_failure(text::to_xml_text(why));
        known_ = state_.read();
        fmt::print(stderr,
                   "oai: what was taken in on {} stays, and it has been so since {}; to serve it "
                   "no longer: oai import-static --terminate {}\n",
                   known_->taken_at, known_->failing_since, options_.url);
        return kRefused;
    }

    // Specification, 4.2.1: "" if the file names another gateway or is gone, which means that its
    // owner wants the service to end; else why it is not clear that he does.
    std::string reason_to_go_on() {
        try {
            const RetrievalResult retrieved = download_.fetch(options_.url, {}, print_and_wait);
            if (retrieved.status == kNotFound || retrieved.status == kGone) return "";
            if (retrieved.status != kOk)
                return fmt::format(
                    "HTTP status {}: that does not say whether its owner wants an end; --force",
                    retrieved.status);
            const std::string base_url = open().survey().identity.base_url;
            if (base_url.empty()) return "it has no baseURL; --force";
            if (!static_repository::same_base_url(base_url, known_->base_url)) return "";
            return "its baseURL still names this gateway: its owner changes it, or removes the "
                   "file; --force";
        } catch (const http::TransferError& e) {
            return fmt::format("{}; that does not say whether its owner wants an end; --force",
                               e.what());
        } catch (const std::runtime_error& e) {
            return fmt::format("{}; --force", e.what());
        }
    }

    const Config& config_;
    const GatewayOptions& options_;
    const GatewayAgreement agreement_;
    pg::Connection connection_;
    static_repository::SourceState state_;
    static_repository::Download download_;
    std::optional<Intermediation> known_;
};

}  // namespace

int take_in(const Config& config, const GatewayOptions& options) {
    return Gateway(config, options).take_in();
}

int terminate(const Config& config, const GatewayOptions& options) {
    return Gateway(config, options).terminate();
}

}  // namespace oai::command
