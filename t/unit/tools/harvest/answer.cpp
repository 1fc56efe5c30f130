// SPDX-License-Identifier: MIT
#include "tools/harvest/answer.h"

#include "t/lib/unit_headers.h"
#include "xml/document.h"

using namespace oai::harvest;
using oai::xml::Error;

namespace {

ParsedAnswer read(const std::string& inside) {
    return read_answer(
        "<?xml version=\"1.0\"?><OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\" "
        "xmlns:x=\"urn:x\">"
        "<responseDate> 2024-01-02T03:04:05Z </responseDate><request "
        "verb=\"x\">http://a</request>" +
        inside + "</OAI-PMH>");
}

// That of a page which has one.
Record only_record(const ParsedAnswer& page) {
    REQUIRE(page.records.size() == 1);
    return page.records[0];
}

}  // namespace

TEST_CASE("reads a page of records with all parts of a record") {
    const ParsedAnswer a = read(R"(<ListRecords>
        <record><header status="deleted"><identifier> oai:a:1 </identifier><datestamp>2024-01-01</datestamp></header></record>
        <record><header><identifier>oai:a:2</identifier><datestamp>2024-01-02</datestamp><setSpec>a:b</setSpec><setSpec>c</setSpec></header>
          <metadata><x:y z="1">&lt;&amp;</x:y></metadata><about><x:p/></about><about><q xmlns="urn:q"/></about></record>
        <resumptionToken completeListSize=" 7 " cursor="0"> t&amp;1 </resumptionToken></ListRecords>)");
    CHECK(a.response_date == "2024-01-02T03:04:05Z");
    CHECK(a.verb == "ListRecords");
    CHECK(a.token == "t&1");
    CHECK(a.list_size == 7);
    CHECK(a.repaired == 0);
    REQUIRE(a.records.size() == 2);
    for (const auto& record : a.records) CHECK(record.response_date == a.response_date);
    CHECK(a.records[0].identifier == "oai:a:1");
    CHECK(a.records[0].deleted);
    CHECK(a.records[0].metadata.empty());
    CHECK_FALSE(a.records[1].deleted);
    CHECK(a.records[1].datestamp == "2024-01-02");
    CHECK(a.records[1].set_specs == Strings{"a:b", "c"});
    CHECK(a.records[1].metadata == "<x:y xmlns:x=\"urn:x\" z=\"1\">&lt;&amp;</x:y>");
    REQUIRE(a.records[1].abouts.size() == 2);
    CHECK(a.records[1].abouts[0] == "<x:p xmlns:x=\"urn:x\"/>");
    CHECK(a.records[1].abouts[1] == "<q xmlns=\"urn:q\"/>");
}

TEST_CASE("does not change namespace names") {
    const ParsedAnswer a = read(
        "<ListRecords><record><header><identifier>i</identifier></header><metadata>"
        "<y:z xmlns:y=\"http://a?b&amp;c\" d=\"&amp;\"/></metadata></record></ListRecords>");
    CHECK(only_record(a).metadata == "<y:z xmlns:y=\"http://a?b&amp;c\" d=\"&amp;\"/>");
}

TEST_CASE("reads headers as records without metadata") {
    const ParsedAnswer a = read(
        "<ListIdentifiers><header><identifier>i</identifier><datestamp>d</datestamp></header></"
        "ListIdentifiers>");
    CHECK(only_record(a).identifier == "i");
    CHECK(a.token.empty());
    CHECK_FALSE(a.list_size);
}

TEST_CASE("reads errors, also next to records") {
    const ParsedAnswer alone =
        read("<error code=\"badArgument\">no &lt;x&gt;</error><error code=\"badVerb\"/>");
    CHECK(alone.verb.empty());
    REQUIRE(alone.errors.size() == 2);
    CHECK(alone.errors[0].code == "badArgument");
    CHECK(alone.errors[0].message == "no <x>");
    CHECK(read("<error code=\"0\">x</error><ListRecords/>").verb == "ListRecords");
}

