// SPDX-License-Identifier: MIT
#include "protocol/envelope.h"

#include "t/lib/unit_headers.h"

namespace {

Seconds at(const char* text) { return parse_datestamp(text)->first; }

const std::string kBase = "http://archive.example.org/oai";

Header header(bool deleted) {
    Header h;
    h.local_id = "a&b";
    h.datestamp = at("2020-02-29T23:59:59Z");
    h.deleted = deleted;
    return h;
}

}  // namespace

TEST_CASE("the root element has no prefix, and its first schemaLocation is the http one") {
    const std::string document = Envelope(at("2026-11-21T23:28:23Z"), kBase, {}).finish();
    CHECK_THAT(document, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OAI-PMH "
                                    "xmlns=\"http://www.openarchives.org/OAI/2.0/\" "));
    CHECK_THAT(document, Contains(" xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/ "
                                  "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\">"));
    CHECK_THAT(document, EndsWith("<responseDate>2026-11-21T23:28:23Z</responseDate>\n<request>" +
                                  kBase + "</request>\n</OAI-PMH>\n"));
}

TEST_CASE("the request element has the arguments in their order, escaped") {
    const std::vector<Argument> echo{
        {"verb", "GetRecord"}, {"identifier", "a\"<&>"}, {"metadataPrefix", "oai_dc"}};
    CHECK_THAT(Envelope(Seconds{}, "http://h/?a&b", echo).finish(),
               Contains("<request verb=\"GetRecord\" identifier=\"a&quot;&lt;&amp;&gt;\" "
                        "metadataPrefix=\"oai_dc\">http://h/?a&amp;b</request>"));
}

TEST_CASE("a header has the leaf sets of its item, and a status only if it is deleted") {
    Envelope live(Seconds{}, kBase, {});
    live.header(header(false), "oai:ns:", at("2021-01-01T00:00:00Z"), {"dom:cz", "col:x"});
    CHECK_THAT(
        live.body(),
        EndsWith("<header><identifier>oai:ns:a&amp;b</identifier><datestamp>2021-01-01T00:00:00Z</"
                 "datestamp><setSpec>dom:cz</setSpec><setSpec>col:x</setSpec></header>\n"));
    Envelope deleted(Seconds{}, kBase, {});
    deleted.header(header(true), "oai:ns:", at("2020-02-29T23:59:59Z"), {});
    CHECK_THAT(deleted.body(),
               EndsWith("<header "
                        "status=\"deleted\"><identifier>oai:ns:a&amp;b</"
                        "identifier><datestamp>2020-02-29T23:59:59Z</datestamp></header>\n"));
}

TEST_CASE("a resumptionToken has an expirationDate, an empty one has none") {
    Envelope continued(Seconds{}, kBase, {});
    continued.resumption_token("abc", at("2026-11-28T00:00:00Z"), 0, 14);
    CHECK_THAT(continued.body(),
               EndsWith("<resumptionToken expirationDate=\"2026-11-28T00:00:00Z\" "
                        "completeListSize=\"14\" cursor=\"0\">abc</resumptionToken>\n"));
    Envelope last(Seconds{}, kBase, {});
    last.resumption_token("", at("2026-11-28T00:00:00Z"), 9'223'372'036'854'775'807, 0);
    CHECK_THAT(last.body(), EndsWith("<resumptionToken completeListSize=\"0\" "
                                     "cursor=\"9223372036854775807\"></resumptionToken>\n"));
    Envelope unknown(Seconds{}, kBase, {});
    unknown.resumption_token("abc", Seconds{}, 3, -1);
    CHECK_THAT(unknown.body(), !Contains("completeListSize"));
}

TEST_CASE("an error document contains every error") {
    const std::string document = error_document(
        Seconds{}, kBase, {{"verb", "GetRecord"}},
        {{ErrorCode::id_does_not_exist, "no <such>"}, {ErrorCode::cannot_disseminate_format, "b"}});
    CHECK_THAT(document,
               EndsWith("<request verb=\"GetRecord\">" + kBase +
                        "</request>\n<error code=\"idDoesNotExist\">no &lt;such&gt;</error>\n"
                        "<error code=\"cannotDisseminateFormat\">b</error>\n</OAI-PMH>\n"));
}

TEST_CASE("the codes are those of OAI-PMH.xsd") {
    const std::vector<std::pair<ErrorCode, std::string>> codes{
        {ErrorCode::bad_argument, "badArgument"},
        {ErrorCode::bad_resumption_token, "badResumptionToken"},
        {ErrorCode::bad_verb, "badVerb"},
        {ErrorCode::cannot_disseminate_format, "cannotDisseminateFormat"},
        {ErrorCode::id_does_not_exist, "idDoesNotExist"},
        {ErrorCode::no_records_match, "noRecordsMatch"},
        {ErrorCode::no_metadata_formats, "noMetadataFormats"},
        {ErrorCode::no_set_hierarchy, "noSetHierarchy"}};
    for (const auto& [code, text] : codes) CHECK(error_code_text(code) == text);
}
