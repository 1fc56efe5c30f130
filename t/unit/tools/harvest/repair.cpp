// SPDX-License-Identifier: MIT
#include "t/lib/unit_headers.h"
#include "tools/harvest/answer.h"

using oai::harvest::repair;
using oai::harvest::skip_lead;

TEST_CASE("skips white space and byte order marks before a document") {
    CHECK(skip_lead("<a/>") == "<a/>");
    CHECK(skip_lead("\xEF\xBB\xBF<a/>") == "<a/>");
    CHECK(skip_lead("\r\n\t \xEF\xBB\xBF\xEF\xBB\xBF\n<a/> ") == "<a/> ");
    CHECK(skip_lead("\xEF\xBB<a/>") == "\xEF\xBB<a/>");
    CHECK(skip_lead(" \n").empty());
}

TEST_CASE("leaves a sound document unchanged") {
    for (const char* sound :
         {"<a>\xC3\xA9 &amp; &#233; &#xE9; &#x10FFFF; &quot;</a>", "", "<![CDATA[a & b &x;]]>",
          "<!-- & -->", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xE9</a>",
          "\xEF\xBF\xBD"}) {
        CAPTURE(sound);
        CHECK(repair(sound).bytes == sound);
        CHECK(repair(sound).changes == 0);
    }
}

TEST_CASE("replaces and counts forbidden characters and references to them") {
    struct Case {
        const char* given;
        const char* repaired;
        int changes;
    };
    const Case cases[] = {
        {"a\x01z", "a\xEF\xBF\xBDz", 1},
        {"a\xFF\xFEz", "a\xEF\xBF\xBD\xEF\xBF\xBDz", 2},
        {"\xEF\xBF\xBF", "\xEF\xBF\xBD", 1},
        {"\xEF\xBF\xBD\x02", "\xEF\xBF\xBD\xEF\xBF\xBD", 1},
        {"&#1;&#x1F;&#xD800;&#xFFFF;", "&#xFFFD;&#xFFFD;&#xFFFD;&#xFFFD;", 4},
        {"&#99999999999;", "&#xFFFD;", 1},
        {"&#x110000;", "&#xFFFD;", 1},
        {"<?xml version='1.0' encoding='latin1'?>\xE9\x01<![CDATA[\x02]]>&#1;",
         "<?xml version='1.0' encoding='latin1'?>\xE9&#xFFFD;<![CDATA[]]>&#xFFFD;<![CDATA[]]>"
         "&#xFFFD;",
         3},
    };
    for (const Case& c : cases) {
        CAPTURE(c.given);
        CHECK(repair(c.given).bytes == c.repaired);
        CHECK(repair(c.given).changes == c.changes);
    }
}

TEST_CASE("escapes an ampersand that begins none of XML's references") {
    CHECK(repair("a&b").bytes == "a&amp;b");
    CHECK(repair("a & b").bytes == "a &amp; b");
    CHECK(repair("&nbsp;").bytes == "&amp;nbsp;");
    CHECK(repair("?a=1&amp;b=2&c=3").bytes == "?a=1&amp;b=2&amp;c=3");
    CHECK(repair("&#;").bytes == "&amp;#;");
    CHECK(repair("&#x;&#12a;").bytes == "&amp;#x;&amp;#12a;");
    CHECK(repair("&").bytes == "&amp;");
    CHECK(repair("&&amp;").changes == 1);
    CHECK(repair("<![CDATA[ & ").changes == 0);  // the parser refuses an unterminated section
}

TEST_CASE("ignores an encoding after an unterminated declaration") {
    const std::string page = "<?xml \x01><a encoding='latin1'>\xFF</a>";
    const std::string repaired = repair(page).bytes;
    CHECK(repaired == "<?xml \xEF\xBF\xBD><a encoding='latin1'>\xEF\xBF\xBD</a>");
    CHECK(repair(repaired).changes == 0);
}

TEST_CASE("drops text after the end, once") {
    CHECK(repair("<OAI-PMH>x</OAI-PMH>\n<br>oops").bytes == "<OAI-PMH>x</OAI-PMH>");
    CHECK(repair("<o:OAI-PMH>x</o:OAI-PMH>z").changes == 1);
    CHECK(repair("<OAI-PMH>x</OAI-PMH>\n ").changes == 0);
    CHECK(repair("<OAI-PMH>x").changes == 0);
}

TEST_CASE("joins surrogates, and drops what may only stand before an element") {
    for (const char* given : {"&#xD83D;&#xDE00;", "&#55357;&#56832;", "&#xd83d;&#56832;"}) {
        CAPTURE(given);
        CHECK(repair(given).bytes == "&#x1F600;");
        CHECK(repair(given).changes == 1);
    }
    CHECK(repair("\xED\xA0\xBD\xED\xB8\x80").bytes == "\xF0\x9F\x98\x80");
    CHECK(repair("&#xD83D;&#x41;").bytes == "&#xFFFD;&#x41;");
    CHECK(repair("<?xml version='1.0'?><a><?xml version='1.0'?><!DOCTYPE b><b/></a>").bytes ==
          "<?xml version='1.0'?><a><b/></a>");
    CHECK(repair("<a><![CDATA[<?xml version='1.0'?>]]></a>").changes == 0);
}
