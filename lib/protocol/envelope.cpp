// SPDX-License-Identifier: MIT
#include "protocol/envelope.h"

#include <cassert>
#include <charconv>

#include "protocol/identifier.h"
#include "xml/escape.h"

namespace oai {

using namespace std::string_view_literals;

namespace {

// The registration validator of openarchives.org demands exactly this: no prefix on the root, and
// an http address in the first pair of schemaLocation.
constexpr std::string_view kRoot =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\""
    " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
    " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/"
    " http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\">\n";

// In the order of ErrorCode.
constexpr std::array<std::string_view, 8> kErrorCodes = {
    "badArgument",    "badResumptionToken", "badVerb",           "cannotDisseminateFormat",
    "idDoesNotExist", "noRecordsMatch",     "noMetadataFormats", "noSetHierarchy"};

void append_number(std::string& out, std::int64_t n) {
    std::array<char, 20> digits;  // "-9223372036854775808"
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), n);
    out.append(digits.data(), end.ptr);
}

// Copies s to memory and returns its end. REQUIRES: there is enough space.
char* put(char* at, std::string_view s) { return at + s.copy(at, s.size()); }

void append_request(std::string& out, std::string_view base_url,
                    const std::vector<Argument>& echo) {
    out += "<request";
    for (const Argument& argument : echo) {
        out += ' ';
        out += argument.name;  // from the table of arguments; parse_arguments() echoes no others
        out += "=\"";
        xml::append_attribute(out, argument.value);
        out += '"';
    }
    out += '>';
    xml::append_text(out, base_url);
    out += "</request>\n";
}

}  // namespace

Envelope::Envelope(Seconds response_date, std::string_view base_url,
                   const std::vector<Argument>& echo) {
    out_ = kRoot;
    out_ += "<responseDate>";
    out_ += print_utc(response_date);
    out_ += "</responseDate>\n";
    append_request(out_, base_url, echo);
}

void Envelope::open(Verb verb) {
    out_ += '<';
    out_ += verb_name(verb);
    out_ += ">\n";
}

void Envelope::close(Verb verb) {
    out_ += "</";
    out_ += verb_name(verb);
    out_ += ">\n";
}

void Envelope::element(std::string_view name, std::string_view text) {
    out_ += '<';
    out_ += name;
    out_ += '>';
    xml::append_text(out_, text);
    out_ += "</";
    out_ += name;
    out_ += ">\n";
}

// A page of ListIdentifiers consists almost entirely of headers. For speed, a header is assembled
// in a buffer of sufficient size and then appended at once.
void Envelope::header(const Header& header, std::string_view identifier_prefix, Seconds datestamp,
                      const std::vector<std::string_view>& set_specs) {
    Identifier identifier = identifier_of(identifier_prefix, header.local_id);
    if (!xml::is_plain(identifier.rest)) {
        escaped_.clear();
        xml::append_text(escaped_, identifier.rest);
        identifier.rest = escaped_;
    }
    constexpr std::string_view kOpenSpec = "<setSpec>", kCloseSpec = "</setSpec>";
    constexpr std::size_t kMarkup = 128;  // all markup except the setSpecs, and the datestamp
    std::size_t max_bytes = kMarkup + identifier.prefix.size() + identifier.rest.size();
    for (const std::string_view spec : set_specs)
        max_bytes += kOpenSpec.size() + spec.size() + kCloseSpec.size();
    if (line_.size() < max_bytes) line_.resize(max_bytes);

    char* at = line_.data();
    at = header.deleted ? put(at, "<header status=\"deleted\"><identifier>"sv)
                        : put(at, "<header><identifier>"sv);
    at = put(at, identifier.prefix);
    at = put(at, identifier.rest);
    at = put(at, "</identifier><datestamp>"sv);
    if (datestamp != last_datestamp_) put_utc(datestamp_text_.data(), last_datestamp_ = datestamp);
    at = put(at, std::string_view(datestamp_text_.data(), datestamp_text_.size()));
    at = put(at, "</datestamp>"sv);
    for (const std::string_view spec : set_specs)
        at = put(put(put(at, kOpenSpec), spec), kCloseSpec);
    at = put(at, "</header>\n"sv);
    out_.append(line_.data(), at);
}

void Envelope::resumption_token(std::string_view token, Seconds expires, std::int64_t cursor,
                                std::int64_t size) {
    out_ += "<resumptionToken";
    if (!token.empty()) {
        out_ += " expirationDate=\"";
        out_ += print_utc(expires);
        out_ += '"';
    }
    if (size >= 0) {
        out_ += " completeListSize=\"";
        append_number(out_, size);
        out_ += '"';
    }
    out_ += " cursor=\"";
    append_number(out_, cursor);
    out_ += "\">";
    xml::append_text(out_, token);
    out_ += "</resumptionToken>\n";
}

std::string Envelope::finish() {
    out_ += "</OAI-PMH>\n";
    return std::move(out_);
}

std::string error_document(Seconds response_date, std::string_view base_url,
                           const std::vector<Argument>& echo, const OaiErrors& errors) {
    assert(!errors.empty());
    Envelope envelope(response_date, base_url, echo);
    std::string& out = envelope.body();
    for (const OaiError& error : errors) {
        out += "<error code=\"";
        out += error_code_text(error.code);
        out += "\">";
        xml::append_text(out, error.message);
        out += "</error>\n";
    }
    return envelope.finish();
}

std::string error_codes(const OaiErrors& errors, std::string_view separator) {
    std::string codes;
    for (const OaiError& error : errors)
        codes.append(codes.empty() ? "" : separator).append(error_code_text(error.code));
    return codes;
}

std::string_view error_code_text(ErrorCode code) {
    return kErrorCodes[static_cast<std::size_t>(code)];
}

}  // namespace oai
