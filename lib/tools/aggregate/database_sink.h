// SPDX-License-Identifier: MIT
// Takes what a harvest of one source brings into the model library. Pages are gathered into
// batches, and a batch is written (batch_writer.h) in one transaction with the position behind its
// last page: after kill -9 the harvest goes on there. A thread of its own writes while the next
// batch is gathered; its failures are thrown by the next call that needs the database, at the
// latest by a take() that fills a batch. Knows no HTTP. To be used by one thread. Throws pg::Error,
// and std::runtime_error in words; after that only flush() may be called.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pg/connection.h"
#include "tools/aggregate/batch_writer.h"
#include "tools/aggregate/sources.h"
#include "tools/harvest/harvest.h"
#include "tools/harvest/sink.h"
#include "tools/load/item.h"
#include "transform/stylesheet.h"
#include "xml/handle.h"
#include "xml/schema.h"

namespace oai::aggregate {

// Turns a harvested record of oai_dc into an item of the model library, as loading a file does.
// Knows no database.

// The local_id that a record of this source gets; "" if its identifier is too long.
std::string our_local_id(const Source& source, std::string_view identifier);  // NAME/THEIRS
std::string their_local_id(std::string_view identifier);                      // :THEIRS

// Names of the collections for the source's setSpecs: below its NAME, or NAME itself.
std::vector<std::string> collections_of(const Source& source,
                                        std::span<const std::string> set_specs);
// Fills in the elements and all that follows from them. Returns whether the oai_dc that this
// repository serves for the item says exactly what the document says: all its elements with their
// texts and languages, and nothing else, in the same order but for dc:identifier.
bool describe(const xmlDoc* oai_dc, load::Item& item);

// Where a record was harvested from, by OAI's guidelines for provenance: an <originDescription>,
// with the one that the record brought along nested in it. Pure.

struct Origin {
    std::string_view base_url;
    std::string_view identifier;
    std::string_view datestamp;
    std::string_view metadata_namespace;  // in which it was harvested
    std::string_view harvest_date;        // the responseDate
    bool altered = false;                 // what is served here does not say exactly the same
};

// What the <provenance>s among the contents of a record's <about>s say.
struct KnownOrigin {
    std::string description;  // of the first that its schema allows, the <originDescription>
    std::string fault;        // why another one may not be passed on; "" none
    int depth = 0;            // of the deepest one
    bool ours = false;        // it was here before, at any depth
};
// our_prefix: of our identifiers, "oai:<namespace>:". Not thread-safe.
class OriginFinder {
  public:
    OriginFinder(const std::string& our_url, const std::string& our_prefix);
    KnownOrigin find(std::span<const std::string> abouts) const;

  private:
    const std::string our_url_, our_prefix_;
    const xml::Grammar grammar_;
};
// More steps than these are a circle.
inline constexpr int kMostOrigins = 8;

// `before`: KnownOrigin::description. "" if a date has a form that the schema does not allow.
std::string origin_description(const Origin& origin, std::string_view before);

// Stylesheets that harvested oai_dc goes through before it becomes an item, to make dates,
// languages and names uniform. Each is a file NAME.xsl of one directory, and turns an oai_dc
// document into another; they run one after the other, in the sandbox of all stylesheets
// (transform/stylesheet.h). Not thread-safe.

class Normaliser {
  public:
    // Without names, nothing is changed. Throws std::runtime_error, one line, if there is no such
    // file, and xml::Error for one that does not compile.
    Normaliser(const std::string& directory, const std::vector<std::string>& names);

    struct NormalisedRecord {
        xml::DocumentHandle document;
        bool altered = false;  // it says something else than before the stylesheets
    };
    // Throws xml::Error, one line, when a stylesheet fails on it or makes no oai_dc of it.
    NormalisedRecord normalise(xml::DocumentHandle oai_dc) const;

  private:
    std::vector<transform::Stylesheet> stylesheets_;
};

struct DatabaseSinkOptions {
    // "oai:<namespace>:" of this repository, whose own records are refused when they come back.
    std::string own_prefix;
    int batch_records = 5000;  // a batch has at most so many, or 32 MiB
    bool deletes_all = false;  // see BatchWriter
    // Its base URL: what has been here before is refused as well.
    std::string own_url = {};
};

class DatabaseSink final : public harvest::Sink {
  public:
    // The connection is the loader's and this sink's alone; all must outlive it.
    DatabaseSink(pg::Connection& connection, const Source& source, const Normaliser& normaliser,
                 harvest::HarvestListener& listener, DatabaseSinkOptions options);

