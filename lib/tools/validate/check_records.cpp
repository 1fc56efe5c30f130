// SPDX-License-Identifier: MIT
// Records and their headers (OAI-PMH 2.0, 2.4 and 2.5), and oai_dc.
#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "protocol/identifier.h"
#include "protocol/record.h"
#include "tools/validate/check.h"

namespace oai::validate {
namespace {

constexpr std::chrono::minutes kClockDifference{5};

// A rule about each record: `judge` returns what is wrong, or "".
template <auto judge>
Finding of_records(const Answer& answer, const Facts& facts) {
    if (answer.records.empty()) return not_applicable();
    for (const Record& record : answer.records)
        if (std::string why = judge(record, answer, facts); !why.empty())
            return wrong(record.header.identifier + ": " + why, answer,
                         record.metadata ? record.metadata->text : "");
    return fine();
}

// The identifier must have a scheme and only characters of a URI (RFC 3986).
std::string wrong_identifier(const Record& record, const Answer&, const Facts&) {
    static const RE2 kForm(R"([A-Za-z][!#-9;=?-\[\]_a-z~]*:[!#-;=?-\[\]_a-z~]+)");
    return RE2::FullMatch(record.header.identifier, kForm) ? "" : "the identifier is no URI";
}

std::string datestamp(const Record& record, const Answer&, const Facts& facts) {
    const auto date = parse_datestamp(record.header.datestamp);
    if (!date) return "the datestamp is \"" + record.header.datestamp + "\"";
    const bool days = date->granularity == Granularity::day;
    if (facts.granularity.empty() || days == (facts.granularity == "YYYY-MM-DD")) return "";
    return "the datestamp " + record.header.datestamp + " has not the granularity " +
           facts.granularity;
}

// responseDate may be the time at which the search began, and several machines may answer.
std::string past(const Record& record, const Answer& answer, const Facts&) {
    const auto date = parse_datestamp(record.header.datestamp),
               now = parse_datestamp(answer.response_date);
    if (!date || !now || date->first <= now->first + kClockDifference) return "";
    return "the datestamp " + record.header.datestamp + " is behind the responseDate " +
           answer.response_date;
}

std::string set_specs(const Record& record, const Answer&, const Facts&) {
    for (const std::string& set : record.header.sets)
        if (!is_set_spec(set)) return "\"" + set + "\" is no setSpec";
    return "";
}

std::string minimal_sets(const Record& record, const Answer&, const Facts&) {
    for (const std::string& set : record.header.sets)
        for (const std::string& other : record.header.sets)
            if (other.starts_with(set + ":")) return "its header has " + set + " beside " + other;
    return "";
}

std::string deleted_bare(const Record& record, const Answer&, const Facts&) {
    return record.header.deleted && (record.metadata || !record.about.empty())
               ? "it is deleted, and has metadata"
               : "";
}

std::string deleted_policy(const Record& record, const Answer&, const Facts& facts) {
    return record.header.deleted && facts.deleted_record == "no"
               ? "it is deleted, and deletedRecord is no"
               : "";
}

std::string has_metadata(const Record& record, const Answer& answer, const Facts&) {
    const bool wanted = answer.verb != "ListIdentifiers" && !record.header.deleted;
    return wanted && !record.metadata ? "it has no metadata, and is not deleted" : "";
}

std::string valid(const Record& record, const Answer&, const Facts&) {
    return record.metadata ? record.metadata->invalid : "";
}

std::string abouts(const Record& record, const Answer&, const Facts&) {
    for (const Payload& about : record.about)
        if (!about.invalid.empty()) return "about: " + about.invalid;
    return "";
}

// The root of EDM is rdf:RDF, so the schema may be that of another namespace in the metadata.
std::string has_schema_location(const Record& record, const Answer&, const Facts&) {
    if (!record.metadata) return "";
    for (const std::string_view name_space : located_namespaces(record.metadata->schema_location))
        if (uses_namespace(*record.metadata, name_space)) return "";
    return "the metadata do not say where their schema is";
}

// Whether one of its values of Dublin Core is so. Other metadata count as if one were.
template <class Is>
bool has_value(const Record& record, const Is& is) {
    return !record.metadata || record.metadata->name_space != kDublinCore ||
           std::any_of(
               record.dublin_core.begin(), record.dublin_core.end(),
               [&](const auto& value) { return is(value.first, value.second); });
}

std::string has_values(const Record& record, const Answer&, const Facts&) {
    return has_value(
               record, [](auto&, const auto& text) { return !text.empty(); })
               ? ""
               : "its Dublin Core says nothing";
}

std::string names_resource(const Record& record, const Answer&, const Facts&) {
    const auto names = [](const auto& element, const auto& text) {
        return element == "identifier" && !text.empty();
    };
    return has_value(record, names) ? "" : "it has no dc:identifier";
}

std::string links(const Record& record, const Answer&, const Facts&) {
    const auto links = [](const auto& element, const auto& text) {
        return element == "identifier" &&
               (text.starts_with("http://") || text.starts_with("https://"));
    };
    return has_value(record, links) ? "" : "no dc:identifier leads to it";
}

// Finds UTF-8 that was read as Latin-1 and encoded again, and entities that were escaped twice.
std::string encoded_once(const Record& record, const Answer&, const Facts&) {
    for (const auto& [name, value] : record.dublin_core)
        for (const std::string_view trace :
             {"&amp;", "&lt;", "&quot;", "\xC3\x83\xC2", "\xC3\xA2\xE2\x82\xAC"})
            if (value.find(trace) != std::string::npos)
                return "dc:" + name +
                       " is encoded twice: " + std::string(text::utf8_prefix(value, 80));
    return "";
}

// A record that changes while the list is read may be listed again with its new content.
Finding unique_records(Session& session) {
    for (const Walk* walk : {&session.headers(), &session.records()}) {
        std::map<std::string_view, const Record*> met;
        for (const Record* record : walk->records) {
            const auto [first, is_new] = met.emplace(record->header.identifier, record);
            if (!is_new)
                return wrong(record->header.identifier + " is in the list twice",
                             session.page_of(*record))
                    .against(session, *first->second)
                    .against(session, *record);
        }
    }
    return session.headers().records.empty() ? skipped("there is no record") : fine();
}

// A repository whose deletions are transient may show a deletion in one list and not in another.
Finding headers_agree(Session& session) {
    std::map<std::string_view, const Record*> listed;
    const bool transient = session.identification().deleted_record == "transient";
    for (const Record* record : session.headers().records)
        if (!transient || !record->header.deleted) listed[record->header.identifier] = record;
    for (const Record* record : session.records().records) {
        if (transient && record->header.deleted) continue;
        const auto found = listed.find(record->header.identifier);
        if (found != listed.end() && found->second->header != record->header)
            return wrong(record->header.identifier + " has another header in ListIdentifiers",
                         session.page_of(*record))
                .against(session, *found->second)
                .against(session, *record);
        if (found == listed.end() && session.headers().ended)
            return wrong(record->header.identifier + " is not in ListIdentifiers",
                         session.page_of(*record))
                .against(session.headers())
                .against(session, *record);
    }
    return listed.empty() ? skipped("there is no record") : fine();
}

Finding get_agrees(Session& session) {
    const Record* const record = &live_record(session);
    const Answer& answer = usable(session.get(get_record(session, record->header.identifier)));
    const auto is_wrong = [&](const std::string& why) {
        return wrong(record->header.identifier + why, answer).against(session, *record);
    };
    if (answer.records.size() != 1) return is_wrong(" cannot be had: " + answer.error_codes());
    if (answer.records[0].header != record->header)
        return is_wrong(" has another header in ListRecords");
    const bool same = answer.records[0].metadata && record->metadata &&
                      answer.records[0].metadata->content == record->metadata->content;
    return same || !record->metadata ? fine() : is_wrong(" has other metadata in ListRecords");
}

Finding get_deleted(Session& session) {
    const Record* record = session.deleted_record();
    if (record == nullptr) return skipped("no deleted record was found");
    const Answer& answer = session.get(get_record(session, record->header.identifier));
    if (answer.records.size() == 1 && answer.records[0].header.deleted) return fine();
    if (session.identification().deleted_record == "transient" && !answer.errors.empty())
        return skipped("deletions are transient, and this one is forgotten");
    return wrong(record->header.identifier +
                     " is deleted, and GetRecord does not say so: " + answer.error_codes(),
                 answer)
        .against(session, *record);
}

Finding get_encoded(Session& session) {
    const Record* const record = &live_record(session);
    std::string all;
    for (const char c : record->header.identifier)
        all += c == '-' ? "%2D" : c == '.' ? "%2E" : url_encode(std::string(1, c));
    return expect_same(session, {.arguments = get_record(session, record->header.identifier)},
                       {.arguments = "verb=GetRecord&metadataPrefix=" +
                                     url_encode(session.scope().prefix) + "&identifier=" + all},
                       "the identifier escaped");
}

const CheckFunction kRecords[] = {
    {"record.identifier", of_records<wrong_identifier>},
    {"record.datestamp", of_records<datestamp>},
    {"record.past", of_records<past>},
    {"record.set-spec", of_records<set_specs>},
    {"record.sets-minimal", of_records<minimal_sets>},
    {"record.deleted-bare", of_records<deleted_bare>},
    {"record.deleted-policy", of_records<deleted_policy>},
    {"record.disseminated", of_records<has_metadata>},
    {"record.valid", of_records<valid>},
    {"record.about", of_records<abouts>},
    {"record.located", of_records<has_schema_location>},
    {"record.filled", of_records<has_values>},
    {"record.resource", of_records<names_resource>},
    {"record.link", of_records<links>},
    {"record.encoded-once", of_records<encoded_once>},
    {"record.unique", unique_records},
    {"record.headers-agree", headers_agree},
    {"record.got", get_agrees},
    {"record.got-encoded", get_encoded},
    {"record.got-deleted", get_deleted},
};

}  // namespace

std::span<const CheckFunction> record_checks() { return kRecords; }

}  // namespace oai::validate
