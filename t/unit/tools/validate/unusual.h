// SPDX-License-Identifier: MIT
// Repositories that look wrong and are right: the protocol allows what they do, though few do it.
// The conformance test must not find fault with any of them.
#pragma once

#include <array>

#include "t/unit/tools/validate/mutate.h"

namespace oai::test {

struct Unusual {
    const char* what;
    Mutate mutate{};
    Provider::Kind kind{};
    MutateBytes mutate_bytes{};
    std::vector<std::string> warned{};  // checks that warn or note, though nothing is wrong
};

// The start tag of <request> loses its attributes.
inline void bare_request(std::string& body) {
    const std::size_t begin = body.find("<request");
    if (begin != std::string::npos) body.replace(begin, body.find('>', begin) - begin, "<request");
}

inline std::vector<Unusual> unusual_documents() {
    return {
        {"<request> has no attributes beside any error (3.2, paragraph 2)",
         [](const Question&, Reply& reply, Provider&) {
             if (reply.body.find("<error ") != std::string::npos) bare_request(reply.body);
         }},
        {"all errors are told, and none in words (3.6, paragraph 1)",
         swap(has("no_such_format"), {{"</error>", "</error><error code=\"noRecordsMatch\"/>"},
                                      {">no such format<", "><"}})},
        {"there is a DOCTYPE, which declares nothing (3.2)",
         swap([](const Question&) { return true; },
              {{"<OAI-PMH ", "<!-- x > -->\n<!DOCTYPE OAI-PMH SYSTEM \"a>[b\"\n><OAI-PMH "}}),
         {},
         {},
         {"xml.doctype"}},
        {"the declaration is written in another way, behind a byte order mark",
         swap([](const Question&) { return true; },
              {{"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
                "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8' standalone='yes'?><?x y?><!-- z "
                "-->"}})},
        {"there are blanks around what is no text (XML Schema, whiteSpace)",
         swap([](const Question&) { return true; },
              {{"</request>", "\n</request>"},
               {"<baseURL>", "<baseURL> "},
               {"<identifier>", "<identifier>\n"},
               {"</earliestDatestamp>", " </earliestDatestamp>"}})},
        {"the root says where the schemas of descriptions are (4.2)",
         swap(has("verb=Identify"),
              {{"http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\">",
                "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd "
                "http://www.openarchives.org/OAI/2.0/oai-identifier x.xsd\">"},
               {"xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai-identifier "
                "http://www.openarchives.org/OAI/2.0/oai-identifier.xsd\"",
                ""}})},
        {"a format is listed twice, and has its schema at another kind of address",
         swap([](const Question&) { return true; },
              {{"http://example.org/plain.xsd", "urn:example:plain.xsd"},
               {"</ListMetadataFormats>",
                "<metadataFormat><metadataPrefix>plain</"
                "metadataPrefix><schema>urn:example:plain.xsd</schema>"
                "<metadataNamespace>urn:example:plain</metadataNamespace></metadataFormat></"
                "ListMetadataFormats>"}})},
        {"the administrator's host has an odd name",
         swap(has("verb=Identify"), {{"admin@example.org", "admin@localhost.example.org"}})},
        {"a clock is a little fast, and a search takes long (guidelines, 3)",
         swap(has("verb=GetRecord&metadataPrefix=plain"),
              {{"2020-01-01T11:00:00Z</datestamp>", "2024-05-06T07:10:00Z</datestamp>"}})},
    };
}

inline std::vector<Unusual> unusual_records() {
    return {
        {"the first page of the list has deleted records alone (2.5.1)", {}, {.deleted_first = 3}},
        {"deletions are transient, and GetRecord has forgotten them (2.5.1)",
         [](const Question& q, Reply& reply, Provider&) {
             const std::size_t begin = reply.body.find("<GetRecord>");
             if (q.method == "HEAD" || reply.body.find("status=\"deleted\"") == std::string::npos ||
                 begin == std::string::npos)
                 return;
             const std::size_t end = reply.body.find("</OAI-PMH>");
             reply.body.replace(begin, end - begin, "<error code=\"idDoesNotExist\"/>");
         },
         {.deleted = "transient"}},
        {"deletions are transient, and ListIdentifiers does not show them (2.5.1)",
         [](const Question&, Reply& reply, Provider&) {
             if (reply.body.find("<ListIdentifiers>") == std::string::npos) return;
             for (std::size_t at = 0;
                  (at = reply.body.find("<header status=", at)) != std::string::npos;)
                 reply.body.erase(at, reply.body.find("</header>", at) + 9 - at);
         },
         {.deleted = "transient"},
         {},
         {"token.size-true"}},
        {"all records are deleted", {}, {.deleted_first = 11}},
        {"there is no record", {}, {.empty = true}},
        {"no set is below another (2.6, paragraph 1)", {}, {.flat_sets = true}},
        {"ListSets has a set without its parent",
         {},
         {.unlisted_parent = true},
         {},
         {"set.parents"}},
        {"ListRecords has another order than ListIdentifiers (3.5, paragraph 2)",
         {},
         {.backwards = true}},
    };
}

inline std::vector<Unusual> unusual_tokens() {
    return {
        {"the list has one page", {}, {.page = 100}},
        {"tokens have no attributes (3.5, paragraph 3)",
         [](const Question&, Reply& reply, Provider&) {
             const std::size_t begin = reply.body.find("<resumptionToken ");
             if (begin == std::string::npos) return;
             const std::size_t end = reply.body.find_first_of("/>", begin);
             reply.body.erase(begin + 16, end - begin - 16);
         }},
        {"tokens change at each request, and only the last is taken (3.5.1)",
         {},
         {.brief_tokens = true},
         {},
         {"token.after-others"}},
    };
}

inline std::vector<Unusual> unusual_http() {
    return {
        {"a mirror answers, and says the base URL of the repository (guidelines, 6.2.1)",
         swap([](const Question&) { return true; }, {{kBase, "http://all.example.org/oai"}}),
         {},
         {},
         {"identify.base-url"}},
        {"requests are redirected to a mirror (3.1.2.2)",
         [](const Question&, Reply& reply, Provider&) { reply.url = "http://b.example.org/oai"; },
         {},
         {},
         {"http.not-redirected"}},
        {"now and then it is busy (3.1.2.2)",
         [n = std::make_shared<int>(0)](const Question&, Reply& reply, Provider&) {
             if (++*n % 3 != 0) return;
             reply.status = 503;
             reply.retry_after = std::chrono::seconds{1};
         }},
        {"it is too busy for one request (3.1.2.2)",
         [](const Question& q, Reply& reply, Provider&) {
             if (q.arguments != "verb=ListSets") return;
             reply.status = 503;
             reply.retry_after = std::chrono::seconds{3600};
         }},
        {"only long answers are compressed (3.1.3)",
         [](const Question&, Reply& reply, Provider&) {
             set_header(reply, "Content-Encoding", "");
         }},
        {"nothing is compressed (3.1.3)",
         [](const Question&, Reply& reply, Provider&) {
             set_header(reply, "Content-Encoding", "");
             replace(reply.body, "<compression>gzip</compression>", "");
         }},
        {"the Content-Type is written in another way",
         [](const Question&, Reply& reply, Provider&) {
             set_header(reply, "Content-Type", "Text/XML;charset=\"utf-8\"");
         }},
        {"the header for HEAD is short (RFC 9110, 9.3.2)",
         [](const Question& q, Reply& reply, Provider&) {
             if (q.method == "HEAD") reply.headers.clear();
         }},
        {"HTTP refuses what no harvester sends (3.1.2.2)",
         [](const Question& q, Reply& reply, Provider&) {
             if (q.refusable) reply = {.status = q.arguments.size() > 8000 ? 414 : 400};
         }},
        {"one request is answered on a connection, which is closed then (RFC 9112, 9.3.2)",
         {},
         {},
         [](const std::vector<Question>&, validate::RawReply& raw) {
             raw.bytes = raw.bytes.substr(0, raw.bytes.find("HTTP/1.1", 1));
         }},
        {"there is another HTTP than 1.1",
         {},
         {},
         [](const std::vector<Question>&, validate::RawReply& raw) { raw = {.error = "closed"}; }},
    };
}

inline std::vector<Unusual> unusual_repositories() {
    std::vector<Unusual> all;
    for (const std::vector<Unusual>& some :
         std::array{unusual_documents(), unusual_records(), unusual_tokens(), unusual_http()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace oai::test
