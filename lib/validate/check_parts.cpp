// SPDX-License-Identifier: MIT
#include "validate/check_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "request.h"

namespace oai::validate {
namespace {

std::string joined(std::initializer_list<std::string_view> codes) {
    std::string out;
    for (const std::string_view code : codes) out.append(out.empty() ? "" : " or ").append(code);
    return out;
}

std::string excerpt_of(const Answer& answer) {
    const std::size_t at = answer.reply.body.find("<error");
    return answer.reply.body.substr(at == std::string::npos ? 0 : at, 400);
}

}  // namespace

Finding not_about() { return skipped(""); }

std::string why_unusable(const Answer& answer) {
    if (answer.reply.status == 0) return "no answer: " + answer.reply.trouble;
    if (answer.reply.status != 200) return fmt::format("HTTP status {}", answer.reply.status);
    if (!answer.well_formed()) return "not well-formed: " + answer.broken;
    return answer.root == "OAI-PMH" ? "" : "the answer is <" + answer.root + ">, no response of OAI-PMH";
}

Finding expect_error(const Answer& answer, std::initializer_list<std::string_view> codes) {
    if (std::string why = why_unusable(answer); !why.empty()) return wrong(std::move(why), answer, excerpt_of(answer));
    if (std::any_of(codes.begin(), codes.end(), [&](std::string_view code) { return answer.has_error(code); })) return fine();
    if (answer.errors.empty()) return wrong(fmt::format("no error, where {} is due", joined(codes)), answer, excerpt_of(answer));
    return wrong(fmt::format("{}, where {} is due", answer.error_codes(), joined(codes)), answer, excerpt_of(answer));
}

Finding expect_error(Session& session, const std::string& arguments, std::initializer_list<std::string_view> codes) {
    return expect_error(session.get(arguments), codes);
}

Finding expect_same(const Answer& wanted, const Answer& answer, const std::string& what) {
    if (std::string why = why_unusable(answer); !why.empty()) return wrong(what + ": " + why, answer, excerpt_of(answer));
    if (wanted.error_codes() != answer.error_codes())
        return wrong(fmt::format("{}: {}", what, answer.errors.empty() ? "no error" : answer.error_codes()), answer, excerpt_of(answer));
    if (headers_of(wanted) != headers_of(answer)) return wrong(what + ": other records", answer);
    if (wanted.formats != answer.formats) return wrong(what + ": other formats", answer);
    const bool identified = wanted.identification && answer.identification;
    if (identified && wanted.identification->base_url != answer.identification->base_url)
        return wrong(what + ": another baseURL, " + answer.identification->base_url, answer);
    if (wanted.verb != answer.verb) return wrong(fmt::format("{}: {} in place of {}", what, answer.verb, wanted.verb), answer);
    return fine();
}

std::vector<Header> headers_of(const Answer& answer) {
    std::vector<Header> headers;
    for (const Record& record : answer.records) headers.push_back(record.header);
    return headers;
}

bool has_record(const Answer& answer, std::string_view identifier) {
    return std::any_of(answer.records.begin(), answer.records.end(),
                       [&](const Record& record) { return record.header.identifier == identifier; });
}

std::string get_record(const Session& session, std::string_view identifier) {
    return "verb=GetRecord&metadataPrefix=" + escaped(session.scope().prefix) + "&identifier=" + escaped(identifier);
}

std::string argument_of(const Answer& answer, std::string_view name) {
    bool well_encoded = true;
    for (const Argument& argument : split_arguments(answer.question.arguments, &well_encoded))
        if (argument.name == name) return argument.value;
    return "";
}

bool is_list(const Answer& answer) { return answer.verb == "ListIdentifiers" || answer.verb == "ListRecords"; }

}  // namespace oai::validate
