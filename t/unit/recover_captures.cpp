// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "datestamp.h"
#include "recover/captures.h"
#include "xml/document.h"

using namespace oai;
using namespace oai::recover;

namespace {

std::string answer(const std::string& content) {
    xml::initialise();
    return R"(<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">)" + content +
           "</OAI-PMH>";
}

std::string record(const std::string& capture) {
    return "<record><header><identifier>oai:a.org:1</identifier></header><metadata><capture "
           "xmlns=\"urn:oai-fcgi:warc-capture\">" +
           capture + "</capture></metadata></record>";
}

}  // namespace

TEST_CASE("recover: a page of captures") {
    const Page page = read_page(
        answer("<ListRecords>" +
               record("<url>http://a.org/?b&amp;c</url><time>2015-03-01T12:00:00Z</time><mediaType>text/"
                      "html</mediaType><status>200</status>"
                      "<digest>ABC</digest><file>x.warc.gz</file><offset>7</offset><length>8</length>") +
               "<record><header status=\"deleted\"><identifier>oai:a.org:2</identifier></header></record>" +
               record("<url>http://a.org/</url><time>2015-03-01T12:00:00Z</time>") +
               "<resumptionToken>next</resumptionToken></ListRecords>"));
    REQUIRE(page.captures.size() == 2);
    const auto& c = page.captures[0].capture;
    CHECK(page.captures[0].identifier == "oai:a.org:1");
    CHECK(c.url == "http://a.org/?b&c");
    CHECK(print_datestamp(c.archived_time) == "2015-03-01T12:00:00Z");
    CHECK(c.mimetype == "text/html");
    CHECK(c.status == 200);
    CHECK(c.digest == "ABC");
    CHECK(c.file == "x.warc.gz");
    CHECK(c.offset == 7);
    CHECK(c.length == 8);
    CHECK_FALSE(page.captures[1].capture.offset);
    CHECK(page.deleted == 1);
    CHECK(page.token == "next");
}

TEST_CASE("recover: nothing matches, and that is an answer") {
    const Page page = read_page(answer("<error code=\"noRecordsMatch\">none</error>"));
    CHECK(page.captures.empty());
    CHECK(page.token.empty());
}

TEST_CASE("recover: what is no page of captures is refused") {
    for (const std::string& said :
         {std::string("no XML"), std::string("<a/>"), std::string("<!DOCTYPE a><a/>"), std::string(),
          answer("<error code=\"cannotDisseminateFormat\">no warc</error>"), answer("<Identify/>"),
          answer("<ListRecords>" + record("<url>http://a.org/</url>") + "</ListRecords>"),
          answer("<ListRecords>" + record("<time>2015</time>") + "</ListRecords>"),
          answer("<ListRecords><record><header/><metadata><dc/></metadata></record></ListRecords>")})
        CHECK_THROWS_AS(read_page(said), std::runtime_error);
}
