// SPDX-License-Identifier: MIT
#include "browse/captures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "browse/search_question.h"
#include "protocol/identifier.h"
#include "web/response.h"
#include "web/surt.h"

namespace oai {
namespace {

using CdxJson = nlohmann::json;

constexpr std::int64_t kDefaultLimit = 100, kMaxLimit = 1000;
constexpr std::size_t kMaxUrlBytes = 4'000;
constexpr int kRetrySeconds = 5;
// More than any key that captures_response() gives: a SURT, two numbers, in base64url.
constexpr std::size_t kMaxKeyBytes = 3'000;

struct BadParameter {
    std::string why;
};

// A field by the name that CDX servers give it, as text; "-": not known.
struct Field {
    std::string_view name;
    std::string (*value)(const Capture&, std::string_view identifier_prefix);
};

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }
std::string or_dash(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "-";
}

constexpr std::array<Field, 10> kFields{{
    {"urlkey", [](const Capture& c, std::string_view) { return c.place.key; }},
    {"timestamp",
     [](const Capture& c, std::string_view) {
         std::string digits = print_utc(c.captured_at);
         std::erase_if(digits, [](char d) { return d < '0' || d > '9'; });
         return digits;
     }},
    {"original", [](const Capture& c, std::string_view) { return c.url; }},
    {"mimetype", [](const Capture& c, std::string_view) { return or_dash(c.media_type); }},
    {"statuscode", [](const Capture& c, std::string_view) { return or_dash(c.status); }},
    {"digest", [](const Capture& c, std::string_view) { return or_dash(c.digest); }},
    {"length", [](const Capture& c, std::string_view) { return or_dash(c.length); }},
    {"offset", [](const Capture& c, std::string_view) { return or_dash(c.offset); }},
    {"filename", [](const Capture& c, std::string_view) { return or_dash(c.file); }},
    {"identifier",
     [](const Capture& c, std::string_view prefix) { return identifier_text(prefix, c.local_id); }},
}};

enum class Output { json, ndjson, text };
enum class MatchType { exact, prefix, host, domain };

constexpr std::array<std::pair<std::string_view, Output>, 3> kOutputs{
    {{"json", Output::json}, {"ndjson", Output::ndjson}, {"text", Output::text}}};
constexpr std::array<std::pair<std::string_view, MatchType>, 4> kMatchTypes{
    {{"exact", MatchType::exact},
     {"prefix", MatchType::prefix},
     {"host", MatchType::host},
     {"domain", MatchType::domain}}};

struct CdxQuery {
    std::string url{};
    std::optional<MatchType> match{};
    std::int64_t limit = kDefaultLimit;
    CaptureTimes times{};
    Output output = Output::json;
    std::vector<const Field*> fields{};
    std::optional<CapturePlace> after{};
    bool shows_key = false;
};

template <class T, std::size_t n>
T choose(const std::array<std::pair<std::string_view, T>, n>& all, const Argument& argument) {
    std::string known;
    for (const auto& [name, value] : all) {
        if (name == argument.value) return value;
        known.append(known.empty() ? "" : ", ").append(name);
    }
    throw BadParameter{argument.name + ": one of " + known};
}

std::string key_text(const CapturePlace& place) {
    return text::base64url_encode(fmt::format("{} {} {}", place.moment, place.id, place.key));
}

CapturePlace read_key(std::string_view text) {
    const auto decoded = text.size() <= kMaxKeyBytes ? text::base64url_decode(text) : std::nullopt;
    if (decoded && text::is_xml_text(*decoded)) {
        const auto first = decoded->find(' '), second = decoded->find(' ', first + 1);
        if (first != decoded->npos && second != decoded->npos) {
            const std::string_view all = *decoded;
            const auto moment = text::to_integer(all.substr(0, first));
            const auto id = text::to_integer(all.substr(first + 1, second - first - 1));
            if (moment && id && is_moment(*moment))
                return {std::string(all.substr(second + 1)), *moment, *id};
        }
    }
    throw BadParameter{"resumeKey: not one that this server has given"};
}

Seconds read_time(const Argument& argument, bool last) {
    if (const auto time = capture_time(argument.value, last)) return *time;
    throw BadParameter{argument.name + ": a time of 4 to 14 digits, as 2010, 201003 or 20100305"};
}

std::vector<const Field*> read_fields(std::string_view names) {
    std::vector<const Field*> fields;
    for (const std::string_view name : text::split(names, ',')) {
        const auto found = std::find_if(kFields.begin(), kFields.end(),
                                        [&](const Field& f) { return f.name == name; });
        if (found == kFields.end() || fields.size() == kFields.size())
            throw BadParameter{"fl: there is no field '" + text::to_xml_text(name.substr(0, 50)) +
                               "'"};
        fields.push_back(&*found);
    }
    return fields;
}

struct Parameter {
    std::string_view name;
    void (*read)(CdxQuery&, const Argument&);
};
constexpr std::array<Parameter, 9> kParameters{{
    {"url",
     [](CdxQuery& q, const Argument& a) {
         if (a.value.empty() || a.value.size() > kMaxUrlBytes || !text::is_xml_text(a.value))
             throw BadParameter{"url: a URL, in UTF-8 and of 4,000 bytes at most"};
         q.url = a.value;
     }},
    {"matchType", [](CdxQuery& q, const Argument& a) { q.match = choose(kMatchTypes, a); }},
    {"limit",
     [](CdxQuery& q, const Argument& a) {
         const auto limit = text::to_integer(a.value);
         if (!limit || *limit < 1) throw BadParameter{"limit: a number from 1 on"};
         q.limit = std::min(*limit, kMaxLimit);
     }},
    {"from", [](CdxQuery& q, const Argument& a) { q.times.since = read_time(a, false); }},
    {"to", [](CdxQuery& q, const Argument& a) { q.times.until = read_time(a, true); }},
    {"output", [](CdxQuery& q, const Argument& a) { q.output = choose(kOutputs, a); }},
    {"fl", [](CdxQuery& q, const Argument& a) { q.fields = read_fields(a.value); }},
    {"resumeKey", [](CdxQuery& q, const Argument& a) { q.after = read_key(a.value); }},
    {"showResumeKey",
     [](CdxQuery& q, const Argument& a) { q.shows_key = a.value == "true" || a.value == "1"; }},
}};

CdxQuery read_query(const Request& request) {
    if (!request.well_encoded) throw BadParameter{"a % is not followed by two hexadecimal digits"};
    CdxQuery query;
    std::vector<std::string_view> seen;
    for (const Argument& argument : request.arguments) {
        const auto known =
            std::find_if(kParameters.begin(), kParameters.end(),
                         [&](const Parameter& p) { return p.name == argument.name; });
        if (known == kParameters.end()) {
            std::string names;
            for (const Parameter& p : kParameters)
                names.append(names.empty() ? "" : ", ").append(p.name);
            throw BadParameter{"the parameters are " + names};
        }
        if (std::find(seen.begin(), seen.end(), known->name) != seen.end())
            throw BadParameter{std::string(known->name) + ": given twice"};
        seen.push_back(known->name);
        known->read(query, argument);
    }
    if (query.url.empty()) throw BadParameter{"url: missing"};
    if (query.fields.empty())
        for (const Field& field : kFields) query.fields.push_back(&field);
    return query;
}

// Before the bracket of a key: "cz,example" of "http://www.example.cz/a"; "" if there is none.
std::string host_key(const std::string& url) {
    const std::string key = surt_of(with_scheme(url)).text;
    const auto bracket = key.find(')');
    if (bracket == key.npos) throw BadParameter{"url: it has no host"};
    return key.substr(0, bracket);
}

// As in CDX servers "*.example.org" means the domain, and "example.org/a*" a prefix.
CaptureRange range_of(CdxQuery& query) {
    if (!query.match) {
        query.match = MatchType::exact;
        if (query.url.starts_with("*.")) {
            query.match = MatchType::domain;
            query.url.erase(0, 2);
        } else if (query.url.ends_with('*')) {
            query.match = MatchType::prefix;
            query.url.pop_back();
        }
    }
    switch (*query.match) {
        case MatchType::prefix: return url_prefix(query.url);
        case MatchType::host: {
            const std::string host = host_key(query.url);
            return {host + ")", host + "*"};  // what follows ) in ASCII
        }
        case MatchType::domain: {  // with a bracket, or a comma and a further name
            const std::string host = host_key(query.url);
            return {host + ")", host + "-"};
        }
        case MatchType::exact: break;
    }
    std::string key = surt_of(with_scheme(query.url)).text;
    std::string before = key + '\x01';
    return {std::move(key), std::move(before)};
}

using Row = std::vector<std::string>;

std::string json_lines(const std::vector<Row>& rows, const CdxQuery& query) {
    std::string out;
    for (const Row& row : rows) {
        nlohmann::ordered_json object;
        for (std::size_t i = 0; i < row.size(); ++i)
            object[std::string(query.fields[i]->name)] = row[i];
        out += object.dump(-1, ' ', false, CdxJson::error_handler_t::replace) + "\n";
    }
    return out;
}

// A list of lists, the first of them of names.
std::string json_list(const std::vector<Row>& rows, const CdxQuery& query,
                      const std::string& next) {
    CdxJson all = CdxJson::array();
    CdxJson names = CdxJson::array();
    for (const Field* field : query.fields) names.push_back(field->name);
    if (!rows.empty()) all.push_back(names);
    for (const Row& row : rows) all.push_back(row);
    if (query.shows_key && !next.empty()) {
        all.push_back(CdxJson::array());
        all.push_back(CdxJson::array({next}));
    }
    std::string out = "[";
    for (std::size_t i = 0; i < all.size(); ++i)
        out +=
            (i == 0 ? "" : ",\n") + all[i].dump(-1, ' ', false, CdxJson::error_handler_t::replace);
    return out + "]\n";
}

// Fields hold no blanks: in a URL they are encoded.
std::string text_lines(const std::vector<Row>& rows, const CdxQuery& query,
                       const std::string& next) {
    std::string out;
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) out += ' ';
            for (const char c : row[i])
                if (static_cast<unsigned char>(c) > 0x20)
                    out += c;
                else
                    text::append_hex(out += '%', c);
        }
        out += '\n';
    }
    if (query.shows_key && !next.empty()) out += "\n" + next + "\n";
    return out;
}

