// SPDX-License-Identifier: MIT
#include "browse/title.h"

#include <catch2/catch.hpp>

#include "xml/document.h"

using namespace oai;

namespace {

std::string title(const std::string& inside) {
    return title_of(
        xmlDocGetRootElement(xml::parse_memory("<m xmlns:d='u'>" + inside + "</m>", "test").get()));
}

}  // namespace

TEST_CASE("title: the first title without child elements, in any namespace") {
    CHECK(title("<d:dc><d:creator>C</d:creator><d:title>  A \n\t title "
                "</d:title><d:title>B</d:title></d:dc>") == "A title");
    CHECK(
        title(
            "<mods><title><part>x</part></title><titleInfo><title>T</title></titleInfo></mods>") ==
        "T");
    CHECK(title("<d:title/><d:title> </d:title><d:title>C</d:title>") == "C");
    CHECK(title("<d:title>a &lt; <!-- x -->b</d:title>") == "a < b");
}

TEST_CASE("title: field 245 of MARC") {
    const std::string marc =
        "<r><datafield tag='100'><subfield code='a'>A</subfield></datafield><datafield tag='245'>"
        "<subfield code='b'>B</subfield><subfield code='a'>The title</subfield></datafield></r>";
    CHECK(title(marc) == "The title");
    CHECK(title(marc + "<title>Own</title>") == "Own");
}

TEST_CASE("title: empty if there is none") {
    CHECK(title("").empty());
    CHECK(title("text <titles>x</titles><datafield tag='245'/><datafield/>").empty());
}