    void identity(const harvest::RepositoryIdentity& identity) override;
    void sets(std::span<const harvest::SetInfo> sets) override;
    void formats(std::span<const harvest::FormatInfo> formats) override;
    std::string format_fault(const std::string& prefix) override;
    std::optional<harvest::ListPosition> unfinished(const std::string& prefix,
                                                    const std::string& set_spec) override;
    std::optional<std::string> last_complete(const std::string& prefix,
                                             const std::string& set_spec) override;
    void begin(const harvest::ListPosition& start) override;
    void take(std::span<const harvest::Record> records,
              const harvest::ListPosition& after) override;
    void finish(const harvest::ListPosition& end) override;
    void abandon(const harvest::ListPosition& end) override;
    std::vector<std::string> unmet(const harvest::ListPosition& end, std::size_t most) override;
    void spare(const std::string& identifier) override;
    bool refuse(const std::string& prefix, const std::string& identifier,
                const std::string& why) override;
    std::vector<std::string> refused(const std::string& prefix) override;
    void forget(const std::string& prefix, const std::string& identifier) override;

    // Writes what has been gathered. To be called when the harvest has stopped, for whatever
    // reason; records that were not written are harvested again.
    void flush();
    const WriteCounts& counts() const { return counts_; }
    // The newest record that earlier runs harvested, unless it came in this run: nullopt.
    std::optional<harvest::KnownRecord> unmet_newest() const;
    // "" before identity().
    const std::string& deleted_record() const { return deleted_record_; }

  private:
    void load_newest();
    void note_newest(const harvest::Record& record);
    void gather(const harvest::Record& record, const std::string& prefix);
    void gather_description(const harvest::Record& record, const std::string& before,
                            HarvestedRecord& out);
    void gather_payload(const harvest::Record& record, const std::string& before,
                        HarvestedRecord& out);
    bool is_believed(const harvest::ListPosition& end) const;
    bool is_of_departures(const harvest::ListSelection& list) const;
    bool is_own(const harvest::Record& record) const;
    void gather_departures(std::span<const harvest::Record> headers, const std::string& prefix);
    void note(const std::string& prefix, const std::string& identifier, const std::string& why,
              int tries);
    void write_refused();
    void choose_local_id(const std::string& identifier, HarvestedRecord& out) const;
    std::string origin_of(const harvest::Record& record, std::string_view name_space, bool altered,
                          const std::string& before) const;

    void write(WalkEnd ending);
    void wait_for_writer();

    pg::Connection& connection_;
    const Source& source_;
    const Normaliser& normaliser_;
    harvest::HarvestListener& listener_;
    const DatabaseSinkOptions options_;
    const OriginFinder origins_;
    BatchWriter writer_;
    std::string base_url_, title_, deleted_record_;
    bool had_days_ = false;  // its granularity was days in the last run, and is seconds now
    NewestRecord newest_before_, newest_;
    bool newest_met_ = false;
    harvest::ListPosition position_;  // behind the records gathered last
    std::int64_t walk_ = 0;
    bool position_changed_ = false;  // since it was written
    Batch batch_;
    std::vector<std::string> refused_ids_;  // see BatchJob
    struct Refused {
        std::string prefix, identifier, why;
        int tries;
    };
    std::vector<Refused> refused_;                      // to be noted
    std::map<std::string, std::string> format_faults_;  // by prefix
    std::vector<std::string> doubtful_;  // identifiers that the list of departures has otherwise
    std::set<std::string> asked_;        // prefixes whose refused records were asked for
    std::string began_ = "-infinity";    // this run
    bool begun_here_ = false;            // the walk, by this run
    std::int64_t unquiet_ = 0;           // see ListCounts
    WriteCounts counts_;
    // Uses the connection meanwhile. The last member, so that its end is awaited first.
    std::future<WriteCounts> writing_;
};

}  // namespace oai::aggregate
