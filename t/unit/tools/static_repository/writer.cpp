// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <sstream>

#include "tools/static_repository/gateway.h"
#include "xml/document.h"
#include "xml/push_parser.h"

using namespace oai;
using namespace oai::static_repository;

namespace {

struct CollectedRepository final : RepositoryHandler {
    void identity(const StaticIdentity& i) override { who = i; }
    void format(const StaticFormat& f) override { formats.push_back(f); }
    void record(const std::string&, const xmlNode* r) override {
        records.push_back(xml::document_text(r));
    }
    void fault(long, const std::string& what) override { faults += what + "\n"; }
    void note(long, const std::string& what) override { faults += "remark: " + what + "\n"; }
    StaticIdentity who;
    std::vector<StaticFormat> formats;
    std::vector<std::string> records;
    std::string faults;
};

}  // namespace

TEST_CASE("the result is a valid static repository with day granularity and without sets") {
    const auto answer = xml::parse_memory(
        "<record xmlns=\"http://www.openarchives.org/OAI/2.0/\" "
        "xmlns:dc=\"urn:dc\"><header><identifier>oai:a:1</identifier>"
        "<datestamp>2015-03-01T12:00:00Z</datestamp><setSpec>a:b</setSpec></"
        "header><metadata>\n<dc:d "
        "a=\"&lt;\"><dc:t>R &amp; D</dc:t></dc:d></metadata>"
        "<about><x:p xmlns:x=\"urn:x\"/></about></record>",
        "answer");
    std::ostringstream out;
    write_head(
        out,
        {"A & B", "http://g.example/r.xml", "2010-01-01T00:00:00Z", {"a@a.example", "b@a.example"}},
        {"<d xmlns=\"urn:d\"/>"}, {{"oai_dc", "http://a.example/x.xsd", "urn:dc"}});
    begin_list(out, "oai_dc");
    write_record(out, xmlDocGetRootElement(answer.get()));
    end_list(out);
    write_end(out);
    CollectedRepository kept;
    load::Input input = load::Input::of_bytes(out.str());
    read(input, kept);
    CHECK(kept.faults.empty());
    CHECK(kept.who.name == "A & B");
    CHECK(kept.who.earliest_datestamp == "2010-01-01");
    CHECK(kept.who.admin_emails.size() == 2);
    REQUIRE(kept.records.size() == 1);
    CHECK(kept.records[0].find("2015-03-01<") != std::string::npos);
    CHECK(kept.records[0].find("setSpec") == std::string::npos);
    CHECK(kept.records[0].find(
              "<dc:d xmlns:dc=\"urn:dc\" a=\"&lt;\"><dc:t>R &amp; D</dc:t></dc:d>") !=
          std::string::npos);
    CHECK(kept.records[0].find("<x:p xmlns:x=\"urn:x\"") != std::string::npos);
}
