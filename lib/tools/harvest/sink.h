// SPDX-License-Identifier: MIT
// The interface between walking the lists of a repository (harvest.h) and storing their records in
// a file (file_sink.h) or a database. A sink knows nothing of HTTP, XML parsing or retries; the
// walk does not know how records are stored.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"

namespace oai {
struct Datestamp;
}

namespace oai::harvest {

// All strings are XML text (base/text.h): UTF-8, with U+FFFD for characters that XML forbids.

struct Record {
    std::string identifier;  // never empty
    std::string datestamp;   // as sent, trimmed; not checked
    bool deleted = false;
    std::vector<std::string> set_specs;  // as sent, in the same order
    // The one element in <metadata>, with every namespace that it needs; "": none.
    std::string metadata;
    std::vector<std::string> abouts;  // the one element in each <about>, in the same form
    std::string response_date = {};   // of the response that contained it, as sent
};

struct RepositoryIdentity {
    std::string address;   // the base URL that the request was sent to
    std::string base_url;  // baseURL of its Identify
    std::string name;
    std::string protocol_version;
    std::string earliest_datestamp;
    std::string deleted_record;  // no, transient, persistent; as sent
    std::string granularity;     // YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ; as sent
    std::vector<std::string> admin_emails;
    std::vector<std::string> descriptions;  // the one element in each, as in Record::metadata
    std::string response_date;
    bool is_static = false;  // a static repository: one file (answer.h)
    bool has_seconds() const { return granularity.size() > 10; }  // false: days
};

struct SetInfo {
    std::string spec, name;
};

struct FormatInfo {
    std::string prefix, schema, name_space;
};

// Which records to request. Harvests with equal prefix and set_spec are of the same list.
struct ListSelection {
    std::string prefix;
    std::string set_spec;  // "": all records
    std::string from;      // as sent to the repository; "": from its beginning
    std::string until;     // "": to its end
    bool operator==(const ListSelection&) const = default;
};

// Counts of a list so far, apart from the number of records (list_walk.h).
struct ListCounts {
    std::int64_t deleted = 0;
    // For a list by set: records whose headers name this set, only other sets, or none.
    std::int64_t in_set = 0, in_other_sets = 0, without_sets = 0;
    std::int64_t outside_dates = 0;  // before `from` or after `until`
    std::int64_t repeated = 0;
    // Signs that the list moved during the walk: another completeListSize, a repeated identifier, a
    // record newer than the first response.
    std::int64_t moved = 0;
    std::int64_t again = 0;    // previous walks of the same list in this harvest
    std::int64_t unquiet = 0;  // successive harvests whose last walk moved; counted by the sink
    // Records without setSpecs count only if others have some.
    std::int64_t outside_set() const { return in_other_sets + (in_set > 0 ? without_sets : 0); }
    bool operator==(const ListCounts&) const = default;
};
std::string counts_text(const ListCounts& counts);  // JSON
// Reads what counts_text() wrote; 0 for what is not there.
ListCounts read_counts(const std::string& text);

// The position of a walk, with everything needed to resume it in another process.
struct ListPosition {
    ListSelection list;
    std::string token;  // to be sent next; "" before the first page and after the last
    // Of the list's FIRST response; the next harvest begins from it.
    std::string response_date;
    std::int64_t records = 0;  // received so far, including deleted ones
    std::int64_t pages = 0;
    std::optional<std::int64_t> list_size;  // the latest completeListSize; an estimate
    // Pages that could not be read completely; if there are any, the list is never complete.
    std::int64_t pages_missing = 0;
    ListCounts counts = {};
    bool operator==(const ListPosition&) const = default;
};

// The arguments from and until of a harvest, in the granularity of its repository. Pure.

// A datestamp in the repository's granularity: seconds are cut to days; a day becomes its first
// second (for `until` its last). An invalid datestamp is returned unchanged.
std::string from_argument(const std::string& datestamp, bool has_seconds);
std::string until_argument(const std::string& datestamp, bool has_seconds);

// The `from` of a harvest that follows one with this responseDate: earlier by the overlap, and
// never later than the responseDate. Returns "", to request everything, if that is no date.
std::string from_after(const std::string& response_date, std::chrono::seconds overlap,
                       bool has_seconds);

// The one judge of dates that others write, in whatever they are found: as ISO 8601 has them, with
// fractions or an offset, a blank in place of T or nothing in place of Z; as in web archives,
// digits YYYYMMDDhhmmss; 31. 12. 2020. What is cut off behind the year is filled up, what follows
// the fourteenth digit is dropped, and a leap second is the one before. nullopt: there is no such
// date.
std::optional<Datestamp> date_meant_by(std::string_view given);
// The same as OAI-PMH has it; "" for no date.
std::string date_text(std::string_view given);

// The difference of two responseDates; nullopt if one of them is not a date.
std::optional<std::chrono::seconds> seconds_between(const std::string& first,
                                                    const std::string& second);

// The sink of one repository. Called by one thread. Any exception ends the walk.
class Sink {
  public:
    virtual ~Sink() = default;

