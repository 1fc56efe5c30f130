// SPDX-License-Identifier: MIT
// Selective harvesting by datestamps (OAI-PMH 2.0, 2.7.1 and 3.3.1).
#include <array>

#include "datestamp.h"
#include "validate/check_parts.h"

namespace oai::validate {
namespace {

// The record whose datestamp is asked for: in the middle of what was met, so that there is something before and behind.
const Record* chosen(Session& session) {
    const auto& records = session.headers().records;
    return records.empty() ? nullptr : records[records.size() / 2];
}

std::string range(const std::string& from, const std::string& until) {
    return (from.empty() ? "" : "&from=" + escaped(from)) + (until.empty() ? "" : "&until=" + escaped(until));
}

const Answer& listed(Session& session, const std::string& from, const std::string& until) {
    return session.get(session.list("ListIdentifiers") + range(from, until));
}

// A moment many records share may fill more than the first page.
Finding holds(Session& session, const std::string& from, const std::string& until) {
    const Record* record = chosen(session);
    if (record == nullptr) return skipped("there is no record");
    const Walk& walk = session.walk(session.list("ListIdentifiers") + range(from, until));
    const Answer& first = *walk.pages[0];
    if (std::string why = why_unusable(first); !why.empty()) return wrong(std::move(why), first);
    for (const Record* met : walk.records)
        if (met->header.identifier == record->header.identifier) return fine();
    if (!walk.ended) return skipped("more records share that time than were looked at");
    return wrong(record->header.identifier + " of " + record->header.datestamp + " is not there", first).against(session, *record).against(walk);
}

Finding moment(Session& session) {
    const Record* record = chosen(session);
    return record == nullptr ? skipped("there is no record") : holds(session, record->header.datestamp, record->header.datestamp);
}

Finding day(Session& session) {
    if (session.in_days()) return skipped("the granularity is days anyway");
    const Record* record = chosen(session);
    if (record == nullptr) return skipped("there is no record");
    const std::string day = record->header.datestamp.substr(0, 10);
    return holds(session, day, day);
}

// `beyond` says whether a datestamp is on the wrong side of the record's.
template <class Beyond>
Finding one_side(Session& session, bool from, const Beyond& beyond) {
    const Record* record = chosen(session);
    if (record == nullptr) return skipped("there is no record");
    const std::string& date = record->header.datestamp;
    const Answer& answer = from ? listed(session, date, "") : listed(session, "", date);
    if (std::string why = why_unusable(answer); !why.empty()) return wrong(std::move(why), answer);
    if (!answer.errors.empty()) return wrong(answer.error_codes() + ", though there is a record of that time", answer).against(session, *record);
    for (const Record& met : answer.records)
        if (beyond(met.header.datestamp, date)) return wrong(met.header.identifier + " is of " + met.header.datestamp, answer);
    return fine();
}

// Datestamps of one granularity have the order of their texts.
Finding from(Session& session) {
    return one_side(session, true, [](const std::string& met, const std::string& date) { return met < date; });
}
Finding until(Session& session) {
    return one_side(session, false, [](const std::string& met, const std::string& date) { return met > date; });
}

std::string year_apart(Session& session, Seconds date, int years) {
    const std::string text = print_datestamp(date + std::chrono::hours{24 * 366} * years);
    return session.in_days() ? text.substr(0, 10) : text;
}

Finding before_earliest(Session& session) {
    const auto earliest = parse_datestamp(session.identification().earliest);
    if (!earliest) return skipped("earliestDatestamp cannot be read");
    return expect_error(listed(session, "", year_apart(session, earliest->first, -1)), {"noRecordsMatch"});
}

Finding future(Session& session) {
    return expect_error(listed(session, year_apart(session, session.now(), 1), ""), {"noRecordsMatch", "badArgument"});
}

Finding refused(Session& session, const std::string& from, const std::string& until) {
    return expect_error(listed(session, from, until), {"badArgument"});
}

Finding finer(Session& session) {
    if (!session.in_days()) return skipped("the granularity is seconds");
    return refused(session, "2001-02-03T04:05:06Z", "");
}

using enum Severity;

constexpr std::array kChecks{
    Check{"date.moment", "from and until that are a record's datestamp list it", "2.7.1", must, moment},
    Check{"date.day", "so do those that are its day", "3.3.1", must, day},
    Check{"date.from", "from leaves out what is older", "2.7.1", must, from},
    Check{"date.until", "until leaves out what is younger", "2.7.1", must, until},
    Check{"date.before-earliest", "until before earliestDatestamp is noRecordsMatch", "registration", must, before_earliest},
    Check{"date.future", "there is no record of the future", "2.7.1", must, future},
    Check{"date.from-junk", "from that is no date is badArgument", "3.3.1", must, [](Session& s) { return refused(s, "junk", ""); }},
    Check{"date.until-junk", "until that is no date is", "3.3.1", must, [](Session& s) { return refused(s, "", "junk"); }},
    Check{"date.impossible", "30 February is", "3.3.1", must, [](Session& s) { return refused(s, "2001-02-30", ""); }},
    Check{"date.year", "a year alone is", "3.3.1", must, [](Session& s) { return refused(s, "2001", ""); }},
    Check{"date.fraction", "a fraction of a second is", "3.3.1", must, [](Session& s) { return refused(s, "2001-02-03T04:05:06.7Z", ""); }},
    Check{"date.offset", "a time that is not UTC is", "3.3.1", must, [](Session& s) { return refused(s, "2001-02-03T04:05:06+01:00", ""); }},
    Check{"date.no-zone", "a time without Z is", "3.3.1", must, [](Session& s) { return refused(s, "2001-02-03T04:05:06", ""); }},
    Check{"date.backwards", "from behind until is", "2.7.1", must, [](Session& s) { return refused(s, "2001-02-03", "2001-02-02"); }},
    Check{"date.mixed", "from and until of two granularities are", "2.7.1", must,
          [](Session& s) { return refused(s, "2001-02-03", "2002-02-03T04:05:06Z"); }},
    Check{"date.finer", "seconds are, where the granularity is days", "3.3.1", must, finer},
};

}  // namespace

std::span<const Check> date_checks() { return kChecks; }

}  // namespace oai::validate
