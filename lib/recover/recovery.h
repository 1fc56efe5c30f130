// SPDX-License-Identifier: MIT
// A site brought back from its archive: captures of the list (captures.h), their records (archive.h,
// stored.h), what was meant by them (payload.h), a tree (tree.h) or a new WARC file (warc_file.h). Memory
// grows with what is recovered, by less than 1 KB a document. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "recover/archive.h"
#include "recover/captures.h"
#include "recover/payload.h"
#include "recover/stored.h"
#include "recover/tree.h"
#include "recover/warc_file.h"

namespace oai::recover {

struct Wanted {
    std::string prefix;            // of URLs, as they are written, with or without their scheme; "" all
    std::string host;              // in lower case; "" all
    std::optional<Seconds> from;   // first second of capture
    std::optional<Seconds> until;  // last
    bool operator()(const load::Capture& capture) const;
};

// captures = recovered + older + no_document + missing.
struct Report {
    std::int64_t captures = 0;     // that were wanted
    std::int64_t recovered = 0;    // now, or in an earlier run
    std::int64_t older = 0;        // of a URL that is there as it was later (trees only)
    std::int64_t no_document = 0;  // redirections and errors of HTTP, what is not of the web (trees only)
    std::int64_t missing = 0;
    std::int64_t revisits = 0;    // of those recovered now: by the capture that they repeat
    std::int64_t unverified = 0;  // of those recovered now: without a digest that is known here
};

class Recovery {
  public:
    // A capture that is missing, and why.
    using Missing = std::function<void(const Found& found, const std::string& why)>;

    // Either a tree or a file. They must outlive it.
    Recovery(Archive& archive, Wanted wanted, Tree& tree, Missing missing);
    Recovery(Archive& archive, Wanted wanted, WarcFile& file, Missing missing);

    // All of these throw Unreachable, and std::runtime_error where nothing can be written: what is there
    // stays, and the next run goes on.
    // A list is read from its start: nothing of it was taken so far.
    void begin();
    void take(const std::vector<Found>& page);
    // Captures wait for one that they repeat and that was not met so far: it may be elsewhere in the
    // repository.
    bool lacks_originals() const { return !lacking().empty(); }
    void look_for_originals(const std::vector<Found>& page);
    // Once after all pages: captures that repeat another, which may have come after them.
    void finish();
    const Report& report() const { return report_; }

  private:
    // What is to be written of a capture.
    struct Piece {
        Stored stored;
        std::string body;  // of a tree: the document
        DigestVerdict digest = DigestVerdict::unknown;
    };
    // A capture that repeats another, waiting for finish().
    struct Revisit {
        Found found;
        std::string digest;    // "" unknown
        std::string original;  // url_and_time() of it; "" not said
    };
    bool is_done(const Found& found);
    bool is_there(const Found& found);
    void recover(const Found& found);
    void recover(const Revisit& revisit);
    std::optional<Piece> read(const Found& found);
    Piece piece_of(Stored stored, const std::string& digest) const;
    Stored original_of(const Revisit& revisit);
    std::optional<Stored> first_original(std::vector<load::Capture>& candidates);
    bool write(const Found& found, Piece piece);
    void miss(const Found& found, const std::string& why);
    void remember(const load::Capture& capture);
    std::set<std::string> lacking() const;

    Archive& archive_;
    const Wanted wanted_;
    Tree* const tree_ = nullptr;
    WarcFile* const file_ = nullptr;
    Missing missing_;
    Report report_;
    std::map<std::string, std::vector<load::Capture>>
        originals_;  // by digest, and by URL and time; trees only
    std::vector<Revisit> revisits_;
};

}  // namespace oai::recover
