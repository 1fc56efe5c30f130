// SPDX-License-Identifier: MIT
// Implements read_capture(), CaptureSink and the comparison of digests.
#include <array>
#include <new>
#include <stdexcept>

#include "base/text.h"
#include "tools/load/field.h"
#include "tools/recover/handle.h"
#include "tools/recover/recovery.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::recover {
namespace {

constexpr std::string_view kCaptureNamespace = "urn:oai-fcgi:warc-capture";

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
    std::string out;
    for (const char c : bytes) text::append_hex(out, c);
    return text::lower_ascii(out);
}

// nullopt: OpenSSL does not support the algorithm, such as an old one without the legacy provider.
std::optional<std::string> hash(const EVP_MD* algorithm, const load::Bytes& bytes,
                                std::size_t from) {
    const DigestHandle context(EVP_MD_CTX_new());
    if (!context) throw std::bad_alloc();
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned size = 0;
    if (EVP_DigestInit_ex(context.get(), algorithm, nullptr) != 1) return std::nullopt;
    bool is_right = true;
    bytes.each(from, [&](std::string_view piece) {
        is_right = is_right && EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
    });
    if (!is_right || EVP_DigestFinal_ex(context.get(), out.data(), &size) != 1) return std::nullopt;
    return std::string(reinterpret_cast<const char*>(out.data()), size);
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
    const auto time = load::parse_date(xml::child_text(capture, "time"));
    c.url = load::clean_url(xml::child_text(capture, "url"));
    if (!time || c.url.empty()) throw std::runtime_error("a capture without url or time");
    c.archived_time = *time;
    c.mimetype = load::media_type(xml::child_text(capture, "mediaType"));
    c.status = load::http_status(xml::child_text(capture, "status"));
    c.digest = load::digest(xml::child_text(capture, "digest"));
    c.file = load::file_name(xml::child_text(capture, "file"));
    c.offset = text::to_integer(xml::child_text(capture, "offset"));
    c.length = text::to_integer(xml::child_text(capture, "length"));
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

DigestVerdict compare_digest(std::string_view expected, const load::Bytes& bytes,
                             std::size_t from) {
    const auto colon = expected.find(':');
    const std::string name =
        colon == expected.npos ? "sha1" : std::string(expected.substr(0, colon));
    const std::string_view value = colon == expected.npos ? expected : expected.substr(colon + 1);
    const EVP_MD* const algorithm = EVP_get_digestbyname(name.c_str());
    if (algorithm == nullptr || value.empty()) return DigestVerdict::unknown;
    const std::optional<std::string> is = hash(algorithm, bytes, from);
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