TEST_CASE("reads Identify with friends, sets and formats") {
    const RepositoryIdentity who =
        read(
            R"(<Identify><repositoryName>N</repositoryName><baseURL>http://b</baseURL><protocolVersion>2.0</protocolVersion>
        <adminEmail>a@b.c</adminEmail><adminEmail>d@e.f</adminEmail><earliestDatestamp>1990-01-01</earliestDatestamp>
        <deletedRecord>transient</deletedRecord><granularity>YYYY-MM-DD</granularity><compression>gzip</compression>
        <description><friends xmlns="http://www.openarchives.org/OAI/2.0/friends/"><baseURL>http://f</baseURL><baseURL>http://g</baseURL></friends></description>
        </Identify>)")
            .identity;
    CHECK(who.name == "N");
    CHECK(who.base_url == "http://b");
    CHECK(who.admin_emails.size() == 2);
    CHECK(who.deleted_record == "transient");
    CHECK_FALSE(who.has_seconds());
    CHECK_THAT(who.descriptions.at(0), Contains("http://g"));
    CHECK(who.descriptions.size() == 1);
    CHECK(who.response_date == "2024-01-02T03:04:05Z");
    const ParsedAnswer sets = read(
        "<ListSets><set><setSpec>a:b</setSpec><setName>A</setName><setDescription><x:d/></"
        "setDescription></set>"
        "<resumptionToken>t</resumptionToken></ListSets>");
    REQUIRE(sets.sets.size() == 1);
    CHECK(sets.sets[0].name == "A");
    CHECK(sets.token == "t");
    const ParsedAnswer formats = read(
        "<ListMetadataFormats><metadataFormat><metadataPrefix>p</metadataPrefix><schema>s</schema>"
        "<metadataNamespace>n</metadataNamespace></metadataFormat></ListMetadataFormats>");
    REQUIRE(formats.formats.size() == 1);
    CHECK(formats.formats[0].name_space == "n");
}

TEST_CASE("leaves out and counts records without an identifier") {
    const ParsedAnswer a = read(
        "<ListRecords><record><header><datestamp>d</datestamp></header></record><record/><other/></"
        "ListRecords>");
    CHECK(a.records.empty());
    CHECK(a.nameless.size() == 2);
}

TEST_CASE("repairs only answers that need it") {
    const ParsedAnswer a = read(
        "<ListRecords><record><header><identifier>a\x01&b</identifier></header></record></"
        "ListRecords>");
    CHECK(a.repaired == 2);
    CHECK(only_record(a).identifier == "a\xEF\xBF\xBD&b");
}

TEST_CASE("takes an answer with a DOCTYPE that declares nothing") {
    const ParsedAnswer a = read_answer(
        "\n\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- <!DOCTYPE x [ --><!DOCTYPE OAI-PMH SYSTEM "
        "\"file:///etc/passwd>[\">\n<OAI-PMH><ListRecords><record><header><identifier>a</"
        "identifier></header></record></ListRecords></OAI-PMH>");
    CHECK(only_record(a).identifier == "a");
    CHECK(a.repaired == 0);
}

TEST_CASE("rejects what is no OAI-PMH answer") {
    CHECK_THROWS_WITH(read_answer(""), "an empty answer");
    CHECK_THROWS_WITH(read_answer(" \n"), "an empty answer");
    CHECK_THROWS_WITH(read_answer("<html/>"), Contains("the document element is html"));
    CHECK_THROWS_WITH(read_answer("<OAI-PMH/>"), Contains("neither a list nor an error"));
    CHECK_THROWS_WITH(read_answer("<!DOCTYPE OAI-PMH [<!ENTITY a 'b'>]><OAI-PMH><ListRecords/>"
                                  "</OAI-PMH>"),
                      Contains("DOCTYPE"));
    CHECK_THROWS_AS(read_answer("<OAI-PMH><ListRecords>"), Error);
    CHECK_THROWS_AS(read_answer("x<OAI-PMH><ListRecords/></OAI-PMH>"), Error);
    CHECK(read_answer("<OAI-PMH><ListRecords/></OAI-PMH>x").repaired == 1);
    CHECK_THROWS_AS(read("<ListRecords><record><header><identifier>i</identifier></"
                         "header><metadata><no:x/></metadata></record></ListRecords>"),
                    Error);
}

