// SPDX-License-Identifier: MIT
// Recovers the documents of a web archive: reads the records (archive.h) of listed captures,
// decodes them and writes a tree of documents (output.h). Needs about 1 KB of memory for each
// document, and holds one record with its decoded body at a time, in temporary files if they are
// large. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/harvest/sink.h"
#include "tools/load/capture.h"
#include "tools/recover/archive.h"
#include "tools/recover/output.h"

namespace oai::recover {

// Reads captures from a harvested list in the format `warc`.

struct ListedCapture {
    std::string identifier;  // of its record
    load::Capture capture;
};

// Reads a record that is not deleted. Throws std::runtime_error with a message for the user if its
// metadata is not a capture, or lacks URL or time.
ListedCapture read_capture(const harvest::Record& record);

// Passes captures on in the order of the list; stores nothing.
class CaptureSink final : public harvest::Sink {
  public:
    struct Callbacks {
        std::function<void()> begin;  // called when the list starts or restarts
        std::function<void(const std::vector<ListedCapture>& page)> take;
        std::function<void(const std::string& identifier, const std::string& why)> unreadable;
    };
    explicit CaptureSink(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}

    void identity(const harvest::RepositoryIdentity&) override {}
    void sets(std::span<const harvest::SetInfo>) override {}
    std::optional<harvest::ListPosition> unfinished(const std::string&,
                                                    const std::string&) override {
        return {};
    }
    std::optional<std::string> last_complete(const std::string&, const std::string&) override {
        return {};
    }
    void begin(const harvest::ListPosition&) override { callbacks_.begin(); }
    void take(std::span<const harvest::Record> records, const harvest::ListPosition&) override;
    void finish(const harvest::ListPosition&) override {}
    void abandon(const harvest::ListPosition&) override {}

  private:
    const Callbacks callbacks_;
};

// Compares digests of archived HTTP bodies, which begin at byte `from` of what is given. Pure.

// expected: as load::digest() writes it: a SHA-1 in base32 or hexadecimal, or "algorithm:value" in
// either, for any algorithm of OpenSSL. unknown: `expected` is empty, or of another form.
enum class DigestVerdict { same, different, unknown };
DigestVerdict compare_digest(std::string_view expected, const load::Bytes& bytes,
                             std::size_t from = 0);

struct CaptureFilter {
    std::string prefix;            // of URLs as written, with or without scheme; "" matches all
    std::string host;              // in lower case; "" matches all
    std::optional<Seconds> from;   // time of capture
    std::optional<Seconds> until;  // inclusive
    bool matches(const load::Capture& capture) const;
};

// captures = recovered + older + no_document + partial + missing.
struct RecoveryReport {
    std::int64_t captures = 0;     // captures that match the filter
    std::int64_t recovered = 0;    // in this or an earlier run
    std::int64_t older = 0;        // the tree has a later capture of the URL
    std::int64_t no_document = 0;  // redirects, HTTP errors, other schemes than http, https, ftp
    std::int64_t partial = 0;      // incomplete, while the tree has a complete capture of the URL
    std::int64_t missing = 0;
    std::int64_t revisits = 0;    // recovered from the capture that they repeat
    std::int64_t unverified = 0;  // recovered without a digest to compare
};

// The beginning of the message for a capture that was left out because it is incomplete.
inline constexpr std::string_view kNotWhole = "it is not whole: ";

class Recovery {
  public:
    // Called for each capture that is missing or left out, with the reason.
    using MissingHandler = std::function<void(const ListedCapture& found, const std::string& why)>;

    // Writes a tree of complete documents: a capture that was truncated, or is a part (HTTP 206),
    // is left out, even if it is newer than a complete one, unless several parts cover the whole
    // document. partial: recovers incomplete captures, too. The references must outlive this.
    Recovery(Archive& archive, CaptureFilter wanted, Tree& tree, MissingHandler missing,
             bool partial = false);

