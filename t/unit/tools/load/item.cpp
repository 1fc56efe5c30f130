// SPDX-License-Identifier: MIT
#include "tools/load/item.h"

#include "t/lib/unit_headers.h"
#include "tools/load/words.h"

using namespace oai::load;

namespace {

Item with(Element e, const char* text) {
    Item item;
    item.add(e, text);
    complete(item);
    return item;
}

}  // namespace

TEST_CASE("local ids consist of characters of a URI's path") {
    CHECK(local_id_of(" thesis/1234 ") == "thesis/1234");
    CHECK(local_id_of("a b?#\"ž") == "a%20b%3F%23%22%C5%BE");
    CHECK(local_id_of("a%20b%zz%2") == "a%20b%25zz%252");
    CHECK(local_id_of("") == "");
    CHECK(local_id_of(std::string(500, 'x')) == std::string(500, 'x'));
    CHECK(local_id_of(std::string(501, 'x')) == "");
}

TEST_CASE("labels in the path of a set are escaped, and empty ones dropped") {
    CHECK(set_path("faculty:arts") == "faculty:arts");
    CHECK(set_path(" :a::b c: ") == "a:b~20c");
    CHECK(set_path("Sbírka") == "Sb~C3~ADrka");
    CHECK(set_path(":") == "");
    CHECK(set_path(std::string(501, 'x')) == "");
}

TEST_CASE("repeated values, surrounding blanks and invalid languages are dropped") {
    Item item;
    item.add(Element::title, " A \n", "cs");
    item.add(Element::title, "A", "cs");
    item.add(Element::title, "A", "en-GB");
    item.add(Element::title, "B", "Czech language");
    item.add(Element::title, "C", "4x");
    item.add(Element::title, "  ");
    CHECK(item[Element::title] ==
          std::vector<Value>{{"A", "cs"}, {"A", "en-GB"}, {"B", ""}, {"C", ""}});
}

TEST_CASE("the kind of an item follows from the words of its types") {
    CHECK(kind_of("info:eu-repo/semantics/doctoralThesis") == "thesis:doctoral");
    CHECK(kind_of("http://purl.org/dc/dcmitype/StillImage") == "image");
    CHECK(kind_of(" Journal Article ") == "article");
    CHECK(kind_of("Text") == "");
    CHECK(kind_of("article|journal article") == "");
    CHECK(with(Element::type, "Dataset").kind == "dataset");
    CHECK(kind_of("Bakalářská práce") == "thesis:bachelor");
    CHECK(kind_of("Zeitschrift") == "journal");
}

TEST_CASE("columns and languages are known by what people call them") {
    CHECK(folded(" Rok_vydání: ") == "rok vydani");
    CHECK(column_meant_by("Klíčová slova") == "subject");
    CHECK(column_meant_by("dc.contributor.author") == "creator");
    CHECK(column_meant_by("dc:title") == "title");
    CHECK(column_meant_by("dc.date.accessioned") == "");
    CHECK(column_meant_by("Regál") == std::nullopt);
    for (const char* german : {"de", "ger", "deu", "němčina", "Nemčina", "German", "Deutsch"})
        CHECK(language_meant_by(german) == "de");
    CHECK(language_meant_by("x") == "");
}

TEST_CASE("the type of an identifier is recognised") {
    for (const char* doi :
         {"10.1234/a.b(c)", "doi:10.1234/a.b(c)", "https://doi.org/10.1234/a.b(c)",
          "http://dx.doi.org/10.1234/a.b(c)", "DOI: 10.1234/a.b(c)"}) {
        CHECK(with(Element::identifier, doi).doi == "10.1234/a.b(c)");
        CHECK(with(Element::identifier, doi).landing_page == "");
    }
    CHECK(with(Element::identifier, "10.1234.5/x").doi == "10.1234.5/x");
    for (const char* none : {"10.123/x", "10.1234/", "10.1234/a b", "10.1234/ž", "10.12345678901/x",
                             "10.1234./x", "10./x", "11.1234/x"})
        CHECK(with(Element::identifier, none).doi == "");
    CHECK(with(Element::identifier, "urn:nbn:cz:a-1").urn == "urn:nbn:cz:a-1");
    for (const char* none : {"urn:x", "urn:a:b", "urn:-ab:c", "urn:nbn:", "urn:isbn:80-1"})
        CHECK(with(Element::identifier, none).urn == "");
    CHECK(with(Element::identifier, "urn:isbn:80-1").isbn == Strings{"80-1"});
    CHECK(with(Element::identifier, "ISBN 978-80-1 (bound)").isbn == Strings{"978-80-1"});
    CHECK(with(Element::identifier, "ISSN: 1234-567X").issn == Strings{"1234-567X"});
    CHECK(with(Element::identifier, "https://e.org/1").landing_page == "https://e.org/1");
    for (const char* none : {"https://", "http://e.org/a b", "ftp://e.org/", "http://e.org/ž"})
        CHECK(with(Element::identifier, none).landing_page == "");
    CHECK(with(Element::identifier, "a b").local_id == "a%20b");
}

TEST_CASE("years and licences are recognised") {
    CHECK(with(Element::date, "2011-02-03").year == 2011);
    CHECK(with(Element::date, "[c1993]").year == 1993);
    CHECK(with(Element::date, "20110203").year == std::nullopt);
    CHECK(with(Element::date, "19th century").year == std::nullopt);
    CHECK(with(Element::date, "0000-00-00").year == std::nullopt);
    CHECK(with(Element::date, "0000, i.e. 1987").year == 1987);
    CHECK(with(Element::rights, "https://creativecommons.org/licenses/by/4.0/").licence ==
          "https://creativecommons.org/licenses/by/4.0/");
    CHECK(with(Element::rights, "All rights reserved").licence == "");
}
