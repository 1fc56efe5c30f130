// SPDX-License-Identifier: MIT
// Selective harvesting by datestamps (OAI-PMH 2.0, 2.7.1 and 3.3.1).
#include <array>

#include "protocol/record.h"
#include "tools/validate/check_parts.h"

namespace oai::validate {
namespace {

// The record whose datestamp is used: from the middle of the list, so that there are records before
// and after it. A deleted one is used only if there is no other and deletions are kept.
const Record* middle_record(Session& session) {
    std::vector<const Record*> records = session.headers().records;
    std::erase_if(records, [](const Record* record) { return record->header.deleted; });
    if (records.empty() && session.identification().deleted_record == "persistent")
        records = session.headers().records;
    return records.empty() ? nullptr : records[records.size() / 2];
}

std::string range(const std::string& from, const std::string& until) {
    return (from.empty() ? "" : "&from=" + url_encode(from)) +
           (until.empty() ? "" : "&until=" + url_encode(until));
}

const Answer& list_dates(Session& session, const std::string& from, const std::string& until) {
    return session.get(session.list("ListIdentifiers") + range(from, until));
}

// Whether a list between the dates has the record. Many records may share a datestamp, so the list
// may be longer than a page.
Finding holds(Session& session, const std::string& from, const std::string& until) {
    const Record* record = middle_record(session);
    if (record == nullptr) return skipped("there is no record");
    const Walk& walk = session.walk(session.list("ListIdentifiers") + range(from, until));
    const Answer& first = *walk.pages[0];
    if (std::string why = why_unusable(first); !why.empty()) return wrong(std::move(why), first);
    for (const Record* met : walk.records)
        if (met->header.identifier == record->header.identifier) return fine();
    if (!walk.ended) return skipped("more records share that time than were looked at");
    return wrong(record->header.identifier + " of " + record->header.datestamp + " is not there",
                 first)
        .against(session, *record)
        .against(walk);
}

Finding moment(Session& session) {
    const Record* record = middle_record(session);
    return record == nullptr ? skipped("there is no record")
                             : holds(session, record->header.datestamp, record->header.datestamp);
}

Finding day(Session& session) {
    if (session.in_days()) return skipped("the granularity is days anyway");
    const Record* record = middle_record(session);
    if (record == nullptr) return skipped("there is no record");
    const std::string day = record->header.datestamp.substr(0, 10);
    return holds(session, day, day);
}

// A list from, or until, the datestamp of the record. `beyond` says whether a datestamp is on the
// wrong side of it.
template <class Beyond>
Finding one_side(Session& session, bool from, const Beyond& beyond) {
    const Record* record = middle_record(session);
    if (record == nullptr) return skipped("there is no record");
    const std::string& date = record->header.datestamp;
    const std::string none;
    const Answer& answer = list_dates(session, from ? date : none, from ? none : date);
    if (std::string why = why_unusable(answer); !why.empty()) return wrong(std::move(why), answer);
    if (!answer.errors.empty())
        return wrong(answer.error_codes() + ", though there is a record of that time", answer)
            .against(session, *record);
    for (const Record& met : answer.records)
        if (beyond(met.header.datestamp, date))
            return wrong(met.header.identifier + " is of " + met.header.datestamp, answer);
    return fine();
}

// Datestamps of one granularity can be compared as text.
Finding from(Session& session) {
    return one_side(
        session, true, [](const std::string& met, const std::string& date) { return met < date; });
}
Finding until(Session& session) {
    return one_side(
        session, false, [](const std::string& met, const std::string& date) { return met > date; });
}

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

Finding expect_bad_argument(Session& session, const std::string& from, const std::string& until) {
    return expect_error(list_dates(session, from, until), {"badArgument"});
}

Finding finer(Session& session) {
    if (!session.in_days()) return skipped("the granularity is seconds");
    return expect_bad_argument(session, "2001-02-03T04:05:06Z", "");
}

const std::array kDateChecks{
    Check{"date.moment", "from and until equal to a record's datestamp list the record",
          demand("range-inclusive"), moment},
    Check{"date.day", "from and until equal to the day of a record list the record",
          demand("days-always"), day},
    Check{"date.from", "from excludes older records", demand("range-inclusive"), from},
    Check{"date.until", "until excludes newer records", demand("range-inclusive"), until},
    Check{"date.before-earliest", "until before earliestDatestamp gives noRecordsMatch",
          demand("no-records"), before_earliest},
    Check{"date.future", "no record has a future datestamp", demand("datestamp-true"), future},
    Check{"date.from-junk", "a from that is no date is badArgument", demand("bad-argument"),
          [](Session& s) { return expect_bad_argument(s, "junk", ""); }},
    Check{"date.until-junk", "an until that is no date is badArgument", demand("bad-argument"),
          [](Session& s) { return expect_bad_argument(s, "", "junk"); }},
    Check{"date.impossible", "30 February is badArgument", demand("bad-argument"),
          [](Session& s) { return expect_bad_argument(s, "2001-02-30", ""); }},
    Check{"date.year", "a year alone is badArgument", demand("date-forms"),
          [](Session& s) { return expect_bad_argument(s, "2001", ""); }},
    Check{"date.fraction", "a fraction of a second is badArgument", demand("date-forms"),
          [](Session& s) { return expect_bad_argument(s, "2001-02-03T04:05:06.7Z", ""); }},
    Check{"date.offset", "a time that is not UTC is badArgument", demand("zone"),
          [](Session& s) { return expect_bad_argument(s, "2001-02-03T04:05:06+01:00", ""); }},
    Check{"date.no-zone", "a time without Z is badArgument", demand("zone"),
          [](Session& s) { return expect_bad_argument(s, "2001-02-03T04:05:06", ""); }},
    Check{"date.backwards", "from later than until is badArgument", demand("range-order"),
          [](Session& s) { return expect_bad_argument(s, "2001-02-03", "2001-02-02"); }},
    Check{"date.mixed", "from and until of different granularities are badArgument",
          demand("same-granularity"),
          [](Session& s) { return expect_bad_argument(s, "2001-02-03", "2002-02-03T04:05:06Z"); }},
    Check{"date.finer", "seconds are badArgument if the granularity is days",
          demand("finer-is-error"), finer},
};

}  // namespace

std::span<const Check> date_checks() { return kDateChecks; }

}  // namespace oai::validate
