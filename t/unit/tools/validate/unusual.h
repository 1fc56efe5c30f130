// SPDX-License-Identifier: MIT
// Repositories that look wrong and are right (unusual_repository.h).
#pragma once

#include <array>

#include "t/unit/tools/validate/almost_wrong.h"

namespace oai::test {

inline std::vector<Unusual> unusual_documents() {
    return {
        {.what = "<request> has no attributes beside any error (3.2, paragraph 2)",
         .mutate =
             [](const Question&, Reply& reply, Provider&) {
                 if (reply.body.find("<error ") != std::string::npos) bare_request(reply.body);
             },
         .almost = "xml.request-attributes xml.request-bare"},
        {.what = "all errors are told, and none in words (3.6, paragraph 1)",
         .mutate =
             swap(has("no_such_format"), {{"</error>", "</error><error code=\"noRecordsMatch\"/>"},
                                          {">no such format<", "><"}})},
        {.what = "there is a DOCTYPE, which declares nothing (3.2)",
         .mutate = swap(
             kAny, {{"<OAI-PMH ", "<!-- x > -->\n<!DOCTYPE OAI-PMH SYSTEM \"a>[b\"\n><OAI-PMH "}}),
         .warned = "xml.doctype",
         .almost = "xml.well-formed"},
        {.what = "the declaration is written in another way, behind a byte order mark",
         .mutate = swap(
             kAny,
             {{"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
               "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8' standalone='yes'?><?x y?><!-- z "
               "-->"}})},
        {.what = "there are blanks around what is no text (XML Schema, whiteSpace)",
         .mutate = swap(kAny, {{"</request>", "\n</request>"},
                               {"<baseURL>", "<baseURL> "},
                               {"<identifier>", "<identifier>\n"},
                               {"</earliestDatestamp>", " </earliestDatestamp>"}})},
        {.what = "the root says where the schemas of descriptions are (4.2)",
         .mutate = swap(has("verb=Identify"),
                        {{"http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\">",
                          "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd "
                          "http://www.openarchives.org/OAI/2.0/oai-identifier x.xsd\">"},
                         {"xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai-identifier "
                          "http://www.openarchives.org/OAI/2.0/oai-identifier.xsd\"",
                          ""}})},
    };
}

inline std::vector<Unusual> unusual_texts() {
    return {
        {.what = "a format is listed twice, and has its schema at another kind of address",
         .mutate = swap(
             kAny, {{"http://example.org/plain.xsd", "urn:example:plain.xsd"},
                    {"</ListMetadataFormats>",
                     "<metadataFormat><metadataPrefix>plain</"
                     "metadataPrefix><schema>urn:example:plain.xsd</schema>"
                     "<metadataNamespace>urn:example:plain</metadataNamespace></metadataFormat></"
                     "ListMetadataFormats>"}}),
         .almost = "format.unique format.schema"},
        {.what = "the administrator's host has an odd name",
         .mutate =
             swap(has("verb=Identify"), {{"admin@example.org", "admin@localhost.example.org"}}),
         .almost = "identify.email"},
        {.what = "a clock is a little fast, and a search takes long (guidelines, 3)",
         .mutate = swap(has("verb=GetRecord&metadataPrefix=plain"),
                        {{"2020-01-01T11:00:00Z</datestamp>", "2024-05-06T07:10:00Z</datestamp>"}}),
         .almost = "record.past"},
    };
}

inline std::vector<Unusual> unusual_records() {
    return {
        {.what = "the first page of the list has deleted records alone (2.5.1)",
         .kind = {.deleted_first = 3},
         .almost = "token.prefix-kept record.disseminated"},
        {.what = "deletions are transient, and GetRecord has forgotten them (2.5.1)",
         .mutate =
             [](const Question& q, Reply& reply, Provider&) {
                 const std::size_t begin = reply.body.find("<GetRecord>");
                 if (q.method == "HEAD" ||
                     reply.body.find("status=\"deleted\"") == std::string::npos ||
                     begin == std::string::npos)
                     return;
                 const std::size_t end = reply.body.find("</OAI-PMH>");
                 reply.body.replace(begin, end - begin, "<error code=\"idDoesNotExist\"/>");
             },
         .kind = {.deleted = "transient"}},
        {.what = "deletions are transient, and ListIdentifiers does not show them (2.5.1)",
         .mutate =
             [](const Question&, Reply& reply, Provider&) {
                 if (reply.body.find("<ListIdentifiers>") == std::string::npos) return;
                 for (std::size_t at = 0;
                      (at = reply.body.find("<header status=", at)) != std::string::npos;)
                     reply.body.erase(at, reply.body.find("</header>", at) + 9 - at);
             },
         .kind = {.deleted = "transient"},
         .warned = "token.size-true"},
        {.what = "all records are deleted", .kind = {.deleted_first = 11}},
        {.what = "there is no record", .kind = {.empty = true}},
        {.what = "no set is below another (2.6, paragraph 1)", .kind = {.flat_sets = true}},
        {.what = "ListSets has a set without its parent",
         .kind = {.unlisted_parent = true},
         .warned = "set.parents"},
        {.what = "ListRecords has another order than ListIdentifiers (3.5, paragraph 2)",
         .kind = {.backwards = true},
         .almost = "record.headers-agree token.set-kept token.dates-kept"},
    };
}

inline std::vector<Unusual> unusual_tokens() {
    return {
        {.what = "the list has one page", .kind = {.page = 100}},
        {.what = "tokens have no attributes (3.5, paragraph 3)",
         .mutate =
             [](const Question&, Reply& reply, Provider&) {
                 const std::size_t begin = reply.body.find("<resumptionToken ");
                 if (begin == std::string::npos) return;
                 const std::size_t end = reply.body.find_first_of("/>", begin);
                 reply.body.erase(begin + 16, end - begin - 16);
             },
         .almost = "token.resumes token.last-empty"},
        {.what = "tokens change at each request, and only the last is taken (3.5.1)",
         .kind = {.brief_tokens = true},
         .warned = "token.after-others",
         .almost = "token.again token.post"},
    };
}

inline std::vector<Unusual> unusual_http() {
    return {
        {.what = "a mirror answers, and says the base URL of the repository (guidelines, 6.2.1)",
         .mutate = swap(kAny, {{kBase, "http://all.example.org/oai"}}),
         .warned = "identify.base-url",
         .almost = "xml.request-url http.not-redirected"},
        {.what = "the base URL is asked for as harvesters write it, with small letters in its host",
         .mutate = [](const Question&, Reply& reply,
                      Provider&) { replace(reply.url, "example", "EXAMPLE"); },
         .almost = "http.not-redirected"},
        {.what = "requests are redirected to a mirror (3.1.2.2)",
         .mutate = [](const Question&, Reply& reply,
                      Provider&) { reply.url = "http://b.example.org/oai"; },
         .warned = "http.not-redirected",
         .almost = "xml.request-url identify.base-url"},
        {.what = "now and then it is busy (3.1.2.2)",
         .mutate =
             [n = std::make_shared<int>(0)](const Question&, Reply& reply, Provider&) {
                 if (++*n % 3 != 0) return;
                 reply.status = 503;
                 reply.retry_after = std::chrono::seconds{1};
             },
         .almost = "http.retry-after http.status"},
        {.what = "it limits requests, and does not say for how long (RFC 6585, 4)",
         .mutate =
             [n = std::make_shared<int>(0)](const Question&, Reply& reply, Provider&) {
                 if (++*n % 5 == 0) reply = {.status = 429};
             },
         .almost = "http.status"},
        {.what = "it is too busy for one request (3.1.2.2)",
         .mutate =
             [](const Question& q, Reply& reply, Provider&) {
                 if (q.arguments != "verb=ListSets") return;
                 reply.status = 503;
                 reply.retry_after = std::chrono::seconds{3600};
             }},
    };
}

inline std::vector<Unusual> unusual_refusals() {
    return {
        {.what = "only long answers are compressed (3.1.3)",
         .mutate = [](const Question&, Reply& reply,
                      Provider&) { set_header(reply, "Content-Encoding", ""); },
         .almost = "http.gzip http.gzip-told"},
        {.what = "no cache may keep an answer, so none says what it varies by (RFC 9110, 12.5.5)",
         .mutate =
             [](const Question&, Reply& reply, Provider&) {
                 set_header(reply, "Cache-Control", "private, No-Store");
                 set_header(reply, "Vary", "");
             }},
        {.what = "nothing is compressed (3.1.3)",
         .mutate =
             [](const Question&, Reply& reply, Provider&) {
                 set_header(reply, "Content-Encoding", "");
                 replace(reply.body, "<compression>gzip</compression>", "");
             },
         .almost = "http.gzip http.gzip-told"},
        {.what = "the Content-Type is written in another way",
         .mutate =
             [](const Question&, Reply& reply, Provider&) {
                 set_header(reply, "Content-Type", "Text/XML;charset=\"utf-8\"");
             },
         .almost = "http.content-type http.charset"},
    };
}

inline std::vector<Unusual> unusual_connections() {
    return {
        {.what = "the header for HEAD is short (RFC 9110, 9.3.2)",
         .mutate =
             [](const Question& q, Reply& reply, Provider&) {
                 if (q.method == "HEAD") reply.headers.clear();
             },
         .almost = "http.head"},
        {.what = "HTTP refuses what no harvester sends (3.1.2.2)",
         .mutate =
             [](const Question& q, Reply& reply, Provider&) {
                 if (q.refusable) reply = {.status = q.arguments.size() > 8000 ? 414 : 400};
             },
         .almost = "http.status argument.nul argument.bad-utf8 argument.long-get "
                   "argument.broken-percent argument.markup argument.markup-verb "
                   "argument.markup-prefix argument.markup-from argument.markup-until "
                   "argument.markup-set argument.markup-token argument.markup-name"},
    };
}

inline std::vector<Unusual> unusual_repositories() {
    std::vector<Unusual> all;
    for (const std::vector<Unusual>& some :
         std::array{unusual_documents(), unusual_texts(), unusual_records(), unusual_tokens(),
                    unusual_http(), unusual_refusals(), unusual_connections(), unusual_identities(),
                    unusual_descriptions(), unusual_policies(), unusual_metadata(),
                    unusual_values(), unusual_errors(), unusual_lists(), unusual_answers(),
                    unusual_roots(), unusual_headers()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace oai::test
