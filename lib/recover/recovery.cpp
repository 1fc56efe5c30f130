// SPDX-License-Identifier: MIT
#include "recover/recovery.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "datestamp.h"
#include "recover/place.h"

namespace oai::recover {
namespace {

constexpr int kLongestChain = 10;  // revisits of revisits

std::string name_of(const std::string& url, Seconds time) { return print_datestamp(time) + " " + url; }
std::uint64_t hash_of(const std::string& key) { return std::hash<std::string>()(key); }

// As it is in the file, or with its transfer encoding undone: tools differ in what they hash.
DigestVerdict verdict(const std::string& digest, const Stored& stored, const std::string& body) {
    const DigestVerdict raw = compare_digest(digest, stored.body());
    return raw == DigestVerdict::different ? compare_digest(digest, body) : raw;
}

// What crawlers note about their work has addresses of other kinds.
bool is_on_the_web(const std::string& url) { return !tree_key(url).empty(); }

std::string named_original(const Stored& revisit) {
    return revisit.refers_to_time ? name_of(revisit.refers_to, *revisit.refers_to_time) : "";
}

bool is_same_url(const std::string& a, const std::string& b) { return a == b || (is_on_the_web(a) && tree_key(a) == tree_key(b)); }

bool is_document(int status) { return status == 0 || (status >= 200 && status < 300); }

Document document_of(const Found& found, const std::string& media_type) {
    const load::Capture& c = found.capture;
    return {found.identifier, c.url, media_type.empty() ? c.mimetype : media_type, c.archived_time};
}

}  // namespace

bool Wanted::operator()(const load::Capture& capture) const {
    const std::string key = tree_key(capture.url);
    return (capture.url.starts_with(prefix) ||
            (prefix.find("://") == prefix.npos && key.starts_with(prefix))) &&
           (host.empty() || host_of(capture.url) == host) && (!from || capture.archived_time >= *from) &&
           (!until || capture.archived_time <= *until);
}

Recovery::Recovery(Archive& archive, Wanted wanted, Tree& tree, Missing missing)
    : archive_(archive), wanted_(std::move(wanted)), tree_(&tree), missing_(std::move(missing)) {}

Recovery::Recovery(Archive& archive, Wanted wanted, WarcFile& file, Missing missing)
    : archive_(archive), wanted_(std::move(wanted)), file_(&file), missing_(std::move(missing)) {}

void Recovery::begin() {
    report_ = {};
    revisits_.clear();
    originals_.clear();
    wanted_by_.clear();
    lacking_.clear();
}

// In the order of the archive files, so that neighbours are read together.
void Recovery::take(const std::vector<Found>& page) {
    std::vector<const Found*> wanted;
    std::vector<Where> to_read;
    for (const Found& found : page)
        if (wanted_(found.capture)) wanted.push_back(&found);
    const auto place = [](const Found* f) { return std::tie(f->capture.file, f->capture.offset); };
    std::stable_sort(wanted.begin(), wanted.end(), [&](const Found* a, const Found* b) { return place(a) < place(b); });
    for (const Found* const found : wanted)
        if (!is_there(*found) && !is_no_document(found->capture)) to_read.push_back(where_of(found->capture));
    archive_.expect(to_read);
    for (const Found* const found : wanted) {
        ++report_.captures;
        if (!is_done(*found)) recover(*found);
    }
}

bool Recovery::is_there(const Found& found) const {
    return tree_ ? tree_->has(found.identifier) : file_->has(found.identifier);
}

bool Recovery::is_no_document(const load::Capture& c) const {
    return tree_ && (!is_on_the_web(c.url) || !is_document(c.status.value_or(0)));
}

// Counts it, if so.
bool Recovery::is_done(const Found& found) {
    const load::Capture& c = found.capture;
    if (tree_ && tree_->has_newer(document_of(found, ""))) {
        ++report_.older;
    } else if (is_there(found)) {
        ++report_.recovered;
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
    if (!key.empty()) originals_.emplace(hash_of(key), Original{&*files_.insert(c.file).first, c.offset.value_or(-1), c.length.value_or(-1)});
}

// A document of the list may be what a revisit repeats. It is not known yet whether it is a revisit itself.
void Recovery::remember(const load::Capture& c) {
    if (!tree_) return;
    remember(c.digest, c);
    remember(name_of(c.url, c.archived_time), c);
}

void Recovery::recover(const Found& found) {
    std::optional<Piece> piece = read(found);
    if (piece && write(found, *std::move(piece))) remember(found.capture);
}

// nullopt: it is missing, or waits.
std::optional<Recovery::Piece> Recovery::read(const Found& found) {
    try {
        Stored stored = archive_.read(where_of(found.capture));
        if (!is_same_url(stored.url, found.capture.url))
            throw std::runtime_error("another record is there: " + stored.url);
        const std::string digest = found.capture.digest.empty() ? stored.digest : found.capture.digest;
        if (stored.kind != Stored::Kind::revisit || !tree_) return piece_of(std::move(stored), digest);
        revisits_.push_back({found, stored.digest.empty() ? digest : stored.digest, named_original(stored), ""});
        remember(name_of(found.capture.url, found.capture.archived_time), found.capture);  // another may name it
    } catch (const std::runtime_error& e) {
        miss(found, e.what());
    }
    return std::nullopt;
}

// Throws std::runtime_error: why there is no such piece.
Recovery::Piece Recovery::piece_of(Stored stored, const std::string& digest) const {
    Piece piece{.stored = std::move(stored), .body = {}};
    piece.body = without_transfer_encoding(piece.stored.http_header(), piece.stored.body());
    if (piece.stored.kind != Stored::Kind::revisit) piece.digest = verdict(digest, piece.stored, piece.body);
    if (piece.digest == DigestVerdict::different) throw std::runtime_error("its digest is not " + digest);
    if (!tree_ || !is_document(piece.stored.status)) return piece;
    piece.body = without_content_encoding(piece.stored.http_header(), std::move(piece.body));
    return piece;
}

// False: it is no document.
bool Recovery::write(const Found& found, Piece piece) {
    if (tree_ && !is_document(piece.stored.status)) {
        ++report_.no_document;
        return false;
    }
    ++report_.recovered;
    if (piece.digest == DigestVerdict::unknown && piece.stored.kind != Stored::Kind::revisit)
        ++report_.unverified;
    if (!tree_) {
        file_->put(found.identifier, piece.stored);
    } else if (tree_->put(document_of(found, piece.stored.media_type), piece.body)) {
        --report_.recovered;
        ++report_.older;
    }
    return true;
}

void Recovery::miss(const Found& found, const std::string& why) {
    ++report_.missing;
    missing_(found, why);
}

// The first that is what is said of it. Those that are no document at all are not read again; a revisit that was named tells
// what it repeats itself.
std::optional<Recovery::Piece> Recovery::original_by(const std::string& key, Revisit& revisit) {
    if (key.empty()) return std::nullopt;
    const bool named = key == revisit.original;
    auto [original, end] = originals_.equal_range(hash_of(key));
    while (original != end) {
        const auto [file, offset, length] = original->second;
        try {
            Stored stored = archive_.read({*file, offset, length < 0 ? std::nullopt : std::optional(length)});
            const bool is_it = !named || is_same_url(stored.url, key.substr(key.find(' ') + 1));
            if (is_it && stored.kind != Stored::Kind::revisit) return piece_of(std::move(stored), revisit.digest);
            if (is_it && named) {
                revisit.original = named_original(stored);
                if (revisit.digest.empty()) revisit.digest = stored.digest;
                return std::nullopt;
            }
        } catch (const std::runtime_error& e) {  // the next may be sound
            revisit.why = e.what();
        }
        original = named ? std::next(original) : originals_.erase(original);
    }
    return std::nullopt;
}

// By what it names, or what that names, and so on; or by its digest.
std::optional<Recovery::Piece> Recovery::original_of(Revisit& revisit) {
    for (int n = 0; n < kLongestChain; ++n) {
        const std::string name = revisit.original;
        if (std::optional<Piece> piece = original_by(name, revisit)) return piece;
        if (revisit.original == name || revisit.original.empty()) break;
    }
    return original_by(revisit.digest, revisit);
}

bool Recovery::recover(Revisit& revisit) {
    std::optional<Piece> piece = original_of(revisit);
    if (!piece) return false;
    const std::int64_t before = report_.recovered;
    write(revisit.found, *std::move(piece));
    report_.revisits += report_.recovered - before;
    return true;
}

void Recovery::resolve() {
    std::vector<Revisit> left;
    for (Revisit& revisit : std::exchange(revisits_, {}))
        if (!is_done(revisit.found) && !recover(revisit)) left.push_back(std::move(revisit));
    unresolved(std::move(left));
}

void Recovery::unresolved(std::vector<Revisit> revisits) {
    revisits_ = std::move(revisits);
    wanted_by_.clear();
    lacking_.clear();
    for (std::size_t i = 0; i < revisits_.size(); ++i)
        for (const std::string& key : {revisits_[i].original, revisits_[i].digest}) {
            if (key.empty()) continue;
            wanted_by_[key].push_back(i);
            lacking_.insert(i);
        }
}

bool Recovery::is_sound_original(const load::Capture& capture) {
    try {
        return archive_.read(where_of(capture)).kind != Stored::Kind::revisit;
    } catch (const std::runtime_error&) {
        return false;
    }
}

void Recovery::look_for_originals(const std::vector<Found>& page) {
    for (const Found& found : page) {
        const load::Capture& c = found.capture;
        for (const std::string& key : {name_of(c.url, c.archived_time), c.digest}) {
            const auto wanted = wanted_by_.find(key);
            if (wanted == wanted_by_.end() || !is_sound_original(c)) continue;
            remember(key, c);
            for (const std::size_t revisit : wanted->second) lacking_.erase(revisit);
            wanted_by_.erase(wanted);
        }
    }
}

void Recovery::finish() {
    resolve();
    for (const Revisit& revisit : revisits_)
        miss(revisit.found, !revisit.why.empty() ? revisit.why
                                                 : "it repeats a capture that is not in this repository" +
                                                       (revisit.digest.empty() ? "" : ", of digest " + revisit.digest));
    unresolved({});
}

}  // namespace oai::recover
