// SPDX-License-Identifier: MIT
#include "browse/catalogue.h"

#include <regex>

#include "t/lib/unit_headers.h"
#include "xml/document.h"

namespace {

const Catalogue& shipped() {
    static const Catalogue catalogue("xslt/page", "en cs");
    return catalogue;
}

}  // namespace

TEST_CASE("catalogue: Accept-Language chooses the language") {
    const auto chosen = [](const char* header) { return shipped().choose(header).tag; };
    for (const char* czech : {"cs", "cs-CZ", "CS", "de, cs;q=0.5", "cs-CZ,cs;q=0.9,en;q=0.8",
                              "en;q=0.7, cs ; q=0.8", "fr;q=1.0,cs;q=0.001", "sk"})
        CHECK(chosen(czech) == "cs");
    for (const char* english : {"", "en", "*", "de", "en,cs", "cs;q=0", "cs;q=0.0, de", "csb",
                                "cs;q=x", "cs;q=1.5", ";;,,", "-", "en-GB,cs;q=0.9"})
        CHECK(chosen(english) == "en");
}

TEST_CASE("catalogue: any Accept-Language has an answer") {
    const Catalogue german("xslt/page", "en de");
    CHECK(german.choose("de-Latn-AT-x-private").tag == "de");
    CHECK(german.choose("d").tag == "en");
    CHECK(german.choose(std::string(900, ',') + "de").tag == "de");
    std::string many;
    for (int i = 0; i < 10'000; ++i) many += "fr,";
    CHECK(german.choose(many + "de").tag == "en");
    CHECK(german.choose("\xff\xfe, \"de\"").tag == "en");
}

TEST_CASE("catalogue: languages have names and are found by their tags") {
    CHECK(shipped().languages().size() == 2);
    CHECK(shipped().find("cs")->name == "Čeština");
    CHECK(shipped().find("de") == nullptr);
    CHECK(shipped().find("") == nullptr);
}

TEST_CASE("catalogue: each text of one shipped language is in all others, with the same values") {
    const auto& ours = shipped().languages().front().texts;
    CHECK(ours.size() > 150);
    for (const char* tag : {"cs", "sk", "de"}) {
        const Catalogue alone("xslt/page", tag);  // so that no text is taken from English
        const auto& theirs = alone.languages().front().texts;
        for (const auto& [id, text] : ours) {
            CAPTURE(tag, id);
            const auto found = theirs.find(id);
            REQUIRE(found != theirs.end());
            for (const char* value : {"{1}", "{2}"})
                CHECK((text.words.find(value) != std::string::npos) ==
                      (found->second.words.find(value) != std::string::npos));
            CHECK(text.words.empty() == found->second.words.empty());
            CHECK(text.many.empty() == found->second.many.empty());
        }
        CHECK(theirs.size() == ours.size());
    }
}

// Every case of an error that the sources name has a text.
TEST_CASE("catalogue: each kind of error is told in words") {
    const auto& texts = shipped().languages().front().texts;
    const std::string arguments = xml::read_file("lib/protocol/arguments.cpp");
    const std::regex use(R"~(bad_(argument|verb|token)\(\s*"(\w+)")~");
    std::set<std::string> used;
    for (std::sregex_iterator m(arguments.begin(), arguments.end(), use), end; m != end; ++m)
        used.insert(((*m)[1] == "argument" ? "error.badArgument."
                     : (*m)[1] == "verb"   ? "error.badVerb."
                                           : "error.badResumptionToken.") +
                    (*m)[2].str());
    CHECK(used.size() >= 15);
    for (const char* other : {"error.badResumptionToken.rebuilt", "error.noRecordsMatch.set",
                              "error.cannotDisseminateFormat.unknown"})
        used.insert(other);
    for (const std::string& id : used) {
        CAPTURE(id);
        CHECK(texts.contains(id));
    }
}

TEST_CASE("catalogue: each text that the stylesheets use is there") {
    std::string stylesheets;
    for (const auto& file : fs::recursive_directory_iterator("xslt/page"))
        if (file.path().extension() == ".xsl") stylesheets += xml::read_file(file.path());
    const std::regex use(R"~(p:(?:say|count)\('([^']+)'[,)])~");
    std::set<std::string> used;
    for (std::sregex_iterator m(stylesheets.begin(), stylesheets.end(), use), end; m != end; ++m)
        used.insert((*m)[1]);
    CHECK(used.size() > 70);
    for (const std::string& id : used) {
        CAPTURE(id);
        CHECK(shipped().languages().front().texts.contains(id));
    }
}

TEST_CASE("catalogue: values replace their numbers in the text, and are not expanded themselves") {
    Language language;
    language.texts["a"].words = "{2} of {1}{1}, {3} {x} {";
    CHECK(language.say("a", {"x{2}", "y"}) == "y of x{2}x{2}, {3} {x} {");
    CHECK(language.say("a") == "{2} of {1}{1}, {3} {x} {");
    CHECK(language.say("b", {"x"}).empty());
}

TEST_CASE("catalogue: numbers, and nouns in the form that goes with them") {
    const Language& english = *shipped().find("en");
    const Language& czech = *shipped().find("cs");
    const Catalogue others("xslt/page", "sk de");
    const Language &slovak = *others.find("sk"), &german = *others.find("de");
    CHECK(english.number("0") == "0");
    CHECK(english.number("999") == "999");
    CHECK(english.number("1000") == "1,000");
    CHECK(english.number("12345678") == "12,345,678");
    CHECK(english.number("NaN") == "NaN");
    CHECK(english.number("-1000") == "-1000");
    CHECK(czech.number("1000") == "1\u00A0000");
    CHECK(english.count("records", "1") == "1\u00A0record");
    CHECK(english.count("records", "0") == "0\u00A0records");
    CHECK(czech.count("records", "1") == "1\u00A0záznam");
    CHECK(czech.count("records", "4") == "4\u00A0záznamy");
    CHECK(czech.count("records", "5") == "5\u00A0záznamů");
    CHECK(slovak.count("records", "1") == "1\u00A0záznam");
    CHECK(slovak.count("records", "3") == "3\u00A0záznamy");
    CHECK(slovak.count("records", "20000000") == "20\u00A0000\u00A0000\u00A0záznamov");
    CHECK(german.count("records", "1") == "1\u00A0Datensatz");
    CHECK(german.count("records", "20000000") == "20.000.000\u00A0Datensätze");
    CHECK(german.count("of-records", "2") == "2\u00A0Datensätzen");
}

TEST_CASE("catalogue: the error names the file that is missing") {
    CHECK_THROWS_WITH(Catalogue("xslt/page", "en xx"), Contains("xslt/page/text/xx.xml"));
    CHECK_THROWS_WITH(Catalogue("t/no-such", "en"), Contains("t/no-such/text/en.xml"));
}
