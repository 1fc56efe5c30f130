// SPDX-License-Identifier: MIT
// Rules about every response (OAI-PMH 2.0, 3.2 and 3.3.2) and every HTTP answer (3.1).
#include <algorithm>

#include "base/text.h"
#include "protocol/record.h"
#include "tools/validate/check.h"
#include "web/request.h"

namespace oai::validate {
namespace {

constexpr std::string_view kNamespace = "http://www.openarchives.org/OAI/2.0/";
constexpr std::string_view kSchema = "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd";
constexpr std::string_view kSchemaByTls = "https://www.openarchives.org/OAI/2.0/OAI-PMH.xsd";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // Unicode allows it in UTF-8
constexpr std::chrono::hours kClockError{1};
constexpr std::chrono::seconds kHarvesterTimeout{30};  // of OpenAIRE and other harvesters

// Whether the body should be a response of OAI-PMH.
bool has_body(const Answer& answer) {
    return answer.question.method != "HEAD" && answer.reply.status == 200;
}

std::string start_of(const Answer& answer) { return answer.reply.body.substr(0, 400); }

Finding well_formed(const Answer& answer, const Facts&) {
    if (!has_body(answer)) return not_applicable();
    return answer.well_formed() ? fine() : wrong(answer.broken, answer, start_of(answer));
}

// The version in the XML declaration of a well-formed document, in which it comes first (XML 1.0,
// 2.8); "" if there is no declaration.
std::string_view declared_version(std::string_view body) {
    if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
    constexpr std::string_view kBegin = "<?xml";
    if (!body.starts_with(kBegin) || body.find_first_of(" \t\r\n") != kBegin.size()) return "";
    const std::size_t quote = body.find_first_of("\"'");
    if (quote == body.npos) return "";
    body.remove_prefix(quote);
    return body.substr(1, body.find(body[0], 1) - 1);
}

Finding xml_declaration(const Answer& answer, const Facts&) {
    if (!has_body(answer) || !answer.well_formed()) return not_applicable();
    if (declared_version(answer.reply.body) != "1.0")
        return wrong("the response does not begin with <?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                     answer, start_of(answer));
    if (text::lower_ascii(answer.encoding) == "utf-8") return fine();
    return wrong(answer.encoding.empty() ? "encoding=\"UTF-8\" is not declared"
                                         : "declared as " + answer.encoding,
                 answer, start_of(answer));
}

Finding utf8(const Answer& answer, const Facts&) {
    if (!has_body(answer)) return not_applicable();
    return text::is_utf8(answer.reply.body) ? fine()
                                            : wrong("there are bytes that are no UTF-8", answer);
}

Finding root(const Answer& answer, const Facts&) {
    if (!has_body(answer) || !answer.well_formed()) return not_applicable();
    if (answer.root == "OAI-PMH" && answer.root_namespace == kNamespace) return fine();
    return wrong("the root element is {" + answer.root_namespace + "}" + answer.root, answer,
                 start_of(answer));
}

// Another root is reported by the rule about the root alone.
bool is_response(const Answer& answer) {
    return has_body(answer) && answer.well_formed() && answer.root == "OAI-PMH";
}

Finding doctype(const Answer& answer, const Facts&) {
    if (!is_response(answer)) return not_applicable();
    return answer.has_doctype ? wrong("the response has a DOCTYPE", answer, start_of(answer))
                              : fine();
}

Finding root_without_prefix(const Answer& answer, const Facts&) {
    if (!is_response(answer)) return not_applicable();
    return answer.root_prefix.empty()
               ? fine()
               : wrong("the root is " + answer.root_prefix + ":OAI-PMH", answer, start_of(answer));
}

Finding schema_location(const Answer& answer, const Facts&) {
    if (!is_response(answer)) return not_applicable();
    const std::string_view address = schema_address(answer.schema_location, kNamespace);
    if (address == kSchema || address == kSchemaByTls) return fine();
    return wrong("xsi:schemaLocation is \"" + answer.schema_location + "\"", answer,
                 start_of(answer));
}

Finding response_date(const Answer& answer, const Facts&) {
    if (!is_response(answer)) return not_applicable();
    const auto date = parse_datestamp(answer.response_date);
    if (date && date->granularity == Granularity::second) return fine();
    return wrong("\"" + answer.response_date + "\" is not of the form YYYY-MM-DDThh:mm:ssZ",
                 answer);
}

Finding response_date_now(const Answer& answer, const Facts& facts) {
    const auto date = parse_datestamp(answer.response_date);
    if (!is_response(answer) || !date) return not_applicable();
    if (date->first > facts.now - kClockError && date->first < facts.now + kClockError)
        return fine();
    return wrong("responseDate is " + answer.response_date + " at " + print_datestamp(facts.now),
                 answer);
}

// A mirror says the base URL of the repository, not its own.
Finding request_url(const Answer& answer, const Facts& facts) {
    if (!is_response(answer)) return not_applicable();
    const bool mirrored =
        !facts.identified_url.empty() && answer.request_url == facts.identified_url;
    if (answer.request_url == facts.base_url || mirrored) return fine();
    return wrong("<request> is " + answer.request_url, answer);
}

bool must_be_bare(const Answer& answer) {
    return answer.has_error("badVerb") || answer.has_error("badArgument");
}

// The first of the pairs that is not among the others; nullptr if all are.
const std::pair<std::string, std::string>* first_missing(
    const std::vector<std::pair<std::string, std::string>>& pairs,
    const std::vector<std::pair<std::string, std::string>>& others) {
    const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return std::find(others.begin(), others.end(), pair) == others.end();
    });
    return found == pairs.end() ? nullptr : &*found;
}

std::vector<std::pair<std::string, std::string>> arguments_of(const Answer& answer) {
    bool well_encoded = true;
    std::vector<std::pair<std::string, std::string>> asked;
    for (const Argument& a : split_arguments(answer.question.arguments, &well_encoded))
        asked.emplace_back(a.name, a.value);
    return asked;
}

// An answer with an error need not repeat the arguments.
Finding request_attributes(const Answer& answer, const Facts&) {
    if (!is_response(answer) || !answer.errors.empty()) return not_applicable();
    const auto asked = arguments_of(answer);
    const auto* missing = first_missing(asked, answer.request);
    return missing == nullptr
               ? fine()
               : wrong("<request> does not say " + missing->first + "=\"" + missing->second + "\"",
                       answer);
}

Finding request_true(const Answer& answer, const Facts&) {
    if (!is_response(answer) || must_be_bare(answer) || answer.question.refusable)
        return not_applicable();
    const auto asked = arguments_of(answer);
    const auto* invented = first_missing(answer.request, asked);
    return invented == nullptr ? fine()
                               : wrong("<request> says " + invented->first + "=\"" +
                                           invented->second + "\", which was not asked",
                                       answer);
}

Finding request_bare(const Answer& answer, const Facts&) {
    if (!is_response(answer) || !must_be_bare(answer)) return not_applicable();
    return answer.request.empty()
               ? fine()
               : wrong("<request> has attributes beside " + answer.error_codes(), answer);
}

Finding verb_answers(const Answer& answer, const Facts&) {
    if (!is_response(answer) || !answer.errors.empty()) return not_applicable();
    const std::string asked = argument_of(answer, "verb");
    return answer.verb == asked ? fine() : wrong("<" + answer.verb + "> answers " + asked, answer);
}

Finding valid(const Answer& answer, const Facts&) {
    if (!is_response(answer)) return not_applicable();
    return answer.invalid.empty() ? fine() : wrong(answer.invalid, answer);
}

Finding status(const Answer& answer, const Facts&) {
    if (is_refused_by_http(answer)) return not_applicable();
    if (answer.reply.status == 200) return fine();
    return wrong(why_unusable(answer), answer, start_of(answer));
}

Finding content_type(const Answer& answer, const Facts&) {
    if (answer.reply.status != 200) return not_applicable();
    const std::string_view said = header_of(answer.reply, "Content-Type");
    if (said.empty() && answer.question.method == "HEAD") return not_applicable();
    if (text::lower_ascii(text::trim(said.substr(0, said.find(';')))) == "text/xml") return fine();
    return wrong("Content-Type: " + std::string(said), answer);
}

Finding charset(const Answer& answer, const Facts&) {
    const std::string said = text::lower_ascii(header_of(answer.reply, "Content-Type"));
    const std::size_t at = said.find("charset=");
    if (answer.reply.status != 200 || at == std::string::npos) return not_applicable();
    std::string value = said.substr(at + 8, said.find(';', at) - at - 8);
    std::erase(value, '"');
    return text::trim(value) == "utf-8" ? fine() : wrong("Content-Type: " + said, answer);
}

Finding identity(const Answer& answer, const Facts&) {
    if (answer.reply.status != 200 || answer.question.gzip) return not_applicable();
    const std::string said = text::lower_ascii(header_of(answer.reply, "Content-Encoding"));
    if (said.empty() || said == "identity") return fine();
    return wrong("Content-Encoding: " + said + ", which was not asked for", answer);
}

Finding duration_limit(const Answer& answer, const Facts&) {
    if (answer.reply.duration < kHarvesterTimeout) return fine();
    return wrong("it took " + std::to_string(answer.reply.duration.count() / 1000) + " s", answer);
}

// The use of HTTP (OAI-PMH 2.0, 3.1).

// The default of Java's HttpURLConnection.
constexpr const char* kJavaAccept = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2";

const Question kIdentify{.arguments = "verb=Identify"};

const Answer& identify(Session& session) { return session.ask(kIdentify); }

// Scheme and host have no case (RFC 3986, 6.2.2.1).
std::string in_usual_case(const std::string& url) {
    const std::size_t host = url.find("://");
    if (host == url.npos) return url;
    const std::size_t end = std::min(url.find_first_of("/?", host + 3), url.size());
    return text::lower_ascii(url.substr(0, end)) + url.substr(end);
}

Finding not_redirected(Session& session) {
    const Answer& answer = identify(session);
    if (answer.reply.url.empty() ||
        in_usual_case(answer.reply.url) == in_usual_case(session.print(answer.question)))
        return fine();
    return wrong("the answer comes from " + answer.reply.url, answer);
}

Finding post_list(Session& session) {
    const std::string arguments = session.list("ListIdentifiers");
    return expect_same(session, {.arguments = arguments},
                       {.arguments = arguments, .method = "POST"}, "ListIdentifiers by POST");
}

Finding head(Session& session) {
    const Answer& answer = session.ask({.arguments = "verb=Identify", .method = "HEAD"});
    if (answer.reply.status != 200)
        return wrong("HTTP status " + std::to_string(answer.reply.status), answer);
    const std::string_view type = header_of(answer.reply, "Content-Type");
    return type.empty() || type == header_of(identify(session).reply, "Content-Type")
               ? fine()
               : wrong("Content-Type is another than that of GET", answer);
}

Question compressed_question(const Session& session) {
    return {.arguments = session.list("ListRecords"), .gzip = true};
}
const Answer& compressed_answer(Session& session) {
    return session.ask(compressed_question(session));
}

bool is_compressed(const Answer& answer) {
    return text::lower_ascii(header_of(answer.reply, "Content-Encoding")).find("gzip") !=
           std::string::npos;
}

Finding gzip(Session& session) {
    return expect_same(session, {.arguments = session.list("ListRecords")},
                       compressed_question(session), "the answer to Accept-Encoding: gzip");
}

// What is compressed is up to the repository, so an answer that is not is no fault.
Finding compression_announced(Session& session) {
    const auto& compressions = session.identification().compressions;
    const bool said =
        std::find(compressions.begin(), compressions.end(), "gzip") != compressions.end();
    return said || !is_compressed(compressed_answer(session))
               ? fine()
               : wrong("answers are compressed by gzip, and Identify does not say so",
                       compressed_answer(session));
}

// Vary may stand in several lines (RFC 9110, 5.2).
bool varies_by_encoding(const std::pair<std::string, std::string>& field) {
    const std::string value = text::lower_ascii(field.second);
    return text::lower_ascii(field.first) == "vary" &&
           (value.find("accept-encoding") != std::string::npos || value == "*");
}

bool forbids_caches(const std::pair<std::string, std::string>& field) {
    return text::lower_ascii(field.first) == "cache-control" &&
           text::lower_ascii(field.second).find("no-store") != std::string::npos;
}

Finding varies(Session& session) {
    if (!is_compressed(compressed_answer(session))) return skipped("nothing is compressed");
    const auto& headers = compressed_answer(session).reply.headers;
    if (std::any_of(headers.begin(), headers.end(), forbids_caches))
        return skipped("no cache may keep the answers");
    if (std::any_of(headers.begin(), headers.end(), varies_by_encoding)) return fine();
    return wrong("a compressed answer does not say Vary: Accept-Encoding",
                 compressed_answer(session));
}

Finding xml_for_all(Session& session) {
    return expect_same(session, kIdentify, {.arguments = "verb=Identify", .accept = kJavaAccept},
                       "Identify for a harvester that accepts text/html first");
}

Finding retry_after(Session& session) {
    identify(session);
    if (session.refusals().empty()) return skipped("no request was answered by 503");
    for (const Reply& reply : session.refusals()) {
        if (reply.retry_after) continue;
        const std::string_view said = header_of(reply, "Retry-After");
        return wrong(
            "503 with " + (said.empty() ? "no Retry-After" : "Retry-After: " + std::string(said)),
            identify(session));
    }
    return fine();
}

const CheckFunction kResponses[] = {
    {"xml.well-formed", well_formed},
    {"xml.doctype", doctype},
    {"xml.declaration", xml_declaration},
    {"xml.utf8", utf8},
    {"xml.root", root},
    {"xml.unprefixed", root_without_prefix},
    {"xml.schema-location", schema_location},
    {"xml.response-date", response_date},
    {"xml.response-date-now", response_date_now},
    {"xml.request-url", request_url},
    {"xml.request-attributes", request_attributes},
    {"xml.request-true", request_true},
    {"xml.request-bare", request_bare},
    {"xml.verb", verb_answers},
    {"schema.valid", valid},
    {"http.status", status},
    {"http.content-type", content_type},
    {"http.charset", charset},
    {"http.identity", identity},
    {"http.quick", duration_limit},
    {"http.not-redirected", not_redirected},
    {"http.post-list", post_list},
    {"http.head", head},
    {"http.gzip", gzip},
    {"http.gzip-told", compression_announced},
    {"http.vary", varies},
    {"http.xml-for-all", xml_for_all},
    {"http.retry-after", retry_after},
};

}  // namespace

std::span<const CheckFunction> response_checks() { return kResponses; }

}  // namespace oai::validate
