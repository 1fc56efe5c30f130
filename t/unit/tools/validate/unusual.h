// SPDX-License-Identifier: MIT
// Repositories that look wrong and are right: the protocol allows what they do, though few do it.
// The conformance test must not find fault with any of them. For each check there is at least one
// that is almost at fault by it.
#pragma once

#include "t/unit/tools/validate/mutations.h"

namespace oai::test {

struct Unusual {
    const char* what;
    Mutate mutate{};
    Provider::Kind kind{};
    // Checks, with blanks between: those that warn or note, though nothing is wrong, and those that
    // might take it for a fault and must pass (ids, or their parts before the dot).
    const char* warned = "";
    const char* almost = "";
};

inline const When kAny = [](const Question&) { return true; };

// The start tag of <request> loses its attributes.
inline void bare_request(std::string& body) {
    const std::size_t begin = body.find("<request");
    if (begin != std::string::npos) body.replace(begin, body.find('>', begin) - begin, "<request");
}

inline const When kIdentify = has("verb=Identify");
inline const std::string kDcBegin =
    "<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "
    "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xsi:schemaLocation=\"";
inline const Mutate kTwoErrors = [](const Question&, Reply& reply, Provider&) {
    const std::size_t at = reply.body.find("<error ");
    if (at != std::string::npos)
        reply.body.insert(at, "<error code=\"noRecordsMatch\">x</error>\n");
};

inline const std::vector<Unusual> kUnusual{
    {.what = "<request> has no attributes beside any error (3.2, paragraph 2)",
     .mutate =
         [](const Question&, Reply& reply, Provider&) {
             if (reply.body.find("<error ") != std::string::npos) bare_request(reply.body);
         },
     .almost = "xml.request-attributes xml.request-bare"},
    {.what = "all errors are told, and none in words (3.6, paragraph 1)",
     .mutate = swap(
         has("no_such_format"),
         {{"</error>", "</error><error code=\"noRecordsMatch\"/>"}, {">no such format<", "><"}})},
    {.what = "there is a DOCTYPE, which declares nothing (3.2)",
     .mutate =
         swap(kAny, {{"<OAI-PMH ", "<!-- x > -->\n<!DOCTYPE OAI-PMH SYSTEM \"a>[b\"\n><OAI-PMH "}}),
     .warned = "xml.doctype",
     .almost = "xml.well-formed"},
    {.what = "the declaration is written in another way, behind a byte order mark",
     .mutate = swap(kAny, {{"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
                            "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8' "
                            "standalone='yes'?><?x y?><!-- z -->"}})},
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
    {.what = "a format is listed twice, and has its schema at another kind of address",
     .mutate = swap(
         kAny,
         {{"http://example.org/plain.xsd", "urn:example:plain.xsd"},
          {"</ListMetadataFormats>",
           "<metadataFormat><metadataPrefix>plain</metadataPrefix><schema>urn:example:plain.xsd</"
           "schema><metadataNamespace>urn:example:plain</metadataNamespace></metadataFormat></"
           "ListMetadataFormats>"}}),
     .almost = "format.unique format.schema"},
    {.what = "the administrator's host has an odd name",
     .mutate = swap(has("verb=Identify"), {{"admin@example.org", "admin@localhost.example.org"}}),
     .almost = "identify.email"},
    {.what = "a clock is a little fast, and a search takes long (guidelines, 3)",
     .mutate = swap(has("verb=GetRecord&metadataPrefix=plain"),
                    {{"2020-01-01T11:00:00Z</datestamp>", "2024-05-06T07:10:00Z</datestamp>"}}),
     .almost = "record.past"},
    {.what = "the first page of the list has deleted records alone (2.5.1)",
     .kind = {.deleted_first = 3},
     .almost = "token.prefix-kept record.disseminated"},
    {.what = "deletions are transient, and GetRecord has forgotten them (2.5.1)",
     .mutate =
         [](const Question& q, Reply& reply, Provider&) {
             const std::size_t begin = reply.body.find("<GetRecord>");
             if (q.method == "HEAD" || reply.body.find("status=\"deleted\"") == std::string::npos ||
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
     .almost = "token.again token.post"},
    {.what = "a mirror answers, and says the base URL of the repository (guidelines, 6.2.1)",
     .mutate = swap(kAny, {{kBase, "http://all.example.org/oai"}}),
     .warned = "identify.base-url",
     .almost = "xml.request-url http.not-redirected"},
    {.what = "the base URL is asked for as harvesters write it, with small letters in its host",
     .mutate = reply_as(kAny, [](Reply& reply) { replace(reply.url, "example", "EXAMPLE"); }),
     .almost = "http.not-redirected"},
    {.what = "requests are redirected to a mirror (3.1.2.2)",
     .mutate = reply_as(kAny, [](Reply& reply) { reply.url = "http://b.example.org/oai"; }),
     .warned = "http.not-redirected",
     .almost = "xml.request-url identify.base-url"},
    {.what = "now and then it is busy (3.1.2.2)",
     .mutate =
         [n = std::make_shared<int>(0)](const Question&, Reply& reply, Provider&) {
             if (++*n % 3 != 0) return;
             reply.status = 503;
             reply.retry_after = 1s;
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
             reply.retry_after = 3600s;
         }},
    {.what = "only long answers are compressed (3.1.3)",
     .mutate = reply_as(kAny, [](Reply& reply) { set_header(reply, "Content-Encoding", ""); }),
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
     .mutate = [](const Question&, Reply& reply,
                  Provider&) { set_header(reply, "Content-Type", "Text/XML;charset=\"utf-8\""); },
     .almost = "http.content-type http.charset"},
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
     .almost =
         "http.status argument.nul argument.bad-utf8 argument.long-get argument.broken-percent "
         "argument.markup argument.markup-verb argument.markup-prefix argument.markup-from "
         "argument.markup-until argument.markup-set argument.markup-token argument.markup-name"},
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
     .almost =
         "identify.readable identify.name identify.protocol identify.deleted identify.granularity "
         "identify.earliest-form identify.earliest-true record.identifier record.datestamp "
         "record.past record.set-spec record.got-deleted set.named set.known format.oai-dc "
         "format.oai-dc-namespace xml.response-date schema.valid"},
    {.what = "Identify has all that its schema allows (4.2)",
     .mutate = swap(
         kIdentify,
         {{"admin@example.org</adminEmail>",
           "o'neil+oai@sub.example.org</adminEmail><adminEmail>x.y@example.museum</adminEmail>"},
          {"<compression>",
           "<compression>deflate</compression><compression>br</compression><compression>"},
          {"<description>",
           "<description><scheme xmlns=\"http://www.openarchives.org/OAI/1.1/oai-identifier\" "
           "xsi:schemaLocation=\"urn:x x.xsd\n "
           "http://www.openarchives.org/OAI/1.1/oai-identifier\n "
           "y.xsd\"/></description><description><friends "
           "xmlns=\"http://www.openarchives.org/OAI/2.0/friends/\" "
           "xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/friends/ "
           "http://www.openarchives.org/OAI/2.0/friends.xsd\"><baseURL>http://a.example.org/oai</"
           "baseURL></friends></description><description>"},
          {"<sampleIdentifier>oai:provider.example.org:1<",
           "<sampleIdentifier>oai:provider.example.org:no:such/item%20x<"}}),
     .almost = "identify.email identify.compression identify.located identify.descriptions "
               "identify.one-scheme identify.sample identify.identifiers-follow http.gzip-told "
               "schema.valid"},
    {.what = "the scheme of the base URL has large letters, and it has a port (RFC 3986, 3.1)",
     .mutate = swap(kAny, {{kBase, "HTTP://Provider.Example.org:80/~x/oai;y"}}),
     .warned = "identify.base-url",
     .almost = "identify.plain-url xml.request-url"},
    {.what = "earliestDatestamp is far before all records (4.2)",
     .mutate = swap(kIdentify, {{"<earliestDatestamp>2020", "<earliestDatestamp>0003"}}),
     .warned = "identify.earliest-plausible",
     .almost = "identify.earliest-true identify.earliest-form date.before-earliest"},
    {.what = "earliestDatestamp is the first of all days, and there is no year 0 (XML Schema)",
     .mutate =
         [](const Question& q, Reply& reply, Provider& p) {
             swap(kAny, {{"<earliestDatestamp>2020-01-01T11", "<earliestDatestamp>0001-01-01T00"}})(
                 q, reply, p);
             if (q.arguments.find("until=0000") != std::string::npos ||
                 q.arguments.find("until=-") != std::string::npos)
                 refuse(kAny, "badArgument")(q, reply, p);
         },
     .warned = "identify.earliest-plausible"},
    {.what = "the repository is as old as repositories may be",
     .mutate = swap(kIdentify,
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
    {.what = "metadata have other prefixes, languages, and their link last (XML 1.0)",
     .mutate = swap(
         kAny,
         {{"<metadata>" + kDcBegin,
           "<metadata>\n<!-- x --><?x y?><dc xmlns=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "
           "xmlns:e=\"http://purl.org/dc/elements/1.1/\" xsi:schemaLocation=\"urn:x y.xsd\n "},
          {"<dc:title>",
           "<e:date/><e:identifier xml:lang=\"sl\">urn:isbn:1</e:identifier><e:title>S\xC3\x83O "
           "PAULO AT&amp;T &lt; "},
          {"</dc:title>", "</e:title>"},
          {"dc:identifier>", "e:identifier>"},
          {"</oai_dc:dc>", "</dc>"}}),
     .almost =
         "record.valid record.located record.filled record.resource record.link "
         "record.encoded-once record.disseminated record.got format.namespace token.prefix-kept"},
    {.what = "GetRecord writes the same metadata in another way (XML 1.0)",
     .mutate = swap(has("verb=GetRecord"),
                    {{kDcBegin, "<x:dc xsi:schemaLocation=\"\n  "},
                     {"</oai_dc:dc>", "\n  </x:dc>"},
                     {"<dc:title>", "\n  <y:title>\n  "},
                     {"</dc:title>", "</y:title><!-- x -->"},
                     {"dc:identifier>", "y:identifier>"},
                     {"<OAI-PMH ",
                      "<OAI-PMH xmlns:y=\"http://purl.org/dc/elements/1.1/\" "
                      "xmlns:x=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "}}),
     .almost = "record.got record.got-encoded format.delivered schema.valid"},
    {.what = "the metadata say where several schemas are, on several lines (3.4)",
     .mutate = swap(has("metadataPrefix=plain"),
                    {{"\"urn:example:plain http", "\"urn:x x.xsd\n\turn:example:plain\n  http"},
                     {"<p:plain ", "<p:plain status=\"deleted\" "}}),
     .almost = "format.same-schema format.namespace record.located record.deleted-bare"},
    {.what = "the metadata begin with an element of RDF, and say where their own schema is (3.4)",
     .mutate =
         swap(has("metadataPrefix=plain"),
              {{"<p:plain ", "<r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "},
               {"</p:plain>", "</r:RDF>"}}),
     .almost = "record.located format.namespace format.same-schema"},
    {.what = "a record has several about containers, one of a schema that nobody knows (2.5)",
     .mutate = swap(kAny, {{"<about>", "<about><x xmlns=\"urn:x\"/></about>\n<about>"}}),
     .almost = "record.about schema.valid"},
    {.what = "a record has fewer formats than the repository (4.4)",
     .mutate = swap(has("ListMetadataFormats&identifier"),
                    {{"<metadataFormat><metadataPrefix>plain</metadataPrefix><schema>http://"
                      "example.org/plain.xsd</schema><metadataNamespace>urn:example:plain</"
                      "metadataNamespace></metadataFormat>",
                      ""}}),
     .almost = "format.of-record format.delivered"},
    {.what = "identifiers and sets differ by the case of a letter (2.4, 2.6)",
     .kind = {.alike = true},
     .almost = "record.unique record.headers-agree record.got record.got-encoded "
               "record.sets-minimal set.unique set.members set.holds set.parent-holds "
               "token.goes-on token.set-kept identify.identifiers-follow"},
    {.what = "all records have the same datestamp (2.7.1)",
     .kind = {.one_date = true},
     .almost = "date.moment date.day date.from date.until set.holds set.parent-holds "
               "token.dates-kept identify.earliest-true"},
    {.what = "another error stands before each error (3.6, paragraph 1)",
     .mutate = kTwoErrors,
     .almost = "verb error argument date.from-junk date.until-junk date.impossible date.year "
               "date.fraction date.offset date.no-zone date.backwards date.mixed date.future "
               "date.before-earliest set.unknown set.malformed token.exclusive token.other-verb "
               "token.invalid-identifiers token.invalid-records token.invalid-sets "
               "xml.request-bare schema.valid"},
    {.what = "the same of a repository without sets",
     .mutate = kTwoErrors,
     .kind = {.sets = false},
     .almost = "set.answered set.none set.unknown set.malformed"},
    {.what = "the same of a repository whose datestamps are days",
     .mutate = kTwoErrors,
     .kind = {.days = true},
     .almost = "date.finer"},
    {.what = "ListSets has several pages, and sets are described (3.5, 4.6)",
     .mutate = swap(
         kAny,
         {{"</setName>",
           "</setName><setDescription><oai_dc:dc "
           "xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\"/></setDescription>"}}),
     .kind = {.set_page = 1},
     .almost = "token.resumes token.invalid-sets token.other-verb token.first-not-empty "
               "set.answered set.known set.parents set.unique set.named schema.valid"},
    {.what = "the last page has one record, and its token blanks alone (3.5)",
     .mutate = swap(kAny, {{"cursor=\"10\"/>", "cursor=\"10\">\n</resumptionToken>"}}),
     .kind = {.page = 10},
     .almost = "token.resumes token.last-empty token.cursor token.size-true token.first-not-empty"},
    {.what = "tokens have all kinds of characters (3.1.1.3)",
     .kind = {.set_page = 2, .token_end = " &+%41=/?#;\"<\xC3\xA9\xF0\x9F\x93\x9A"},
     .almost = "token"},
    {.what = "tokens live for 23 hours to the second",
     .mutate = swap(kAny, {{"2024-05-08T00:00:00Z", "2024-05-07T06:08:09Z"}}),
     .almost = "token.expiration"},
    {.what = "each answer is written in another way (XML 1.0)",
     .mutate =
         [n = std::make_shared<int>(0)](const Question&, Reply& reply, Provider&) {
             ++*n;
             replace(reply.body, "</responseDate>",
                     "</responseDate>" + std::string(static_cast<std::size_t>(*n % 7), '\n') +
                         "<!-- <!DOCTYPE " + std::to_string(*n) + " -->");
             replace(reply.body, "<record>", *n % 2 == 0 ? "<record >" : "<record\n>");
         },
     .almost = "http.post-list http.xml-for-all http.gzip record.got-encoded token.again "
               "token.post xml.doctype xml.well-formed xml.verb xml.root"},
    {.what = "the declaration has blanks wherever they may be (XML 1.0, 2.8)",
     .mutate = swap(kAny, {{"<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                            "<?xml\n version = '1.0'\tencoding = \"utf-8\" ?>"}}),
     .almost = "xml.declaration xml.well-formed"},
    {.what = "the schema of the protocol is named by https (3.2, paragraph 2)",
     .mutate = swap(kAny, {{" http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\"",
                            "\n https://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\n\""}}),
     .almost = "xml.schema-location"},
    {.what = "the root names more schemas, before that of the protocol",
     .mutate = swap(kAny, {{"\"http://www.openarchives.org/OAI/2.0/ http",
                            "\"urn:x https://example.org/OAI-PMH.xsd\n"
                            "http://www.openarchives.org/OAI/2.0/ http"}}),
     .almost = "xml.schema-location"},
    {.what = "the root is declared without a prefix, and so is that of the instance (3.2)",
     .mutate =
         swap(kAny, {{"xmlns:xsi=", "xmlns:o=\"http://www.openarchives.org/OAI/2.0/\" xmlns:i="},
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
     .mutate =
         swap(kAny, {{"Title", "\xC4\x8D\xE2\x82\xAC\xEF\xBF\xBD\xF0\x9F\x93\x9A"},
                     {"<responseDate>2024-05-06T07:08:09", "<responseDate>2024-05-06T06:09:09"}}),
     .almost = "xml.utf8 xml.response-date-now record.encoded-once"},
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
     .mutate = reply_as(kAny, [](Reply& reply) { reply.duration = 29999ms; }),
     .almost = "http.quick"},
};

}  // namespace oai::test
