// SPDX-License-Identifier: MIT
#include "tools/harvest/harvest.h"

#include <algorithm>
#include <set>

#include "protocol/record.h"
#include "tools/harvest/list_walk.h"

namespace oai::harvest {
namespace {

std::string list_errors(const std::vector<OaiError>& errors) {
    std::string out;
    for (const OaiError& e : errors) out += (out.empty() ? "" : "; ") + text_of(e);
    return out;
}

// Throws NoAnswer if the answer is to another verb or consists of errors; StopRequest.
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

// Returns no sets for a repository without sets. Detects endless lists as ListWalk does.
std::vector<SetInfo> sets_of(Provider& provider) {
    std::vector<SetInfo> sets;
    CycleDetector cycle;
    std::set<std::string> met;
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
        std::vector<Record> marks(answer.sets.size());  // page_hash() is of records
        for (std::size_t i = 0; i < marks.size(); ++i) marks[i].identifier = answer.sets[i].spec;
        bool has_new = false;
        for (const SetInfo& set : answer.sets) has_new |= met.insert(set.spec).second;
        idle = has_new ? 0 : idle + 1;
        if (cycle.closes_cycle(page_hash(token, marks, answer.token)) ||
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

// Walks every requested list, until the repository no longer answers.
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
        // Its headers are no records that were taken.
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

// Notes what is unusual, but no obstacle to harvesting.
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

}  // namespace

const char* word_of(HarvestResult::Kind kind) {
    using Kind = HarvestResult::Kind;
    return kind == Kind::complete     ? "complete"
           : kind == Kind::incomplete ? "incomplete"
           : kind == Kind::stopped    ? "stopped"
                                      : "failed";
}

std::string maladies_of(const HarvestResult& result) {
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
        all.whole |= identity.is_static;  // its file has all records anyway
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

// Whether a repository still has what it has had.
namespace {

constexpr int kProbeTries = 2;

ParsedAnswer get_record(Provider& provider, const KnownRecord& record) {
    return provider.ask({{"verb", "GetRecord"},
                         {"identifier", record.identifier},
                         {"metadataPrefix", record.prefix}},
                        kProbeTries);
}

bool is_older(const std::string& datestamp, const std::string& known) {
    const auto is = parse_datestamp(datestamp), was = parse_datestamp(known);
    return is && was && is->last() < was->first;
}

// What speaks for a setback in the answer of GetRecord; "" nothing does.
std::string suspicion(const ParsedAnswer& answer, const KnownRecord& known) {
    const std::string record = known.identifier + " of " + known.datestamp;
    if (answer.has_error("idDoesNotExist")) return record + " is not there any more";
    for (const Record& found : answer.records)
        if (found.identifier == known.identifier && is_older(found.datestamp, known.datestamp))
            return record + " has the earlier datestamp " + found.datestamp + " there";
    return "";
}

// Whether GetRecord has the first record of the list that is not deleted, as the list has it. An
// empty list agrees with every answer.
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

}  // namespace

std::string find_setback(http::Client& client, const std::string& url,
                         const RetryLimits& retry_limits, HarvestListener& listener,
                         const KnownRecord& known, const std::string& deleted_record) {
    Provider provider(client, url, retry_limits, listener);
    const ParsedAnswer answer = get_record(provider, known);
    if (deleted_record == "no" && answer.has_error("idDoesNotExist")) return "";
    const std::string why = suspicion(answer, known);
    return why.empty() || !agrees_with_list(provider, known.prefix) ? "" : why;
}

}  // namespace oai::harvest
