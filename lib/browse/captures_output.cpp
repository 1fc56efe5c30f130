// SPDX-License-Identifier: MIT
// The fields of captures and the forms in which programs take them: the text of the Wayback CDX
// server, CDXJ, JSON as lists and as objects, and the XML of OpenWayback.
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "base/clock.h"
#include "base/text.h"
#include "browse/captures.h"
#include "browse/markup.h"
#include "xml/document.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kTransformTimeout{10};

std::string or_dash(std::string_view text) { return std::string(text.empty() ? "-" : text); }
std::string or_dash(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "-";
}

using C = const Capture&;
// "POST" of "POST a=1".
std::string method_of(C c) { return c.request.substr(0, c.request.find(' ')); }

constexpr std::size_t kCdxColumns = 11;
constexpr std::array<CaptureField, 14> kFields{{
    {"urlkey k", [](C c) { return c.place.key; }},
    {"timestamp t", [](C c) { return digits_of(c.captured_at); }},
    {"original url u", [](C c) { return c.url; }},
    {"mimetype mime m", [](C c) { return c.revisit ? "warc/revisit" : or_dash(c.media_type); }},
    {"statuscode status s", [](C c) { return or_dash(c.status); }},
    {"digest d", [](C c) { return or_dash(c.digest); }},
    {"redirect redirecturl", [](C) { return or_dash(""); }},
    {"robotflags", [](C) { return or_dash(""); }},
    {"length l", [](C c) { return or_dash(c.length); }},
    {"offset compressedoffset o", [](C c) { return or_dash(c.offset); }},
    {"filename file f", [](C c) { return or_dash(c.file); }},
    {"identifier", [](C c) { return c.identifier; }},
    {"method", [](C c) { return or_dash(method_of(c)); }},
    {"requestBody", [](C c) { return or_dash(text::trim(c.request.substr(method_of(c).size()))); }},
}};

// Fields hold no blanks: in a URL they are encoded.
void append_word(std::string& out, std::string_view word) {
    for (const char c : word)
        if (static_cast<unsigned char>(c) > 0x20)
            out += c;
        else
            text::append_hex(out += '%', c);
}

template <class Columns>
std::string words_of(const Columns& columns, const Capture& capture) {
    std::string out;
    for (const auto& column : columns)
        append_word(&column == columns.data() ? out : out += ' ', column.value(capture));
    return out;
}

// What is written, as the query has it.
struct Rows {
    const CdxQuery& query;
    const std::vector<CaptureColumn>& columns;
    const std::vector<Capture>& captures;
    const std::string& resume_key;
    const transform::Stylesheet& wayback;
};

std::string text_lines(const Rows& rows) {
    std::string out;
    for (C capture : rows.captures) out += words_of(rows.columns, capture) + "\n";
    return rows.resume_key.empty() ? out : out + "\n" + rows.resume_key + "\n";
}

// Without what is not known, but for the media type, which pywb's indexes have in each line.
std::string json_lines(const Rows& rows) {
    std::string out;
    for (C capture : rows.captures) {
        if (rows.query.output == CaptureOutput::cdxj)
            out += words_of(std::span(kFields).first(2), capture) + " ";
        Json object = Json::object();
        for (const CaptureColumn& column : rows.columns)
            if (std::string value = column.value(capture); value != "-" || column.name == "mime")
                object[column.name] = std::move(value);
        out += object.dump() + "\n";
    }
    return out;
}

std::string json_list(const Rows& rows) {
    std::string out = "[";
    const auto add = [&](const Json& row) { out += (out == "[" ? "" : ",\n") + row.dump(); };
    Json names = Json::array();
    for (const CaptureColumn& column : rows.columns) names.push_back(column.name);
    if (!rows.captures.empty()) add(names);
    for (C capture : rows.captures) {
        Json row = Json::array();
        for (const CaptureColumn& column : rows.columns) row.push_back(column.value(capture));
        add(row);
    }
    if (!rows.resume_key.empty()) add(Json::array()), add(Json::array({rows.resume_key}));
    return out + "]\n";
}

// All fields of the captures, of which a stylesheet makes what OpenWayback reads.
std::string wayback_xml(const Rows& rows) {
    const auto seconds = [](Seconds time) { return time.time_since_epoch().count(); };
    std::string source;
    markup::open(source, "captures",
                 {{"type", rows.query.type},
                  {"url", rows.query.url},
                  {"first", rows.query.first},
                  {"requested", rows.query.requested},
                  {"closest", rows.query.date ? std::to_string(seconds(*rows.query.date)) : ""}});
    for (C capture : rows.captures) {
        markup::open(source, "capture");
        for (const CaptureField& field : kFields)
            markup::element(source, field.names.substr(0, field.names.find(' ')),
                            field.value(capture));
        markup::element(source, "seconds", std::to_string(seconds(capture.captured_at)));
        markup::close(source, "capture");
    }
    markup::close(source, "captures");
    const xml::DocumentHandle document = xml::parse_memory(source, "captures");
    const xml::DocumentHandle result = rows.wayback.apply(document.get(), kTransformTimeout);
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    xml::append_node(out, xmlDocGetRootElement(result.get()));
    return out + "\n";
}

// In the order of CaptureOutput.
struct Form {
    const char *type, *columns;
    std::string (*write)(const Rows&);
};
constexpr Form kForms[] = {
    {"text/plain; charset=UTF-8",
     "urlkey,timestamp,url,mimetype,status,digest,redirect,robotflags,length,offset,filename",
     text_lines},
    {"text/x-cdxj; charset=UTF-8",
     "url,mime,status,digest,length,offset,method,requestBody,filename,identifier", json_lines},
    {"application/json",
     "urlkey,timestamp,original,mimetype,statuscode,digest,length,offset,filename,identifier",
     json_list},
    {"application/x-ndjson",
     "urlkey,timestamp,original,mimetype,statuscode,digest,length,offset,filename,method,"
     "requestBody,identifier",
     json_lines},
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

std::string digits_of(Seconds time) {
    std::string digits = print_utc(time);
    std::erase_if(digits, [](char d) { return d < '0' || d > '9'; });
    return digits;
}

std::string cdx_line(const Capture& capture) {
    return words_of(std::span(kFields).first(kCdxColumns), capture);
}

Response write_captures(const CapturesQuestion& question, const CdxQuery& query,
                        const std::vector<Capture>& captures, const std::string& resume_key) {
    const Form& form = kForms[static_cast<std::size_t>(query.output)];
    std::vector<CaptureColumn> columns = query.columns;
    if (columns.empty() && *form.columns != '\0')
        for (const std::string_view name : text::split(form.columns, ','))
            columns.push_back({find_capture_field(name), std::string(name)});
    return text_response(form.type,
                         form.write({query, columns, captures, resume_key, question.wayback}),
                         query.gzip && question.gzip);
}

}  // namespace oai
