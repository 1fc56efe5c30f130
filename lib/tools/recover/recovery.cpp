// SPDX-License-Identifier: MIT
#include "tools/recover/recovery.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "protocol/record.h"
#include "tools/load/field.h"
#include "tools/load/http_body.h"
#include "tools/recover/handle.h"
#include "tools/recover/output.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::recover {
namespace {

constexpr int kMaxChain = 10;  // of revisits that repeat revisits

std::string name_of(const std::string& url, Seconds time) {
    return print_datestamp(time) + " " + url;
}
std::uint64_t hash_of(const std::string& key) { return std::hash<std::string>()(key); }

// Compares the digest with the body as stored, without chunks, and with all of its transfer
// encoding decoded: tools differ in which of them they hash.
DigestVerdict verify_digest(const std::string& digest, const ArchivedRecord& stored,
                            const std::string& body) {
    DigestVerdict verdict = compare_digest(digest, stored.body());
    if (verdict == DigestVerdict::different) verdict = compare_digest(digest, body);
    if (verdict == DigestVerdict::different)
        verdict = compare_digest(digest, load::without_chunks(stored.http_header(), stored.body()));
    return verdict;
}

// The records that crawlers write about their own work have other kinds of addresses.
bool is_on_the_web(const std::string& url) { return !tree_key(url).empty(); }

std::string named_original(const ArchivedRecord& revisit) {
    return revisit.refers_to_time ? name_of(revisit.refers_to, *revisit.refers_to_time) : "";
}

bool is_same_url(const std::string& a, const std::string& b) {
    return a == b || (is_on_the_web(a) && tree_key(a) == tree_key(b));
}

bool is_document(int status) { return status == 0 || (status >= 200 && status < 300); }

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

Recovery::Recovery(Archive& archive, CaptureFilter filter, Tree& tree, MissingHandler missing)
    : archive_(archive), filter_(std::move(filter)), tree_(&tree), missing_(std::move(missing)) {}

Recovery::Recovery(Archive& archive, CaptureFilter filter, WarcFile& file, MissingHandler missing)
    : archive_(archive), filter_(std::move(filter)), file_(&file), missing_(std::move(missing)) {}

void Recovery::begin() {
    report_ = {};
    revisits_.clear();
    originals_.clear();
    waiting_for_.clear();
    lacking_.clear();
}

// Recovers in the order of the archive files, so that neighbouring records are read together.
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
        if (!is_there(*found) && !is_no_document(found->capture))
            to_read.push_back(location_of(found->capture));
    archive_.expect(to_read);
    for (const ListedCapture* const found : wanted) {
        ++report_.captures;
        if (!is_done(*found)) recover(*found);
    }
}

bool Recovery::is_there(const ListedCapture& found) const {
    return tree_ ? tree_->has(found.identifier) : file_->has(found.identifier);
}

bool Recovery::is_no_document(const load::Capture& c) const {
    return tree_ && (!is_on_the_web(c.url) || !is_document(c.status.value_or(0)));
}