    // Call the following functions in this order. They throw ArchiveUnreachable, and
    // std::runtime_error if the tree cannot be written; the next run resumes. begin(): the list
    // starts or restarts; discards the captures so far.
    void begin();
    void take(const std::vector<ListedCapture>& page);
    // resolve(): after the list, recovers captures that repeat another one, listed anywhere.
    void resolve();
    // Whether captures repeat others that are not in the list. If so, pass the repository's whole
    // list to look_for_originals().
    bool lacks_originals() const { return !without_original_.empty(); }
    void look_for_originals(const std::vector<ListedCapture>& page);
    // finish(): reports captures whose original was not found as missing.
    void finish();
    const RecoveryReport& report() const { return report_; }

  private:
    // The content that is written for a capture.
    struct RecordContent {
        ArchivedRecord stored;
        RecordLocation place;
        // The document, where it is not what is stored.
        std::optional<load::Bytes> decoded;
        bool breaks_off = false;  // its compressed data end before their end
        DigestVerdict digest = DigestVerdict::unknown;
        const load::Bytes& bytes() const { return decoded ? *decoded : stored.block; }
        std::size_t begin() const { return decoded ? 0 : stored.payload; }
        std::size_t size() const { return bytes().size() - begin(); }
    };
    // A capture that repeats another, to be recovered by resolve().
    struct Revisit {
        ListedCapture found;
        std::string digest;    // "" if unknown
        std::string original;  // name_of() the capture that it repeats in the end; "" if not given
        std::string why;       // why the last candidate could not be used; "" if there was none
    };
    // A response with status 206.
    struct Part {
        ListedCapture found;
        RecordLocation place;     // of its record, or of the capture that it repeats
        std::int64_t begin, end;  // of the document; end: behind the last byte
        bool by_another;
    };
    struct LeftOut {
        ListedCapture found;
        RecordLocation place;
        std::string lack;
        bool may_be_whole = false, by_another = false;
    };
    // A compact form of RecordLocation for captures that others may repeat, since there are many.
    struct Original {
        const std::string* file;
        std::int64_t offset, length;  // -1 if unknown
    };
    using Originals =
        std::unordered_multimap<std::uint64_t, Original>;  // by hash_of() the digest and the name

    bool is_done(const ListedCapture& found);
    bool is_no_document(const load::Capture& c) const;
    void recover(const ListedCapture& found);
    bool recover(Revisit& revisit);
    bool leave_out(const ListedCapture& found, const RecordContent& piece, bool by_another);
    RecordContent read_again(const ListedCapture& found, const RecordLocation& place,
                             bool is_part = false);
    void assemble();
    void set_unresolved(std::vector<Revisit> revisits);
    std::optional<RecordContent> read(const ListedCapture& found);
    RecordContent piece_of(ArchivedRecord stored, const RecordLocation& place,
                           const std::string& digest, bool is_part = false) const;
    std::optional<RecordContent> original_of(Revisit& revisit);
    std::optional<RecordContent> original_by(const std::string& key, Revisit& revisit);
    bool write(const ListedCapture& found, const RecordContent& piece, bool by_another = false);
    void write_document(const ListedCapture& found, const RecordContent& piece, bool by_another);
    void count_recovered(RecoveryMethod how, int by = 1);
    void miss(const ListedCapture& found, const std::string& why);
    void remember(const std::string& key, const load::Capture& capture);
    void remember(const load::Capture& capture);
    bool is_sound_original(const load::Capture& capture);

    Archive& archive_;
    const CaptureFilter filter_;
    Tree& tree_;
    MissingHandler missing_;
    const bool partial_ = false;
    RecoveryReport report_;
    // By URL, size and version of the document.
    std::map<std::string, std::vector<Part>> parts_;
    std::vector<LeftOut> left_out_;
    Originals originals_;
    std::set<std::string> files_;  // the names that originals_ points to
    std::vector<Revisit> revisits_;
    std::map<std::string, std::vector<std::size_t>>
        waiting_for_;  // indices in revisits_, by the digest and the name of an original
    std::set<std::size_t> without_original_;  // indices in revisits_ of those without an original
};

}  // namespace oai::recover
