// SPDX-License-Identifier: MIT
#include "recover/captures.h"

#include <stdexcept>

#include "base/text.h"
#include "load/field.h"
#include "xml/push_parser.h"

namespace oai::recover {
namespace {

constexpr std::string_view kCaptureNamespace = "urn:oai-fcgi:warc-capture";

const xmlNode* child(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = parent ? parent->children : nullptr; n != nullptr; n = n->next)
        if (xml::is_element(n) && xml::name_of(n) == name) return n;
    return nullptr;
}

std::string text_in(const xmlNode* parent, std::string_view name) {
    const xmlNode* const n = child(parent, name);
    return n ? xml::text_of(n) : "";
}

Found read_record(const xmlNode* record) {
    Found found{.identifier = text_in(child(record, "header"), "identifier"), .capture = {}};
    const xmlNode* const capture = child(child(record, "metadata"), "capture");
    if (capture == nullptr || xml::namespace_of(capture) != kCaptureNamespace)
        throw std::runtime_error(found.identifier +
                                 ": its metadata is no capture; is `warc` another format there?");
    load::Capture& c = found.capture;
    const auto time = load::parse_warc_date(text_in(capture, "time"));
    c.url = load::clean_url(text_in(capture, "url"));
    if (!time || c.url.empty())
        throw std::runtime_error(found.identifier + ": a capture without url or time");
    c.archived_time = *time;
    c.mimetype = load::media_type(text_in(capture, "mediaType"));
    c.status = load::http_status(text_in(capture, "status"));
    c.digest = load::digest(text_in(capture, "digest"));
    c.file = load::file_name(text_in(capture, "file"));
    c.offset = text::to_integer(text_in(capture, "offset"));
    c.length = text::to_integer(text_in(capture, "length"));
    return found;
}

void read_list(const xmlNode* list, Page& page) {
    for (const xmlNode* n = list->children; n != nullptr; n = n->next) {
        if (!xml::is_element(n)) continue;
        if (xml::name_of(n) == "resumptionToken") page.token = xml::text_of(n);
        if (xml::name_of(n) != "record") continue;
        if (xml::attribute_of(child(n, "header") ? child(n, "header") : n, "status") == "deleted")
            ++page.deleted;
        else
            page.captures.push_back(read_record(n));
    }
}

}  // namespace

Page read_page(const std::string& document) {
    xml::PushParser parser;
    try {
        parser.feed(document, true);
    } catch (const xml::Error& e) {
        throw std::runtime_error(std::string("the answer is no XML: ") + e.what());
    }
    if (!parser.ended() || xml::name_of(parser.root()) != "OAI-PMH")
        throw std::runtime_error("the answer is not OAI-PMH");
    Page page;
    if (const xmlNode* const error = child(parser.root(), "error")) {
        const std::string code = xml::attribute_of(error, "code");
        if (code != "noRecordsMatch")
            throw std::runtime_error("the repository says " + code + ": " + xml::text_of(error));
    } else if (const xmlNode* const list = child(parser.root(), "ListRecords")) {
        read_list(list, page);
    } else {
        throw std::runtime_error("the answer has no ListRecords");
    }
    return page;
}

Captures::Captures(http::Retry& http, std::string base_url, std::string set)
    : http_(http), base_url_(std::move(base_url)), set_(std::move(set)) {}

bool Captures::next(Page& page) {
    if (begun_ && token_.empty()) return false;
    std::string url = base_url_ + "?verb=ListRecords&";
    if (begun_)
        url += "resumptionToken=" + http::query_escaped(token_);
    else
        url += "metadataPrefix=warc" + (set_.empty() ? "" : "&set=" + http::query_escaped(set_));
    const http::Answer answer = http_.send({.url = url, .accept_encoding = "gzip"});
    if (answer.status != 200)
        throw std::runtime_error(url + ": HTTP status " + std::to_string(answer.status));
    page = read_page(answer.body);
    if (begun_ && page.token == token_) throw std::runtime_error(url + ": the same resumptionToken again");
    begun_ = true;
    token_ = page.token;
    return true;
}

}  // namespace oai::recover