std::string address_of(const CapturesQuestion& question, const std::string& next) {
    std::string address(question.address);
    char separator = '?';
    for (const auto& [name, value] : question.request.arguments) {
        if (name == "resumeKey") continue;
        address += separator + text::percent_encode(name) + "=" + text::percent_encode(value, ":/");
        separator = '&';
    }
    return address + "&resumeKey=" + next;
}

Response rows_response(const CapturesQuestion& question, const CdxQuery& query,
                       const Captures& captures) {
    std::vector<Row> rows;
    for (const Capture& capture : captures.found) {
        Row& row = rows.emplace_back();
        for (const Field* field : query.fields)
            row.push_back(field->value(capture, question.identifier_prefix));
    }
    const std::string next = captures.next ? key_text(*captures.next) : "";
    Response response =
        query.output == Output::json
            ? text_response("application/json", json_list(rows, query, next), question.gzip)
        : query.output == Output::ndjson
            ? text_response("application/x-ndjson", json_lines(rows, query), question.gzip)
            : text_response("text/plain; charset=UTF-8", text_lines(rows, query, next),
                            question.gzip);
    if (!next.empty())
        response.headers.emplace_back("Link", "<" + address_of(question, next) + ">; rel=\"next\"");
    response.headers.emplace_back("Access-Control-Allow-Origin", "*");  // all of it is public
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    mark_momentary(response);
    return response;
}

}  // namespace

Response captures_response(const CapturesQuestion& question) {
    SearchQueries search(question.store);
    if (!search.offers().captures)
        return plain_response(404, "This repository has no captures of URLs.");
    try {
        CdxQuery query = read_query(question.request);
        const CaptureRange range = range_of(query);
        if (query.after && (query.after->key < range.first || query.after->key >= range.before))
            throw BadParameter{"resumeKey: it belongs to other parameters"};
        const auto captures =
            search.captures(range, query.after, query.times, static_cast<int>(query.limit));
        if (!captures)
            return plain_response(503, "This took too long; ask for less, or again later.",
                                  kRetrySeconds);
        return rows_response(question, query, *captures);
    } catch (const BadParameter& bad) {
        return plain_response(400, bad.why + ".");
    }
}

}  // namespace oai
