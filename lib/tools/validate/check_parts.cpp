// SPDX-License-Identifier: MIT
#include "tools/validate/check_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "web/request.h"
#include "xml/escape.h"

namespace oai::validate {
namespace {

std::string join_codes(std::initializer_list<std::string_view> codes) {
    std::string out;
    for (const std::string_view code : codes) out.append(out.empty() ? "" : " or ").append(code);
    return out;
}

std::string error_excerpt(const Answer& answer) {
    const std::size_t at = answer.reply.body.find("<error");
    return answer.reply.body.substr(at == std::string::npos ? 0 : at, 400);
}

// A record of ListIdentifiers has no metadata to compare.
bool is_unchanged_record(const Record& then, const Record& now) {
    const bool both = then.metadata && now.metadata;
    return then.header == now.header && (!both || then.metadata->content == now.metadata->content);
}

std::vector<std::pair<std::string, std::string>> sets_of(const Answer& answer) {
    std::vector<std::pair<std::string, std::string>> sets;
    for (const Set& set : answer.sets) sets.emplace_back(set.spec, set.name);
    return sets;
}

std::string size_of(const Answer& answer) { return answer.token ? answer.token->size : ""; }
bool has_next_page(const Answer& answer) { return answer.token && !answer.token->value.empty(); }
std::string earliest_of(const Answer& answer) {
    return answer.identification ? answer.identification->earliest : "";
}

// The first difference in content; "" if there is none.
std::string difference(const Answer& wanted, const Answer& answer) {
    if (wanted.error_codes() != answer.error_codes())
        return answer.errors.empty() ? "no error" : answer.error_codes();
    if (headers_of(wanted) != headers_of(answer)) return "other records";
    if (wanted.formats != answer.formats) return "other formats";
    const bool identified = wanted.identification && answer.identification;
    if (identified && wanted.identification->base_url != answer.identification->base_url)
        return "another baseURL, " + answer.identification->base_url;
    return wanted.verb == answer.verb ? ""
                                      : fmt::format("{} in place of {}", answer.verb, wanted.verb);
}

}  // namespace

Finding not_applicable() { return skipped(""); }

std::string why_unusable(const Answer& answer) {
    if (answer.reply.status == 0) return "no answer: " + answer.reply.error;
    if (answer.reply.status != 200) return fmt::format("HTTP status {}", answer.reply.status);
    if (!answer.well_formed()) return "not well-formed: " + answer.broken;
    return answer.root == "OAI-PMH" ? ""
                                    : "the answer is <" + answer.root + ">, no response of OAI-PMH";
}

Finding expect_error(const Answer& answer, std::initializer_list<std::string_view> codes) {
    if (std::string why = why_unusable(answer); !why.empty())
        return wrong(std::move(why), answer, error_excerpt(answer));
    if (std::any_of(codes.begin(), codes.end(),
                    [&](std::string_view code) { return answer.has_error(code); }))
        return fine();
    if (answer.errors.empty())
        return wrong(fmt::format("no error, where {} is due", join_codes(codes)), answer,
                     error_excerpt(answer));
    return wrong(fmt::format("{}, where {} is due", answer.error_codes(), join_codes(codes)),
                 answer, error_excerpt(answer));
}

Finding expect_error(Session& session, const std::string& arguments,
                     std::initializer_list<std::string_view> codes) {
    return expect_error(session.get(arguments), codes);
}

Finding expect_refusal(const Answer& answer, std::initializer_list<std::string_view> codes) {
    return is_refused_by_http(answer) ? fine() : expect_error(answer, codes);
}

bool is_refused_by_http(const Answer& answer) {
    return answer.question.refusable && answer.reply.status >= 400 && answer.reply.status < 500;
}

Finding expect_same(const Answer& wanted, const Answer& answer, const std::string& what) {
    if (std::string why = why_unusable(answer); !why.empty())
        return wrong(what + ": " + why, answer, error_excerpt(answer));
    const std::string other = difference(wanted, answer);
    return other.empty() ? fine()
                         : wrong(what + ": " + other, answer,
                                 answer.errors.empty() ? "" : error_excerpt(answer))
                               .against(wanted);
}

Finding expect_same(Session& session, const Question& wanted, const Question& question,
                    const std::string& what) {
    const Answer& first = session.ask(wanted);
    return expect_same(first, session.ask(question), what);
}

bool has_same_content(const Answer& then, const Answer& now) {
    return why_unusable(then) == why_unusable(now) && difference(then, now).empty() &&
           sets_of(then) == sets_of(now) && size_of(then) == size_of(now) &&
           has_next_page(then) == has_next_page(now) && earliest_of(then) == earliest_of(now) &&
           std::equal(then.records.begin(), then.records.end(), now.records.begin(),
                      now.records.end(), is_unchanged_record);
}

bool has_same_record(const Answer& then, const Answer& now, std::string_view identifier) {
    const Record* was = record_of(then, identifier);
    const Record* is = record_of(now, identifier);
    return was != nullptr && is != nullptr && is_unchanged_record(*was, *is);
}

std::vector<Header> headers_of(const Answer& answer) {
    std::vector<Header> headers;
    for (const Record& record : answer.records) headers.push_back(record.header);
    return headers;
}

const Record* record_of(const Answer& answer, std::string_view identifier) {
    const auto found =
        std::find_if(answer.records.begin(), answer.records.end(),
                     [&](const Record& record) { return record.header.identifier == identifier; });
    return found == answer.records.end() ? nullptr : &*found;
}

std::string get_record(const Session& session, std::string_view identifier) {
    return "verb=GetRecord&metadataPrefix=" + url_encode(session.scope().prefix) +
           "&identifier=" + url_encode(identifier);
}

const Format* find_format(const std::vector<Format>& formats, std::string_view prefix) {
    const auto found = std::find_if(formats.begin(), formats.end(),
                                    [&](const Format& f) { return f.prefix == prefix; });
    return found == formats.end() ? nullptr : &*found;
}

bool uses_namespace(const Payload& metadata, std::string_view name_space) {
    std::string declared = "\"";
    xml::append_attribute(declared, name_space);
    return metadata.text.find(declared + '"') != std::string::npos;
}

std::string argument_of(const Answer& answer, std::string_view name) {
    bool well_encoded = true;
    for (const Argument& argument : split_arguments(answer.question.arguments, &well_encoded))
        if (argument.name == name) return argument.value;
    return "";
}

bool is_list(const Answer& answer) {
    return answer.verb == "ListIdentifiers" || answer.verb == "ListRecords";
}

}  // namespace oai::validate
