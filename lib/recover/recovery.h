// SPDX-License-Identifier: MIT
// A site brought back from its archive: captures of the list (captures.h), their records (archive.h,
// stored.h), what was meant by them (payload.h), a tree (tree.h) or a new WARC file (warc_file.h). Memory grows with what is
// recovered: by some 1 KB a document of a tree (its URL stands in it four times), by some 100 bytes a record of a file. A record
// is whole in memory while it is read, as what it holds is while it is unpacked. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
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

    // All of these throw Unreachable, and std::runtime_error where nothing can be written: what is there stays, and the next run
    // goes on. In this order:
    // A list is read from its start: nothing of it was taken so far.
    void begin();
    void take(const std::vector<Found>& page);
    // After the list: captures that repeat another, which may have come after them, or repeat a third.
    void resolve();
    // Some repeat one that was not met so far: it may be elsewhere in the repository, and is looked for in its whole list.
    bool lacks_originals() const { return !lacking_.empty(); }
    void look_for_originals(const std::vector<Found>& page);
    // What repeats something that was not found is missing.
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
        std::string original;  // name_of() it, or what that repeats; "" not said
        std::string why;       // nothing that it may repeat was what it should be; "" nothing was met
    };
    // A Where of a capture that may be what others repeat: there are many.
    struct Original {
        const std::string* file;
        std::int64_t offset, length;  // -1: not said
    };
    using Originals = std::unordered_multimap<std::uint64_t, Original>;  // by hash_of() digest and name

    bool is_done(const Found& found);
    bool is_there(const Found& found) const;
    bool is_no_document(const load::Capture& c) const;
    void recover(const Found& found);
    bool recover(Revisit& revisit);
    void unresolved(std::vector<Revisit> revisits);
    std::optional<Piece> read(const Found& found);
    Piece piece_of(Stored stored, const std::string& digest) const;
    std::optional<Piece> original_of(Revisit& revisit);
    std::optional<Piece> original_by(const std::string& key, Revisit& revisit);
    bool write(const Found& found, Piece piece);
    void miss(const Found& found, const std::string& why);
    void remember(const std::string& key, const load::Capture& capture);
    void remember(const load::Capture& capture);
    bool is_sound_original(const load::Capture& capture);

    Archive& archive_;
    const Wanted wanted_;
    Tree* const tree_ = nullptr;
    WarcFile* const file_ = nullptr;
    Missing missing_;
    Report report_;
    Originals originals_;          // trees only
    std::set<std::string> files_;  // their names
    std::vector<Revisit> revisits_;
    std::map<std::string, std::vector<std::size_t>> wanted_by_;  // digests and names that would help these of revisits_
    std::set<std::size_t> lacking_;                              // those of revisits_ that nothing was found for
};

}  // namespace oai::recover
