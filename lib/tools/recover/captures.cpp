// SPDX-License-Identifier: MIT
#include "tools/recover/captures.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "tools/load/field.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::recover {
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

}  // namespace oai::recover
