// SPDX-License-Identifier: MIT
// Sets (OAI-PMH 2.0, 2.6, 2.7.2 and 4.6).
#include <algorithm>
#include <array>
#include <set>

#include "protocol/identifier.h"
#include "tools/validate/check_parts.h"

namespace oai::validate {
namespace {

constexpr const char* kNoSets = "the repository has no sets";

const Answer& first_page(Session& session) { return *session.sets().pages[0]; }
const Answer& last(Session& session) { return *session.sets().pages.back(); }
bool has_sets(Session& session) { return !session.sets().sets.empty(); }

std::set<std::string_view> specs(Session& session) {
    std::set<std::string_view> out;
    for (const Set* set : session.sets().sets) out.insert(set->spec);
    return out;
}

// A record and one of its sets.
struct Member {
    const Record* record = nullptr;  // nullptr: there is none
    std::string_view set{};
};

// The first record in a set that fits; one that is not deleted if there is one, since deletions
// may be forgotten.
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
    return "verb=ListIdentifiers&metadataPrefix=" + url_encode(session.scope().prefix) +
           "&set=" + url_encode(set);
}

Finding sets_or_error(Session& session) {
    const Answer& answer = first_page(session);
    if (std::string why = why_unusable(answer); !why.empty()) return wrong(std::move(why), answer);
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
    if (!has_sets(session)) return skipped(kNoSets);
    if (!session.sets().ended) return skipped("not all sets were looked at");
    const auto known = specs(session);
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
    if (!has_sets(session)) return skipped(kNoSets);
    if (!session.sets().ended) return skipped("not all sets were looked at");
    const auto listed = specs(session);
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
    const Answer& answer = session.get(list_of(session, set));
    if (std::string why = why_unusable(answer); !why.empty()) return wrong(std::move(why), answer);
    for (const Record& met : answer.records) {
        const auto in = [&](const std::string& s) { return s == set || s.starts_with(set + ":"); };
        if (std::none_of(met.header.sets.begin(), met.header.sets.end(), in))
            return wrong(
                met.header.identifier + " is listed in " + set + ", and its header does not say so",
                answer);
    }
    return fine();
}

// Whether a list of the set with the datestamp of the record has the record.
Finding holds(Session& session, const Record& record, std::string_view set) {
    const std::string moment = url_encode(record.header.datestamp);
    const Walk& walk = session.walk(list_of(session, set) + "&from=" + moment + "&until=" + moment);
    if (std::string why = why_unusable(*walk.pages[0]); !why.empty())
        return wrong(std::move(why), *walk.pages[0]);
    for (const Record* met : walk.records)
        if (met->header.identifier == record.header.identifier) return fine();
    if (!walk.ended) return skipped("more records share that time than were looked at");
    return wrong(record.header.identifier + " is not listed in " + std::string(set), *walk.pages[0])
        .against(session, record)
        .against(walk);
}

Finding holds_member(Session& session) {
    const Member member = find_member(session);
    return member.record == nullptr ? skipped("no record in a set was found")
                                    : holds(session, *member.record, member.set);
}

// Only what ListSets has is a set that can be asked for.
Finding parent_holds(Session& session) {
    const auto known = specs(session);
    const Member member = find_member(
        session, [&](std::string_view set) { return known.contains(parent_spec(set)); });
    return member.record == nullptr ? skipped("no record in a set with a parent was found")
                                    : holds(session, *member.record, parent_spec(member.set));
}

Finding unknown(Session& session) {
    return expect_error(session, list_of(session, "no_such_set"),
                        {"noRecordsMatch", "badArgument", "noSetHierarchy"});
}

Finding malformed(Session& session) {
    return expect_error(session, list_of(session, "no//such set"),
                        {"badArgument", "noRecordsMatch", "noSetHierarchy"});
}

const std::array kSetChecks{
    Check{"set.answered", "ListSets gives sets or noSetHierarchy", demand("no-set-hierarchy"),
          sets_or_error},
    Check{"set.none", "a repository without sets has none anywhere", demand("no-set-hierarchy"),
          no_sets_anywhere},
    Check{"set.unique", "no setSpec is listed twice", demand("set-spec-unique"), unique_sets},
    Check{"set.named", "each set has a name", demand("set-named"), has_names},
    Check{"set.parents", "the parent of each set is a set", demand("advice-listed"), parents},
    Check{"set.known", "each set of a record is listed", demand("sets-listed"), sets_are_listed},
    Check{"set.members", "the list of a set has only members of the set", demand("set-membership"),
          members},
    Check{"set.holds", "the list of a set has a record that is in the set", demand("set-selects"),
          holds_member},
    Check{"set.parent-holds", "the list of the parent has the record, too", demand("set-descends"),
          parent_holds},
    Check{"set.unknown", "an unknown set is an error", demand("no-records"), unknown},
    Check{"set.malformed", "a malformed setSpec is an error", demand("error-elements"), malformed},
};

}  // namespace

std::span<const Check> set_checks() { return kSetChecks; }

}  // namespace oai::validate
