// SPDX-License-Identifier: MIT
#include "xml/doctype.h"

#include <catch2/catch.hpp>

using oai::xml::hide_doctype;

namespace {

// What is left of the document; "-" if nothing was hidden.
std::string hidden(std::string document) {
    const std::string before = document;
    if (hide_doctype(document)) return document;
    CHECK(document == before);
    return "-";
}

}  // namespace

TEST_CASE("hides a DOCTYPE that declares nothing, and keeps the lines") {
    CHECK(hidden("<!DOCTYPE a><a/>") == "            <a/>");
    CHECK(hidden("\xEF\xBB\xBF<?x >?><!-- <!DOCTYPE b [ -->\n<!DOCTYPE a\nSYSTEM '>'>\n<a/>") ==
          "\xEF\xBB\xBF<?x >?><!-- <!DOCTYPE b [ -->\n           \n           \n<a/>");
    CHECK(hidden("<!DOCTYPE a PUBLIC \"[\" '\"'><a/>").ends_with("  <a/>"));
}

TEST_CASE("leaves another document as it is") {
    CHECK(hidden("") == "-");
    CHECK(hidden("<a/>") == "-");
    CHECK(hidden("<a><!DOCTYPE a></a>") == "-");
    CHECK(hidden("<!-- <!DOCTYPE a> -->") == "-");
    CHECK(hidden("<!-- <!DOCTYPE a>") == "-");
    CHECK(hidden("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>") == "-");
    CHECK(hidden("<!DOCTYPE a SYSTEM \"a><a/>") == "-");
    CHECK(hidden("<!DOCTYPE a") == "-");
}