    // Once per run, before anything else.
    virtual void identity(const RepositoryIdentity& identity) = 0;
    // All sets, once per run, if they were requested (HarvestRequest::with_sets). Empty: no sets.
    virtual void sets(std::span<const SetInfo> sets) = 0;

    // ListMetadataFormats, once per run, if more than oai_dc is requested; then the reason why
    // records in a format cannot be stored, "" if they can.
    virtual void formats(std::span<const FormatInfo>) {}
    virtual std::string format_fault(const std::string& /*prefix*/) { return ""; }

    // The position at which the last walk of this list (same prefix and set_spec; any from and
    // until) was interrupted. nullopt: it reached its end, or there was none.
    virtual std::optional<ListPosition> unfinished(const std::string& prefix,
                                                   const std::string& set_spec) = 0;
    // response_date of the last complete harvest of this list: every change up to then is stored.
    virtual std::optional<std::string> last_complete(const std::string& prefix,
                                                     const std::string& set_spec) = 0;

    // A walk starts at this position; unfinished() becomes nullopt. Called again within a run if a
    // repository rejects its own token; records are then repeated.
    virtual void begin(const ListPosition& start) = 0;
    // Stores one page and the position after it, atomically: after kill -9 both are stored or
    // neither, so that no record is lost or duplicated. A page may have no records, and may repeat
    // a record: the later one counts.
    virtual void take(std::span<const Record> records, const ListPosition& after) = 0;
    // The list was read to its end and stored completely. From now on last_complete() is
    // end.response_date, unless the list had an `until`, or a `from` later than last_complete(), or
    // any `from` where there was no last_complete(): then older changes are missing. Never called
    // with end.pages_missing > 0; abandon() is called then. If end.list.from and .until are "",
    // records that the list did not contain no longer exist in the repository. If end.counts.moved
    // > 0, the list moved during every walk, and records may be missing.
    virtual void finish(const ListPosition& end) = 0;
    // The list could not be read completely: unfinished() becomes nullopt, last_complete() stays.
    virtual void abandon(const ListPosition& end) = 0;

    // The functions below are for sinks that remember records. unmet(): at the end of a walk, the
    // live records that it did not contain, at most so many. The walk requests them by GetRecord:
    // those that exist are stored before finish(), those without a clear response are kept, and all
    // others count as deleted.
    virtual std::vector<std::string> unmet(const ListPosition&, std::size_t /*most*/) { return {}; }
    virtual void spare(const std::string& /*identifier*/) {}
    // A record, by prefix and identifier, that could not be read or fetched, and why. Returns true
    // if the sink remembers it, so that the list counts as complete without it.
    virtual bool refuse(const std::string&, const std::string&, const std::string&) {
        return false;
    }
    // The records refused in earlier harvests, which are requested one by one. A record that no
    // longer exists is then forgotten.
    virtual std::vector<std::string> refused(const std::string& /*prefix*/) { return {}; }
    virtual void forget(const std::string& /*prefix*/, const std::string& /*identifier*/) {}
};

// Receives the events of a harvest, and may stop it. Called by the harvesting thread.

class HarvestListener {
  public:
    virtual ~HarvestListener() = default;
    // A page was stored; `position` is the one after it.
    virtual void on_page(const ListPosition& position) = 0;
    // A message for the user: one line, without a line end.
    virtual void note(const std::string& what) = 0;
    // Called between requests.
    virtual bool should_stop() const { return false; }
    // Sleeps for this time, or until should_stop(). `why`, one line: the reason for the wait.
    virtual void wait(std::chrono::seconds time, const std::string& why);
};

// Prints the progress of one harvest, a line every ten seconds, and notes.

// "4200 of 100000 records, 210/s, 7:36 left". taken: records stored by this run in the last
// `seconds`. Without a list size the text ends with the rate.
std::string time_text(double seconds);  // "0:21", "1:05 h"
std::string progress_text(const ListPosition& position, std::int64_t taken, double seconds);

class HarvestProgress final : public HarvestListener {
  public:
    using Time = std::chrono::steady_clock::time_point;
    // quiet: notes only. should_stop() calls `stop`. Each line begins with `name`. Control
    // characters from the repository are not printed.
    HarvestProgress(std::FILE* to, bool quiet, std::string name, std::function<bool()> stop)
        : to_(to), quiet_(quiet), name_(std::move(name)), stop_(std::move(stop)) {}

    void on_page(const ListPosition& position) override {
        print(position, std::chrono::steady_clock::now());
    }
    void note(const std::string& what) override;
    bool should_stop() const override { return stop_(); }

    // Prints a line every ten seconds.
    void print(const ListPosition& position, Time now);

  private:
    std::FILE* to_;
    bool quiet_;
    std::string name_;
    std::function<bool()> stop_;
    std::optional<ListSelection> list_;  // the list that the following members are about
    std::int64_t records_before_ = 0;    // its record count at the start of the measurement
    Time begun_{}, next_{};
};

}  // namespace oai::harvest