TEST_CASE("rejects an answer that is truncated anywhere") {
    const std::string whole =
        "<OAI-PMH><responseDate>d</responseDate><ListRecords><record><header><identifier>i</"
        "identifier>"
        "</header></record></ListRecords></OAI-PMH>";
    CHECK(read_answer(whole).records.size() == 1);
    for (std::size_t n = 0; n < whole.size(); ++n)
        CHECK_THROWS_AS(read_answer(whole.substr(0, n)), Error);
}

TEST_CASE("a static repository answers each request as its gateway would") {
    const auto list = [](const std::string& prefix, const std::string& records) {
        return "<ListRecords metadataPrefix='" + prefix + "'>" + records + "</ListRecords>";
    };
    const auto record = [](const std::string& id, const std::string& day) {
        return "<o:record><o:header><o:identifier>" + id + "</o:identifier><o:datestamp>" + day +
               "</o:datestamp></o:header><o:metadata><x/></o:metadata><o:about><y/></o:about>"
               "</o:record>";
    };
    const auto format = [](const std::string& prefix) {
        return "<o:metadataFormat><o:metadataPrefix>" + prefix +
               "</o:metadataPrefix></o:metadataFormat>";
    };
    const std::string file =
        "<Repository xmlns='http://www.openarchives.org/OAI/2.0/static-repository' "
        "xmlns:o='http://www.openarchives.org/OAI/2.0/'><Identify><o:baseURL>http://g/r</o:baseURL>"
        "</Identify><ListMetadataFormats>" +
        format("oai_dc") + format("b") + format("none") + "</ListMetadataFormats>" +
        list("oai_dc", record("1", "2001-01-01") + record("2", "2002-02-02")) +
        list("b", record("2", "2002-02-02")) + list("none", "") + "</Repository>";
    const auto ask = [&](RequestArguments request) { return read_answer(file, request, "now"); };
    const ParsedAnswer identify = ask({{"verb", "Identify"}});
    CHECK(identify.identity.is_static);
    CHECK(identify.identity.base_url == "http://g/r");
    CHECK(identify.identity.response_date == "now");
    CHECK(ask({{"verb", "ListMetadataFormats"}}).formats.size() == 3);
    CHECK(ask({{"verb", "ListSets"}}).errors[0].code == "noSetHierarchy");
    const auto records = [&](RequestArguments more) {
        more.insert(more.begin(), {"verb", "ListRecords"});
        const ParsedAnswer answer = ask(more);
        std::string said = answer.errors.empty() ? answer.verb : answer.errors[0].code;
        for (const Record& r : answer.records)
            if (!r.metadata.empty() && r.abouts.size() == 1) said += " " + r.identifier;
        return said;
    };
    CHECK(records({{"metadataPrefix", "oai_dc"}}) == "ListRecords 1 2");
    CHECK(records({{"metadataPrefix", "b"}}) == "ListRecords 2");
    CHECK(records({{"metadataPrefix", "none"}}) == "noRecordsMatch");
    CHECK(records({{"metadataPrefix", "c"}}) == "cannotDisseminateFormat");
    CHECK(records({{"metadataPrefix", "oai_dc"}, {"set", "a"}}) == "noSetHierarchy 1 2");
    CHECK(records({{"metadataPrefix", "oai_dc"}, {"from", "2001-01-02T00:00:00Z"}}) ==
          "ListRecords 2");
    CHECK(records({{"metadataPrefix", "oai_dc"}, {"until", "2001-01-01"}}) == "ListRecords 1");
    CHECK(records({{"metadataPrefix", "oai_dc"}, {"from", "2003-01-01"}}) == "noRecordsMatch");
    CHECK(records({{"metadataPrefix", "b"}, {"identifier", "2"}}) == "ListRecords 2");
    CHECK(records({{"metadataPrefix", "b"}, {"identifier", "1"}}) == "idDoesNotExist");
    CHECK_THROWS_WITH(read_answer(file), Contains("Repository"));
    CHECK_THROWS_WITH(read_answer("<Repository/>", {{"verb", "Identify"}}),
                      Contains("no static one"));
}
