// SPDX-License-Identifier: MIT
#include "format/description.h"

#include <catch2/catch.hpp>

#include "protocol/record.h"
#include "xml/document.h"

using namespace oai;

namespace {

std::string stylesheet(const std::string& description) {
    return "<?xml version='1.0'?>\n<!-- <f:format prefix='x'/> -->\r\n<xsl:stylesheet version='1.0'"
           " xmlns:xsl='http://www.w3.org/1999/XSL/Transform' xmlns:f='urn:oai-fcgi:format'>\n" +
           description + "\n</xsl:stylesheet>\n";
}

const Seconds kMoment = parse_datestamp("2026-02-03T04:05:06Z")->first;

}  // namespace

TEST_CASE("since: is written into the element that describes the format, and nowhere else") {
    const std::string since = "since=\"2026-02-03T04:05:06Z\"";
    const std::pair<std::string, std::string> cases[] = {
        {"<f:format prefix='p'/>", "<f:format " + since + " prefix='p'/>"},
        {"<f:format\n  prefix=\"p\"\n  since = '2001-01-01' schema='a > since=\"b\"'>\n</f:format>",
         "<f:format\n  prefix=\"p\"\n  since = '2026-02-03T04:05:06Z' schema='a > "
         "since=\"b\"'>\n</f:format>"},
        {"<format xmlns='urn:oai-fcgi:format' since=''/>",
         "<format xmlns='urn:oai-fcgi:format' since='2026-02-03T04:05:06Z'/>"},
        {"<f:about formats='p'/>", ""}};
    for (const auto& [before, after] : cases) {
        INFO(before);
        const auto made = with_since(stylesheet(before), "p.xsl", kMoment);
        if (after.empty())
            CHECK_FALSE(made);
        else
            CHECK(made == stylesheet(after));
    }
    CHECK(with_since("<f:format xmlns:f='urn:oai-fcgi:format' prefix='p'/>", "p.format", kMoment) ==
          "<f:format " + since + " xmlns:f='urn:oai-fcgi:format' prefix='p'/>");
    CHECK_FALSE(with_since(stylesheet(""), "p.xsl", kMoment));
    CHECK_THROWS_AS(with_since("<a>", "p.xsl", kMoment), xml::Error);
}
