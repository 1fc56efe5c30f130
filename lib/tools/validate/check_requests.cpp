// SPDX-License-Identifier: MIT
// How requests are read (OAI-PMH 2.0, 3.1.1 and the arguments of chapter 4), the error conditions
// of 3.6, and selective harvesting by datestamps (2.7.1, 3.3.1) and by sets (2.6, 2.7.2, 4.6).
#include <set>

#include "base/text.h"
#include "protocol/identifier.h"
#include "protocol/record.h"
#include "tools/validate/check.h"

namespace oai::validate {
namespace {

constexpr std::string_view kUnknownIdentifier = "oai:no.such.repository:item";  // of no repository
constexpr const char* kNoSets = "the repository has no sets";

// "dom:ee" for "dom:ee:etv24"; "" for a set without a parent.
std::string_view parent_spec(std::string_view spec) {
    const std::size_t colon = spec.rfind(':');
    return colon == std::string_view::npos ? std::string_view{} : spec.substr(0, colon);
}

std::string prefix(const Session& session) {
    return "metadataPrefix=" + url_encode(session.scope().prefix);
}

// The identifier of an existing record if one is known, so that the request has no other fault.
std::string identifier(Session& session) {
    const Record* record = session.live_record();
    return "identifier=" + url_encode(record == nullptr
                                          ? kUnknownIdentifier
                                          : std::string_view(record->header.identifier));
}

// The value of a name in braces in checks.txt.
std::string value_of(Session& session, std::string_view name) {
    if (name == "identifiers") return session.list("ListIdentifiers");
    if (name == "records") return session.list("ListRecords");
    if (name == "prefix") return prefix(session);
    if (name == "format") return url_encode(session.scope().prefix);
    if (name == "identifier") return identifier(session);
    if (name == "unknown") return url_encode(kUnknownIdentifier);
    if (name == "markup") return url_encode("invalid\"<&>']]>");
    return std::string(static_cast<std::size_t>(text::to_integer(name).value_or(0)), 'a');
}

// The record is the evidence: if it is deleted meanwhile in a repository that keeps no deletions,
// the answer may be idDoesNotExist.
Finding unknown_format(Session& session) {
    const Record* record = session.live_record();
    const std::string arguments =
        "verb=GetRecord&metadataPrefix=no_such_format&" + identifier(session);
    if (record == nullptr)
        return expect_error(session, arguments, {"cannotDisseminateFormat", "idDoesNotExist"});
    Finding found = expect_error(session, arguments, {"cannotDisseminateFormat"});
    return found.kind == Finding::Kind::wrong ? std::move(found).against(session, *record) : found;
}

// Checks whether the list has the record. Only some pages are read, since many records may share a
// datestamp. what: the problem if it is missing.
Finding holds(Session& session, const std::string& list, const Record& record,
              const std::string& what) {
    const Walk& walk = session.walk(list);
    usable(*walk.pages[0]);
    for (const Record* met : walk.records)
        if (met->header.identifier == record.header.identifier) return fine();
    if (!walk.ended) return skipped("more records share that time than were looked at");
    return wrong(record.header.identifier + what, *walk.pages[0])
        .against(session, record)
        .against(walk);
}

std::string range(const std::string& from, const std::string& until) {
    return (from.empty() ? "" : "&from=" + url_encode(from)) +
           (until.empty() ? "" : "&until=" + url_encode(until));
}

// The record whose datestamp is used: from the middle of the list, so that there are records before
// and after it. A deleted one is used only if there is no other and deletions are kept.
const Record& middle_record(Session& session) {
    std::vector<const Record*> records = session.headers().records;
    std::erase_if(records, [](const Record* record) { return record->header.deleted; });
    if (records.empty() && session.identification().deleted_record == "persistent")
        records = session.headers().records;
    if (records.empty()) throw Skip("there is no record");
    return *records[records.size() / 2];
}

const Answer& list_dates(Session& session, const std::string& from, const std::string& until) {
    return session.get(session.list("ListIdentifiers") + range(from, until));
}

Finding holds_at(Session& session, const std::string& date) {
    const Record& record = middle_record(session);
    return holds(session, session.list("ListIdentifiers") + range(date, date), record,
                 " of " + record.header.datestamp + " is not there");
}

Finding moment(Session& session) {
    return holds_at(session, middle_record(session).header.datestamp);
}

Finding day(Session& session) {
    if (session.in_days()) return skipped("the granularity is days anyway");
    return holds_at(session, middle_record(session).header.datestamp.substr(0, 10));
}

// A list from, or until, the datestamp of the record. `beyond`: on the wrong side of it.
template <class Beyond>
Finding one_side(Session& session, bool from, const Beyond& beyond) {
    const Record& record = middle_record(session);
    const std::string& date = record.header.datestamp;
    const std::string request =
        session.list("ListIdentifiers") + (from ? range(date, "") : range("", date));
    const Answer& answer = usable(session.get(request));
    if (!answer.errors.empty())
        return wrong(answer.error_codes() + ", though there is a record of that time", answer)
            .against(session, record);
    for (const Record& met : answer.records)
        if (beyond(met.header.datestamp, date))
            return wrong(met.header.identifier + " is of " + met.header.datestamp, answer);
    return fine();
}

// Datestamps of one granularity can be compared as text.
Finding from(Session& session) { return one_side(session, true, std::less<>()); }
Finding until(Session& session) { return one_side(session, false, std::greater<>()); }

std::string year_apart(Session& session, Seconds date, int years) {
    const std::string text = print_datestamp(date + std::chrono::hours{24 * 366} * years);
    return session.in_days() ? text.substr(0, 10) : text;
}

Finding before_earliest(Session& session) {
    const auto earliest = parse_datestamp(session.identification().earliest);
    if (!earliest) return skipped("earliestDatestamp cannot be read");
    if (earliest->first < parse_datestamp("0003-01-01")->first)
        return skipped("there is hardly a year before earliestDatestamp");
    return expect_error(list_dates(session, "", year_apart(session, earliest->first, -1)),
                        {"noRecordsMatch"});
}

Finding future(Session& session) {
    return expect_error(list_dates(session, year_apart(session, session.now(), 1), ""),
                        {"noRecordsMatch", "badArgument"});
}

Finding finer(Session& session) {
    if (!session.in_days()) return skipped("the granularity is seconds");
    return expect_error(list_dates(session, "2001-02-03T04:05:06Z", ""), {"badArgument"});
}

const Answer& first_page(Session& session) { return *session.sets().pages[0]; }
const Answer& last(Session& session) { return *session.sets().pages.back(); }
bool has_sets(Session& session) { return !session.sets().sets.empty(); }

std::set<std::string_view> specs(Session& session) {
    std::set<std::string_view> out;
    for (const Set* set : session.sets().sets) out.insert(set->spec);
    return out;
}

// All sets, for checks that need them.
std::set<std::string_view> all_specs(Session& session) {
    if (!has_sets(session)) throw Skip(kNoSets);
    if (!session.sets().ended) throw Skip("not all sets were looked at");
    return specs(session);
}

// A record and one of its sets.
struct Member {
    const Record* record = nullptr;  // nullptr: there is none
    std::string_view set{};
};

// The first record in a set that fits; rather one that is not deleted.
template <class Fits>
Member find_member(Session& session, const Fits& fits) {
    Member deleted;
    for (const Record* record : session.headers().records) {
        for (const std::string& set : record->header.sets) {
            if (!fits(set)) continue;
            if (!record->header.deleted) return {record, set};
            if (deleted.record == nullptr) deleted = {record, set};
        }
    }
    return session.identification().deleted_record == "transient" ? Member{} : deleted;
}

Member find_member(Session& session) {
    return find_member(
        session, [](std::string_view) { return true; });
}

std::string list_of(Session& session, std::string_view set) {
    return "verb=ListIdentifiers&" + prefix(session) + "&set=" + url_encode(set);
}

Finding sets_or_error(Session& session) {
    const Answer& answer = usable(first_page(session));
    return has_sets(session) || answer.has_error("noSetHierarchy")
               ? fine()
               : wrong("neither sets nor noSetHierarchy: " + answer.error_codes(), answer);
}

Finding no_sets_anywhere(Session& session) {
    if (has_sets(session)) return skipped("the repository has sets");
    if (const Record* record = find_member(session).record)
        return wrong(record->header.identifier + " is in a set, though ListSets has none",
                     session.page_of(*record))
            .against(first_page(session))
            .against(session, *record);
    Finding found = expect_error(session, list_of(session, "no_such_set"), {"noSetHierarchy"});
    return found.kind == Finding::Kind::wrong ? std::move(found).against(first_page(session))
                                              : found;
}

Finding unique_sets(Session& session) {
    if (!has_sets(session)) return skipped(kNoSets);
    std::set<std::string_view> met;
    for (const Set* set : session.sets().sets)
        if (!met.insert(set->spec).second)
            return wrong(set->spec + " is there twice", last(session)).against(session.sets());
    return fine();
}

Finding has_names(Session& session) {
    if (!has_sets(session)) return skipped(kNoSets);
    for (const Set* set : session.sets().sets)
        if (set->name.empty()) return wrong(set->spec + " has no name", first_page(session));
    return fine();
}

Finding parents(Session& session) {
    const auto known = all_specs(session);
    for (const std::string_view spec : known) {
        const std::string_view parent = parent_spec(spec);
        if (!parent.empty() && !known.contains(parent))
            return wrong(std::string(parent) + " is not listed, and " + std::string(spec) +
                             " is below it",
                         last(session))
                .against(session.sets());
    }
    return fine();
}

Finding sets_are_listed(Session& session) {
    const auto listed = all_specs(session);
    for (const Record* record : session.headers().records)
        for (const std::string& set : record->header.sets)
            if (!listed.contains(set))
                return wrong(record->header.identifier + " is in " + set +
                                 ", which ListSets does not have",
                             session.page_of(*record))
                    .against(session.sets())
                    .against(session, *record);
    return fine();
}

Finding members(Session& session) {
    const Member member = find_member(session);
    if (member.record == nullptr) return skipped("no record in a set was found");
    const std::string set(member.set);
    const Answer& answer = usable(session.get(list_of(session, set)));
    for (const Record& met : answer.records)
        if (!is_within(met.header.sets, set))
            return wrong(
                met.header.identifier + " is listed in " + set + ", and its header does not say so",
                answer);
    return fine();
}

Finding holds_in_set(Session& session, const Record* record, std::string_view set,
                     const char* why_none) {
    if (record == nullptr) return skipped(why_none);
    const std::string& date = record->header.datestamp;
    return holds(session, list_of(session, set) + range(date, date), *record,
                 " is not listed in " + std::string(set));
}

Finding holds_member(Session& session) {
    const Member member = find_member(session);
    return holds_in_set(session, member.record, member.set, "no record in a set was found");
}

// Only sets of ListSets can be requested.
Finding parent_holds(Session& session) {
    const auto known = specs(session);
    const Member member = find_member(
        session, [&](std::string_view set) { return known.contains(parent_spec(set)); });
    return holds_in_set(session, member.record, parent_spec(member.set),
                        "no record in a set with a parent was found");
}

const CheckFunction kRequests[] = {
    {"error.format-get", unknown_format},
    {"date.moment", moment},
    {"date.day", day},
    {"date.from", from},
    {"date.until", until},
    {"date.before-earliest", before_earliest},
    {"date.future", future},
    {"date.finer", finer},
    {"set.answered", sets_or_error},
    {"set.none", no_sets_anywhere},
    {"set.unique", unique_sets},
    {"set.named", has_names},
    {"set.parents", parents},
    {"set.known", sets_are_listed},
    {"set.members", members},
    {"set.holds", holds_member},
    {"set.parent-holds", parent_holds},
};

}  // namespace

std::span<const CheckFunction> request_checks() { return kRequests; }

Finding request_refused(Session& session, const CheckText& check) {
    Question question;
    question.refusable = check.refusable;
    std::string_view rest = check.request;
    if (rest.starts_with("POST ")) {
        question.method = "POST";
        rest.remove_prefix(std::string_view("POST ").size());
    }
    for (std::size_t open; (open = rest.find('{')) != rest.npos;) {
        const std::size_t close = rest.find('}', open);
        question.arguments.append(rest.substr(0, open))
            .append(value_of(session, rest.substr(open + 1, close - open - 1)));
        rest.remove_prefix(close + 1);
    }
    question.arguments += rest;
    return expect_refusal(session.ask(question), text::split(check.codes, ' '));
}

}  // namespace oai::validate
