// SPDX-License-Identifier: MIT
// Records of a slice as <header> or <record> elements of one format: what GetRecord, ListIdentifiers and
// ListRecords share, and the rules of which record a format has. Knows no paging and no SQL.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "envelope.h"
#include "format.h"
#include "store.h"
#include "verb.h"

namespace oai {

// A change of the stylesheet is a change of every record in that format, at the second that it names: `since` counts
// once the horizon has reached it, as any datestamp does. So a harvester that began before that second fetches
// everything in its next harvest, one that began after it has fetched the new content, and no datestamp lies ahead.
std::optional<Seconds> since_of(const Format& format, const Horizon& horizon);

// Whether harvesters see the record at all: a deleted one is hidden where the policy is deletedRecord=no.
bool is_shown(const Repository& repository, const Header& header);

// Whether the format has this record: a deleted one always (its harvesters must learn of it), else if it
// has a value in each column that the format requires. REQUIRES: the slice has the model's columns if the
// format requires any.
bool has_format(const Format& format, const Slice& slice, int i);

class RecordWriter {
  public:
    // with_metadata: <record>, else <header> alone. The arguments must outlive the writer.
    RecordWriter(const Context& context, const Format& format, bool with_metadata, Account& account);

    // Whether the slices given to begin() must have the model's columns.
    bool needs_records() const { return with_metadata_ || !format_.requires_columns.empty(); }

    // What the stylesheets make of a slice: its metadata, in one transform, and what goes into <about>, in one each.
    struct Made {
        Dissemination metadata;
        std::vector<Dissemination> abouts;
        std::chrono::nanoseconds took{0};
    };
    Made make(const Slice& slice) const;  // from any thread
    // A transform takes longer than handing it to another thread does.
    bool takes_long() const;

    // Turns to the next slice, which must outlive its write() calls. made: of this slice. `since`: since_of(), for all
    // slices of one answer the same.
    void begin(const Slice& slice, std::optional<Seconds> since, Made made);

    // left_out: not shown, or not in this format. excluded: not in this format, in which it would fail. failed: no
    // metadata could be made, or an about stylesheet failed; noted in the account.
    enum class Outcome { written, left_out, excluded, failed };
    // Appends record i of the slice to the envelope's body. REQUIRES: called with i ascending.
    Outcome write(Envelope& out, int i);

  private:
    // What one stylesheet makes of the slice.
    struct Part {
        const Format& stylesheet;
        Dissemination made{};
        std::size_t next_failure = 0;

        const std::string* failure(int i);  // nullptr: none. REQUIRES: i ascending
    };

    Dissemination disseminated(const Format& stylesheet, const Slice& slice) const;
    void take(Part& part, Dissemination made);
    void make_room(std::string& body);
    void find_set_specs(const Header& header);
    Outcome fail(const Header& header, const std::string& why);
    std::string why_not(int i);
    void append_parts(std::string& body, int i) const;
    const Context& context_;
    const Format& format_;
    const bool with_metadata_;
    Account& account_;
    const Slice* slice_ = nullptr;
    std::optional<Seconds> since_;
    const std::shared_ptr<const ExcludedRecords> excluded_;
    Part metadata_;
    std::vector<Part> abouts_;
    bool has_room_ = false;
    std::vector<std::string_view> set_specs_;
    // What the store said last of the sets whose numbers end alike: most headers name few sets.
    struct KnownSet {
        int id;
        std::string_view spec;  // "" none yet
    };
    std::array<KnownSet, 256> known_sets_{};
};

}  // namespace oai
