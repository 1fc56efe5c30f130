// SPDX-License-Identifier: MIT
// Reads any bytes as a record of a web archive, as a document to recover, and as the metadata of a
// capture. The results keep their contracts, and file names never lead out of the tree. The first
// line of a document is its URL, the second its media type.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/text.h"
#include "input.h"
#include "require.h"
#include "tools/harvest/sink.h"
#include "tools/load/http_body.h"
#include "tools/recover/archive.h"
#include "tools/recover/output.h"
#include "tools/recover/recovery.h"
#include "xml/document.h"

namespace {

constexpr std::size_t kMaxPayloadBytes = std::size_t{1} << 20;  // a few bytes may decode to many

void check_name(std::string_view name, bool of_document) {
    require(!name.empty() && name.front() != '.' && name.back() != '.' && name.size() < 220);
    require(std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-._~!$'()+,;=@%").find(c) != std::string_view::npos;
    }));
    const bool dotted = name.find('.') != name.npos;
    require(of_document ? dotted && name.back() != '~' : !dotted || name.back() == '~');
}

// Returns the document's place, which is "" or a path within the tree.
std::string checked_place(const std::string& url, const std::string& media_type) {
    const std::string place = recover::place_of(url, media_type);
    require(place.empty() == recover::tree_key(url).empty());
    if (place.empty()) return place;
    require(recover::is_place(place));
    const auto names = text::split(place, '/');
    require(names.size() >= 2 && !names.front().empty() && names.front().front() != '.');
    for (std::size_t i = 1; i < names.size(); ++i) check_name(names[i], i + 1 == names.size());
    require(recover::host_of(url).size() <= recover::tree_key(url).size());
    return place;
}

void check_document(std::string_view bytes) {
    const auto lines = text::split(bytes.substr(0, bytes.find('\n', bytes.find('\n') + 1)), '\n');
    if (lines.size() < 2) return;
    const std::string url = text::percent_encode(lines[0], ":/?#[]@!$&'()*+,;=% \"<>");
    checked_place(url, std::string(lines[1]));
}

void check_payload(std::string_view http_header, std::string_view body, const std::string& digest) {
    const auto plain = load::without_chunks(http_header, body);
    require(!plain || plain->size() <= body.size());
    load::Bytes sent = load::decode_transfer_encoding(http_header, body, {kMaxPayloadBytes});
    const std::size_t bytes = sent.size();
    require(sent.size() <= std::max(body.size(), kMaxPayloadBytes));
    recover::compare_digest(digest, sent);
    require(
        load::decode_content_encoding(http_header, std::move(sent), {kMaxPayloadBytes}).size() <=
        std::max(bytes, kMaxPayloadBytes));
}

void check_record(load::Input input) {
    const recover::ArchivedRecord stored = recover::read_archived_record(input);
    require(stored.payload <= stored.block.size());
    for (const std::string& told : {stored.url, stored.digest, stored.refers_to, stored.media_type})
        require(text::is_xml_text(told));
    checked_place(stored.url, stored.media_type);
    check_payload(stored.http_header(), stored.body(), stored.digest);
}

void check_capture(std::string_view metadata) {
    harvest::Record record;
    record.identifier = "a";
    record.metadata = metadata;
    const recover::ListedCapture found = recover::read_capture(record);
    require(!found.capture.url.empty());
    for (const std::string& told :
         {found.capture.url, found.capture.mimetype, found.capture.digest, found.capture.file})
        require(text::is_xml_text(told));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    xml::initialise();
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto body = std::min(size, bytes.find("\r\n\r\n"));
    fuzz::try_reading<std::runtime_error>([&] { check_record(load::fuzz::input_of(data, size)); });
    fuzz::try_reading<std::runtime_error>(
        [&] { check_payload(bytes.substr(0, body), bytes.substr(std::min(size, body + 4)), ""); });
    fuzz::try_reading<std::runtime_error>([&] { check_capture(bytes); });
    check_document(bytes);
    return 0;
}
