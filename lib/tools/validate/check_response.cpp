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
bool has_document(const Answer& answer) { return has_body(answer) && answer.well_formed(); }
// Another root is reported by the rule about the root alone.
bool is_response(const Answer& answer) { return has_document(answer) && answer.root == "OAI-PMH"; }

std::string well_formed(const Answer& answer, const Facts&) {
    return answer.well_formed() ? "" : answer.broken;
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

std::string xml_declaration(const Answer& answer, const Facts&) {
    if (declared_version(answer.reply.body) != "1.0")
        return "the response does not begin with <?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    if (answer.encoding.empty()) return "encoding=\"UTF-8\" is not declared";
    return text::lower_ascii(answer.encoding) == "utf-8" ? "" : "declared as " + answer.encoding;
}

std::string utf8(const Answer& answer, const Facts&) {
    return text::is_utf8(answer.reply.body) ? "" : "there are bytes that are no UTF-8";
}

std::string root(const Answer& answer, const Facts&) {
    return answer.root == "OAI-PMH" && answer.root_namespace == kNamespace
               ? ""
               : "the root element is {" + answer.root_namespace + "}" + answer.root;
}

std::string doctype(const Answer& answer, const Facts&) {
    return answer.has_doctype ? "the response has a DOCTYPE" : "";
}

std::string root_without_prefix(const Answer& answer, const Facts&) {
    return answer.root_prefix.empty() ? "" : "the root is " + answer.root_prefix + ":OAI-PMH";
}

std::string schema_location(const Answer& answer, const Facts&) {
    const std::string_view address = schema_address(answer.schema_location, kNamespace);
    return address == kSchema || address == kSchemaByTls
               ? ""
               : "xsi:schemaLocation is \"" + answer.schema_location + "\"";
}

std::string response_date(const Answer& answer, const Facts&) {
    const auto date = parse_datestamp(answer.response_date);
    return date && date->granularity == Granularity::second
               ? ""
               : "\"" + answer.response_date + "\" is not of the form YYYY-MM-DDThh:mm:ssZ";
}

bool has_date(const Answer& answer) {
    return is_response(answer) && parse_datestamp(answer.response_date);
}
std::string response_date_now(const Answer& answer, const Facts& facts) {
    const Seconds date = parse_datestamp(answer.response_date)->first;
    return date > facts.now - kClockError && date < facts.now + kClockError
               ? ""
               : "responseDate is " + answer.response_date + " at " + print_datestamp(facts.now);
}

// A mirror says the base URL of the repository, not its own.
std::string request_url(const Answer& answer, const Facts& facts) {
    const bool mirrored =
        !facts.identified_url.empty() && answer.request_url == facts.identified_url;
    return answer.request_url == facts.base_url || mirrored ? ""
                                                            : "<request> is " + answer.request_url;
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
bool has_no_error(const Answer& answer) { return is_response(answer) && answer.errors.empty(); }
std::string request_attributes(const Answer& answer, const Facts&) {
    const auto asked = arguments_of(answer);
    const auto* missing = first_missing(asked, answer.request);
    return missing == nullptr
               ? ""
               : "<request> does not say " + missing->first + "=\"" + missing->second + "\"";
}

bool must_be_bare(const Answer& answer) {
    return is_response(answer) && (answer.has_error("badVerb") || answer.has_error("badArgument"));
}
bool may_have_attributes(const Answer& answer) {
    return is_response(answer) && !must_be_bare(answer) && !answer.question.refusable;
}
std::string request_true(const Answer& answer, const Facts&) {
    const auto asked = arguments_of(answer);
    const auto* invented = first_missing(answer.request, asked);
    return invented == nullptr ? ""
                               : "<request> says " + invented->first + "=\"" + invented->second +
                                     "\", which was not asked";
}

std::string request_bare(const Answer& answer, const Facts&) {
    return answer.request.empty() ? "" : "<request> has attributes beside " + answer.error_codes();
}

std::string verb_answers(const Answer& answer, const Facts&) {
    const std::string asked = argument_of(answer, "verb");
    return answer.verb == asked ? "" : "<" + answer.verb + "> answers " + asked;
}

std::string valid(const Answer& answer, const Facts&) { return answer.invalid; }

bool is_not_refused(const Answer& answer) { return !is_refused_by_http(answer); }
std::string status(const Answer& answer, const Facts&) {
    return answer.reply.status == 200 ? "" : why_unusable(answer);
}

bool has_content_type(const Answer& answer) {
    return answer.reply.status == 200 &&
           (answer.question.method != "HEAD" || !header_of(answer.reply, "Content-Type").empty());
}
std::string content_type(const Answer& answer, const Facts&) {
    const std::string_view said = header_of(answer.reply, "Content-Type");
    return text::lower_ascii(text::trim(said.substr(0, said.find(';')))) == "text/xml"
               ? ""
               : "Content-Type: " + std::string(said);
}

Finding charset(const Answer& answer, const Facts&) {
    const std::string said = text::lower_ascii(header_of(answer.reply, "Content-Type"));
    const std::size_t at = said.find("charset=");
    if (answer.reply.status != 200 || at == std::string::npos) return not_applicable();
    std::string value = said.substr(at + 8, said.find(';', at) - at - 8);
    std::erase(value, '"');
    return text::trim(value) == "utf-8" ? fine() : wrong("Content-Type: " + said, answer);
}

bool is_to_be_plain(const Answer& answer) {
    return answer.reply.status == 200 && !answer.question.gzip;
}
std::string identity(const Answer& answer, const Facts&) {
    const std::string said = text::lower_ascii(header_of(answer.reply, "Content-Encoding"));
    return said.empty() || said == "identity"
               ? ""
               : "Content-Encoding: " + said + ", which was not asked for";
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
    {"xml.well-formed", rule_about<has_body, well_formed>},
    {"xml.doctype", rule_about<is_response, doctype>},
    {"xml.declaration", rule_about<has_document, xml_declaration>},
    {"xml.utf8", rule_about<has_body, utf8>},
    {"xml.root", rule_about<has_document, root>},
    {"xml.unprefixed", rule_about<is_response, root_without_prefix>},
    {"xml.schema-location", rule_about<is_response, schema_location>},
    {"xml.response-date", rule_about<is_response, response_date>},
    {"xml.response-date-now", rule_about<has_date, response_date_now>},
    {"xml.request-url", rule_about<is_response, request_url>},
    {"xml.request-attributes", rule_about<has_no_error, request_attributes>},
    {"xml.request-true", rule_about<may_have_attributes, request_true>},
    {"xml.request-bare", rule_about<must_be_bare, request_bare>},
    {"xml.verb", rule_about<has_no_error, verb_answers>},
    {"schema.valid", rule_about<is_response, valid>},
    {"http.status", rule_about<is_not_refused, status>},
    {"http.content-type", rule_about<has_content_type, content_type>},
    {"http.charset", charset},
    {"http.identity", rule_about<is_to_be_plain, identity>},
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
