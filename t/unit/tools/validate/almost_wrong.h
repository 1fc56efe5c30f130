// SPDX-License-Identifier: MIT
// More repositories that look wrong and are right (unusual.h): each is almost at fault by some
// checks.
#pragma once

#include "t/unit/tools/validate/unusual_repository.h"

namespace oai::test {

inline std::vector<Unusual> unusual_identities() {
    return {
        {.what = "texts are written by references and in sections, with comments between (XML 1.0)",
         .mutate = swap(kAny, {{">Provider<", "><![CDATA[Pro]]>vi<!-- x -->d&#101;r<"},
                               {">2.0<", ">2.<!-- x -->&#48;<"},
                               {">persistent<", "><![CDATA[persistent]]><"},
                               {">YYYY-MM-DD", ">&#x59;YYY-MM-<?x y?>DD"},
                               {"<datestamp>2020", "<datestamp>&#50;<!-- x -->020"},
                               {"<earliestDatestamp>2020", "<earliestDatestamp>20<!-- x -->20"},
                               {"<responseDate>2024", "<responseDate>&#50;024"},
                               {"<identifier>oai:", "<identifier>oai&#58;"},
                               {"<setSpec>a:b", "<setSpec>a<!-- x -->&#58;b"},
                               {"<setName>S", "<setName>&#83;"},
                               {"<metadataPrefix>oai_dc", "<metadataPrefix>oai&#95;<![CDATA[dc]]>"},
                               {"OAI/2.0/oai_dc/</meta", "OAI/2.0/oai_dc&#47;</meta"},
                               {"status=\"deleted", "status=\"&#100;eleted"},
                               {"cursor=\"0", "cursor=\"&#48;"},
                               {"error code=\"bad", "error code=\"&#98;ad"}}),
         .almost = "identify.readable identify.name identify.protocol identify.deleted "
                   "identify.granularity identify.earliest-form identify.earliest-true "
                   "record.identifier record.datestamp record.past record.set-spec "
                   "record.got-deleted set.named set.known format.oai-dc "
                   "format.oai-dc-namespace token.cursor-first xml.response-date "
                   "schema.errors schema.formats schema.identifiers"},
    };
}

inline std::vector<Unusual> unusual_descriptions() {
    const When identify = has("verb=Identify");
    return {
        {.what = "Identify has all that its schema allows (4.2)",
         .mutate =
             swap(identify,
                  {{"admin@example.org</adminEmail>",
                    "o'neil+oai@sub.example.org</adminEmail><adminEmail>"
                    "x.y@example.museum</adminEmail>"},
                   {"<compression>",
                    "<compression>deflate</compression><compression>br</"
                    "compression><compression>"},
                   {"<description>",
                    "<description><scheme xmlns=\"http://www.openarchives.org/OAI/1.1/"
                    "oai-identifier\" xsi:schemaLocation=\"urn:x x.xsd\n "
                    "http://www.openarchives.org/OAI/1.1/oai-identifier\n y.xsd\"/></description>"
                    "<description><friends xmlns=\"http://www.openarchives.org/OAI/2.0/friends/\""
                    " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/friends/ "
                    "http://www.openarchives.org/OAI/2.0/friends.xsd\"><baseURL>"
                    "http://a.example.org/oai</baseURL></friends></description><description>"},
                   {"<sampleIdentifier>oai:provider.example.org:1<",
                    "<sampleIdentifier>oai:provider.example.org:no:such/item%20x<"}}),
         .almost = "identify.email identify.compression identify.located "
                   "identify.descriptions identify.one-scheme identify.sample "
                   "identify.identifiers-follow http.gzip-told schema.identify"},
    };
}

inline std::vector<Unusual> unusual_policies() {
    const When identify = has("verb=Identify");
    return {
        {.what = "the scheme of the base URL has large letters, and it has a port (RFC 3986, 3.1)",
         .mutate = swap(kAny, {{kBase, "HTTP://Provider.Example.org:80/~x/oai;y"}}),
         .warned = "identify.base-url",
         .almost = "identify.plain-url xml.request-url"},
        {.what = "earliestDatestamp is far before all records (4.2)",
         .mutate = swap(identify, {{"<earliestDatestamp>2020", "<earliestDatestamp>0003"}}),
         .warned = "identify.earliest-plausible",
         .almost = "identify.earliest-true identify.earliest-form date.before-earliest"},
        {.what = "earliestDatestamp is the first of all days, and there is no year 0 (XML Schema)",
         .mutate =
             [](const Question& q, Reply& reply, Provider& p) {
                 swap(kAny, {{"<earliestDatestamp>2020-01-01T11",
                              "<earliestDatestamp>0001-01-01T00"}})(q, reply, p);
                 if (q.arguments.find("until=0000") != std::string::npos ||
                     q.arguments.find("until=-") != std::string::npos)
                     refuse(kAny, "badArgument")(q, reply, p);
             },
         .warned = "identify.earliest-plausible"},
        {.what = "the repository is as old as repositories may be",
         .mutate = swap(identify,
                        {{"<earliestDatestamp>2020-01-01T11", "<earliestDatestamp>1990-01-01T00"}}),
         .almost = "identify.earliest-plausible"},
        {.what = "deletions are not kept, and there are none (2.5.1)",
         .kind = {.none_deleted = true, .deleted = "no"},
         .warned = "identify.deletions-kept",
         .almost = "record.deleted-policy"},
        {.what = "deletions are kept for a time (2.5.1)",
         .kind = {.deleted = "transient"},
         .almost = "identify.deletions-kept"},
        {.what = "datestamps are days (3.3)",
         .kind = {.days = true},
         .almost = "record.datestamp identify.earliest-form date"},
    };
}

inline std::vector<Unusual> unusual_metadata() {
    const std::string dc_begin =
        "<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "
        "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xsi:schemaLocation=\"";
    return {
        {.what = "metadata have other prefixes, languages, and their link last (XML 1.0)",
         .mutate =
             swap(kAny, {{"<metadata>" + dc_begin,
                          "<metadata>\n<!-- x --><?x y?><dc xmlns=\""
                          "http://www.openarchives.org/OAI/2.0/oai_dc/\" xmlns:e=\""
                          "http://purl.org/dc/elements/1.1/\" xsi:schemaLocation=\"urn:x y.xsd\n "},
                         {"<dc:title>",
                          "<e:date/><e:identifier xml:lang=\"sl\">urn:isbn:1</"
                          "e:identifier><e:title>S\xC3\x83O PAULO AT&amp;T &lt; "},
                         {"</dc:title>", "</e:title>"},
                         {"dc:identifier>", "e:identifier>"},
                         {"</oai_dc:dc>", "</dc>"}}),
         .almost = "record.valid record.located record.filled record.resource record.link "
                   "record.encoded-once record.disseminated record.got format.namespace "
                   "token.prefix-kept"},
        {.what = "GetRecord writes the same metadata in another way (XML 1.0)",
         .mutate = swap(has("verb=GetRecord"),
                        {{dc_begin, "<x:dc xsi:schemaLocation=\"\n  "},
                         {"</oai_dc:dc>", "\n  </x:dc>"},
                         {"<dc:title>", "\n  <y:title>\n  "},
                         {"</dc:title>", "</y:title><!-- x -->"},
                         {"dc:identifier>", "y:identifier>"},
                         {"<OAI-PMH ",
                          "<OAI-PMH xmlns:y=\"http://purl.org/dc/elements/1.1/\" "
                          "xmlns:x=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "}}),
         .almost = "record.got record.got-encoded http.post-get format.delivered schema.get"},
        {.what = "the metadata say where several schemas are, on several lines (3.4)",
         .mutate = swap(has("metadataPrefix=plain"),
                        {{"\"urn:example:plain http", "\"urn:x x.xsd\n\turn:example:plain\n  http"},
                         {"<p:plain ", "<p:plain status=\"deleted\" "}}),
         .almost = "format.same-schema format.namespace record.located record.deleted-bare"},
        {.what =
             "the metadata begin with an element of RDF, and say where their own schema is (3.4)",
         .mutate =
             swap(has("metadataPrefix=plain"),
                  {{"<p:plain ", "<r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "},
                   {"</p:plain>", "</r:RDF>"}}),
         .almost = "record.located format.namespace format.same-schema"},
        {.what = "a record has several about containers, one of a schema that nobody knows (2.5)",
         .mutate = swap(kAny, {{"<about>", "<about><x xmlns=\"urn:x\"/></about>\n<about>"}}),
         .almost = "record.about schema.get schema.records"},
        {.what = "a record has fewer formats than the repository (4.4)",
         .mutate = swap(has("ListMetadataFormats&identifier"),
                        {{"<metadataFormat><metadataPrefix>plain</metadataPrefix><schema>"
                          "http://example.org/plain.xsd</schema><metadataNamespace>"
                          "urn:example:plain</metadataNamespace></metadataFormat>",
                          ""}}),
         .almost = "format.of-record format.delivered"},
    };
}

inline std::vector<Unusual> unusual_values() {
    return {
        {.what = "identifiers and sets differ by the case of a letter (2.4, 2.6)",
         .kind = {.alike = true},
         .almost = "record.unique record.headers-agree record.got record.got-encoded "
                   "record.sets-minimal set.unique set.members set.holds set.parent-holds "
                   "token.goes-on token.set-kept identify.identifiers-follow"},
        {.what = "all records have the same datestamp (2.7.1)",
         .kind = {.one_date = true},
         .almost = "date.moment date.day date.from date.until set.holds set.parent-holds "
                   "token.dates-kept identify.earliest-true"},
    };
}

inline std::vector<Unusual> unusual_errors() {
    const Mutate two_errors = [](const Question&, Reply& reply, Provider&) {
        const std::size_t at = reply.body.find("<error ");
        if (at != std::string::npos)
            reply.body.insert(at, "<error code=\"noRecordsMatch\">x</error>\n");
    };
    return {
        {.what = "another error stands before each error (3.6, paragraph 1)",
         .mutate = two_errors,
         .almost = "verb error argument date.from-junk date.until-junk date.impossible "
                   "date.year date.fraction date.offset date.no-zone date.backwards "
                   "date.mixed date.future date.before-earliest set.unknown set.malformed "
                   "token.exclusive token.other-verb token.invalid-identifiers "
                   "token.invalid-records token.invalid-sets xml.request-bare schema.errors"},
        {.what = "the same of a repository without sets",
         .mutate = two_errors,
         .kind = {.sets = false},
         .almost = "set.answered set.none set.unknown set.malformed"},
        {.what = "the same of a repository whose datestamps are days",
         .mutate = two_errors,
         .kind = {.days = true},
         .almost = "date.finer"},
    };
}

inline std::vector<Unusual> unusual_lists() {
    return {
        {.what = "ListSets has several pages, and sets are described (3.5, 4.6)",
         .mutate = swap(kAny, {{"</setName>",
                                "</setName><setDescription><oai_dc:dc xmlns:oai_dc=\""
                                "http://www.openarchives.org/OAI/2.0/oai_dc/\"/>"
                                "</setDescription>"}}),
         .kind = {.set_page = 1},
         .almost = "token.resumes token.invalid-sets token.other-verb token.first-not-empty "
                   "set.answered set.known set.parents set.unique set.named schema.sets"},
        {.what = "the last page has one record, and its token blanks alone (3.5)",
         .mutate = swap(kAny, {{"cursor=\"10\"/>", "cursor=\"10\">\n</resumptionToken>"}}),
         .kind = {.page = 10},
         .almost = "token.resumes token.last-empty token.cursor token.size token.size-true "
                   "token.first-not-empty"},
        {.what = "tokens have all kinds of characters (3.1.1.3)",
         .kind = {.set_page = 2, .token_end = " &+%41=/?#;\"<\xC3\xA9\xF0\x9F\x93\x9A"},
         .almost = "token"},
        {.what = "tokens live for 23 hours to the second",
         .mutate = swap(kAny, {{"2024-05-08T00:00:00Z", "2024-05-07T06:08:09Z"}}),
         .almost = "token.lifetime token.expiration"},
    };
}

inline std::vector<Unusual> unusual_answers() {
    return {
        {.what = "each answer is written in another way (XML 1.0)",
         .mutate =
             [n = std::make_shared<int>(0)](const Question&, Reply& reply, Provider&) {
                 ++*n;
                 replace(reply.body, "</responseDate>",
                         "</responseDate>" + std::string(static_cast<std::size_t>(*n % 7), '\n') +
                             "<!-- <!DOCTYPE " + std::to_string(*n) + " -->");
                 replace(reply.body, "<record>", *n % 2 == 0 ? "<record >" : "<record\n>");
             },
         .almost = "http.post http.post-list http.post-get http.post-charset "
                   "http.xml-for-all http.gzip argument.percent argument.percent-lower "
                   "argument.order record.got-encoded token.again token.after-others "
                   "token.post xml.doctype xml.well-formed xml.verb xml.root"},
        {.what = "the declaration has blanks wherever they may be (XML 1.0, 2.8)",
         .mutate = swap(kAny, {{"<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                                "<?xml\n version = '1.0'\tencoding = \"utf-8\" ?>"}}),
         .almost = "xml.declaration xml.well-formed"},
        {.what = "the schema of the protocol is named by https (3.2, paragraph 2)",
         .mutate = swap(kAny, {{" http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\"",
                                "\n https://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\n\""}}),
         .warned = "xml.schema-usual",
         .almost = "xml.schema-location"},
        {.what = "the root names more schemas, before that of the protocol",
         .mutate = swap(kAny, {{"\"http://www.openarchives.org/OAI/2.0/ http",
                                "\"urn:x https://example.org/OAI-PMH.xsd\n"
                                "http://www.openarchives.org/OAI/2.0/ http"}}),
         .almost = "xml.schema-location xml.schema-usual"},
    };
}

inline std::vector<Unusual> unusual_roots() {
    return {
        {.what = "the root is declared without a prefix, and so is that of the instance (3.2)",
         .mutate = swap(kAny, {{"xmlns:xsi=",
                                "xmlns:o=\"http://www.openarchives.org/OAI/2.0/\" "
                                "xmlns:i="},
                               {"xsi:", "i:"},
                               {"<responseDate>", "<o:responseDate>"},
                               {"</responseDate>", "</o:responseDate>"}}),
         .almost = "xml.unprefixed xml.root xml.schema-location record.located"},
        {.what = "<request> has its attributes in another order, and by references",
         .mutate =
             [](const Question&, Reply& reply, Provider&) {
                 const std::size_t begin = reply.body.find("<request verb=\"");
                 if (begin == std::string::npos) return;
                 const std::size_t end = reply.body.find('>', begin);
                 const std::size_t verb_end = reply.body.find('"', begin + 15) + 1;
                 const std::string verb = reply.body.substr(begin + 9, verb_end - begin - 9);
                 reply.body.insert(end, "\n" + verb);
                 reply.body.erase(begin + 9, verb.size());
                 replace(reply.body, " metadataPrefix=\"o", " metadataPrefix='&#111;");
                 replace(reply.body, "&#111;ai_dc\"", "&#111;ai_dc'");
             },
         .almost = "xml.request-attributes xml.request-true xml.request-url"},
        {.what = "characters of all planes are in a record, and its clock is slow",
         .mutate = swap(
             kAny, {{"Title", "\xC4\x8D\xE2\x82\xAC\xEF\xBF\xBD\xF0\x9F\x93\x9A"},
                    {"<responseDate>2024-05-06T07:08:09", "<responseDate>2024-05-06T06:09:09"}}),
         .almost = "xml.utf8 xml.response-date-now record.encoded-once"},
    };
}

inline std::vector<Unusual> unusual_headers() {
    return {
        {.what = "Vary stands in several lines, and codings have large letters (RFC 9110, 5.2)",
         .mutate =
             [](const Question& q, Reply& reply, Provider&) {
                 set_header(reply, "Vary", "");
                 reply.headers.emplace_back("vary", "Origin");
                 reply.headers.emplace_back("vary", "Cookie, accept-encoding");
                 set_header(reply, "Content-Encoding", q.gzip ? "X-GZIP" : "Identity");
             },
         .almost = "http.vary http.gzip http.gzip-told http.identity"},
        {.what = "an answer takes as long as a harvester waits",
         .mutate = [](const Question&, Reply& reply,
                      Provider&) { reply.duration = std::chrono::milliseconds{29999}; },
         .almost = "http.quick"},
    };
}

}  // namespace oai::test
