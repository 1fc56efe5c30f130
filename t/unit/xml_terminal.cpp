// SPDX-License-Identifier: MIT
#include "xml/terminal.h"

#include <catch2/catch.hpp>

#include "xml/document.h"

using namespace oai;

namespace {

std::string print(const char* document, bool coloured = false) {
    xml::initialise();
    return xml::terminal_text(xml::parse_memory(document, "test").get(), coloured);
}

}  // namespace

TEST_CASE("terminal: elements alone are indented, text stays as it is") {
    CHECK(print("<a><b>x <i>y</i> z</b><c/></a>") == "<a>\n  <b>x <i>y</i> z</b>\n  <c/>\n</a>\n");
    CHECK(print("<a>\n\n<b/>\n</a>") == "<a>\n  <b/>\n</a>\n");
    CHECK(print("<!--c--><a xmlns='u' xmlns:p='v' p:k='1'/>") == "<!--c-->\n<a xmlns=\"u\" xmlns:p=\"v\" p:k=\"1\"/>\n");
}

TEST_CASE("terminal: what it shows is XML still") {
    CHECK(print("<a k='&quot;&lt;'>&amp;&lt;</a>") == "<a k=\"&quot;&lt;\">&amp;&lt;</a>\n");
    CHECK(print("<a><![CDATA[<b>]]></a>") == "<a>&lt;b&gt;</a>\n");
}

TEST_CASE("terminal: colours are told from text, and text gives no orders") {
    const std::string coloured = print("<a k='v'>t</a>", true);
    CHECK(coloured == "<\x1b[36ma\x1b[0m \x1b[33mk\x1b[0m=\x1b[32m\"v\"\x1b[0m>t</\x1b[36ma\x1b[0m>\n");
    CHECK(print("<a>\xC2\x9B" "31m \xE2\x80\xAE</a>") == "<a>\\u{9B}31m \\u{202E}</a>\n");
}
