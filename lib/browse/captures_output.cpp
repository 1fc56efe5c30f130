// SPDX-License-Identifier: MIT
// The fields of captures and the forms in which programs take them: the text of the Wayback CDX
// server, CDXJ, JSON as lists and as objects, and the XML of OpenWayback.
#include <array>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "browse/captures.h"
#include "browse/markup.h"
#include "protocol/identifier.h"
#include "xml/document.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kTransformTimeout{10};

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }
std::string or_dash(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "-";
}

// "POST a=1" -> "POST" or "a=1".
std::string part_of_request(const Capture& capture, bool body) {
    const auto blank = std::min(capture.request.find(' '), capture.request.size());
    if (!body) return or_dash(capture.request.substr(0, blank));
    return or_dash(capture.request.substr(std::min(blank + 1, capture.request.size())));
}

constexpr std::size_t kCdxColumns = 11;
constexpr std::array<CaptureField, 14> kFields{{
    {"urlkey k", [](const Capture& c, std::string_view) { return c.place.key; }},
    {"timestamp t", [](const Capture& c, std::string_view) { return digits_of(c.captured_at); }},
    {"original url u", [](const Capture& c, std::string_view) { return c.url; }},
    {"mimetype mime m",
     [](const Capture& c, std::string_view) {
         return c.revisit ? "warc/revisit" : or_dash(c.media_type);
     }},
    {"statuscode status s", [](const Capture& c, std::string_view) { return or_dash(c.status); }},
    {"digest d", [](const Capture& c, std::string_view) { return or_dash(c.digest); }},
    {"redirect redirecturl", [](const Capture&, std::string_view) { return std::string("-"); }},
    {"robotflags", [](const Capture&, std::string_view) { return std::string("-"); }},
    {"length l", [](const Capture& c, std::string_view) { return or_dash(c.length); }},
    {"offset compressedoffset o",
     [](const Capture& c, std::string_view) { return or_dash(c.offset); }},
    {"filename file f", [](const Capture& c, std::string_view) { return or_dash(c.file); }},
    {"identifier",
     [](const Capture& c, std::string_view prefix) { return identifier_text(prefix, c.local_id); }},
    {"method", [](const Capture& c, std::string_view) { return part_of_request(c, false); }},
    {"requestBody", [](const Capture& c, std::string_view) { return part_of_request(c, true); }},
}};

// Fields hold no blanks: in a URL they are encoded.
void append_word(std::string& out, std::string_view word) {
    for (const char c : word)
        if (static_cast<unsigned char>(c) > 0x20)
            out += c;
        else
            text::append_hex(out += '%', c);
}

std::string text_lines(const CaptureRows& rows, const std::vector<Capture>& captures) {
    std::string out;
    for (const Capture& capture : captures) {
        for (const CaptureColumn& column : rows.columns) {
            if (&column != &rows.columns.front()) out += ' ';
            append_word(out, column.value(capture, rows.identifier_prefix));
        }
        out += '\n';
    }
    if (!rows.resume_key.empty()) out += "\n" + rows.resume_key + "\n";
    return out;
}

// Without what is not known, but for the media type, which pywb's indexes have in each line.
Json object_of(const CaptureRows& rows, const Capture& capture) {
    Json object = Json::object();
    for (const CaptureColumn& column : rows.columns)
        if (std::string value = column.value(capture, rows.identifier_prefix);
            value != "-" || column.name == "mime")
            object[column.name] = std::move(value);
    return object;
}

std::string lines(const CaptureRows& rows, const std::vector<Capture>& captures) {
    std::string out;
    for (const Capture& capture : captures) {
        if (rows.output == CaptureOutput::cdxj) {
            append_word(out, capture.place.key);
            out += " " + digits_of(capture.captured_at) + " ";
        }
        out += object_of(rows, capture).dump() + "\n";
    }
    return out;
}

