// SPDX-License-Identifier: MIT
#include "page/catalogue.h"

#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "xml/document.h"

using namespace oai;

namespace {

const Catalogue& shipped() {
    xml::initialise();
    static const Catalogue catalogue("xslt/page", "en cs");
    return catalogue;
}

}  // namespace

TEST_CASE("catalogue: Accept-Language chooses") {
    const auto chosen = [](const char* header) { return shipped().choose(header).tag; };
    for (const char* czech : {"cs", "cs-CZ", "CS", "de, cs;q=0.5", "cs-CZ,cs;q=0.9,en;q=0.8", "en;q=0.7, cs ; q=0.8", "fr;q=1.0,cs;q=0.001"})
        CHECK(chosen(czech) == "cs");
    for (const char* english : {"", "en", "*", "de", "en,cs", "cs;q=0", "cs;q=0.0, de", "csb", "cs;q=x", "cs;q=1.5", ";;,,", "-", "en-GB,cs;q=0.9"})
        CHECK(chosen(english) == "en");
}

TEST_CASE("catalogue: languages have names and are found by their tags") {
    CHECK(shipped().languages().size() == 2);
    CHECK(shipped().find("cs")->name == "Čeština");
    CHECK(shipped().find("de") == nullptr);
    CHECK(shipped().find("") == nullptr);
}

TEST_CASE("catalogue: each text of one shipped language is in the other, with the same values") {
    const std::regex text("<t id=\"([^\"]+)\"(?: one=[^>]*)?/?>([^<]*)");
    std::map<std::string, std::string> english;
    const std::string& en = shipped().find("en")->texts;
    const xml::DocumentHandle alone = xml::parse_file("xslt/page/text/cs.xml");  // as it is, without what is filled in
    std::string cs = xml::read_file("xslt/page/text/cs.xml");
    std::set<std::string> ids, czech;
    for (std::sregex_iterator m(en.begin(), en.end(), text), end; m != end; ++m) {
        CHECK(ids.insert((*m)[1]).second);
        english[(*m)[1]] = (*m)[2];
    }
    for (std::sregex_iterator m(cs.begin(), cs.end(), text), end; m != end; ++m) {
        CAPTURE((*m)[1].str());
        CHECK(czech.insert((*m)[1]).second);
        CHECK(((*m)[2].str().find("{1}") != std::string::npos) == (english[(*m)[1]].find("{1}") != std::string::npos));
    }
    CHECK(ids.size() > 100);
    CHECK(ids == czech);
}

TEST_CASE("catalogue: a file that is none is named") {
    xml::initialise();
    CHECK_THROWS_WITH(Catalogue("xslt/page", "en xx"), Catch::Contains("xslt/page/text/xx.xml"));
    CHECK_THROWS_WITH(Catalogue("t/no-such", "en"), Catch::Contains("t/no-such/text/en.xml"));
}
