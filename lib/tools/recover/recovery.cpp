// SPDX-License-Identifier: MIT
#include "tools/recover/recovery.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "protocol/record.h"
#include "tools/load/field.h"
#include "tools/load/http_body.h"

namespace oai::recover {
namespace {

constexpr int kMaxChain = 10;  // longest chain of revisits of revisits

std::string name_of(const std::string& url, Seconds time) {
    return print_datestamp(time) + " " + url;
}
std::uint64_t hash_of(const std::string& key) { return std::hash<std::string>()(key); }

// Compares the digest with the body as stored, without chunks, and with all of its transfer
// encoding decoded: tools differ in which of them they hash.
DigestVerdict verify_digest(const std::string& digest, const ArchivedRecord& stored,
                            const std::optional<load::Bytes>& decoded) {
    DigestVerdict verdict = compare_digest(digest, stored.block, stored.payload);
    if (verdict == DigestVerdict::different && decoded) verdict = compare_digest(digest, *decoded);
    if (verdict == DigestVerdict::different && decoded)
        if (const auto plain =
                load::without_chunks(stored.http_header(), stored.block, stored.payload))
            verdict = compare_digest(digest, *plain);
    return verdict;
}

// Whether it is the address of a web page; records about the crawl itself have other schemes.
bool is_on_the_web(const std::string& url) { return !tree_key(url).empty(); }

std::string named_original(const ArchivedRecord& revisit) {
    return revisit.refers_to_time ? name_of(revisit.refers_to, *revisit.refers_to_time) : "";
}

bool is_same_url(const std::string& a, const std::string& b) {
    return a == b || (is_on_the_web(a) && tree_key(a) == tree_key(b));
}

// 204 and 205 have no content (RFC 9110, 15.3.5).
bool is_document(int status) {
    return status == 0 || (status >= 200 && status < 300 && status != 204 && status != 205);
}

// Why the record may lack a part of the response, or ""; and whether browsers would show it.
struct Defect {
    std::string why{};
    bool may_be_whole = false;
};
Defect lack_of(const ArchivedRecord& stored, bool breaks_off) {
    if (const auto cut = load::header_field(stored.header, "warc-truncated"))
        return {"the crawler cut it off (WARC-Truncated: " + *cut + ")"};
    if (load::is_cut_off(stored.http_header(), stored.block, stored.payload))
        return {"its chunks break off", true};
    if (breaks_off) return {"its compressed data break off", true};
    const auto length = load::header_field(stored.http_header(), "content-length");
    const auto bytes = length ? text::to_integer(text::trim(*length)) : std::nullopt;
    if (!bytes || *bytes == static_cast<std::int64_t>(stored.body_size()) ||
        load::header_field(stored.http_header(), "transfer-encoding"))
        return {};
    return {fmt::format("it has {} of {} bytes", stored.body_size(), *bytes),
            *bytes < static_cast<std::int64_t>(stored.body_size())};
}

// Content-Range: bytes 0-499/1234 (RFC 9110, 14.4).
struct ContentRange {
    std::int64_t begin, end, size;  // end: behind the last byte
};
std::optional<ContentRange> content_range(const ArchivedRecord& stored) {
    static const RE2 kForm(R"(bytes\s+(\d+)-(\d+)/(\d+)\s*)");
    std::int64_t begin = 0, last = 0, size = 0;
    if (!RE2::FullMatch(load::header_field(stored.http_header(), "content-range").value_or(""),
                        kForm, &begin, &last, &size) ||
        last < begin || last >= size)
        return std::nullopt;
    return ContentRange{begin, last + 1, size};
}

RecoveredDocument document_of(const ListedCapture& found, const std::string& media_type) {
    const load::Capture& c = found.capture;
    return {found.identifier, c.url, media_type.empty() ? c.mimetype : media_type, c.archived_time};
}

}  // namespace

bool CaptureFilter::matches(const load::Capture& capture) const {
    const std::string key = tree_key(capture.url);
    return (capture.url.starts_with(prefix) ||
            (prefix.find("://") == prefix.npos && key.starts_with(prefix))) &&
           (host.empty() || host_of(capture.url) == host) &&
           (!from || capture.archived_time >= *from) && (!until || capture.archived_time <= *until);
}

Recovery::Recovery(Archive& archive, CaptureFilter filter, Tree& tree, MissingHandler missing,
                   bool partial)
    : archive_(archive),
      filter_(std::move(filter)),
      tree_(tree),
      missing_(std::move(missing)),
      partial_(partial) {}

void Recovery::begin() {
    report_ = {};
    revisits_.clear();
    originals_.clear();
    waiting_for_.clear();
    without_original_.clear();
    parts_.clear();
    left_out_.clear();
}

// Handles captures in the order of the archive files, to read neighbouring records together.
void Recovery::take(const std::vector<ListedCapture>& page) {
    std::vector<const ListedCapture*> wanted;
    std::vector<RecordLocation> to_read;
    for (const ListedCapture& found : page)
        if (filter_.matches(found.capture)) wanted.push_back(&found);
    const auto place = [](const ListedCapture* f) {
        return std::tie(f->capture.file, f->capture.offset);
    };
    std::stable_sort(
        wanted.begin(), wanted.end(),
        [&](const ListedCapture* a, const ListedCapture* b) { return place(a) < place(b); });
    for (const ListedCapture* const found : wanted)
        if (!tree_.has(found->identifier) && !is_no_document(found->capture))
            to_read.push_back(location_of(found->capture));
    archive_.expect(to_read);
    for (const ListedCapture* const found : wanted) {
        ++report_.captures;
        if (!is_done(*found)) recover(*found);
    }
}

bool Recovery::is_no_document(const load::Capture& c) const {
    return !is_on_the_web(c.url) || !is_document(c.status.value_or(0));
}

// Whether the capture needs no work; if so, counts it.
bool Recovery::is_done(const ListedCapture& found) {
    const load::Capture& c = found.capture;
    if (tree_.has_newer(document_of(found, ""))) {
        ++report_.older;
    } else if (tree_.has(found.identifier)) {
        count_recovered(tree_.how(found.identifier));
    } else if (is_no_document(c)) {
        ++report_.no_document;
        return true;
    } else {
        return false;
    }
    remember(c);
    return true;
}

void Recovery::remember(const std::string& key, const load::Capture& c) {
    if (!key.empty())
        originals_.emplace(hash_of(key), Original{&*files_.insert(c.file).first,
                                                  c.offset.value_or(-1), c.length.value_or(-1)});
}

// Remembers a listed capture that a revisit may repeat. It may be a revisit itself.
void Recovery::remember(const load::Capture& c) {
    remember(c.digest, c);
    remember(name_of(c.url, c.archived_time), c);
}

void Recovery::recover(const ListedCapture& found) {
    std::optional<RecordContent> piece = read(found);
    if (piece && write(found, *piece)) remember(found.capture);
}

// Returns nullopt if the capture is missing, or is a revisit that waits for its original.
std::optional<Recovery::RecordContent> Recovery::read(const ListedCapture& found) {
    try {
        ArchivedRecord stored = archive_.read(location_of(found.capture));
        if (!is_same_url(stored.url, found.capture.url))
            throw std::runtime_error("another record is there: " + stored.url);
        const std::string digest =
            found.capture.digest.empty() ? stored.digest : found.capture.digest;
        if (stored.kind != ArchivedRecord::Kind::revisit)
            return piece_of(std::move(stored), location_of(found.capture), digest);
        revisits_.push_back(
            {found, stored.digest.empty() ? digest : stored.digest, named_original(stored), ""});
        remember(name_of(found.capture.url, found.capture.archived_time),
                 found.capture);  // another revisit may name this one
    } catch (const std::runtime_error& e) {
        miss(found, e.what());
    }
    return std::nullopt;
}

// Throws std::runtime_error if the record is not usable.
Recovery::RecordContent Recovery::piece_of(ArchivedRecord stored, const RecordLocation& place,
                                           const std::string& digest, bool is_part) const {
    RecordContent piece{.stored = std::move(stored), .place = place, .decoded = {}};
    const auto names = [&](const char* field) {
        return load::header_field(piece.stored.http_header(), field).has_value();
    };
    if (names("transfer-encoding"))
        piece.decoded = load::decode_transfer_encoding(
            piece.stored.http_header(), piece.stored.block, {}, piece.stored.payload);
    if (piece.stored.kind != ArchivedRecord::Kind::revisit)
        piece.digest = verify_digest(digest, piece.stored, piece.decoded);
    if (piece.digest == DigestVerdict::different && !partial_)
        throw std::runtime_error("its digest is not " + digest);
    const bool is_whole = is_document(piece.stored.status) && piece.stored.status != 206;
    if (is_part || (!is_whole && !partial_)) return piece;
    if (names("content-encoding"))
        piece.decoded = load::decode_content_encoding(
            piece.stored.http_header(),
            piece.decoded ? *std::move(piece.decoded)
                          : piece.stored.block.rest(piece.stored.payload),
            {.breaks_off = &piece.breaks_off});
    return piece;
}

// Returns false if the record is not a document.
bool Recovery::write(const ListedCapture& found, const RecordContent& piece, bool by_another) {
    if (!is_document(piece.stored.status)) {
        ++report_.no_document;
        return false;
    }
    if (leave_out(found, piece, by_another)) return true;  // other captures may repeat it
    write_document(found, piece, by_another);
    return true;
}

void Recovery::write_document(const ListedCapture& found, const RecordContent& piece,
                              bool by_another) {
    const RecoveryMethod how{.by_another = by_another,
                             .unverified = piece.digest == DigestVerdict::unknown &&
                                           piece.stored.kind != ArchivedRecord::Kind::revisit};
    count_recovered(how);
    RecoveredDocument document = document_of(found, piece.stored.media_type);
    document.how = how;
    const auto known = tree_.entries().find(tree_key(document.url));
    const RecoveryMethod before =
        known == tree_.entries().end() ? RecoveryMethod{} : known->second.how;
    if (tree_.put(document, piece.bytes(), piece.begin())) {
        count_recovered(before, -1);
        ++report_.older;
    }
}

// Remembers an incomplete capture for assemble() and finish(); returns false for others.
bool Recovery::leave_out(const ListedCapture& found, const RecordContent& piece, bool by_another) {
    if (const auto lack = lack_of(piece.stored, piece.breaks_off); !lack.why.empty() && !partial_) {
        left_out_.push_back({found, piece.place, lack.why, lack.may_be_whole, by_another});
        return true;
    }
    if (piece.stored.status != 206) return false;
    const auto range = content_range(piece.stored);
    if (!range || range->end - range->begin != static_cast<std::int64_t>(piece.size())) {
        if (!partial_)
            left_out_.push_back({found, piece.place, "a part, whose range is unknown (HTTP 206)"});
        return !partial_;
    }
    if (range->begin == 0 && range->end == range->size) return false;
    const auto field = [&](const char* name) {
        return load::header_field(piece.stored.http_header(), name).value_or("");
    };
    parts_[fmt::format("{}\n{}\n{}\n{}", tree_key(found.capture.url), range->size, field("etag"),
                       field("last-modified"))]
        .push_back({found, piece.place, range->begin, range->end, by_another});
    return true;
}

Recovery::RecordContent Recovery::read_again(const ListedCapture& found,
                                             const RecordLocation& place, bool is_part) {
    ArchivedRecord stored = archive_.read(place);
    const std::string digest = found.capture.digest.empty() ? stored.digest : found.capture.digest;
    return piece_of(std::move(stored), place, digest, is_part);
}

// Assembles documents that browsers fetched in parts, such as videos, if the parts cover the whole.
// The capture of the latest part counts as recovered, the others as older.
void Recovery::assemble() {
    for (auto& [key, parts] : std::exchange(parts_, {})) {
        const std::int64_t size =
            text::to_integer(key.substr(key.find('\n') + 1,
                                        key.find('\n', key.find('\n') + 1) - key.find('\n') - 1))
                .value();
        std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
            return std::tie(a.begin, b.end) < std::tie(b.begin, a.end);
        });
        std::int64_t end = 0;
        for (const Part& part : parts)
            if (part.begin <= end) end = std::max(end, part.end);
        const auto latest =
            std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
                return a.found.capture.archived_time < b.found.capture.archived_time;
            });
        const ListedCapture found = latest->found;
        try {
            if (end < size)
                throw std::runtime_error(fmt::format("parts of {} bytes (HTTP 206)", size));
            if (size > static_cast<std::int64_t>(kMaxRecordBytes))
                throw std::runtime_error("larger than " + std::to_string(kMaxRecordBytes) +
                                         " bytes");
            RecordContent whole;
            load::Bytes& bytes = whole.decoded.emplace();
            for (const Part& part : parts) {
                const auto known = static_cast<std::int64_t>(bytes.size());
                if (part.end <= known) continue;
                RecordContent piece = read_again(part.found, part.place, true);
                piece.bytes().each(piece.begin() + static_cast<std::size_t>(known - part.begin),
                                   [&](std::string_view more) { bytes.append(more); });
                whole.digest = part.begin == 0 || piece.digest == DigestVerdict::unknown
                                   ? piece.digest
                                   : whole.digest;
                if (known > 0) continue;
                piece.stored.block = load::Bytes(piece.stored.http_header());
                whole.stored = std::move(piece.stored);
            }
            bytes = load::decode_content_encoding(whole.stored.http_header(), std::move(bytes));
            whole.stored.status = 200;
            if (tree_.has_newer(document_of(found, whole.stored.media_type)))
                ++report_.older;
            else
                write_document(found, whole, latest->by_another);
            report_.older += std::ssize(parts) - 1;
        } catch (const std::runtime_error& e) {
            for (const Part& part : parts)
                if (!partial_)
                    left_out_.push_back({part.found, part.place, e.what()});
                else if (tree_.has_newer(document_of(part.found, "")))
                    ++report_.older;
                else
                    write_document(part.found, read_again(part.found, part.place), part.by_another);
        }
    }
}