std::string json_list(const CaptureRows& rows, const std::vector<Capture>& captures) {
    std::vector<Json> all;
    if (!captures.empty()) {
        Json& names = all.emplace_back(Json::array());
        for (const CaptureColumn& column : rows.columns) names.push_back(column.name);
    }
    for (const Capture& capture : captures) {
        Json& row = all.emplace_back(Json::array());
        for (const CaptureColumn& column : rows.columns)
            row.push_back(column.value(capture, rows.identifier_prefix));
    }
    if (!rows.resume_key.empty()) {
        all.push_back(Json::array());
        all.push_back(Json::array({rows.resume_key}));
    }
    std::string out = "[";
    for (const Json& row : all) out += (&row == &all.front() ? "" : ",\n") + row.dump();
    return out + "]\n";
}

// All fields of the captures, of which a stylesheet makes what OpenWayback reads.
std::string wayback_xml(const CaptureRows& rows, const std::vector<Capture>& captures) {
    const auto seconds = [](Seconds time) { return time.time_since_epoch().count(); };
    std::string source;
    markup::open(source, "captures",
                 {{"type", rows.type},
                  {"url", rows.url},
                  {"first", rows.first},
                  {"requested", rows.requested},
                  {"closest", rows.closest ? std::to_string(seconds(*rows.closest)) : ""}});
    for (const Capture& capture : captures) {
        markup::open(source, "capture");
        for (const CaptureField& field : kFields)
            markup::element(source, field.names.substr(0, field.names.find(' ')),
                            field.value(capture, rows.identifier_prefix));
        markup::element(source, "seconds", std::to_string(seconds(capture.captured_at)));
        markup::close(source, "capture");
    }
    markup::close(source, "captures");
    const xml::DocumentHandle document = xml::parse_memory(source, "captures");
    const xml::DocumentHandle result = rows.wayback->apply(document.get(), kTransformTimeout);
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    xml::append_node(out, xmlDocGetRootElement(result.get()));
    return out + "\n";
}

// In the order of CaptureOutput.
struct Form {
    const char *type, *columns;
    std::string (*write)(const CaptureRows&, const std::vector<Capture>&);
};
constexpr Form kForms[] = {
    {"text/plain; charset=UTF-8",
     "urlkey,timestamp,url,mimetype,status,digest,redirect,robotflags,length,offset,filename",
     text_lines},
    {"text/x-cdxj; charset=UTF-8",
     "url,mime,status,digest,length,offset,method,requestBody,filename,identifier", lines},
    {"application/json",
     "urlkey,timestamp,original,mimetype,statuscode,digest,length,offset,filename,identifier",
     json_list},
    {"application/x-ndjson",
     "urlkey,timestamp,original,mimetype,statuscode,digest,length,offset,filename,method,"
     "requestBody,identifier",
     lines},
    {"application/xml; charset=UTF-8", "", wayback_xml}};

}  // namespace

const CaptureField* find_capture_field(std::string_view name) {
    if (const auto n = text::to_integer(name); n && *n >= 0 && *n < std::ssize(kFields))
        return *n < static_cast<std::int64_t>(kCdxColumns) ? &kFields[static_cast<std::size_t>(*n)]
                                                           : nullptr;
    for (const CaptureField& field : kFields)
        for (const std::string_view known : text::split(field.names, ' '))
            if (known == name) return &field;
    return nullptr;
}

std::vector<CaptureColumn> capture_columns(std::string_view names) {
    std::vector<CaptureColumn> columns;
    for (const std::string_view name : text::split(names, ','))
        columns.push_back({find_capture_field(name), std::string(name)});
    return columns;
}

std::string digits_of(Seconds time) {
    std::string digits = print_utc(time);
    std::erase_if(digits, [](char d) { return d < '0' || d > '9'; });
    return digits;
}

std::string cdx_line(const Capture& capture) {
    std::string line;
    for (std::size_t i = 0; i < kCdxColumns; ++i)
        append_word(i == 0 ? line : line += ' ', kFields[i].value(capture, ""));
    return line;
}

Response write_captures(const CaptureRows& request, const std::vector<Capture>& captures,
                        bool gzip) {
    CaptureRows rows = request;
    const Form& form = kForms[static_cast<std::size_t>(rows.output)];
    if (rows.columns.empty() && *form.columns != '\0') rows.columns = capture_columns(form.columns);
    return text_response(form.type, form.write(rows, captures), gzip);
}

}  // namespace oai
