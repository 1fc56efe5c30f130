// SPDX-License-Identifier: MIT
#include "tools/harvest/harvest.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/terminal.h"
#include "protocol/record.h"
#include "tools/harvest/list_walk.h"

namespace oai::harvest {
namespace {

std::string list_errors(const std::vector<OaiError>& errors) {
    std::string out;
    for (const OaiError& e : errors) out += (out.empty() ? "" : "; ") + text_of(e);
    return out;
}

// Throws NoAnswer if the response has another verb or consists of errors; throws StopRequest.
ParsedAnswer answer_to(Provider& provider, RequestArguments arguments) {
    const std::string verb = arguments.front().second;
    ParsedAnswer answer = provider.ask(arguments);
    if (answer.verb == verb) return answer;
    const std::string why =
        answer.verb.empty() ? list_errors(answer.errors) : "the answer is one to " + answer.verb;
    throw NoAnswer(provider.url() + ": " + verb + ": " + why, "");
}

RepositoryIdentity identity_of(Provider& provider) {
    RepositoryIdentity identity = answer_to(provider, {{"verb", "Identify"}}).identity;
    identity.address = provider.url();
    return identity;
}

// Returns nothing for a repository without sets. Gives up endless lists as ListWalk does.
std::vector<SetInfo> sets_of(Provider& provider) {
    std::vector<SetInfo> sets;
    std::set<std::string> met, tokens;
    int idle = 0;
    for (std::string token;;) {
        ParsedAnswer answer = provider.ask(
            token.empty() ? RequestArguments{{"verb", "ListSets"}}
                          : RequestArguments{{"verb", "ListSets"}, {"resumptionToken", token}});
        if (answer.verb != "ListSets") {
            if (token.empty() && answer.verb.empty() &&
                answer.errors.front().code == "noSetHierarchy")
                return {};
            throw NoAnswer(provider.url() + ": ListSets: " + list_errors(answer.errors), "");
        }
        bool has_new = false;
        for (const SetInfo& set : answer.sets) has_new |= met.insert(set.spec).second;
        idle = has_new ? 0 : idle + 1;
        if ((!tokens.insert(answer.token).second && !has_new) ||
            idle > provider.retry_limits().idle_pages)
            throw NoAnswer(provider.url() + ": ListSets does not end", "");
        for (SetInfo& set : answer.sets) sets.push_back(std::move(set));
        token = answer.token;
        if (token.empty()) return sets;
    }
}

std::vector<FormatInfo> formats_of(Provider& provider) {
    return answer_to(provider, {{"verb", "ListMetadataFormats"}}).formats;
}

// Keeps the more severe kind, with the first reason for it.
void add(HarvestResult& sum, const HarvestResult& list) {
    if (list.kind > sum.kind) {
        sum.kind = list.kind;
        sum.why = list.why;
    }
    if (sum.why.empty()) sum.why = list.why;
    for (const auto count :
         {&HarvestResult::records, &HarvestResult::pages, &HarvestResult::all_records,
          &HarvestResult::all_deleted, &HarvestResult::all_pages, &HarvestResult::pages_missing,
          &HarvestResult::outside_set, &HarvestResult::outside_dates, &HarvestResult::repeated,
          &HarvestResult::moved, &HarvestResult::asked, &HarvestResult::wrong_sizes,
          &HarvestResult::repaired})
        sum.*count += list.*count;
    sum.unreachable |= list.unreachable;
    sum.refused |= list.refused;
    sum.whole &= list.whole;
}

// Walks every requested list; stops if the repository no longer responds.
HarvestResult walk_all(Provider& provider, const HarvestRequest& request,
                       const RepositoryIdentity& identity, Sink& sink, HarvestListener& listener) {
    HarvestResult sum;
    ListWalk walk(provider, request, identity, sink, listener);
    const std::vector<std::string> all{""}, dc{"oai_dc"};
    if (request.prefixes.size() > 1) sink.formats(formats_of(provider));
    for (const std::string& prefix : request.prefixes.empty() ? dc : request.prefixes) {
        if (const std::string fault = sink.format_fault(prefix); !fault.empty()) {
            HarvestResult refused;
            refused.kind = HarvestResult::Kind::incomplete;
            refused.why = fault;
            add(sum, refused);
            continue;
        }
        for (const std::string& set : request.set_specs.empty() ? all : request.set_specs) {
            if (listener.should_stop() || sum.unreachable) return sum;
            add(sum, walk.list(prefix, set));
        }
    }
    if (request.departures && sum.kind == HarvestResult::Kind::complete) {
        // These headers do not count as received records.
        HarvestResult headers = walk.list("oai_dc", "", "ListIdentifiers");
        headers.records = headers.all_records = headers.all_deleted = 0;
        headers.whole = true;
        if (headers.kind == HarvestResult::Kind::failed && !headers.unreachable) {
            headers.kind = HarvestResult::Kind::complete;
            headers.why = "who has left its sets is not known: " + headers.why;
        }
        add(sum, headers);
    }
    return sum;
}

// Reports oddities that do not prevent a harvest.
void note_oddities(const RepositoryIdentity& identity, HarvestListener& listener) {
    if (identity.protocol_version != "2.0")
        listener.note("it says that it speaks OAI-PMH " + identity.protocol_version + ", not 2.0");
    if (identity.is_static)
        listener.note("it is a static repository, of the gateway " + identity.base_url);
    else if (identity.base_url != identity.address)
        listener.note("its base URL, it says, is " + identity.base_url);
}

template <class Ask>
auto with_provider(http::Client& client, const std::string& url, const RetryLimits& retry_limits,
                   HarvestListener& listener, const Ask& ask) {
    Provider provider(client, url, retry_limits, listener);
    try {
        return ask(provider);
    } catch (const StopRequest&) {
        throw std::runtime_error(url + ": stopped");
    }
}

constexpr int kProbeTries = 2;

ParsedAnswer get_record(Provider& provider, const KnownRecord& record) {
    return provider.ask({{"verb", "GetRecord"},
                         {"identifier", record.identifier},
                         {"metadataPrefix", record.prefix}},
                        kProbeTries);
}

bool is_older(const std::string& datestamp, const std::string& known) {
    const auto is = date_meant_by(datestamp), was = date_meant_by(known);
    return is && was && is->last() < was->first;
}

// The sign of a setback in the response of GetRecord; "": there is none.
std::string suspicion(const ParsedAnswer& answer, const KnownRecord& known) {
    const std::string record = known.identifier + " of " + known.datestamp;
    if (answer.has_error("idDoesNotExist")) return record + " is not there any more";
    for (const Record& found : answer.records)
        if (found.identifier == known.identifier && is_older(found.datestamp, known.datestamp))
            return record + " has the earlier datestamp " + found.datestamp + " there";
    return "";
}

// Whether GetRecord and the list agree on the first record that is not deleted, if any.
bool agrees_with_list(Provider& provider, const std::string& prefix) {
    const ParsedAnswer list =
        provider.ask({{"verb", "ListRecords"}, {"metadataPrefix", prefix}}, kProbeTries);
    if (list.verb.empty()) return list.has_error("noRecordsMatch");
    for (const Record& listed : list.records) {
        if (listed.deleted) continue;
        const ParsedAnswer answer =
            get_record(provider, {prefix, listed.identifier, listed.datestamp});
        return std::any_of(answer.records.begin(), answer.records.end(), [&](const Record& r) {
            return r.identifier == listed.identifier && r.datestamp == listed.datestamp;
        });
    }
    return false;
}

struct Named {
    const char* name;
    std::int64_t ListCounts::*count;
};
constexpr Named kCounts[] = {{"deleted", &ListCounts::deleted},
                             {"in_set", &ListCounts::in_set},
                             {"in_other_sets", &ListCounts::in_other_sets},
                             {"without_sets", &ListCounts::without_sets},
                             {"outside_dates", &ListCounts::outside_dates},
                             {"repeated", &ListCounts::repeated},
                             {"moved", &ListCounts::moved},
                             {"again", &ListCounts::again},
                             {"unquiet", &ListCounts::unquiet}};

constexpr std::chrono::seconds kLineInterval{10};

// Makes one printable line of text from an untrusted source.
std::string one_line(std::string_view what) {
    std::string line = text::to_terminal_text(what);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return line;
}

std::string print_in_granularity(Seconds t, bool has_seconds) {
    return print_datestamp(t).substr(0, has_seconds ? 20 : 10);
}

}  // namespace

const char* word_of(HarvestResult::Kind kind) {
    constexpr const char* kWords[] = {"complete", "incomplete", "stopped", "failed"};
    return kWords[static_cast<int>(kind)];
}

std::string mismatches_text(const HarvestResult& result) {
    std::string out;
    const auto add = [&](std::int64_t count, const char* what) {
        if (count > 0) out += (out.empty() ? "" : ", ") + std::to_string(count) + what;
    };
    add(result.outside_set, " records not of the set asked for");
    add(result.outside_dates, " records not of the dates asked for");
    add(result.repeated, " records repeated");
    add(result.wrong_sizes, " lists with a wrong completeListSize");
    return out;
}

HarvestResult harvest(http::Client& client, const HarvestRequest& request, Sink& sink,
                      HarvestListener& listener) {
    Provider provider(client, request.url, request.retry_limits, listener);
    HarvestResult result;
    try {
        const RepositoryIdentity identity = identity_of(provider);
        note_oddities(identity, listener);
        sink.identity(identity);
        if (request.with_sets) sink.sets(sets_of(provider));
        HarvestRequest all = request;
        all.whole |= identity.is_static;  // a static repository always returns all records
        return walk_all(provider, all, identity, sink, listener);
    } catch (const StopRequest&) {
        result.kind = HarvestResult::Kind::stopped;
    } catch (const NoAnswer& e) {
        result.kind = HarvestResult::Kind::failed;
        result.why = e.what();
        result.unreachable = true;
        result.refused = e.is_refusal();
    }
    return result;
}

RepositoryIdentity identify(http::Client& client, const std::string& url,
                            const RetryLimits& retry_limits, HarvestListener& listener) {
    return with_provider(client, url, retry_limits, listener, identity_of);
}

std::vector<FormatInfo> list_formats(http::Client& client, const std::string& url,
                                     const RetryLimits& retry_limits, HarvestListener& listener) {
    return with_provider(client, url, retry_limits, listener, formats_of);
}

std::vector<SetInfo> list_sets(http::Client& client, const std::string& url,
                               const RetryLimits& retry_limits, HarvestListener& listener) {
    return with_provider(client, url, retry_limits, listener, sets_of);
}

std::string find_setback(http::Client& client, const std::string& url,
                         const RetryLimits& retry_limits, HarvestListener& listener,
                         const KnownRecord& known, const std::string& deleted_record) {
    Provider provider(client, url, retry_limits, listener);
    const ParsedAnswer answer = get_record(provider, known);
    if (deleted_record == "no" && answer.has_error("idDoesNotExist")) return "";
    const std::string why = suspicion(answer, known);
    return why.empty() || !agrees_with_list(provider, known.prefix) ? "" : why;
}

void HarvestListener::wait(std::chrono::seconds time, const std::string& why) {
    using namespace std::chrono;
    note(why + "; asking again in " + std::to_string(time.count()) + " s");
    const auto end = steady_clock::now() + time;
    for (auto now = steady_clock::now(); now < end && !should_stop(); now = steady_clock::now())
        std::this_thread::sleep_for(std::min<steady_clock::duration>(end - now, milliseconds{200}));
}

// ListCounts as text.

std::string counts_text(const ListCounts& counts) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, count] : kCounts) json[name] = counts.*count;
    return json.dump();
}

