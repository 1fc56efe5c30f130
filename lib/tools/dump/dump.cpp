// SPDX-License-Identifier: MIT
#include "tools/dump/dump.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <re2/re2.h>
#include <sys/file.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/new_file.h"
#include "base/text.h"
#include "protocol/envelope.h"
#include "verb/handler.h"
#include "web/response.h"
#include "xml/document.h"
#include "xml/push_parser.h"

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

template <class Node>  // an element or an attribute
std::string qualified_name(const Node* node) {
    std::string name(xml::view(node->name));
    if (node->ns == nullptr || node->ns->prefix == nullptr) return name;
    return std::string(xml::view(node->ns->prefix)) + ":" + name;
}

Json value_of(const xmlNode* element) {
    Json object = Json::object();
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next) {
        if (xml::view(a->name) == "schemaLocation") continue;
        const xml::StringHandle value(xmlNodeGetContent(reinterpret_cast<const xmlNode*>(a)));
        object["@" + qualified_name(a)] = xml::view(value.get());
    }
    std::string text;
    for (const xmlNode* n = element->children; n != nullptr; n = n->next)
        if (xml::is_element(n))
            object[qualified_name(n)].push_back(value_of(n));
        else
            text += xml::view(n->content);
    if (object.empty()) return text;
    if (!text::trim(text).empty()) object["#text"] = text;
    return object;
}

Json json_of(const xmlNode* record) {
    Json json = Json::object();
    for (const xmlNode* part : xml::children_of(record)) {
        const std::string_view name = xml::name_of(part);
        if (name == "header") {
            json = {{"identifier", ""}, {"datestamp", ""}, {"deleted", false}};
            json["deleted"] = xml::attribute_of(part, "status") == "deleted";
            json["sets"] = Json::array();
            for (const xmlNode* n : xml::children_of(part))
                if (xml::name_of(n) == "setSpec")
                    json["sets"].push_back(xml::text_of(n));
                else
                    json[std::string(xml::name_of(n))] = xml::text_of(n);
        }
        const xmlNode* const inside = xml::child_of(part);
        if (name == "metadata" && inside != nullptr) json["metadata"] = value_of(inside);
        if (name == "about" && inside != nullptr)
            json["about"].push_back({{qualified_name(inside), value_of(inside)}});
    }
    return json;
}

// Of <record> elements as ListRecords has them, each on a line of its own, a line for each:
// {"identifier", "datestamp", "deleted", "sets", "metadata", "about"}. An element is its text, or,
// where it has attributes or elements, an object: "@NAME" of attributes, "#text", and by the name
// of each element the array of them.
std::string json_lines(std::string_view records) {
    const xml::DocumentHandle document =
        xml::parse_memory("<r>" + std::string(records) + "</r>", "records");
    std::string lines;
    for (const xmlNode* n : xml::children_of(xmlDocGetRootElement(document.get())))
        lines += json_of(n).dump() + "\n";
    return lines;
}

// How many of them are deleted, and the datestamps of the first and the last one.
struct PageFacts {
    std::int64_t deleted = 0;
    std::string first{}, last{};
};

PageFacts facts_of(std::string_view records) {
    static const RE2 kHeader(R"((?:^|\n)<record><header( status="deleted")?><identifier>[^<]*)"
                             R"(</identifier><datestamp>([^<]*))");
    PageFacts facts;
    re2::StringPiece rest(records.data(), records.size()), deleted;
    while (RE2::FindAndConsume(&rest, kHeader, &deleted, &facts.last)) {
        facts.deleted += !deleted.empty();
        if (facts.first.empty()) facts.first = facts.last;
    }
    return facts;
}

// Written durably under another name, in members of gzip.
class OutputFile {
  public:
    explicit OutputFile(std::string path) : out_(std::move(path)) {}

