// SPDX-License-Identifier: MIT
#include "recover/recovery.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "datestamp.h"
#include "recover/place.h"

namespace oai::recover {
namespace {

std::string url_and_time(const std::string& url, Seconds time) { return print_datestamp(time) + " " + url; }

// As it is in the file, or with its transfer encoding undone: tools differ in what they hash.
DigestVerdict verdict(const std::string& digest, const Stored& stored, const std::string& body) {
    const DigestVerdict raw = compare_digest(digest, stored.body());
    return raw == DigestVerdict::different ? compare_digest(digest, body) : raw;
}

// What crawlers note about their work has addresses of other kinds.
bool is_on_the_web(const std::string& url) { return !tree_key(url).empty(); }

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
}

void Recovery::take(const std::vector<Found>& page) {
    for (const Found& found : page) {
        if (!wanted_(found.capture)) continue;
        ++report_.captures;
        if (!is_done(found)) recover(found);
    }
}

bool Recovery::is_there(const Found& found) {
    return tree_ ? tree_->has(found.identifier) : file_->has(found.identifier);
}

// Counts it, if so.
bool Recovery::is_done(const Found& found) {
    const load::Capture& c = found.capture;
    if (tree_ && tree_->has_newer(document_of(found, ""))) {
        ++report_.older;
    } else if (is_there(found)) {
        ++report_.recovered;
    } else if (tree_ && (!is_on_the_web(c.url) || !is_document(c.status.value_or(0)))) {
        ++report_.no_document;
        return true;
    } else {
        return false;
    }
    remember(c);
    return true;
}

// A document of the list may be what a revisit repeats. It is not known yet whether it is a revisit itself.
void Recovery::remember(const load::Capture& c) {
    if (!tree_) return;
    if (!c.digest.empty()) originals_[c.digest].push_back(c);
    originals_[url_and_time(c.url, c.archived_time)].push_back(c);
}

void Recovery::recover(const Found& found) {
    std::optional<Piece> piece = read(found);
    if (piece && write(found, *std::move(piece))) remember(found.capture);
}

// nullopt: it is missing, or waits.
std::optional<Recovery::Piece> Recovery::read(const Found& found) {
    try {
        Stored stored = archive_.read(found.capture);
        if (tree_key(stored.url) != tree_key(found.capture.url))
            throw std::runtime_error("another record is there: " + stored.url);
        const std::string digest = found.capture.digest.empty() ? stored.digest : found.capture.digest;
        if (stored.kind != Stored::Kind::revisit || !tree_) return piece_of(std::move(stored), digest);
        revisits_.push_back(
            {found, stored.digest.empty() ? digest : stored.digest,
             stored.refers_to_time ? url_and_time(stored.refers_to, *stored.refers_to_time) : ""});
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

// Keys of originals_ that would help.
std::set<std::string> Recovery::lacking() const {
    std::set<std::string> keys;
    for (const Revisit& revisit : revisits_) {
        if (originals_.contains(revisit.original) || originals_.contains(revisit.digest)) continue;
        for (const std::string& key : {revisit.original, revisit.digest})
            if (!key.empty()) keys.insert(key);
    }
    return keys;
}

void Recovery::look_for_originals(const std::vector<Found>& page) {
    const std::set<std::string> keys = lacking();
    for (const Found& found : page) {
        const load::Capture& c = found.capture;
        const std::string named = url_and_time(c.url, c.archived_time);
        if (!keys.contains(named) && !keys.contains(c.digest)) continue;
        const bool waits = std::any_of(revisits_.begin(), revisits_.end(), [&](const Revisit& r) {
            return r.found.identifier == found.identifier;
        });
        if (!waits) remember(c);
    }
}

// Of captures that say the same, the first whose record holds it. It alone stays, or none.
std::optional<Stored> Recovery::first_original(std::vector<load::Capture>& candidates) {
    for (const load::Capture& candidate : std::exchange(candidates, {})) {
        try {
            Stored stored = archive_.read(candidate);
            if (stored.kind == Stored::Kind::revisit) continue;
            candidates = {candidate};
            return stored;
        } catch (const std::runtime_error&) {  // the next may be sound
        }
    }
    return std::nullopt;
}

Stored Recovery::original_of(const Revisit& revisit) {
    for (const std::string& key : {revisit.original, revisit.digest}) {
        const auto known = originals_.find(key);
        if (key.empty() || known == originals_.end()) continue;
        if (std::optional<Stored> stored = first_original(known->second)) return *std::move(stored);
    }
    throw std::runtime_error("it repeats a capture that is not in this repository" +
                             (revisit.digest.empty() ? "" : ", of digest " + revisit.digest));
}

void Recovery::recover(const Revisit& revisit) {
    std::optional<Piece> piece;
    try {
        piece = piece_of(original_of(revisit), revisit.digest);
    } catch (const std::runtime_error& e) {
        return miss(revisit.found, e.what());
    }
    const std::int64_t before = report_.recovered;
    write(revisit.found, *std::move(piece));
    report_.revisits += report_.recovered - before;
}

void Recovery::finish() {
    for (const Revisit& revisit : std::exchange(revisits_, {}))
        if (!is_done(revisit.found)) recover(revisit);
}

}  // namespace oai::recover