ListCounts read_counts(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    ListCounts counts;
    for (const auto& [name, count] : kCounts) counts.*count = json.value(name, std::int64_t{0});
    return counts;
}

std::string time_text(double seconds) {
    const auto s = static_cast<std::int64_t>(std::min(seconds, 359'999.0));
    return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                    : fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

std::string progress_text(const ListPosition& position, std::int64_t taken, double seconds) {
    std::string out = fmt::format("{} records", position.records);
    const bool sized = position.list_size && *position.list_size >= position.records;
    if (sized) out = fmt::format("{} of {} records", position.records, *position.list_size);
    if (taken <= 0 || seconds <= 0) return out;
    const double speed = static_cast<double>(taken) / seconds;
    out += fmt::format(", {:.0f}/s", speed);
    if (sized)
        out += fmt::format(
            ", {} left",
            time_text(static_cast<double>(*position.list_size - position.records) / speed));
    return out;
}

void HarvestProgress::print(const ListPosition& position, Time now) {
    if (quiet_) return;
    if (!list_ || *list_ != position.list) {
        list_ = position.list;
        records_before_ = position.records;  // with this page, whose time was not measured
        begun_ = now;
        next_ = now + kLineInterval;
        return;
    }
    if (now < next_) return;
    next_ = now + kLineInterval;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    note(position.list.prefix +
         (position.list.set_spec.empty() ? "" : " " + position.list.set_spec) + ": " +
         progress_text(position, position.records - records_before_, seconds));
}

void HarvestProgress::note(const std::string& what) {
    fmt::print(to_, "{}: {}\n", name_, one_line(what));
    std::fflush(to_);
}

std::optional<Datestamp> date_meant_by(std::string_view given) {
    static const RE2 kDigits(R"((\d{14}).*|(\d{4,13}))"),
        kIso(R"((\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d*)?)?)"
             R"((?:[Zz]?|([+-])(\d\d):?(\d\d)))?)?)?)"),
        kWritten(R"((\d\d?)\. ?(\d\d?)\. ?(\d{4})(?: 0?0:00(?::00)?)?)");
    constexpr std::string_view kFirst = "00000101000000";
    const std::string s(text::trim(given));
    std::array<std::string, 6> part;  // "" what is cut off
    std::string sign, hours, minutes;
    if (!RE2::FullMatch(s, kDigits, &part[0], &part[1]) &&
        !RE2::FullMatch(s, kIso, &part[0], &part[1], &part[2], &part[3], &part[4], &part[5], &sign,
                        &hours, &minutes) &&
        !RE2::FullMatch(s, kWritten, &part[2], &part[1], &part[0]))
        return std::nullopt;
    std::string digits;
    for (const std::string& one : part) digits += one.size() == 1 ? "0" + one : one;
    const auto granularity = digits.size() > 8 ? Granularity::second : Granularity::day;
    digits += kFirst.substr(digits.size());
    const auto at = [&digits](std::size_t i) { return *digits_at(digits, i, i == 0 ? 4 : 2); };
    const auto first = to_seconds({at(0), at(4), at(6), at(8), at(10), at(12) == 60 ? 59 : at(12)});
    if (!first || sign.empty())
        return first ? std::optional(Datestamp{*first, granularity}) : std::nullopt;
    const auto ahead =
        std::chrono::hours{std::stoi(hours)} + std::chrono::minutes{std::stoi(minutes)};
    return Datestamp{sign == "+" ? *first - ahead : *first + ahead, granularity};
}

std::string date_text(std::string_view given) {
    const auto date = date_meant_by(given);
    return date ? print_in_granularity(date->first, date->granularity == Granularity::second) : "";
}

std::string from_argument(const std::string& datestamp, bool has_seconds) {
    const auto stamp = parse_datestamp(datestamp);
    return stamp ? print_in_granularity(stamp->first, has_seconds) : datestamp;
}

std::string until_argument(const std::string& datestamp, bool has_seconds) {
    const auto stamp = parse_datestamp(datestamp);
    return stamp ? print_in_granularity(stamp->last(), has_seconds) : datestamp;
}

std::string from_after(const std::string& response_date, std::chrono::seconds overlap,
                       bool has_seconds) {
    const auto time = date_meant_by(response_date);
    return time ? print_in_granularity(time->first - overlap, has_seconds) : "";
}

std::optional<std::chrono::seconds> seconds_between(const std::string& first,
                                                    const std::string& second) {
    const auto a = date_meant_by(first), b = date_meant_by(second);
    if (!a || !b) return std::nullopt;
    return b->first - a->first;
}

}  // namespace oai::harvest