    void add(std::string_view text) {
        const std::string member = gzip_compress(text, text.size() / 8 + 1024).value();
        out_.write(member);
        sum_.add(member);
        bytes_ += std::ssize(member);
    }
    std::string finish() {  // returns the SHA-256 of the file
        out_.finish();
        return sum_.hex();
    }
    std::int64_t bytes() const { return bytes_; }
    std::string name() const { return fs::path(out_.path()).filename(); }

  private:
    NewFile out_;
    Checksum sum_{};
    std::int64_t bytes_ = 0;
};

// The list cannot be continued: its numbers are another's, or are lost.
struct Renumbered {};

void add_files(Checksum& sum, const Format& format) {
    for (const std::string& path : format.files()) sum.add(xml::read_file(path));
}

// Of all that makes the records of the format what they are, beside the records.
std::string checksum_of(const Context& context, const Format& format) {
    const Config::Repository& facts = context.repository.facts;
    Checksum sum;
    add_files(sum, format);
    for (const Format* about : context.formats->abouts_of(format)) add_files(sum, *about);
    sum.add(fmt::format("\n{}\n{}\n{}{}", facts.base_url, context.repository.identifier_prefix,
                        facts.sets, static_cast<int>(facts.deleted_record)));
    return sum.hex();
}

void add(Json& count, std::int64_t more) { count = count.get<std::int64_t>() + more; }

// One list while it is brought up to date.
class ListDump {
  public:
    // known: the list in the manifest, or null.
    ListDump(const Context& context, const DumpOptions& options, const Directory& directory,
             const Format& format, Json known)
        : context_(context),
          options_(options),
          directory_(directory),
          prefix_(format.prefix),
          known_(std::move(known)) {
        const auto since = since_of(format, context_.last_horizon());
        settings_ = {{"metadataPrefix", format.prefix},
                     {"schema", format.schema},
                     {"metadataNamespace", format.metadata_namespace},
                     {"since", since ? Json(print_datestamp(*since)) : Json()},
                     {"checksum", checksum_of(context_, format)},
                     {"epoch", std::to_string(context_.last_horizon().epoch)},
                     {"forms", options_.forms}};
    }

    // Returns the list as the manifest has it from now on.
    Json run() {
        if (!resume()) begin(needs_whole());
        try {
            read_pages();
        } catch (const Renumbered&) {
            files_.clear();
            directory_.remove_run(part_["run"]);
            begin(true);
            read_pages();
        }
        Json list = settings_;
        list["number"] = part_["to"];
        list["horizon"] = position_.horizon.time_since_epoch().count();
        list["responseDate"] = print_datestamp(response_date_);
        list["parts"] = part_["kind"] == "whole" ? Json::array() : known_["parts"];
        // A part without records needs no files: the one before covers its numbers.
        if (part_["records"] == 0 && !list["parts"].empty())
            list["parts"].back()["to"] = part_["to"];
        else
            list["parts"].push_back(part_);
        return list;
    }
    std::string summary() const {
        const auto count = [&](const char* name) { return part_[name].get<std::int64_t>(); };
        return fmt::format("{}: {}, {} records, {} of them deleted, {} failed, up to number {}",
                           prefix_, part_["kind"].get<std::string>(), count("records"),
                           count("deleted"), count("failures"), count("to"));
    }
    std::string progress_name() const { return "." + prefix_ + ".progress"; }

  private:
    // Differences are right only where all is told as a change, deletions included, and worth their
    // files only while the whole is more.
    bool needs_whole() const {
        if (options_.whole || known_.is_null()) return true;
        if (context_.repository.facts.deleted_record != DeletedRecord::persistent) return true;
        for (const auto& [name, value] : settings_.items())
            if (known_[name] != value) return true;
        std::int64_t changed = 0;
        for (const Json& part : known_["parts"]) changed += part["records"].get<std::int64_t>();
        return changed > 2 * known_["parts"][0]["records"].get<std::int64_t>();
    }

