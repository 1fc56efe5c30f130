// SPDX-License-Identifier: MIT
#include "tools/dump/dump.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "protocol/envelope.h"
#include "tools/dump/file.h"
#include "verb/handler.h"
#include "xml/document.h"

namespace oai::dump {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxFailed = 1000;  // named; all are counted

// A directory of a dump: its manifest, and the lock that one process has.
class Directory {
  public:
    explicit Directory(const std::string& path) : path_(path), lock_(lock_in(path)) {
        for (const auto& entry : fs::directory_iterator(path_))
            if (entry.path().extension() == ".part") fs::remove(entry.path());
        manifest = read("manifest.json");
        if (!manifest.is_null()) read_manifest(manifest.dump());
    }

    std::string path(const std::string& name) const { return path_ + "/" + name; }
    // null: there is no such file.
    Json read(const std::string& name) const {
        if (!fs::exists(path(name))) return {};
        try {
            return Json::parse(xml::read_file(path(name)));
        } catch (const Json::exception& e) {
            throw std::runtime_error(path(name) + ": not written by oai dump: " + e.what());
        }
    }
    void remove_run(const std::string& run) const {
        for (const auto& entry : fs::directory_iterator(path_))
            if (entry.path().filename().string().starts_with(run + "-")) fs::remove(entry.path());
    }

    Json manifest;

