// SPDX-License-Identifier: MIT
// Rules about every response (OAI-PMH 2.0, 3.2 and 3.3.2) and every HTTP answer (3.1).
#include <algorithm>
#include <array>

#include "base/text.h"
#include "protocol/record.h"
#include "tools/validate/check_parts.h"
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

// Another schema is reported by the rule above alone.
Finding usual_schema_location(const Answer& answer, const Facts&) {
    if (!is_response(answer)) return not_applicable();
    return schema_address(answer.schema_location, kNamespace) == kSchemaByTls
               ? wrong("xsi:schemaLocation has the schema by https", answer, start_of(answer))
               : fine();
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

Finding valid_if(bool about, const Answer& answer) {
    if (!about || !is_response(answer)) return not_applicable();
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

const std::array kResponseRules{
    Check{"xml.well-formed", "each response is well-formed XML", demand("well-formed"), nullptr,
          well_formed},
    Check{"xml.doctype", "no response has a DOCTYPE", demand("advice-doctype"), nullptr, doctype},
    Check{"xml.declaration", "each response begins with an XML declaration that says UTF-8",
          demand("xml-declaration"), nullptr, xml_declaration},
    Check{"xml.utf8", "each response is UTF-8", demand("utf8"), nullptr, utf8},
    Check{"xml.root", "the root is OAI-PMH in the protocol's namespace", demand("root"), nullptr,
          root},
    Check{"xml.unprefixed", "the root has no prefix", demand("registered-root"), nullptr,
          root_without_prefix},
    Check{"xml.schema-location", "the root has the schemaLocation of the protocol",
          demand("root-schema"), nullptr, schema_location},
    Check{"xml.schema-usual", "the address of the protocol's schema begins with http:",
          demand("registered-schema"), nullptr, usual_schema_location},
    Check{"xml.response-date", "responseDate is in UTC to the second", demand("response-date"),
          nullptr, response_date},
    Check{"xml.response-date-now", "responseDate is the time of the answer",
          demand("response-date"), nullptr, response_date_now},
    Check{"xml.request-url", "<request> is the base URL", demand("request-is-base-url"), nullptr,
          request_url},
    Check{"xml.request-attributes", "<request> repeats the arguments if there was no error",
          demand("request-matches"), nullptr, request_attributes},
    Check{"xml.request-true", "<request> has no attribute that was not an argument",
          demand("request-keys"), nullptr, request_true},
    Check{"xml.request-bare", "<request> has no attributes beside badVerb and badArgument",
          demand("request-bare"), nullptr, request_bare},
    Check{"xml.verb", "an answer without errors is in an element with the name of the verb",
          demand("third-child"), nullptr, verb_answers},
    Check{"schema.errors", "errors are valid by the protocol's schema", demand("schema-valid"),
          nullptr, [](const Answer& a, const Facts&) { return valid_if(!a.errors.empty(), a); }},
    Check{"schema.identify", "Identify is valid by the protocol's schema", demand("schema-valid"),
          nullptr, [](const Answer& a, const Facts&) { return valid_if(a.verb == "Identify", a); }},
    Check{
        "schema.formats", "ListMetadataFormats is valid by the protocol's schema",
        demand("schema-valid"), nullptr,
        [](const Answer& a, const Facts&) { return valid_if(a.verb == "ListMetadataFormats", a); }},
    Check{"schema.sets", "ListSets is valid by the protocol's schema", demand("schema-valid"),
          nullptr, [](const Answer& a, const Facts&) { return valid_if(a.verb == "ListSets", a); }},
    Check{"schema.get", "GetRecord is valid by the protocol's schema", demand("schema-valid"),
          nullptr,
          [](const Answer& a, const Facts&) { return valid_if(a.verb == "GetRecord", a); }},
    Check{"schema.identifiers", "ListIdentifiers is valid by the protocol's schema",
          demand("schema-valid"), nullptr,
          [](const Answer& a, const Facts&) { return valid_if(a.verb == "ListIdentifiers", a); }},
    Check{"schema.records", "ListRecords is valid by the protocol's schema", demand("schema-valid"),
          nullptr,
          [](const Answer& a, const Facts&) { return valid_if(a.verb == "ListRecords", a); }},
};

const std::array kHttpRules{
    Check{"http.status", "each answer has HTTP status 200, also for errors of OAI-PMH",
          demand("status-codes"), nullptr, status},
    Check{"http.content-type", "the Content-Type is text/xml", demand("content-type"), nullptr,
          content_type},
    Check{"http.charset", "the charset of the Content-Type, if there is one, is UTF-8",
          demand("utf8"), nullptr, charset},
    Check{"http.identity", "no answer is compressed unless the request accepts it",
          demand("uncompressed"), nullptr, identity},
    Check{"http.quick", "no answer takes longer than 30 s", demand("advice-quick"), nullptr,
          duration_limit},
};

}  // namespace

std::span<const Check> response_rules() { return kResponseRules; }
std::span<const Check> http_rules() { return kHttpRules; }

}  // namespace oai::validate