// Whether nothing is to be done for the capture; if so, counts it.
bool Recovery::is_done(const ListedCapture& found) {
    const load::Capture& c = found.capture;
    if (tree_ && tree_->has_newer(document_of(found, ""))) {
        ++report_.older;
    } else if (is_there(found)) {
        count_recovered(tree_ ? tree_->how(found.identifier) : file_->how(found.identifier));
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

// Notes a document of the list that a revisit may repeat. It may turn out to be a revisit itself.
void Recovery::remember(const load::Capture& c) {
    if (!tree_) return;
    remember(c.digest, c);
    remember(name_of(c.url, c.archived_time), c);
}

void Recovery::recover(const ListedCapture& found) {
    std::optional<RecordContent> piece = read(found);
    if (piece && write(found, *std::move(piece))) remember(found.capture);
}

// Returns nullopt if the capture is missing, or is a revisit that waits for its original.
std::optional<Recovery::RecordContent> Recovery::read(const ListedCapture& found) {
    try {
        ArchivedRecord stored = archive_.read(location_of(found.capture));
        if (!is_same_url(stored.url, found.capture.url))
            throw std::runtime_error("another record is there: " + stored.url);
        const std::string digest =
            found.capture.digest.empty() ? stored.digest : found.capture.digest;
        if (stored.kind != ArchivedRecord::Kind::revisit || !tree_)
            return piece_of(std::move(stored), digest);
        revisits_.push_back(
            {found, stored.digest.empty() ? digest : stored.digest, named_original(stored), ""});
        remember(name_of(found.capture.url, found.capture.archived_time),
                 found.capture);  // another revisit may name this one
    } catch (const std::runtime_error& e) {
        miss(found, e.what());
    }
    return std::nullopt;
}

// The body without its transfer encoding. A file gets the record as it is, in whatever encoding; so
// the body is only verified there.
std::string Recovery::sent_body(const ArchivedRecord& stored) const {
    try {
        return load::decode_transfer_encoding(stored.http_header(), stored.body());
    } catch (const std::runtime_error&) {
        if (tree_) throw;
        return std::string(stored.body());
    }
}

// Throws std::runtime_error that says why the record is not usable.
Recovery::RecordContent Recovery::piece_of(ArchivedRecord stored, const std::string& digest) const {
    RecordContent piece{.stored = std::move(stored), .body = {}};
    piece.body = sent_body(piece.stored);
    if (piece.stored.kind != ArchivedRecord::Kind::revisit)
        piece.digest = verify_digest(digest, piece.stored, piece.body);
    if (piece.digest == DigestVerdict::different)
        throw std::runtime_error("its digest is not " + digest);
    if (!tree_ || !is_document(piece.stored.status)) return piece;
    piece.body = load::decode_content_encoding(piece.stored.http_header(), std::move(piece.body));
    return piece;
}

// Returns false if it is no document.
bool Recovery::write(const ListedCapture& found, RecordContent piece, bool by_another) {
    if (tree_ && !is_document(piece.stored.status)) {
        ++report_.no_document;
        return false;
    }
    const RecoveryMethod how{.by_another = by_another,
                             .unverified = piece.digest == DigestVerdict::unknown &&
                                           piece.stored.kind != ArchivedRecord::Kind::revisit};
    count_recovered(how);
    if (!tree_) {
        file_->put(found.identifier, piece.stored, how);
        return true;
    }
    RecoveredDocument document = document_of(found, piece.stored.media_type);
    document.how = how;
    const auto known = tree_->entries().find(tree_key(document.url));
    const RecoveryMethod before =
        known == tree_->entries().end() ? RecoveryMethod{} : known->second.how;
    if (tree_->put(document, piece.body)) {
        count_recovered(before, -1);
        ++report_.older;
    }
    return true;
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

// Returns the first candidate with this digest or name that is what it should be. Candidates with
// this digest that are not are dropped. A named candidate that is a revisit itself names the next
// candidate, in revisit.original.
std::optional<Recovery::RecordContent> Recovery::original_by(const std::string& key,
                                                             Revisit& revisit) {
    if (key.empty()) return std::nullopt;
    const bool named = key == revisit.original;
    auto [original, end] = originals_.equal_range(hash_of(key));
    while (original != end) {
        const auto [file, offset, length] = original->second;
        try {
            ArchivedRecord stored =
                archive_.read({*file, offset, length < 0 ? std::nullopt : std::optional(length)});
            const bool is_it = !named || is_same_url(stored.url, key.substr(key.find(' ') + 1));
            if (is_it && stored.kind != ArchivedRecord::Kind::revisit)
                return piece_of(std::move(stored), revisit.digest);
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

// Looks for the capture that it names, follows revisits of revisits, and then tries its digest.
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
    write(revisit.found, *std::move(piece), true);
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
    lacking_.clear();
    for (std::size_t i = 0; i < revisits_.size(); ++i)
        for (const std::string& key : {revisits_[i].original, revisits_[i].digest}) {
            if (key.empty()) continue;
            waiting_for_[key].push_back(i);
            lacking_.insert(i);
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
            for (const std::size_t revisit : waiting->second) lacking_.erase(revisit);
            waiting_for_.erase(waiting);
        }
    }
}

void Recovery::finish() {
    resolve();
    for (const Revisit& revisit : revisits_)
        miss(revisit.found,
             !revisit.why.empty()
                 ? revisit.why
                 : "it repeats a capture that is not in this repository" +
                       (revisit.digest.empty() ? "" : ", of digest " + revisit.digest));
    set_unresolved({});
}

namespace {

constexpr std::string_view kCaptureNamespace = "urn:oai-fcgi:warc-capture";

std::string child_text(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = parent->children; n != nullptr; n = n->next)
        if (xml::is_element(n) && xml::name_of(n) == name) return xml::text_of(n);
    return "";
}

// The lists of what was recovered hold it between tabs, on a line.
std::string on_one_line(std::string identifier) {
    std::replace_if(
        identifier.begin(), identifier.end(),
        [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return identifier;
}

}  // namespace

ListedCapture read_capture(const harvest::Record& record) {
    if (record.metadata.empty()) throw std::runtime_error("it has no metadata");
    const xml::DocumentHandle document = xml::parse_memory(record.metadata, "metadata");
    const xmlNode* const capture = xmlDocGetRootElement(document.get());
    if (xml::name_of(capture) != "capture" || xml::namespace_of(capture) != kCaptureNamespace)
        throw std::runtime_error("its metadata is no capture; is `warc` another format there?");
    ListedCapture found{.identifier = on_one_line(record.identifier), .capture = {}};
    load::Capture& c = found.capture;
    const auto time = load::parse_warc_date(child_text(capture, "time"));
    c.url = load::clean_url(child_text(capture, "url"));
    if (!time || c.url.empty()) throw std::runtime_error("a capture without url or time");
    c.archived_time = *time;
    c.mimetype = load::media_type(child_text(capture, "mediaType"));
    c.status = load::http_status(child_text(capture, "status"));
    c.digest = load::digest(child_text(capture, "digest"));
    c.file = load::file_name(child_text(capture, "file"));
    c.offset = text::to_integer(child_text(capture, "offset"));
    c.length = text::to_integer(child_text(capture, "length"));
    return found;
}

void CaptureSink::take(std::span<const harvest::Record> records, const harvest::ListPosition&) {
    std::vector<ListedCapture> page;
    for (const harvest::Record& record : records) {
        if (record.deleted) continue;
        try {
            page.push_back(read_capture(record));
        } catch (const std::runtime_error& e) {
            callbacks_.unreadable(record.identifier, e.what());
        }
    }
    callbacks_.take(page);
}

namespace {

std::string base32(std::string_view bytes) {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string out;
    unsigned buffer = 0, bits = 0;
    for (const char c : bytes) {
        buffer = buffer << 8U | static_cast<unsigned char>(c);
        for (bits += 8; bits >= 5; bits -= 5) out += kAlphabet[buffer >> (bits - 5) & 31U];
    }
    if (bits > 0) out += kAlphabet[buffer << (5 - bits) & 31U];
    return out;
}

std::string base16(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        out += kDigits[static_cast<unsigned char>(c) >> 4U];
        out += kDigits[static_cast<unsigned char>(c) & 15U];
    }
    return out;
}

// Returns nullopt if OpenSSL knows the algorithm but does not offer it, as old ones without its
// legacy provider.
std::optional<std::string> hash(const EVP_MD* algorithm, std::string_view bytes) {
    const DigestHandle context(EVP_MD_CTX_new());
    if (!context) throw std::bad_alloc();
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned size = 0;
    if (EVP_DigestInit_ex(context.get(), algorithm, nullptr) != 1 ||
        EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) != 1 ||
        EVP_DigestFinal_ex(context.get(), out.data(), &size) != 1)
        return std::nullopt;
    return std::string(reinterpret_cast<const char*>(out.data()), size);
}

}  // namespace

DigestVerdict compare_digest(std::string_view expected, std::string_view bytes) {
    const auto colon = expected.find(':');
    const std::string name =
        colon == expected.npos ? "sha1" : std::string(expected.substr(0, colon));
    const std::string_view value = colon == expected.npos ? expected : expected.substr(colon + 1);
    const EVP_MD* const algorithm = EVP_get_digestbyname(name.c_str());
    if (algorithm == nullptr || value.empty()) return DigestVerdict::unknown;
    const std::optional<std::string> is = hash(algorithm, bytes);
    if (!is) return DigestVerdict::unknown;
    const std::string in_base16 = base16(*is), in_base32 = base32(*is);
    const std::string_view bare =
        value.substr(0, value.find('='));  // without the padding of base32
    if (value.size() != in_base16.size() && bare.size() != in_base32.size())
        return DigestVerdict::unknown;
    const std::string lower = text::lower_ascii(bare);
    return lower == in_base16 || lower == text::lower_ascii(in_base32) ? DigestVerdict::same
                                                                       : DigestVerdict::different;
}

}  // namespace oai::recover