  private:
    static Fd lock_in(const std::string& path) {
        Fd lock(::open((path + "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
        if (lock.get() < 0) fail_at(path);
        if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
            throw std::runtime_error(path + ": another oai dump is writing it");
        return lock;
    }

    const std::string path_;
    const Fd lock_;
};

// The list cannot be continued: its numbers are another's, or are lost.
struct Renumbered {};

// Of all that makes the records of the format what they are, beside the records.
std::string checksum_of(const Context& context, const Format& format) {
    const Config::Repository& facts = context.repository.facts;
    Checksum sum;
    std::vector<const Format*> stylesheets = context.formats->abouts_of(format);
    stylesheets.insert(stylesheets.begin(), &format);
    for (const Format* stylesheet : stylesheets)
        for (const std::string& path : stylesheet->files()) sum.add(xml::read_file(path));
    sum.add(fmt::format("\n{}\n{}\n{}{}", facts.base_url, context.repository.identifier_prefix,
                        facts.sets, static_cast<int>(facts.deleted_record)));
    return sum.hex();
}

// One list while it is brought up to date.
class ListDump {
  public:
    // known: the list in the manifest, or null.
    ListDump(const Context& context, const DumpOptions& options, const Directory& directory,
             const Format& format, Json known)
        : context_(context),
          options_(options),
          directory_(directory),
          format_(format),
          known_(std::move(known)),
          progress_name_("." + format.prefix + ".progress"),
          settings_(settings()) {}

    Json run();
    const std::string& summary() const { return summary_; }

  private:
    Json settings() const;
    bool needs_whole() const;
    void begin(bool whole);
    bool resume();
    void go_to(const Json& number, const Json& reach, const Json& horizon);
    void read_pages();
    VerbResult ask() const;
    void write(const VerbResult& page);
    void open_files(const Horizon& horizon);
    void save_progress() const;
    void close_files();
    Json finish();

    const Context& context_;
    const DumpOptions& options_;
    const Directory& directory_;
    const Format& format_;
    Json known_;
    const std::string progress_name_;
    Json settings_;  // of the list: if they change, so may each of its records
    Json part_;      // as the manifest will have it
    // What is asked for next: the first page where it has no number.
    ResumptionToken position_{};
    bool first_ = true;
    Seconds response_date_{};
    std::vector<OutputFile> files_;  // one for each form
    Json file_;                      // what the manifest says of each of them
    std::string summary_;
};

Json ListDump::settings() const {
    const auto since = since_of(format_, context_.last_horizon());
    return {{"metadataPrefix", format_.prefix},
            {"schema", format_.schema},
            {"metadataNamespace", format_.metadata_namespace},
            {"since", since ? Json(print_datestamp(*since)) : Json()},
            {"checksum", checksum_of(context_, format_)},
            {"epoch", std::to_string(context_.last_horizon().epoch)},
            {"forms", options_.forms}};
}

// Differences are right only where all is told as a change, deletions included, and worth their
// files only while the whole is more.
bool ListDump::needs_whole() const {
    if (options_.whole || known_.is_null()) return true;
    if (context_.repository.facts.deleted_record != DeletedRecord::persistent) return true;
    for (const auto& [name, value] : settings_.items())
        if (known_[name] != value) return true;
    const Json& parts = known_["parts"];
    std::int64_t changed = 0;
    for (const Json& part : parts) changed += part["records"].get<std::int64_t>();
    return changed > 2 * parts[0]["records"].get<std::int64_t>();
}

void ListDump::begin(bool whole) {
    std::string moment = print_datestamp(context_.clock.now());
    std::erase_if(moment, [](char c) { return c == '-' || c == ':'; });
    std::string run = format_.prefix + "-" + moment;
    const auto is_taken = [&] {
        return fs::exists(directory_.path(run + "-1." + options_.forms[0] + ".gz"));
    };
    while (is_taken()) run += "x";
    first_ = whole;
    if (!whole) go_to(known_["number"], known_["number"], known_["horizon"]);
    const std::int64_t from = whole ? 0 : position_.after;
    part_ = {{"kind", whole ? "whole" : "difference"},
             {"run", run},
             {"from", from},
             {"to", from},
             {"records", 0},
             {"deleted", 0},
             {"failures", 0},
             {"failed", Json::array()},
             {"files", Json::array()}};
    save_progress();  // before its files, which have a name that only this says
}

// The list goes on behind the number; it was seen up to `reach` and the second `horizon`.
void ListDump::go_to(const Json& number, const Json& reach, const Json& horizon) {
    first_ = false;
    position_ = {};
    position_.verb = Verb::list_records;
    position_.metadata_prefix = format_.prefix;
    position_.epoch = std::stoull(settings_["epoch"].get<std::string>());
    position_.after = number;
    position_.reach = reach;
    position_.horizon = Seconds{std::chrono::seconds{horizon.get<std::int64_t>()}};
}

// Goes on where a dump was killed, unless it cannot.
bool ListDump::resume() {
    const Json progress = directory_.read(progress_name_);
    if (progress.is_null()) return false;
    const Json& part = progress["part"];
    const Json parts = known_.is_null() ? Json::array() : known_["parts"];
    if (std::any_of(parts.begin(), parts.end(),
                    [&](const Json& other) { return other["run"] == part["run"]; }))
        return false;  // killed behind the manifest, which has it
    if (progress["settings"] != settings_ || (options_.whole && part["kind"] != "whole") ||
        (part["kind"] != "whole" && (known_.is_null() || known_["number"] != part["from"]))) {
        directory_.remove_run(part["run"]);
        return false;
    }
    part_ = part;
    if (part_["to"] != 0) go_to(part_["to"], progress["reach"], progress["horizon"]);
    return true;
}

Json ListDump::run() {
    if (!resume()) begin(needs_whole());
    try {
        read_pages();
    } catch (const Renumbered&) {
        files_.clear();
        directory_.remove_run(part_["run"]);
        begin(true);
        read_pages();
    }
    return finish();
}

VerbResult ListDump::ask() const {
    ParsedArguments parsed{.verb = Verb::list_records, .arguments = {}, .errors = {}, .echo = {}};
    parsed.arguments.verb = Verb::list_records;
    parsed.arguments.metadata_prefix = format_.prefix;
    if (!first_) parsed.arguments.token = position_;
    VerbResult page = run_verb(context_, parsed);
    if (!page.fault.empty()) throw Fault(page.fault);
    for (const OaiError& error : page.errors) {
        if (error.code == ErrorCode::bad_resumption_token) throw Renumbered{};
        if (error.code != ErrorCode::no_records_match) throw Fault(error.message);
    }
    return page;
}

// All numbers up to the horizon of the last page's snapshot were read, and perhaps more.
void ListDump::read_pages() {
    for (;;) {
        const VerbResult page = ask();
        settings_["epoch"] = std::to_string(page.horizon.epoch);
        position_.reach = page.horizon.last_seq;
        position_.horizon = page.horizon.h;
        response_date_ = response_date(page.horizon);
        const bool more = !page.next_token.empty();
        if (page.errors.empty()) write(page);
        part_["to"] =
            more
                ? page.last_seq
                : std::max({part_["to"].get<std::int64_t>(), page.last_seq, page.horizon.last_seq});
        const bool is_full = std::any_of(files_.begin(), files_.end(), [&](const OutputFile& f) {
            return f.bytes() >= options_.file_bytes;
        });
        if (!more || is_full) close_files();
        if (!more) return;
        position_ = *context_.sealer.open(page.next_token);
        first_ = false;
    }
}

void ListDump::open_files(const Horizon& horizon) {
    const std::size_t number = part_["files"].size() / options_.forms.size() + 1;
    file_ = {{"from", part_["to"]}, {"to", 0}, {"records", 0}, {"deleted", 0}};
    for (const std::string& form : options_.forms) {
        files_.emplace_back(directory_.path(
            fmt::format("{}-{}.{}.gz", part_["run"].get<std::string>(), number, form)));
        if (form == "jsonl") continue;
        Envelope head(response_date(horizon), context_.repository.facts.base_url,
                      {{"verb", "ListRecords"}, {"metadataPrefix", format_.prefix}});
        head.open(Verb::list_records);
        files_.back().add(head.body());
    }
}

void ListDump::write(const VerbResult& page) {
    std::string_view records = page.records_text();
    records.remove_prefix(records.find('\n') + 1);  // <ListRecords>
    if (files_.empty()) open_files(page.horizon);
    for (std::size_t i = 0; i < files_.size(); ++i)
        files_[i].add(options_.forms[i] == "jsonl" ? json_lines(records) : std::string(records));
    const std::int64_t deleted = count_deleted(records);
    for (Json* counts : {&part_, &file_}) {
        (*counts)["records"] = (*counts)["records"].get<std::int64_t>() + page.stats.records;
        (*counts)["deleted"] = (*counts)["deleted"].get<std::int64_t>() + deleted;
    }
    note_datestamps(records, file_);
    part_["failures"] = part_["failures"].get<std::size_t>() + page.stats.bad_records.size();
    for (const BadRecord& bad : page.stats.bad_records)
        if (part_["failed"].size() < kMaxFailed)
            part_["failed"].push_back({{"identifier", bad.identifier}, {"why", bad.why}});
}

void ListDump::save_progress() const {
    replace_file(directory_.path(progress_name_),
                 Json{{"settings", settings_},
                      {"part", part_},
                      {"reach", position_.reach},
                      {"horizon", position_.horizon.time_since_epoch().count()}}
                     .dump());
}

// A dump that is killed from now on goes on behind these files.
void ListDump::close_files() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (options_.forms[i] == "xml") files_[i].add("</ListRecords>\n</OAI-PMH>\n");
        Json file = {{"name", files_[i].name()}, {"form", options_.forms[i]}};
        file["sha256"] = files_[i].finish();
        file["bytes"] = files_[i].bytes();
        file.update(file_);
        file["to"] = part_["to"];
        part_["files"].push_back(std::move(file));
    }
    files_.clear();
    save_progress();
}

// A part without records needs no files: the one before covers its numbers.
Json ListDump::finish() {
    Json list = settings_;
    list["number"] = part_["to"];
    list["horizon"] = position_.horizon.time_since_epoch().count();
    list["responseDate"] = print_datestamp(response_date_);
    list["parts"] = part_["kind"] == "whole" ? Json::array() : known_["parts"];
    if (part_["records"] == 0 && !list["parts"].empty())
        list["parts"].back()["to"] = part_["to"];
    else
        list["parts"].push_back(part_);
    summary_ =
        fmt::format("{}: {}, {} records, {} of them deleted, {} failed, up to number {}",
                    format_.prefix, part_["kind"].get<std::string>(),
                    part_["records"].get<std::int64_t>(), part_["deleted"].get<std::int64_t>(),
                    part_["failures"].get<std::int64_t>(), part_["to"].get<std::int64_t>());
    return list;
}

std::map<std::string, std::string> checksums_of_files(const Json& manifest) {
    std::map<std::string, std::string> sums;  // by name
    for (const Json& list : manifest["lists"])
        for (const Json& part : list["parts"])
            for (const Json& file : part["files"]) sums[file["name"]] = file["sha256"];
    return sums;
}

// What is no more in the manifest stays for some days, for those who are fetching it.
Json retire(const Directory& directory, const Json& manifest, Seconds now, int days) {
    const auto kept = checksums_of_files(manifest);
    Json retired = Json::array();
    const auto add = [&](const std::string& name, std::int64_t since) {
        if (kept.contains(name)) return;
        if (now.time_since_epoch() - std::chrono::seconds{since} >= std::chrono::days{days})
            fs::remove(directory.path(name));
        else
            retired.push_back({{"name", name}, {"since", since}});
    };
    const Json& before = directory.manifest;
    if (before.is_null()) return retired;
    for (const Json& file : before["retired"]) add(file["name"], file["since"]);
    for (const auto& [name, sum] : checksums_of_files(before))
        add(name, now.time_since_epoch().count());
    return retired;
}

std::string checksums(const Json& manifest) {
    std::string sums;
    for (const auto& [name, sum] : checksums_of_files(manifest))
        sums += fmt::format("{}  {}\n", sum, name);
    return sums;
}

const Json* list_of(const Json& manifest, const std::string& prefix) {
    if (!manifest.is_null())
        for (const Json& list : manifest["lists"])
            if (list["metadataPrefix"] == prefix) return &list;
    return nullptr;
}

// What the options leave open is as it was.
DumpOptions completed(DumpOptions options, const Json& manifest) {
    if (!manifest.is_null()) {
        for (const Json& list : manifest["lists"]) {
            if (options.forms.empty()) options.forms = list["forms"];
            if (&list == &manifest["lists"].front() && !options.prefixes.empty()) break;
            options.prefixes.push_back(list["metadataPrefix"]);
        }
    }
    if (options.prefixes.empty()) options.prefixes = {"oai_dc"};
    if (options.forms.empty()) options.forms = {"xml"};
    return options;
}

}  // namespace

std::string checksum_of_files(const FormatRegistry& formats) {
    Checksum sum;
    for (const auto& format : formats.formats())
        for (const std::string& path : format->files()) sum.add(xml::read_file(path));
    return sum.hex();
}

std::vector<std::string> update(const Context& context, const DumpOptions& given) {
    const Directory directory(given.directory);
    const DumpOptions options = completed(given, directory.manifest);
    Json manifest = {{"manifest", kVersion},
                     {"repositoryName", context.repository.facts.name},
                     {"baseURL", context.repository.facts.base_url},
                     {"lists", Json::array()}};
    std::deque<ListDump> lists;  // with the stylesheets as they are now
    for (const std::string& prefix : options.prefixes) {
        const Format* format = context.formats->find(prefix);
        if (format == nullptr) throw Fault("there is no format " + prefix);
        const Json* known = list_of(directory.manifest, format->prefix);
        lists.emplace_back(context, options, directory, *format,
                           known == nullptr ? Json() : *known);
    }
    std::vector<std::string> summaries;
    for (ListDump& list : lists) {
        manifest["lists"].push_back(list.run());
        summaries.push_back(list.summary());
    }
    const Seconds now = context.clock.now();
    manifest["written"] = print_datestamp(now);
    manifest["retired"] = retire(directory, manifest, now, options.days);
    replace_file(directory.path("SHA256SUMS"), checksums(manifest));
    replace_file(directory.path("manifest.json"), manifest.dump(1) + "\n");
    for (const std::string& prefix : options.prefixes)
        fs::remove(directory.path("." + context.formats->find(prefix)->prefix + ".progress"));
    return summaries;
}

}  // namespace oai::dump