void Recovery::count_recovered(RecoveryMethod how, int by) {
    report_.recovered += by;
    report_.revisits += how.by_another ? by : 0;
    report_.unverified += how.unverified ? by : 0;
}

void Recovery::miss(const ListedCapture& found, const std::string& why) {
    ++report_.missing;
    missing_(found, why);
}

// Returns the first candidate with this digest or name whose content is valid. Removes invalid
// candidates with this digest. If a named candidate is a revisit itself, sets revisit.original to
// the next candidate.
std::optional<Recovery::RecordContent> Recovery::original_by(const std::string& key,
                                                             Revisit& revisit) {
    if (key.empty()) return std::nullopt;
    const bool named = key == revisit.original;
    auto [original, end] = originals_.equal_range(hash_of(key));
    while (original != end) {
        const auto [file, offset, length] = original->second;
        try {
            const RecordLocation place{*file, offset,
                                       length < 0 ? std::nullopt : std::optional(length)};
            ArchivedRecord stored = archive_.read(place);
            const bool is_it = !named || is_same_url(stored.url, key.substr(key.find(' ') + 1));
            if (is_it && stored.kind != ArchivedRecord::Kind::revisit)
                return piece_of(std::move(stored), place, revisit.digest);
            if (is_it && named) {
                revisit.original = named_original(stored);
                if (revisit.digest.empty()) revisit.digest = stored.digest;
                return std::nullopt;
            }
        } catch (const std::runtime_error& e) {  // try the next one
            revisit.why = e.what();
        }
        original = named ? std::next(original) : originals_.erase(original);
    }
    return std::nullopt;
}

