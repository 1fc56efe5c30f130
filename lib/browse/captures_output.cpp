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

namespace oai {
namespace {

using Json = nlohmann::ordered_json;

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

// Ill-formed UTF-8 is in no column of a database.
std::string dump(const Json& value) { return value.dump(-1, ' ', false); }

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

// Without what is not known.
Json object_of(const CaptureRows& rows, const Capture& capture) {
    Json object = Json::object();
    for (const CaptureColumn& column : rows.columns)
        if (std::string value = column.value(capture, rows.identifier_prefix); value != "-")
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
        out += dump(object_of(rows, capture)) + "\n";
    }
    return out;
}

std::string json_list(const CaptureRows& rows, const std::vector<Capture>& captures) {
    std::vector<Json> all;
    const bool objects = rows.output == CaptureOutput::jsondict;
    if (!captures.empty() && !objects) {
        Json& names = all.emplace_back(Json::array());
        for (const CaptureColumn& column : rows.columns) names.push_back(column.name);
    }
    for (const Capture& capture : captures) {
        if (objects) {
            all.push_back(object_of(rows, capture));
            continue;
        }
        Json& row = all.emplace_back(Json::array());
        for (const CaptureColumn& column : rows.columns)
            row.push_back(column.value(capture, rows.identifier_prefix));
    }
    if (!rows.resume_key.empty()) {
        all.push_back(Json::array());
        all.push_back(Json::array({rows.resume_key}));
    }
    std::string out = "[";
    for (const Json& row : all) out += (&row == &all.front() ? "" : ",\n") + dump(row);
    return out + "]\n";
}

// The captures of a URL, or URLs with how many captures each has.
std::int64_t append_results(std::string& out, const CaptureRows& rows,
                            const std::vector<Capture>& captures) {
    if (rows.output == CaptureOutput::xml) {
        const Capture* closest = nullptr;
        const auto distance = [&](const Capture& c) {
            return std::chrono::abs(c.captured_at - *rows.closest);
        };
        for (const Capture& c : captures)
            if (rows.closest && (closest == nullptr || distance(c) < distance(*closest)))
                closest = &c;
        const auto columns = capture_columns(
            "compressedoffset,mimetype,file,redirecturl,urlkey,digest,robotflags,url");
        for (const Capture& capture : captures) {
            out += "<result>";
            for (const CaptureColumn& column : columns)
                markup::element(out, column.name, column.value(capture, ""));
            if (capture.length)
                markup::element(out, "compressedendoffset", or_dash(capture.length));
            markup::element(out, "httpresponsecode", or_dash(capture.status));
            markup::element(out, "capturedate", digits_of(capture.captured_at));
            if (&capture == closest) markup::element(out, "closest", "true");
            out += "</result>";
        }
        return std::ssize(captures);
    }
    std::int64_t urls = 0;
    for (std::size_t begin = 0, end = 0; begin < captures.size(); begin = end) {
        std::int64_t versions = 0;
        for (end = begin;
             end < captures.size() && captures[end].place.key == captures[begin].place.key; ++end)
            if (end == begin || captures[end].digest != captures[end - 1].digest) ++versions;
        if (++urls <= rows.first || urls > rows.first + rows.requested) continue;
        out += "<result>";
        markup::element(out, "urlkey", captures[begin].place.key);
        markup::element(out, "originalurl", captures[end - 1].url);
        markup::element(out, "numversions", std::to_string(versions));
        markup::element(out, "numcaptures", std::to_string(end - begin));
        markup::element(out, "firstcapturets", digits_of(captures[begin].captured_at));
        markup::element(out, "lastcapturets", digits_of(captures[end - 1].captured_at));
        out += "</result>";
    }
    return urls;
}

std::string xml_of(const CaptureRows& rows, const std::vector<Capture>& captures) {
    std::string results;
    const std::int64_t found = append_results(results, rows, captures);
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<wayback>";
    if (captures.empty())
        return out +
               "<error><title>Resource Not In Archive</title><message>The Resource you requested "
               "is "
               "not in this archive.</message></error></wayback>\n";
    out += "<results>" + results + "</results><request>";
    const bool urls = rows.output == CaptureOutput::xml_urls;
    const std::int64_t returned =
        urls ? std::min(std::max<std::int64_t>(found - rows.first, 0), rows.requested) : found;
    const std::pair<const char*, std::string> facts[] = {
        {"startdate", "19960101000000"},
        {"enddate", digits_of(captures.back().captured_at)},
        {"type", rows.type},
        {"firstreturned", std::to_string(rows.first)},
        {"url", rows.url},
        {"resultsrequested", std::to_string(rows.requested)},
        {"resultstype", urls ? "resultstypeurl" : "resultstypecapture"},
        {"numreturned", std::to_string(returned)},
        {"numresults", std::to_string(urls ? found : rows.first + found)}};
    for (const auto& [name, value] : facts) markup::element(out, name, value);
    return out + "</request></wayback>\n";
}

// In the order of CaptureOutput.
constexpr const char* kObjectColumns =
    "urlkey,timestamp,original,mimetype,statuscode,digest,length,offset,filename,method,"
    "requestBody,identifier";
struct Form {
    const char *type, *columns;
    std::string (*write)(const CaptureRows&, const std::vector<Capture>&);
};
constexpr Form kForms[] = {
    {"text/plain; charset=UTF-8",
     "urlkey,timestamp,url,mimetype,status,digest,redirect,robotflags,length,offset,filename",
     text_lines},
    {"text/x-cdxj; charset=UTF-8",
     "url,mime,status,digest,length,offset,filename,method,requestBody,identifier", lines},
    {"application/json",
     "urlkey,timestamp,original,mimetype,statuscode,digest,length,offset,filename,identifier",
     json_list},
    {"application/x-ndjson", kObjectColumns, lines},
    {"application/json", kObjectColumns, json_list},
    {"application/xml; charset=UTF-8", "", xml_of},
    {"application/xml; charset=UTF-8", "", xml_of}};

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
