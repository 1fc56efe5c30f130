// SPDX-License-Identifier: MIT
// Ways to change the answers of a repository: which questions, and what becomes of their answers.
// And at least one fault for each check of the conformance test, which must find it: the answers of
// a repository that is right in everything else.
#pragma once

#include "t/unit/tools/validate/provider.h"

namespace oai::test {

using When = std::function<bool(const Question&)>;

inline When is(std::string arguments) {
    return [arguments](const Question& q) { return q.arguments == arguments; };
}
inline When has(std::string part) {
    return [part](const Question& q) { return q.arguments.find(part) != std::string::npos; };
}
inline When ends(std::string part) {
    return [part](const Question& q) { return q.arguments.ends_with(part); };
}
inline When by_post(When when) {
    return [when](const Question& q) { return q.method == "POST" && when(q); };
}

// Only the n-th question of that kind.
inline When nth(int n, When when) {
    return [n, when, count = std::make_shared<int>(0)](const Question& q) {
        return when(q) && ++*count == n;
    };
}

inline void replace(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

// Replaces texts in the body.
inline Mutate swap(When when, std::vector<std::pair<std::string, std::string>> texts) {
    return [when, texts](const Question& q, Reply& reply, Provider&) {
        if (!when(q)) return;
        for (const auto& [from, to] : texts) replace(reply.body, from, to);
    };
}

// Answers by an error instead.
inline Mutate refuse(When when, std::string code) {
    return [when, code](const Question& q, Reply& reply, Provider&) {
        if (!when(q)) return;
        const std::size_t begin = reply.body.find("</request>") + 10;
        reply.body.replace(begin, reply.body.rfind("</OAI-PMH>") - begin,
                           "<error code=\"" + code + "\">x</error>");
        if (!code.starts_with("badA") && !code.starts_with("badV")) return;
        const std::size_t request = reply.body.find("<request");
        reply.body.replace(request, reply.body.find('>', request) - request, "<request");
    };
}

// Answers another question instead.
inline Mutate take_for(When when, std::string other) {
    return [when, other](const Question& q, Reply& reply, Provider& provider) {
        if (when(q) && q.method != "HEAD") reply.body = provider.send({.arguments = other}).body;
    };
}

inline Mutate reply_as(When when, std::function<void(Reply&)> change) {
    return [when, change](const Question& q, Reply& reply, Provider&) {
        if (when(q)) change(reply);
    };
}

inline void set_header(Reply& reply, const std::string& name, const std::string& value) {
    std::erase_if(reply.headers, [&](const auto& h) { return h.first == name; });
    if (!value.empty()) reply.headers.emplace_back(name, value);
}

struct Mutation {
    const char* check;
    Mutate mutate;
    const char* also = "";  // other checks that may find the same fault, with blanks between
    Provider::Kind kind{};
};

inline const std::string kList = "verb=ListIdentifiers&metadataPrefix=oai_dc";
inline const std::string kRecords = "verb=ListRecords&metadataPrefix=oai_dc";
inline const std::string kSecond =
    "ListIdentifiers%2Foai_dc%2F%2F%2F%2F3";  // end of the question for the second page
inline const std::string kLast = "ListIdentifiers%2Foai_dc%2F%2F%2F%2F9";
inline const std::string kLastRecords = "ListRecords%2Foai_dc%2F%2F%2F%2F9";

inline constexpr const char* kEcho =
    "xml.request-attributes";  // <request> repeats another question

inline std::vector<Mutation> of_identify() {
    const When identify = has("verb=Identify");
    const auto said = [&](std::string from, std::string to) {
        return swap(identify, {{from, to}});
    };
    return {
        {"identify.readable", take_for(is("verb=Identify"), "verb=ListMetadataFormats"),
         "xml.request-attributes xml.verb http.gzip-told"},
        {"identify.earliest-true",
         said("<earliestDatestamp>2020-01-01T11", "<earliestDatestamp>2020-01-01T12")},
        {"identify.identifiers-follow",
         said("provider.example.org</repo", "other.example.org</repo"), "identify.sample"},
        {"identify.name", said("<repositoryName>Provider", "<repositoryName>")},
        {"identify.base-url", said("<baseURL>http:", "<baseURL>https:")},
        {"identify.plain-url", said("</baseURL>", "?x=</baseURL>"), "identify.base-url"},
        {"identify.protocol", said("<protocolVersion>2.0", "<protocolVersion>1.1"), "schema.valid"},
        {"identify.email", said("<adminEmail>", "<adminEmail>mailto:")},
        {"identify.email", said("admin@example.org", "admin@localhost"), "schema.valid"},
        {"identify.email", said("admin@example.org", "admin@localhost.localdomain")},
        {"identify.granularity", said("YYYY-MM-DDThh:mm:ssZ", "seconds"), "schema.valid"},
        {"identify.earliest-form", said("T11:00:00Z</earliest", "</earliest")},
        {"identify.earliest-plausible", said("<earliestDatestamp>2020", "<earliestDatestamp>1970")},
        {"identify.deleted", said("persistent", "maybe"), "schema.valid"},
        {"identify.deletions-kept", said("persistent", "no"), "record.deleted-policy"},
        {"record.deleted-policy", said("persistent", "no"), "identify.deletions-kept"},
        {"identify.compression",
         said("</compression>", "</compression><compression>identity</compression>")},
        {"identify.located", said("OAI/2.0/oai-identifier http:", "OAI/2.0/other http:")},
        {"identify.descriptions", said("<delimiter>:", "<delimiter>/")},
        {"identify.one-scheme",
         [identify](const Question& q, Reply& reply, Provider&) {
             const std::size_t begin = reply.body.find("<description>"),
                               end = reply.body.find("</Identify>");
             if (identify(q) && begin != std::string::npos)
                 reply.body.insert(end, reply.body.substr(begin, end - begin));
         }},
        {"identify.sample", said("<sampleIdentifier>oai:provider", "<sampleIdentifier>oai:other")},
        {"http.gzip-told", said("<compression>gzip</compression>", "")},
    };
}

inline std::vector<Mutation> of_formats() {
    const When all = is("verb=ListMetadataFormats");
    return {
        {"format.oai-dc", swap(all, {{"<metadataPrefix>oai_dc<", "<metadataPrefix>dc<"}}),
         "format.of-record"},
        {"format.oai-dc-namespace",
         swap(all, {{"oai_dc/</metadataNamespace>", "dc/</metadataNamespace>"}})},
        {"format.unique", swap(all, {{"<metadataPrefix>plain<", "<metadataPrefix>oai_dc<"}}),
         "format.of-record"},
        {"format.schema", swap(all, {{"<schema>http://example.org/", "<schema>"}})},
        {"format.of-record", swap(all, {{"<metadataPrefix>plain<", "<metadataPrefix>other<"}})},
        {"format.delivered",
         refuse(has("metadataPrefix=plain&identifier"), "cannotDisseminateFormat")},
        {"format.same-schema",
         swap(has("metadataPrefix=plain&identifier"),
              {{"http://example.org/plain.xsd", "http://example.org/x.xsd"}})},
        {"format.namespace", swap(has("metadataPrefix=plain&identifier"),
                                  {{"urn:example:plain", "urn:example:other"}})},
    };
}

inline std::vector<Mutation> of_records() {
    const When plain = has(
        "verb=GetRecord&metadataPrefix=plain");  // asked for one record, and compared with nothing
    const When last = ends(kLastRecords);
    return {
        {"record.unique", swap(last, {{"example.org:11<", "example.org:10<"}}),
         "record.headers-agree"},
        {"record.headers-agree",
         [](const Question&, Reply& reply, Provider&) {
             if (reply.body.find("<ListIdentifiers>") != std::string::npos)
                 replace(reply.body, ">a:b<", ">c<");
         },
         "set.members token.set-kept"},
        {"record.got", swap(has("verb=GetRecord&metadataPrefix=oai_dc"), {{"Title 1", "Title X"}})},
        {"record.got-encoded", refuse(has("%2E"), "idDoesNotExist")},
        {"record.got-deleted",
         refuse(
             has("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Aprovider.example.org%3A4"),
             "idDoesNotExist")},
        {"record.identifier",
         swap(plain, {{"<identifier>oai:provider.example.org:1<", "<identifier>1<"}})},
        {"record.datestamp", swap(plain, {{"T11:00:00Z</datestamp>", "</datestamp>"}})},
        {"record.past", swap(plain, {{"<datestamp>2020", "<datestamp>2030"}})},
        {"record.set-spec", swap(plain, {{"<setSpec>a<", "<setSpec>a b<"}}), "schema.valid"},
        {"record.sets-minimal",
         swap(plain, {{"<setSpec>a</setSpec>", "<setSpec>a</setSpec><setSpec>a:b</setSpec>"}})},
        {"record.deleted-bare",
         swap(has("%3A4"), {{"</header></record>",
                             "</header><metadata><p xmlns=\"urn:p\" xsi:schemaLocation=\"urn:p "
                             "p\"/></metadata></record>"}})},
        {"record.disseminated",
         [plain](const Question& q, Reply& reply, Provider&) {
             const std::size_t begin = reply.body.find("<metadata>"),
                               end = reply.body.find("</metadata>");
             if (plain(q) && begin != std::string::npos) reply.body.erase(begin, end + 11 - begin);
         }},
        {"record.valid", swap(last, {{"dc:title", "dc:titel"}})},
        {"record.about", swap(last, {{"rightsReference ref", "rightsReference rev"}})},
        {"record.located", swap(last, {{"OAI/2.0/oai_dc/ http", "OAI/2.0/other/ http"}})},
        {"record.filled", swap(last, {{"Title 10", ""}, {"http://example.org/10</dc", "</dc"}}),
         "record.link record.resource"},
        {"record.resource",
         swap(last, {{"<dc:identifier>http://example.org/10</dc:identifier>", ""}}), "record.link"},
        {"record.link", swap(last, {{"<dc:identifier>http:", "<dc:identifier>urn:"}})},
        {"record.encoded-once", swap(last, {{"Title 10", "R&amp;amp;D"}})},
        {"record.encoded-once", swap(last, {{"Title 10", "\xC3\x83\xC2\xA9"}})},
    };
}

inline std::vector<Mutation> of_dates() {
    const std::string at = "2020-01-01T16%3A00%3A00Z";  // of the record in the middle
    const auto accepted = [](const std::string& dates) {
        return take_for(is(kList + dates), kList);
    };
    return {
        {"date.moment", refuse(ends("&from=" + at + "&until=" + at), "noRecordsMatch")},
        {"date.day", refuse(ends("&from=2020-01-01&until=2020-01-01"), "noRecordsMatch")},
        {"date.from", accepted("&from=" + at), kEcho},
        {"date.until", take_for(is(kList + "&until=" + at), kList + "&from=2020-01-01T17:00:00Z"),
         "xml.request-attributes token.dates-kept"},
        {"date.before-earliest", accepted("&until=2018-12-31T11%3A00%3A00Z"), kEcho},
        {"date.future", accepted("&from=2025-05-07T07%3A08%3A09Z"), kEcho},
        {"date.from-junk", accepted("&from=junk"), kEcho},
        {"date.until-junk", accepted("&until=junk"), kEcho},
        {"date.impossible", accepted("&from=2001-02-30"), kEcho},
        {"date.year", accepted("&from=2001"), kEcho},
        {"date.fraction", accepted("&from=2001-02-03T04%3A05%3A06.7Z"), kEcho},
        {"date.offset", accepted("&from=2001-02-03T04%3A05%3A06%2B01%3A00"), kEcho},
        {"date.no-zone", accepted("&from=2001-02-03T04%3A05%3A06"), kEcho},
        {"date.backwards", accepted("&from=2001-02-03&until=2001-02-02"), kEcho},
        {"date.mixed", accepted("&from=2001-02-03&until=2002-02-03T04%3A05%3A06Z"), kEcho},
        {"date.finer", accepted("&from=2001-02-03T04%3A05%3A06Z"), kEcho, {.days = true}},
    };
}

inline std::vector<Mutation> of_tokens() {
    const When first = is(kList), second = ends(kSecond), any = has("verb=List");
    const auto junk = [](const std::string& verb, const std::string& as) {
        return take_for(is("verb=" + verb + "&resumptionToken=junktoken"), as);
    };
    return {
        {"token.resumes", refuse(second, "badResumptionToken"),
         "record.headers-agree token.size-true token.last-empty"},
        {"token.resumes", refuse(ends(kLast), "noRecordsMatch"),
         "record.headers-agree token.size-true"},
        {"token.resumes",
         refuse(has("resumptionToken=sets2"), "badResumptionToken"),
         "set.known",
         {.set_page = 2}},
        {"token.goes-on", take_for(is("verb=ListIdentifiers&resumptionToken=" + kSecond), kList),
         "xml.request-attributes record.unique token.cursor"},
        {"token.again", refuse(nth(3, second), "badResumptionToken")},
        {"token.post", refuse(by_post(second), "badResumptionToken")},
        {"token.exclusive", take_for(ends(kSecond + "&metadataPrefix=oai_dc"), kList), kEcho},
        {"token.invalid-identifiers", junk("ListIdentifiers", kList), kEcho},
        {"token.invalid-records", junk("ListRecords", kRecords), kEcho},
        {"token.invalid-sets", junk("ListSets", "verb=ListSets"), kEcho},
        {"token.other-verb",
         take_for(has("verb=ListSets&resumptionToken=ListIdentifiers"), "verb=ListSets"), kEcho},
        {"token.cursor", swap(second, {{"cursor=\"3\"", "cursor=\"6\""}})},
        {"token.size-true", swap(first, {{"completeListSize=\"11\"", "completeListSize=\"12\""}})},
        {"token.last-empty",
         swap(ends(kLast), {{"<resumptionToken completeListSize=\"11\" cursor=\"9\"/>", ""}})},
        {"token.first-not-empty",
         swap(is("verb=ListSets"), {{"</ListSets>", "<resumptionToken/></ListSets>"}})},
        {"token.prefix-kept",
         take_for(ends("ListRecords%2Foai_dc%2F%2F%2F%2F3"),
                  "verb=ListRecords&resumptionToken=ListRecords/plain////3"),
         kEcho},
        {"token.expiration", swap(any, {{"2024-05-08T00:00:00Z", "2024-05-08T00:00:00.5Z"}})},
        {"token.expiration", swap(any, {{"2024-05-08T00", "2024-05-06T00"}})},
    };
}

inline std::vector<Mutation> of_forgetful_tokens() {
    // Tokens of the verb that end so lead into the list of all records.
    const auto loses = [](const std::string& verb, const char* check, const std::string& end,
                          const std::string& place = "6") {
        const When when = [=](const Question& q) {
            return q.arguments.starts_with("verb=" + verb) && q.arguments.ends_with(end);
        };
        return Mutation{
            check,
            take_for(when, "verb=" + verb + "&resumptionToken=" + verb + "/oai_dc////" + place),
            kEcho};
    };
    return {
        loses("ListIdentifiers", "token.set-kept", "%2F%2F%2Fa%2F3"),
        loses("ListRecords", "token.set-kept", "%2F%2F%2Fa%2F3"),
        loses("ListIdentifiers", "token.dates-kept", "16%3A00%3A00Z%2F%2F3"),
        loses("ListIdentifiers", "token.dates-kept", "14%3A00%3A00Z%2F%2F3"),
        loses("ListIdentifiers", "token.dates-kept", "2020-01-01T15%3A00%3A00Z%2F%2F%2F3", "3"),
        loses("ListRecords", "token.dates-kept", "14%3A00%3A00Z%2F%2F3"),
        loses("ListRecords", "token.dates-kept", "2020-01-01T15%3A00%3A00Z%2F%2F%2F3", "3"),
    };
}

inline std::vector<Mutation> of_sets() {
    const When all = is("verb=ListSets");
    const auto listed = [&](std::string from, std::string to) { return swap(all, {{from, to}}); };
    return {
        {"set.answered", refuse(all, "noRecordsMatch"), "set.none"},
        {"set.none", refuse(has("set=no_such_set"), "noRecordsMatch"), "", {.sets = false}},
        {"set.none", refuse(all, "noSetHierarchy")},
        {"set.unique", listed("<setSpec>c<", "<setSpec>a<"), "set.known"},
        {"set.named", listed("<setName>Set<", "<setName><")},
        {"set.parents", listed("<setSpec>a<", "<setSpec>z<"), "set.known"},
        {"set.known", listed("<setSpec>c<", "<setSpec>d<")},
        {"set.members", take_for(is(kList + "&set=a"), kList),
         "xml.request-attributes token.set-kept"},
        {"set.holds", refuse(has("&set=a&from=2020-01-01T11"), "noRecordsMatch")},
        {"set.parent-holds", refuse(has("&set=a&from=2020-01-01T13"), "noRecordsMatch")},
        {"set.unknown", take_for(has("set=no_such_set"), kList), kEcho},
        {"set.malformed", take_for(has("set=no%2F%2Fsuch%20set"), kList), kEcho},
    };
}

inline std::vector<Mutation> of_arguments() {
    const std::string get =
        "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Aprovider.example.org%3A1";
    const auto taken = [](const char* check, const std::string& arguments, const std::string& as) {
        return Mutation{check, take_for(is(arguments), as), "xml.request-attributes xml.verb"};
    };
    return {
        taken("argument.unknown-identify", "verb=Identify&metadataPrefix=oai_dc", "verb=Identify"),
        taken("argument.unknown-formats", "verb=ListMetadataFormats&metadataPrefix=oai_dc",
              "verb=ListMetadataFormats"),
        taken("argument.unknown-sets", "verb=ListSets&metadataPrefix=oai_dc", "verb=ListSets"),
        taken("argument.unknown-get", get + "&until=2000-02-05", get),
        taken("argument.unknown-identifiers", kList + "&colour=red", kList),
        taken("argument.unknown-records", kRecords + "&identifier=x", kRecords),
        taken("argument.no-identifier", "verb=GetRecord&metadataPrefix=oai_dc", get),
        taken("argument.no-prefix-get", "verb=GetRecord&identifier=oai%3Aprovider.example.org%3A1",
              get),
        taken("argument.no-prefix-identifiers", "verb=ListIdentifiers", kList),
        taken("argument.no-prefix-records", "verb=ListRecords", kRecords),
        taken("argument.repeated", kList + "&metadataPrefix=oai_dc", kList),
        taken("argument.name-case", "verb=ListIdentifiers&metadataprefix=oai_dc", kList),
        taken("argument.empty-prefix", "verb=ListIdentifiers&metadataPrefix=", kList),
        {"argument.utf8", reply_as(has("%C4%8D"), [](Reply& r) { r.status = 500; }), "http.status"},
        {"argument.broken-percent", reply_as(has("%ZZ"), [](Reply& r) { r.status = 500; }),
         "http.status"},
        taken("verb.missing", "", "verb=Identify"),
        taken("verb.empty", "verb=", "verb=Identify"),
        taken("verb.unknown", "verb=NoSuchVerb", "verb=Identify"),
        taken("verb.repeated", "verb=Identify&verb=Identify", "verb=Identify"),
        taken("verb.case", "verb=identify", "verb=Identify"),
        taken("error.format-get",
              "verb=GetRecord&metadataPrefix=no_such_format&identifier=oai%3Aprovider.example.org%"
              "3A1",
              get),
        taken("error.format-identifiers", "verb=ListIdentifiers&metadataPrefix=no_such_format",
              kList),
        taken("error.format-records", "verb=ListRecords&metadataPrefix=no_such_format", kRecords),
        taken("error.identifier-get",
              "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Ano.such.repository%3Aitem",
              get),
        taken("error.identifier-formats",
              "verb=ListMetadataFormats&identifier=oai%3Ano.such.repository%3Aitem",
              "verb=ListMetadataFormats"),
    };
}

inline std::vector<Mutation> of_hostile_arguments() {
    // The argument is repeated in the words of the error, as it came.
    const auto spoken = [](const char* check, const std::string& argument) {
        return Mutation{check, swap(has(argument), {{"</error>", "\"<&></error>"}}),
                        "xml.well-formed"};
    };
    const When long_one = [](const Question& q) { return q.arguments.size() > 8000; };
    return {
        {"argument.markup", swap(has("identifier=invalid"), {{"&quot;", "\""}}), "xml.well-formed"},
        {"argument.markup-token", swap(has("resumptionToken=invalid"), {{"&lt;", "<"}}),
         "xml.well-formed"},
        spoken("argument.markup-verb", "verb=invalid"),
        spoken("argument.markup-prefix", "metadataPrefix=invalid"),
        spoken("argument.markup-from", "from=invalid"),
        spoken("argument.markup-until", "until=invalid"),
        spoken("argument.markup-set", "set=invalid"),
        spoken("argument.markup-name", "&invalid"),
        {"argument.nul",
         swap(has("%00"), {{">no text", ">no identifier: oai:no.such:" + std::string(1, '\0')}}),
         "xml.well-formed"},
        {"argument.bad-utf8", swap(has("%ff%fe"), {{">no text", ">no identifier: \xFF\xFE"}}),
         "xml.well-formed xml.utf8"},
        {"argument.bad-utf8", reply_as(has("%ff%fe"), [](Reply& r) { r.status = 500; }),
         "http.status"},
        {"argument.long-get",
         [long_one](const Question& q, Reply& reply, Provider&) {
             if (long_one(q) && q.method == "GET") reply = {.error = "closed"};
         },
         "http.status xml.well-formed"},
        {"argument.long-post",
         [long_one](const Question& q, Reply& reply, Provider&) {
             if (long_one(q) && q.method == "POST") reply.status = 413;
         },
         "http.status"},
    };
}

inline std::vector<Mutation> of_http() {
    const When packed = [](const Question&q) { return q.gzip; }, odd = is("verb=NoSuchVerb");
    const When get = has("verb=GetRecord");
    const auto header = [&](const char* name, const char* value) {
        return reply_as(
            odd, [=](Reply& r) { set_header(r, name, value); });
    };
    return {
        {"http.not-redirected",
         reply_as(is("verb=Identify"),
                  [](Reply& r) { r.url = "http://elsewhere.example.org/oai?verb=Identify"; })},
        {"http.post-list", refuse(by_post(is(kList)), "badVerb")},
        {"http.head",
         reply_as([](const Question& q) { return q.method == "HEAD"; },
                  [](Reply& r) { r.status = 405; }),
         "http.status"},
        {"http.gzip", refuse(packed, "noRecordsMatch")},
        {"http.vary", reply_as(packed, [](Reply& r) { set_header(r, "Vary", ""); })},
        {"http.xml-for-all",
         reply_as([](const Question& q) { return !q.accept.empty(); },
                  [](Reply& r) { r.body = "<html/>"; }),
         "xml.declaration xml.root"},
        {"http.retry-after", reply_as(nth(1, odd), [](Reply& r) { r.status = 503; }),
         "http.status verb.unknown"},
        {"http.status", reply_as(odd, [](Reply& r) { r.status = 400; }), "verb.unknown"},
        {"http.content-type", header("Content-Type", "application/xml; charset=UTF-8")},
        {"http.charset", header("Content-Type", "text/xml; charset=ISO-8859-1")},
        {"http.identity", header("Content-Encoding", "gzip")},
        {"http.quick", reply_as(odd, [](Reply& r) { r.duration = 31s; })},
    };
}

inline std::vector<Mutation> of_responses() {
    const When odd = is("verb=NoSuchVerb");
    const auto said = [&](std::string from, std::string to) { return swap(odd, {{from, to}}); };
    const auto with_more = [](const char* check, When when, const std::string& element) {
        return Mutation{check, swap(when, {{"</" + element + ">", "<extra/></" + element + ">"}})};
    };
    return {
        {"xml.well-formed", said("</error>", ""), "verb.unknown"},
        {"xml.well-formed", said("<OAI-PMH ", "<!DOCTYPE OAI-PMH [<!ENTITY a 'b'>]><OAI-PMH "),
         "verb.unknown"},
        {"xml.doctype",
         said("<OAI-PMH ", "<!-- > -->\n<!DOCTYPE OAI-PMH SYSTEM \"a>[b\"\n><OAI-PMH ")},
        {"xml.declaration", said(" encoding=\"UTF-8\"", "")},
        {"xml.utf8",
         swap(odd, {{"encoding=\"UTF-8\"", "encoding=\"ISO-8859-1\""}, {"no such verb", "\xE9"}}),
         "xml.declaration"},
        {"xml.root", said("<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"",
                          "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/1.1/\"")},
        {"xml.unprefixed", swap(odd, {{"OAI-PMH xmlns=", "OAI-PMH xmlns:o="},
                                      {"</", "</o:"},
                                      {"<OAI", "<o:OAI"},
                                      {"<re", "<o:re"},
                                      {"<error", "<o:error"}})},
        {"xml.schema-location", said("OAI-PMH.xsd\"", "other.xsd\"")},
        {"xml.response-date", said("08:09Z", "08:09.5Z")},
        {"xml.response-date-now", said("<responseDate>2024", "<responseDate>2023")},
        {"xml.request-url", said("</request>", "/</request>")},
        {kEcho, swap(is("verb=ListMetadataFormats"), {{" verb=\"ListMetadataFormats\"", ""}})},
        {"xml.request-true",
         swap(has("metadataPrefix=no_such_format&"),
              {{"metadataPrefix=\"no_such_format\"", "metadataPrefix=\"oai_dc\""}})},
        {"xml.request-bare", said("<request>", "<request verb=\"Identify\">")},
        {"xml.verb",
         swap(has("verb=GetRecord&metadataPrefix=plain"), {{"GetRecord>", "ListRecords>"}})},
        {"schema.valid", said("code=\"badVerb\">", "code=\"badVerb\"><b/>")},
        with_more("schema.valid", has("verb=Identify"), "Identify"),
        with_more("schema.valid", is("verb=ListMetadataFormats"), "metadataFormat"),
        with_more("schema.valid", is("verb=ListSets"), "set"),
        with_more("schema.valid", has("verb=GetRecord"), "record"),
        with_more("schema.valid", is(kList), "header"),
        with_more("schema.valid", is(kRecords), "record"),
    };
}

inline std::vector<Mutation> mutations() {
    std::vector<Mutation> all;
    for (const auto& some :
         {of_identify(), of_formats(), of_records(), of_dates(), of_tokens(), of_forgetful_tokens(),
          of_sets(), of_arguments(), of_hostile_arguments(), of_http(), of_responses()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace oai::test