// Looks for the capture that the revisit names, through chains, and then tries its digest.
std::optional<Recovery::RecordContent> Recovery::original_of(Revisit& revisit) {
    for (int n = 0; n < kMaxChain; ++n) {
        const std::string name = revisit.original;
        if (std::optional<RecordContent> piece = original_by(name, revisit)) return piece;
        if (revisit.original == name || revisit.original.empty()) break;
    }
    return original_by(revisit.digest, revisit);
}

bool Recovery::recover(Revisit& revisit) {
    std::optional<RecordContent> piece = original_of(revisit);
    if (!piece) return false;
    write(revisit.found, *piece, true);
    return true;
}

void Recovery::resolve() {
    std::vector<Revisit> left;
    for (Revisit& revisit : std::exchange(revisits_, {}))
        if (!is_done(revisit.found) && !recover(revisit)) left.push_back(std::move(revisit));
    set_unresolved(std::move(left));
}

void Recovery::set_unresolved(std::vector<Revisit> revisits) {
    revisits_ = std::move(revisits);
    waiting_for_.clear();
    without_original_.clear();
    for (std::size_t i = 0; i < revisits_.size(); ++i)
        for (const std::string& key : {revisits_[i].original, revisits_[i].digest}) {
            if (key.empty()) continue;
            waiting_for_[key].push_back(i);
            without_original_.insert(i);
        }
}

