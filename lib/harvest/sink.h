// SPDX-License-Identifier: MIT
// The seam between walking a repository's lists (harvest.h) and keeping what they bring: into one file
// (file_sink.h), or into a database. A sink knows nothing of HTTP, XML parsing or retries; the walk knows
// nothing of where records go. OAI-PMH 2.0, 2.5 (records), 3.5 (resumptionToken), 4.2 (Identify), 4.6
// (ListSets).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace oai::harvest {

// All text here is XML text (base/text.h): UTF-8, what XML forbids repaired to U+FFFD.

struct Record {
    std::string identifier;  // never empty
    std::string datestamp;   // as sent, blanks at its ends taken off; not checked
    bool deleted = false;
    std::vector<std::string> set_specs;  // as sent, in that order
    std::string metadata;  // the one element in <metadata>, with every namespace declaration it needs; "" if
                           // it has none
    std::vector<std::string> abouts;  // the one element in each <about>, likewise
    std::string response_date = {};   // of the answer that it came in, as sent
};

struct Identity {
    std::string address;   // the base URL that was asked
    std::string base_url;  // the base URL that the repository says it has
    std::string name;
    std::string protocol_version;
    std::string earliest_datestamp;
    std::string deleted_record;  // no, transient, persistent; as sent
    std::string granularity;     // YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ; as sent
    std::vector<std::string> admin_emails;
    std::vector<std::string> compressions;
    std::vector<std::string> friends;       // base URLs out of its friends description
    std::vector<std::string> descriptions;  // the one element in each <description>, as Record::metadata
    std::string response_date;
    bool seconds() const { return granularity.size() > 10; }  // false: days
};

struct SetInfo {
    std::string spec, name;
    std::vector<std::string> descriptions;
};

struct FormatInfo {
    std::string prefix, schema, name_space;
};

// What is asked for. Two harvests of one list have the same prefix and set_spec.
struct List {
    std::string prefix;
    std::string set_spec;  // "" all
    std::string from;      // as sent to the repository; "" from its beginning
    std::string until;     // "" to its end
    bool operator==(const List&) const = default;
};

// Where a walk stands: all that is needed to go on in another process.
struct Position {
    List list;
    std::string token;          // asked for next; "" before the first page, and behind the last
    std::string response_date;  // of the FIRST answer of this list: what the next harvest asks from
    std::int64_t records = 0;   // taken from this list so far, deleted ones included
    std::int64_t pages = 0;
    std::optional<std::int64_t> list_size;  // completeListSize, as last said; an estimate
    std::int64_t pages_missing = 0;  // answers that could not be had whole: the list then is never complete
    bool operator==(const Position&) const = default;
};

// One repository's. Called by one thread. Throws what it likes: the walk ends there, and what was taken
// stays.
class Sink {
  public:
    virtual ~Sink() = default;

    // Once per run, before anything else.
    virtual void identity(const Identity& identity) = 0;
    // All of them, once per run, when the repository was asked (Wish::sets_too). Empty: it has no sets.
    virtual void sets(std::span<const SetInfo> sets) = 0;

    // Where the last walk of this list (same prefix and set_spec; any from and until) stopped before its end.
    // nullopt: it came to its end, or there was none.
    virtual std::optional<Position> unfinished(const std::string& prefix, const std::string& set_spec) = 0;
    // response_date of the last complete harvest of this list: the time up to which everything is here.
    virtual std::optional<std::string> last_complete(const std::string& prefix,
                                                     const std::string& set_spec) = 0;

    // The list is walked from its start, at this position: unfinished() is forgotten. It happens again within
    // a run when a repository no longer knows its own token. Records that came before come again.
    virtual void begin(const Position& start) = 0;
    // One page and the position behind it, in one step: after kill -9 both are kept or neither is, so nothing
    // is lost and nothing doubled. A page may be empty (of records) and may repeat a record: the later one
    // holds.
    virtual void take(std::span<const Record> records, const Position& after) = 0;
    // The list has come to its end, and everything in it was taken: from now on last_complete() is
    // end.response_date, unless the list had an `until`, or a `from` behind last_complete(), or any `from` where
    // there was no last_complete(): what lies before it is not here. Not called where
    // end.pages_missing > 0; then abandon() is. If end.list.from and .until are "", what is not among the taken records
    // no longer exists there.
    virtual void finish(const Position& end) = 0;
    // The walk came to the end of what can be had, and that was not all, or the list cannot be walked to its end:
    // unfinished() is forgotten, last_complete() stays as it was.
    virtual void abandon(const Position& end) = 0;
};

}  // namespace oai::harvest