    void begin(bool whole) {
        std::string run = fmt::format("{}-{:%Y%m%dT%H%M%SZ}", prefix_, context_.clock.now());
        while (fs::exists(directory_.path(run + "-1." + options_.forms[0] + ".gz"))) run += "x";
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
    void go_to(const Json& number, const Json& reach, const Json& horizon) {
        first_ = false;
        position_ = {};
        position_.verb = Verb::list_records;
        position_.metadata_prefix = prefix_;
        position_.epoch = std::stoull(settings_["epoch"].get<std::string>());
        position_.after = number;
        position_.reach = reach;
        position_.horizon = Seconds{std::chrono::seconds{horizon.get<std::int64_t>()}};
    }

    // Goes on where a dump was killed, unless it cannot.
    bool resume() {
        const Json progress = directory_.read(progress_name());
        if (progress.is_null()) return false;
        const Json& part = progress["part"];
        if (!known_.is_null())
            for (const Json& other : known_["parts"])
                if (other["run"] == part["run"]) return false;  // killed behind the manifest
        if (progress["settings"] != settings_ || (options_.whole && part["kind"] != "whole") ||
            (part["kind"] != "whole" && (known_.is_null() || known_["number"] != part["from"]))) {
            directory_.remove_run(part["run"]);
            return false;
        }
        part_ = part;
        if (part_["to"] != 0) go_to(part_["to"], progress["reach"], progress["horizon"]);
        return true;
    }

    VerbResult ask() const {
        ParsedArguments parsed{
            .verb = Verb::list_records, .arguments = {}, .errors = {}, .echo = {}};
        parsed.arguments.verb = Verb::list_records;
        parsed.arguments.metadata_prefix = prefix_;
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
    void read_pages() {
        for (bool more = true; more;) {
            const VerbResult page = ask();
            more = !page.next_token.empty();
            settings_["epoch"] = std::to_string(page.horizon.epoch);
            position_.reach = page.horizon.last_seq;
            position_.horizon = page.horizon.h;
            response_date_ = response_date(page.horizon);
            if (page.errors.empty()) write(page);
            part_["to"] = more ? page.last_seq
                               : std::max({part_["to"].get<std::int64_t>(), page.last_seq,
                                           page.horizon.last_seq});
            if (!more || std::ranges::any_of(files_, [&](const OutputFile& file) {
                    return file.bytes() >= options_.file_bytes;
                }))
                close_files();
            if (more) position_ = *context_.sealer.open(page.next_token);
            first_ = false;
        }
    }

    void open_files(const Horizon& horizon) {
        const std::size_t number = part_["files"].size() / options_.forms.size() + 1;
        file_ = {{"from", part_["to"]}, {"to", 0}, {"records", 0}, {"deleted", 0}};
        for (const std::string& form : options_.forms) {
            files_.emplace_back(directory_.path(
                fmt::format("{}-{}.{}.gz", part_["run"].get<std::string>(), number, form)));
            if (form == "jsonl") continue;
            Envelope head(response_date(horizon), context_.repository.facts.base_url,
                          {{"verb", "ListRecords"}, {"metadataPrefix", prefix_}});
            head.open(Verb::list_records);
            files_.back().add(head.body());
        }
    }

    void write(const VerbResult& page) {
        std::string_view records = page.records_text();
        records.remove_prefix(records.find('\n') + 1);  // <ListRecords>
        if (files_.empty()) open_files(page.horizon);
        for (std::size_t i = 0; i < files_.size(); ++i)
            files_[i].add(options_.forms[i] == "jsonl" ? json_lines(records)
                                                       : std::string(records));
        const PageFacts facts = facts_of(records);
        for (Json* counts : {&part_, &file_}) {
            add((*counts)["records"], page.stats.records);
            add((*counts)["deleted"], facts.deleted);
        }
        if (!facts.first.empty() && !file_.contains("first")) file_["first"] = facts.first;
        if (!facts.last.empty()) file_["last"] = facts.last;
        add(part_["failures"], std::ssize(page.stats.bad_records));
        for (const BadRecord& bad : page.stats.bad_records)
            if (part_["failed"].size() < kMaxFailed)
                part_["failed"].push_back({{"identifier", bad.identifier}, {"why", bad.why}});
    }

    void save_progress() const {
        replace_file(directory_.path(progress_name()),
                     Json{{"settings", settings_},
                          {"part", part_},
                          {"reach", position_.reach},
                          {"horizon", position_.horizon.time_since_epoch().count()}}
                         .dump());
    }

    // A dump that is killed from now on goes on behind these files.
    void close_files() {
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

    const Context& context_;
    const DumpOptions& options_;
    const Directory& directory_;
    const std::string prefix_;
    Json known_;
    Json settings_{};  // of the list: if they change, so may each of its records
    Json part_{};      // as the manifest will have it
    // What is asked for next: the first page where it has no number.
    ResumptionToken position_{};
    bool first_ = true;
    Seconds response_date_{};
    std::vector<OutputFile> files_{};  // one for each form
    Json file_{};                      // what the manifest says of each of them
};

std::map<std::string, std::string> checksums_of_files(const Json& manifest) {
    std::map<std::string, std::string> sums;  // by name
    if (!manifest.is_null())
        for (const Json& list : manifest["lists"])
            for (const Json& part : list["parts"])
                for (const Json& file : part["files"]) sums[file["name"]] = file["sha256"];
    return sums;
}

// What is no more in the manifest stays for some days, for those who are fetching it.
Json retire(const Directory& directory, const std::map<std::string, std::string>& kept, Seconds now,
            int days) {
    const Json& before = directory.manifest;
    Json all = before.is_null() ? Json::array() : before["retired"], retired = Json::array();
    for (const auto& [name, sum] : checksums_of_files(before))
        all.push_back({{"name", name}, {"since", now.time_since_epoch().count()}});
    for (const Json& file : all) {
        const std::chrono::seconds since{file["since"].get<std::int64_t>()};
        if (kept.contains(file["name"])) continue;
        if (now.time_since_epoch() - since >= std::chrono::days{days})
            fs::remove(directory.path(file["name"]));
        else
            retired.push_back(file);
    }
    return retired;
}

// What the options leave open is as it was.
DumpOptions completed(DumpOptions options, const Json& manifest) {
    const bool keeps = options.prefixes.empty();
    if (!manifest.is_null())
        for (const Json& list : manifest["lists"]) {
            if (options.forms.empty()) options.forms = list["forms"];
            if (keeps) options.prefixes.push_back(list["metadataPrefix"]);
        }
    if (options.prefixes.empty()) options.prefixes = {"oai_dc"};
    if (options.forms.empty()) options.forms = {"xml"};
    return options;
}

}  // namespace

std::string checksum_of_files(const FormatRegistry& formats) {
    Checksum sum;
    for (const auto& format : formats.formats()) add_files(sum, *format);
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
        Json known;
        if (!directory.manifest.is_null())
            for (const Json& list : directory.manifest["lists"])
                if (list["metadataPrefix"] == format->prefix) known = list;
        lists.emplace_back(context, options, directory, *format, std::move(known));
    }
    std::vector<std::string> summaries;
    for (ListDump& list : lists) {
        manifest["lists"].push_back(list.run());
        summaries.push_back(list.summary());
    }
    const Seconds now = context.clock.now();
    const auto kept = checksums_of_files(manifest);
    manifest["written"] = print_datestamp(now);
    manifest["retired"] = retire(directory, kept, now, options.days);
    std::string sums;
    for (const auto& [name, sum] : kept) sums += fmt::format("{}  {}\n", sum, name);
    replace_file(directory.path("SHA256SUMS"), sums);
    replace_file(directory.path("manifest.json"), manifest.dump(1) + "\n");
    for (const ListDump& list : lists) fs::remove(directory.path(list.progress_name()));
    return summaries;
}

}  // namespace oai::dump
