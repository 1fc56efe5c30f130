// SPDX-License-Identifier: MIT
#include "t/lib/unit_headers.h"
#include "tools/harvest/answer.h"
#include "xml/document.h"

using oai::harvest::salvage;

namespace {

std::string record(const std::string& id, const std::string& metadata) {
    return "<record>\n<header><identifier>" + id + "</identifier></header><metadata>" + metadata +
           "</metadata></record>";
}

std::string page(const std::string& inside) {
    return "<?xml version=\"1.0\"?><OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\" "
           "xmlns:x=\"urn:x\"><responseDate>2024-01-01"
           "</responseDate><ListRecords>" +
           inside + "</ListRecords></OAI-PMH>";
}

}  // namespace

TEST_CASE("salvages the sound records and the identifiers of the others") {
    const auto remains = salvage(page(
        record("1", "<x:a>one</x:a>") + record(" 2 ", "<x:a>two</x:b>") + record("3", "<x:a/>") +
        "<resumptionToken completeListSize=\"9\">t&amp;1</resumptionToken>"));
    REQUIRE(remains);
    REQUIRE(remains->answer.records.size() == 2);
    CHECK(remains->answer.records[0].metadata == "<x:a xmlns:x=\"urn:x\">one</x:a>");
    CHECK(remains->answer.records[1].identifier == "3");
    CHECK(remains->broken == Strings{"2"});
    CHECK(remains->answer.token == "t&1");
    CHECK(remains->answer.list_size == 9);
    CHECK(remains->answer.response_date == "2024-01-01");
    CHECK(remains->answer.verb == "ListRecords");
    for (const auto& record : remains->answer.records) CHECK(record.response_date == "2024-01-01");
}

TEST_CASE("elements named record within metadata are not records") {
    const auto remains = salvage(page(record("1", "<record xmlns=\"urn:marc\"><leader/></record>") +
                                      record("2", "<x:a></x:b>")));
    REQUIRE(remains);
    REQUIRE(remains->answer.records.size() == 1);
    CHECK(remains->answer.records[0].metadata == "<record xmlns=\"urn:marc\"><leader/></record>");
    CHECK(remains->broken == Strings{"2"});
    CHECK(remains->answer.token.empty());
}

TEST_CASE("salvages with prefixes, trailing text, records without identifier") {
    const auto remains = salvage(
        "<o:OAI-PMH "
        "xmlns:o='u'><o:ListRecords><o:record><o:header><o:identifier>1</o:identifier></o:header></"
        "o:record>"
        "<o:record><o:header><o:identi</o:record></o:ListRecords></o:OAI-PMH><br>oops");
    REQUIRE(remains);
    CHECK(remains->answer.records.size() == 1);
    CHECK(remains->broken.empty());
    CHECK(remains->answer.nameless.size() == 1);
}

TEST_CASE("reads pieces in the encoding of the page, identifiers as XML") {
    const auto remains = salvage(
        "<?xml version='1.0' "
        "encoding='ISO-8859-1'?><OAI-PMH><responseDate>\xE9</responseDate><ListRecords>" +
        record("1", "<a>\xE9</a>") + record("2&amp;\xE9", "<a></b>") + "</ListRecords></OAI-PMH>");
    REQUIRE(remains);
    REQUIRE(remains->answer.records.size() == 1);
    CHECK(remains->answer.records[0].metadata == "<a xmlns=\"\">\xC3\xA9</a>");
    CHECK(remains->broken == Strings{"2&\xC3\xA9"});
    CHECK(remains->answer.response_date == "\xEF\xBF\xBD");
}

TEST_CASE("does not salvage a page without its end") {
    const std::string whole = page(record("1", "<x:a/>"));
    CHECK(salvage(whole));
    CHECK_FALSE(salvage(whole.substr(0, whole.find("</ListRecords>") + 5)));
    CHECK_FALSE(salvage("<html><body>ListRecords</body></html>"));
    CHECK_FALSE(salvage(""));
    CHECK_FALSE(salvage("OAI-PMH"));
    CHECK_FALSE(salvage(page(record("1", "<x:a/>") + "<resumptionToken>a</x></resumptionToken>")));
}

// A repository that means harm: looked at once for each of its tags, such a page would take hours.
TEST_CASE("a page of unterminated tags or a huge root costs little time") {
    std::string tags;
    for (int i = 0; i < 500'000; ++i) tags += "<record ";
    const auto remains = salvage("<OAI-PMH><ListRecords>" + tags + "><header></ListRecords>");
    REQUIRE(remains);
    CHECK(remains->answer.records.empty());
    CHECK(remains->answer.nameless.size() == 1);
    std::string records;
    for (int i = 0; i < 10'000; ++i) records += record("1", "<x:a/>");
    CHECK_FALSE(salvage("<OAI-PMH a='" + std::string(1'000'000, 'a') + "'><ListRecords>" + records +
                        "</ListRecords>"));
}
