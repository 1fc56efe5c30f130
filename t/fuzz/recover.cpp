// SPDX-License-Identifier: MIT
// Reads any bytes as a record of a web archive, as a document to recover, and as the metadata of a
// capture. The results keep their contracts, file names never lead out of the tree, and rewritten
// links are read back as they were written. The first line of a document is its URL, the second its
// media type.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/text.h"
#include "input.h"
#include "require.h"
#include "tools/harvest/answer.h"
#include "tools/http_client/client.h"
#include "tools/load/http_body.h"
#include "tools/recover/archive.h"
#include "tools/recover/links.h"
#include "tools/recover/output.h"
#include "tools/recover/recovery.h"
#include "xml/document.h"

namespace {

using namespace oai;
using oai::fuzz::require;

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

// Decodes a segment of a path, in which '+' does not mean a space.
std::string unescaped(std::string_view step) {
    std::string form;
    for (const char c : step) form += c == '+' ? "%2B" : std::string(1, c);
    return text::percent_decode(form).value_or("");
}

// Resolves the relative reference between two places as a browser would; it must lead to the
// second.
void check_reference(std::string_view from, std::string_view to) {
    auto names = text::split(from, '/');
    names.pop_back();
    const std::string reference = recover::relative_reference(from, to);
    std::vector<std::string> way(names.begin(), names.end());
    for (const std::string_view step : text::split(reference, '/')) {
        if (step != "..") {
            way.push_back(unescaped(step));
        } else {
            require(!way.empty());
            way.pop_back();
        }
    }
    std::string end;
    for (const std::string& name : way) end += (end.empty() ? "" : "/") + name;
    require(end == to);
}

// Returns the replacement of a link as recovery would choose it if every document were in the tree.
std::string target_of(const std::string& url, const std::string& place,
                      const std::string& reference) {
    const std::string meant = http::resolve_reference(url, reference);
    const std::string there = checked_place(meant, "text/html");
    if (there.empty()) return "";
    if (place.empty() || reference.find("://") == reference.npos) return meant;
    check_reference(place, there);
    const auto fragment = reference.find('#');
    return recover::relative_reference(place, there) +
           (fragment == reference.npos ? "" : reference.substr(fragment));
}

std::vector<std::string> links_in(std::string_view document, recover::Markup markup) {
    std::vector<std::string> links;
    recover::link_edits(document, markup, [&](const std::string& reference) {
        links.push_back(reference);
        return "";
    });
    return links;
}

// Escapes the characters that would end a quoted address or an entry of a list.
std::string as_listed(std::string reference) {
    for (const auto& [from, to] : {std::pair{" ", "%20"}, std::pair{",", "%2C"},
                                   std::pair{"\"", "%22"}, std::pair{"'", "%27"}})
        for (auto at = reference.find(from); at != reference.npos; at = reference.find(from, at))
            reference.replace(at, 1, to);
    return reference;
}

void check_links(const std::string& url, const std::string& place, std::string_view document,
                 recover::Markup markup) {
    std::vector<std::string> before, wanted;
    const auto edits = recover::link_edits(document, markup, [&](const std::string& reference) {
        before.push_back(reference);
        wanted.push_back(target_of(url, place, reference));
        return wanted.back();
    });
    const std::string rewritten = recover::apply_edits(document, edits);
    const std::vector<std::string> links = links_in(rewritten, markup);
    require(links.size() == wanted.size());
    // A reference is left unchanged if it contains a character reference that is not decoded, or is
    // in a nested document that is not rewritten.
    for (std::size_t i = 0; i < links.size(); ++i)
        require(links[i] == before[i] || as_listed(links[i]) == as_listed(wanted[i]));
    require(recover::base_in(rewritten, markup).empty());
}

void check_document(std::string_view bytes) {
    const auto lines = text::split(bytes.substr(0, bytes.find('\n', bytes.find('\n') + 1)), '\n');
    if (lines.size() < 2) return;
    const std::string url = text::percent_encode(
        lines[0], ":/?#[]@!$&'()*+,;=% \"<>");  // non-ASCII bytes, as rewriting passes them
    const std::string_view document =
        bytes.substr(std::min(bytes.size(), lines[0].size() + lines[1].size() + 2));
    const std::string place = checked_place(url, std::string(lines[1]));
    for (const auto markup :
         {recover::Markup::html, recover::Markup::xml, recover::Markup::other_xml})
        check_links(url, place, document, markup);
}

void check_payload(std::string_view http_header, std::string_view body, const std::string& digest) {
    require(load::without_chunks(http_header, body).size() <= body.size());
    const std::string sent = load::decode_transfer_encoding(http_header, body, {kMaxPayloadBytes});
    require(sent.size() <= std::max(body.size(), kMaxPayloadBytes));
    recover::compare_digest(digest, sent);
    require(load::decode_content_encoding(http_header, sent, {kMaxPayloadBytes}).size() <=
            std::max(sent.size(), kMaxPayloadBytes));
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
    oai::fuzz::try_reading<std::runtime_error>(
        [&] { check_record(load::fuzz::input_of(data, size)); });
    oai::fuzz::try_reading<std::runtime_error>(
        [&] { check_payload(bytes.substr(0, body), bytes.substr(std::min(size, body + 4)), ""); });
    oai::fuzz::try_reading<std::runtime_error>([&] { check_capture(bytes); });
    check_document(bytes);
    return 0;
}