bool Recovery::is_sound_original(const load::Capture& capture) {
    try {
        return archive_.read(location_of(capture)).kind != ArchivedRecord::Kind::revisit;
    } catch (const std::runtime_error&) {
        return false;
    }
}

void Recovery::look_for_originals(const std::vector<ListedCapture>& page) {
    for (const ListedCapture& found : page) {
        const load::Capture& c = found.capture;
        for (const std::string& key : {name_of(c.url, c.archived_time), c.digest}) {
            const auto waiting = waiting_for_.find(key);
            if (waiting == waiting_for_.end() || !is_sound_original(c)) continue;
            remember(key, c);
            for (const std::size_t revisit : waiting->second) without_original_.erase(revisit);
            waiting_for_.erase(waiting);
        }
    }
}

void Recovery::finish() {
    resolve();
    assemble();
    // A capture that is possibly complete is used if there is no other; of several, the latest.
    std::stable_sort(left_out_.begin(), left_out_.end(), [](const LeftOut& a, const LeftOut& b) {
        return std::tie(a.may_be_whole, a.found.capture.archived_time) >
               std::tie(b.may_be_whole, b.found.capture.archived_time);
    });
    for (const LeftOut& out : std::exchange(left_out_, {})) {
        const bool whole_is_there = tree_.entries().contains(tree_key(out.found.capture.url));
        try {
            if (out.may_be_whole && !whole_is_there) {
                write_document(out.found, read_again(out.found, out.place), out.by_another);
                continue;
            }
        } catch (const std::runtime_error& e) {
            miss(out.found, e.what());
            continue;
        }
        ++(whole_is_there ? report_.partial : report_.missing);
        missing_(out.found, std::string(kNotWhole) + out.lack);
    }
    for (const Revisit& revisit : revisits_)
        miss(revisit.found,
             !revisit.why.empty()
                 ? revisit.why
                 : "it repeats a capture that is not in this repository" +
                       (revisit.digest.empty() ? "" : ", of digest " + revisit.digest));
    set_unresolved({});
}

}  // namespace oai::recover
