// SPDX-License-Identifier: MIT
#include "tools/static_repository/gateway.h"

#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/fd.h"
#include "base/text.h"
#include "tools/http_client/client.h"
#include "tools/static_repository/reader.h"
#include "xml/escape.h"

namespace oai::static_repository {
namespace {

std::string without_scheme(const std::string& url) {
    const auto scheme = url.find("://");
    return scheme == url.npos ? url : url.substr(scheme + 3);
}

// "%3A" as ":".
std::string plain(const std::string& url) {
    std::string out;
    for (std::size_t i = 0; i < url.size(); ++i) {
        const std::string_view three = std::string_view(url).substr(i, 3);
        const bool colon = three == "%3A" || three == "%3a";
        out += colon ? ':' : url[i];
        if (colon) i += 2;
    }
    return out;
}

void append_element(std::string& out, const char* name, const std::string& value) {
    if (value.empty()) return;
    out += std::string("  <") + name + ">";
    xml::append_text(out, value);
    out += std::string("</") + name + ">\n";
}

constexpr std::int64_t kMaxBytes = std::int64_t{4} << 30;

constexpr std::size_t kMaxValidatorBytes = 1000;

// "" also if it is no plain ASCII, since it could not be sent back unchanged.
std::string validator(const http::HeaderFields& headers, const char* name) {
    const std::string_view value = headers.find(name).value_or("");
    const bool plain =
        std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < '\x7F'; });
    return plain && value.size() <= kMaxValidatorBytes ? std::string(value) : "";
}

http::ClientRequest request_for(const std::string& url, const Validators& known) {
    http::ClientRequest request{.url = url, .accept_encoding = "gzip"};
    if (!known.etag.empty()) request.headers.add("If-None-Match", known.etag);
    if (!known.last_modified.empty()) request.headers.add("If-Modified-Since", known.last_modified);
    return request;
}

constexpr std::size_t kDayBytes = 10;  // YYYY-MM-DD

std::string element(const char* name, std::string_view value) {
    std::string out = std::string("<oai:") + name + ">";
    xml::append_text(out, value);
    return out + "</oai:" + name + ">";
}

std::string wrapped(const char* name, const std::string& content) {
    return std::string("<oai:") + name + ">" + content + "</oai:" + name + ">";
}

std::string header_text(const xmlNode* header) {
    std::string out;
    for (const xmlNode* n = first_element(header->children); n != nullptr;
         n = first_element(n->next)) {
        if (xml::name_of(n) == "identifier") out += element("identifier", xml::text_of(n));
        if (xml::name_of(n) == "datestamp")
            out += element("datestamp", xml::text_of(n).substr(0, kDayBytes));
    }
    return wrapped("header", out);
}

// The one element that the parent holds, as text.
std::string content_text(const xmlNode* parent) {
    const xmlNode* const content = first_element(parent->children);
    return content == nullptr ? "" : xml::document_text(content);
}

}  // namespace

std::string address_fault(const std::string& url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return url + ": it begins with http:// or https://";
    if (url.find_first_of("?# \t\r\n") != url.npos)
        return url + ": it has no query, no fragment and no blank";
    const std::string rest = without_scheme(url);
    const auto slash = rest.find('/');
    if (slash == 0 || slash == rest.npos || slash + 1 == rest.size())
        return url + ": it has a host and a path";
    return "";
}

std::string gateway_base_url(const std::string& gateway, const std::string& url) {
    const std::string rest = without_scheme(url);
    const auto path = rest.find('/');
    std::string base_url = gateway + (gateway.ends_with('/') ? "" : "/");
    for (const char c : rest.substr(0, path)) base_url += c == ':' ? "%3A" : std::string(1, c);
    return base_url + (path == rest.npos ? "" : rest.substr(path));
}

bool same_base_url(const std::string& a, const std::string& b) { return plain(a) == plain(b); }

std::optional<std::string> gateway_url(const std::string& base_url, const std::string& url) {
    const std::string behind = "/" + plain(without_scheme(url)), whole = plain(base_url);
    if (!whole.ends_with(behind) || whole.size() == behind.size()) return std::nullopt;
    return whole.substr(0, whole.size() - behind.size() + 1);
}

std::string gateway_description(const GatewayDescription& gateway) {
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gateway "
        "xmlns=\"http://www.openarchives.org/OAI/2.0/gateway/\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
        "         xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/gateway/ "
        "http://www.openarchives.org/OAI/2.0/gateway.xsd\">\n";
    append_element(out, "source", gateway.source);
    append_element(out, "gatewayDescription",
                   "http://www.openarchives.org/OAI/2.0/guidelines-static-repository.htm");
    for (const std::string& mail : gateway.admins) append_element(out, "gatewayAdmin", mail);
    append_element(out, "gatewayURL", gateway.url);
    append_element(out, "gatewayNotes", gateway.notes);
    return out + "</gateway>\n";
}

