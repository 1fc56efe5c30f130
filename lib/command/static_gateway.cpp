// SPDX-License-Identifier: MIT
#include "command/static_gateway.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "command/command.h"
#include "command/static_promise.h"
#include "command/static_source.h"
#include "http/message.h"
#include "static_repository/address.h"
#include "static_repository/intermediation.h"
#include "static_repository/retrieval.h"

namespace oai::command {
namespace {

using static_repository::Intermediation;
using static_repository::Retrieved;

constexpr int kOk = 200, kNotModified = 304, kNotFound = 404, kGone = 410;

void say_wait(std::chrono::seconds wait, const std::string& why) {
    fmt::print(stderr, "waiting {} s: {}\n", wait.count(), why);
    std::this_thread::sleep_for(wait);
}

void note(const std::string& what) { fmt::print(stderr, "note: {}\n", what); }

// What is wrong with the static repository or its server, in words that begin with its URL.
class Unfit : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

pg::Connection loader(const Config& config) {
    if (config.loader.connection.empty())
        throw ConfigError("[loader] connection: required by `oai import-static`");
    return pg::Connection(config.loader.connection, "oai import-static");
}

class Gateway {
  public:
    Gateway(const Config& config, const GatewayWish& wish)
        : config_(config), wish_(wish), promise_(config, wish), connection_(loader(config)), account_(connection_) {
        known_ = account_.read();
        if (known_ && known_->url != wish.url)
            throw std::runtime_error(fmt::format(
                "this repository is the gateway of {}: end that by `oai import-static --terminate {}`, or use a "
                "configuration and a database of its own",
                known_->url, known_->url));
    }

    int take_in() {
        promise_.require_gateway();
        try {
            const Retrieved retrieved = retrieve();
            if (retrieved.status == kNotModified) return stay();
            StaticSource source = open();
            require_sound(source.survey());
            take(source, retrieved);
            return kFine;
        } catch (const Unfit& e) {
            return go_on_without(e.what());
        }
    }

    int terminate() {
        if (!known_) throw std::runtime_error("this repository is not the gateway of " + wish_.url);
        if (const std::string why = wish_.force ? "" : why_not_ended(); !why.empty()) {
            fmt::print(stderr, "oai: {}: {}\n", wish_.url, why);
            return kRefused;
        }
        fmt::print("{}: ended, {} records deleted; tell {}\n", wish_.url, account_.end(),
                   fmt::join(known_->admin_emails, ", "));
        return kFine;
    }

  private:
    // Of a file that is taken in otherwise now, a server's "not modified" says too little.
    static_repository::Validators validators() const {
        const bool same = known_ && known_->base_url == config_.repository.base_url && known_->collection == wish_.collection &&
                          known_->keep == wish_.keep;
        return same && !wish_.afresh ? known_->validators : static_repository::Validators{};
    }

    Retrieved retrieve() {
        try {
            Retrieved retrieved = download_.fetch(wish_.url, validators(), say_wait);
            if (retrieved.status == kNotModified && !validators().none()) return retrieved;
            if (retrieved.status != kOk) throw Unfit(fmt::format("{}: HTTP status {}", wish_.url, retrieved.status));
            check_type(retrieved);
            return retrieved;
        } catch (const http::Error& e) {
            throw Unfit(e.what());
        }
    }

    void check_type(const Retrieved& retrieved) const {
        if (!retrieved.content_type)
            return note("its server gives no Content-Type: a static repository is text/xml");
        const std::string why = static_repository::why_no_type(*retrieved.content_type);
        if (!why.empty()) throw Unfit(wish_.url + ": " + why);
    }

    StaticSource open() const {
        try {
            return StaticSource(wish_.url, download_.path(), config_.repository.identifier_namespace);
        } catch (const std::runtime_error& e) {
            throw Unfit(e.what());
        }
    }

    void require_sound(const static_repository::Survey& survey) const {
        if (survey.wrong > 0) throw Unfit(fmt::format("{}: {} faults", wish_.url, survey.wrong));
        if (promise_.is_kept_by(survey.identity)) return;
        const std::string why = wish_.url + ": " + promise_.why_not_kept(survey.identity);
        if (!wish_.any_base_url) throw Unfit(why);
        note(why);
    }

    int stay() {
        account_.unchanged();
        promise_.describe();
        fmt::print("{}: not changed since it was taken in on {}\n", wish_.url, known_->taken_at);
        return kFine;
    }

    void take(StaticSource& source, const Retrieved& retrieved) {
        const static_repository::Identity& identity = source.survey().identity;
        const std::set<std::string>& local_ids = source.survey().local_ids;
        for (const std::string& difference : promise_.differences(identity)) note(difference);
        if (retrieved.validators.none())
            note("its server gives no Last-Modified, nor ETag: the whole file is asked for each time");
        else if (retrieved.validators.last_modified.empty())
            note("its server gives no Last-Modified: it is asked by ETag");
        account_.begin({.url = wish_.url,
                        .base_url = config_.repository.base_url,
                        .collection = wish_.collection,
                        .admin_emails = identity.admin_emails,
                        .keep = wish_.keep},
                       local_ids);
        source.import(connection_, config_, wish_.collection);
        if (wish_.keep) source.keep(connection_);
        std::int64_t deleted = account_.delete_others(local_ids);
        if (wish_.delete_missing) deleted += source.delete_missing(connection_, wish_.collection);
        fmt::print("{} deleted that are not in it any more\n", deleted);
        account_.taken(retrieved.validators);
        promise_.describe();
    }

    int go_on_without(const std::string& why) {
        fmt::print(stderr, "oai: {}\n", why);
        if (!known_ || known_->taken_at.empty()) return kRefused;
        account_.failed(text::to_xml_text(why));
        known_ = account_.read();
        fmt::print(stderr,
                   "oai: what was taken in on {} stays, and it has been so since {}; to serve it no longer: oai "
                   "import-static --terminate {}\n",
                   known_->taken_at, known_->failing_since, wish_.url);
        return kRefused;
    }

    // 4.2.1: "" where the file names another gateway or is gone, and so its owner wants an end.
    std::string why_not_ended() {
        try {
            const Retrieved retrieved = download_.fetch(wish_.url, {}, say_wait);
            if (retrieved.status == kNotFound || retrieved.status == kGone) return "";
            if (retrieved.status != kOk)
                return fmt::format("HTTP status {}: that does not say whether its owner wants an end; --force", retrieved.status);
            const std::string base_url = open().survey().identity.base_url;
            if (base_url.empty()) return "it has no baseURL; --force";
            if (!static_repository::same_base_url(base_url, known_->base_url)) return "";
            return "its baseURL still names this gateway: its owner changes it, or removes the file; --force";
        } catch (const http::Error& e) {
            return fmt::format("{}; that does not say whether its owner wants an end; --force", e.what());
        } catch (const std::runtime_error& e) {
            return fmt::format("{}; --force", e.what());
        }
    }

    const Config& config_;
    const GatewayWish& wish_;
    const StaticPromise promise_;
    pg::Connection connection_;
    static_repository::Account account_;
    static_repository::Download download_;
    std::optional<Intermediation> known_;
};

}  // namespace

int take_in(const Config& config, const GatewayWish& wish) { return Gateway(config, wish).take_in(); }

int terminate(const Config& config, const GatewayWish& wish) { return Gateway(config, wish).terminate(); }

}  // namespace oai::command
