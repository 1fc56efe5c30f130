// SPDX-License-Identifier: MIT
#include "command/harvest_sources.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "aggregate/database_sink.h"
#include "aggregate/sources.h"
#include "base/text.h"
#include "command/command.h"
#include "http/client.h"
#include "xml/document.h"

namespace oai::command {
namespace {

using aggregate::Source;

// SIGTERM and SIGINT, blocked in all threads and asked for.
class StopSignals {
  public:
    StopSignals() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGTERM);
        sigaddset(&set_, SIGINT);
        pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    }
    bool asked() {
        const timespec now{};
        if (!asked_ && sigtimedwait(&set_, nullptr, &now) > 0) asked_ = true;
        return asked_;
    }

  private:
    sigset_t set_{};
    std::atomic<bool> asked_{false};
};

// Whole lines, whichever thread they are from.
class Lines {
  public:
    void say(std::FILE* to, const std::string& name, const std::string& what) {
        const std::lock_guard lock(mutex_);
        fmt::print(to, "{}: {}\n", name, text::to_xml_text(what));
        std::fflush(to);
    }

  private:
    std::mutex mutex_;
};

class SourceListener final : public harvest::Listener {
  public:
    SourceListener(const Source& source, Lines& lines, StopSignals& signals)
        : source_(source), lines_(lines), signals_(signals) {}
    void at(const harvest::Position& position) override {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_ || ::isatty(STDERR_FILENO) == 0) return;
        next_ = now + std::chrono::seconds{1};
        lines_.say(stderr, source_.name, progress_of(position, now));
    }
    void note(const std::string& what) override { lines_.say(stderr, source_.name, what); }
    bool stop() const override { return signals_.asked(); }

  private:
    using Time = std::chrono::steady_clock::time_point;

    // "oai_dc: 4200 of 100000 records, 3:20 left"
    std::string progress_of(const harvest::Position& position, Time now) {
        const std::string list = position.list.prefix + (position.list.set_spec.empty() ? "" : " set=") + position.list.set_spec;
        if (list != list_) {
            list_ = list;
            begun_ = now;
            begun_records_ = position.records;
        }
        const double seconds = std::chrono::duration<double>(now - begun_).count();
        const auto taken = position.records - begun_records_;
        std::string out = fmt::format("{}: {}", list, position.records);
        if (!position.list_size || *position.list_size < position.records || taken <= 0) return out + " records";
        const auto left = static_cast<std::int64_t>(static_cast<double>(*position.list_size - position.records) * seconds /
                                                    static_cast<double>(taken));
        return out + fmt::format(" of {} records, {}:{:02} left", *position.list_size, left / 60, left % 60);
    }

    const Source& source_;
    Lines& lines_;
    StopSignals& signals_;
    Time next_{}, begun_{};
    std::string list_;
    std::int64_t begun_records_ = 0;
};

harvest::Wish wish_of(const Source& source, const SourceChoice& choice) {
    harvest::Wish wish;
    wish.url = source.base_url;
    wish.prefixes = {aggregate::kDescribing};
    wish.prefixes.insert(wish.prefixes.end(), source.formats.begin(), source.formats.end());
    wish.set_specs = source.sets;
    wish.full = choice.full;
    wish.sets_too = true;
    wish.overlap = source.overlap;
    wish.most_records = choice.most_records;
    return wish;
}

std::string summary(const harvest::Outcome& outcome, const aggregate::Tally& tally) {
    std::string out = fmt::format("{}: {} records ({} new, {} changed, {} deleted there", aggregate::name_of(outcome.kind),
                                  outcome.records, tally.inserted, tally.updated, outcome.deleted);
    if (tally.missing > 0) out += fmt::format(", {} no longer found", tally.missing);
    if (tally.left_deleted > 0) out += fmt::format(", {} deleted here", tally.left_deleted);
    if (tally.refused > 0) out += fmt::format(", {} refused", tally.refused);
    return out + ")" + (outcome.why.empty() ? "" : ": " + outcome.why);
}

// Everything that goes wrong with one repository is that one's problem.
class Harvesting {
  public:
    Harvesting(const Config& config, const SourceChoice& choice) : config_(config), choice_(choice) {}

    // By threads, each of which takes the next host that nobody has.
    bool run(std::vector<std::vector<Source>> by_host) {
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i = next++; i < by_host.size(); i = next++)
                for (const Source& source : by_host[i]) run_one(source);
        };
        const auto count = std::min(by_host.size(), static_cast<std::size_t>(config_.harvest.repositories));
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
        threads.clear();
        return well_;
    }

  private:
    void run_one(const Source& source) {
        if (signals_.asked()) {
            well_ = false;
            return;
        }
        try {
            if (!harvest_one(source)) well_ = false;
        } catch (const std::exception& e) {
            well_ = false;
            lines_.say(stderr, source.name, e.what());
        }
    }

    bool harvest_one(const Source& source) {
        pg::Connection connection(config_.loader.connection, "oai harvest");
        const aggregate::Normaliser normaliser(config_.harvest.normalise, source.normalise);
        SourceListener listener(source, lines_, signals_);
        aggregate::DatabaseSink sink(connection, source, normaliser, listener,
                                     {"oai:" + config_.repository.identifier_namespace + ":",
                                      std::min(config_.loader.slice_records, 5000)});
        http::Options options;
        options.from = config_.repository.admin_email.empty() ? "" : config_.repository.admin_email.front();
        http::Client client(options);
        const harvest::Outcome outcome = harvest::harvest(client, wish_of(source, choice_), sink, listener);
        sink.flush();
        aggregate::note_run(connection, source, outcome);
        lines_.say(stdout, source.name, summary(outcome, sink.tally()));
        return outcome.kind == harvest::Outcome::Kind::complete;
    }

    const Config& config_;
    const SourceChoice& choice_;
    StopSignals signals_;
    Lines lines_;
    std::atomic<bool> well_{true};
};

std::vector<Source> chosen(const Config& config, const SourceChoice& choice) {
    pg::Connection connection(config.loader.connection, "oai harvest");
    aggregate::require_library(connection);
    std::vector<Source> sources;
    for (auto& [source, due] : aggregate::read_sources(connection, choice.names))
        if (due || !choice.due) sources.push_back(std::move(source));
    for (const std::string& name : choice.names)
        if (std::none_of(sources.begin(), sources.end(), [&](const Source& s) { return s.name == name; }) && !choice.due)
            throw std::runtime_error(name + ": no such repository; oai repository list has them");
    return sources;
}

// "http://a.example:8080/oai" -> "a.example:8080"
std::string host_of(const std::string& url) {
    const auto begin = url.find("://") + 3;
    return url.substr(begin, url.find('/', begin) - begin);
}

}  // namespace

int harvest_sources(const Config& config, const std::string& config_path, const SourceChoice& choice) {
    if (config.loader.connection.empty())
        throw ConfigError(config_path + ": [loader] connection: required to harvest into the database");
    xml::initialise();
    std::map<std::string, std::vector<Source>> hosts;
    for (Source& source : chosen(config, choice)) hosts[host_of(source.base_url)].push_back(std::move(source));
    std::vector<std::vector<Source>> by_host;
    for (auto& [host, sources] : hosts) by_host.push_back(std::move(sources));
    return Harvesting(config, choice).run(std::move(by_host)) ? kFine : kRefused;
}

}  // namespace oai::command