std::string content_type_fault(std::string_view content_type) {
    const auto parts = text::split(content_type, ';');
    const std::string type = text::lower_ascii(text::trim(parts.front()));
    if (type != "text/xml" && type != "application/xml")
        return "its server says that it is " + type + ", and a static repository is text/xml";
    return "";
}

std::string charset_fault(std::string_view content_type, const std::string& encoding) {
    const auto parts = text::split(content_type, ';');
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::string parameter = text::lower_ascii(text::trim(parts[i]));
        if (!parameter.starts_with("charset=")) continue;
        std::string charset = parameter.substr(parameter.find('=') + 1);
        std::erase(charset, '"');
        if (charset != "us-ascii" && charset != text::lower_ascii(encoding))
            return "its server says that it is in " + charset + ", and the file " + encoding;
    }
    return "";
}

Download::Download() {
    std::string name = (std::filesystem::temp_directory_path() / "oai-static-XXXXXX").string();
    const Fd made(::mkstemp(name.data()));
    if (!made) throw std::runtime_error(name + ": cannot be made");
    path_ = name;
}

Download::~Download() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

RetrievalResult Download::fetch(const std::string& url, const Validators& known, const Wait& wait) {
    http::Client client({.max_bytes = kMaxBytes});
    http::RetryingClient retry(client, {}, wait);
    std::ofstream out;
    const auto begin = [&](const http::ClientResponse&) {
        out.close();
        out.open(path_, std::ios::binary | std::ios::trunc);
    };
    const auto take = [&](std::string_view piece) {
        return static_cast<bool>(
            out.write(piece.data(), static_cast<std::streamsize>(piece.size())));
    };
    const http::ClientResponse answer =
        retry.send(request_for(url, known), {.begin = begin, .take = take});
    if (answer.status == 200 && !out.flush())
        throw std::runtime_error(path_ + ": cannot be written");
    RetrievalResult retrieved{.status = answer.status,
                              .validators = {validator(answer.headers, "ETag"),
                                             validator(answer.headers, "Last-Modified")},
                              .content_type = {}};
    if (const auto type = answer.headers.find("Content-Type")) retrieved.content_type = *type;
    return retrieved;
}

void write_head(std::ostream& out, const StaticIdentity& identity,
                const std::vector<std::string>& descriptions,
                const std::vector<StaticFormat>& formats) {
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Repository xmlns=\"" << kNamespace
        << "\" xmlns:oai=\"http://www.openarchives.org/OAI/2.0/\" "
           "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
        << "            xsi:schemaLocation=\"" << kNamespace << " " << kNamespace
        << ".xsd\">\n<Identify>\n"
        << element("repositoryName", identity.name) << "\n"
        << element("baseURL", identity.base_url) << "\n"
        << element("protocolVersion", "2.0") << "\n";
    for (const std::string& mail : identity.admin_emails)
        out << element("adminEmail", mail) << "\n";
    out << element("earliestDatestamp", identity.earliest_datestamp.substr(0, kDayBytes)) << "\n"
        << element("deletedRecord", "no") << "\n"
        << element("granularity", "YYYY-MM-DD") << "\n";
    for (const std::string& description : descriptions)
        out << wrapped("description", description) << "\n";
    out << "</Identify>\n<ListMetadataFormats>\n";
    for (const StaticFormat& format : formats)
        out << wrapped("metadataFormat", element("metadataPrefix", format.prefix) +
                                             element("schema", format.schema) +
                                             element("metadataNamespace", format.name_space))
            << "\n";
    out << "</ListMetadataFormats>\n";
}

void begin_list(std::ostream& out, const std::string& prefix) {
    std::string escaped;
    xml::append_attribute(escaped, prefix);
    out << "<ListRecords metadataPrefix=\"" << escaped << "\">\n";
}

void write_record(std::ostream& out, const xmlNode* record) {
    out << "<oai:record>";
    for (const xmlNode* n = first_element(record->children); n != nullptr;
         n = first_element(n->next)) {
        if (xml::name_of(n) == "header") out << header_text(n);
        if (xml::name_of(n) == "metadata") out << wrapped("metadata", content_text(n));
        if (xml::name_of(n) == "about") out << wrapped("about", content_text(n));
    }
    out << "</oai:record>\n";
}

void end_list(std::ostream& out) { out << "</ListRecords>\n"; }

void write_end(std::ostream& out) { out << "</Repository>\n"; }

}  // namespace oai::static_repository
