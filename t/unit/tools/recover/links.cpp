// SPDX-License-Identifier: MIT
#include "tools/recover/links.h"

#include <catch2/catch.hpp>

#include "base/text.h"

using namespace oai::recover;

namespace {

std::string with(std::string_view html, const ReferenceMapper& target,
                 Markup markup = Markup::html) {
    return apply_edits(html, link_edits(html, markup, target));
}

// Every reference that is asked for, in brackets.
std::string marked(std::string_view html, Markup markup = Markup::html) {
    return with(
        html, [](const std::string& reference) { return "[" + reference + "]"; }, markup);
}

}  // namespace

TEST_CASE("recover: replaces references with any quotes") {
    CHECK(marked("<a href=\"b\">") == "<a href=\"[b]\">");
    CHECK(marked("<a href='b'>") == "<a href='[b]'>");
    CHECK(marked("<a href=b>") == "<a href=\"[b]\">");
    CHECK(marked("<a href=b\"c>") == "<a href=\"[b&quot;c]\">");
    CHECK(marked("<A x HREF = b c=d>") == "<A x HREF = \"[b]\" c=d>");
    CHECK(marked("<img src=' b ' alt='src=c'/>") == "<img src=' [b] ' alt='src=c'/>");
    CHECK(marked("<a x href=b>") == "<a x href=\"[b]\">");
    CHECK(marked("<a href=\"b?c&amp;d\">") == "<a href=\"[b?c&amp;d]\">");
    CHECK(marked("<a href='b&#38;c&#x26;d&amp;e&apos;'>") ==
          "<a href='[b&amp;c&amp;d&amp;e&#39;]'>");
}

TEST_CASE("recover: finds references in every attribute that has them") {
    struct Case {
        const char *html, *wanted;
    };
    for (const auto& [html, wanted] : {
             Case{"<a href='b'>", "<a href='[b]'>"},
             Case{"<area href='b'>", "<area href='[b]'>"},
             Case{"<link href='b' rel=manifest>", "<link href='[b]' rel=manifest>"},
             Case{"<link imagesrcset='b 1x, c 2x'>", "<link imagesrcset='[b] 1x, [c] 2x'>"},
             Case{"<use xlink:href='#b'>", "<use xlink:href='[#b]'>"},
             Case{"<use href='b#c'>", "<use href='[b#c]'>"},
             Case{"<img src='b' lowsrc='c' dynsrc='d' longdesc='e'>",
                  "<img src='[b]' lowsrc='[c]' dynsrc='[d]' longdesc='[e]'>"},
             Case{"<script src='b'></script>", "<script src='[b]'></script>"},
             Case{"<embed src='b'>", "<embed src='[b]'>"},
             Case{"<frame src='b'><iframe src='c'>", "<frame src='[b]'><iframe src='[c]'>"},
             Case{"<track src='b'><input src='c'>", "<track src='[b]'><input src='[c]'>"},
             Case{"<video poster='b' src='c'>", "<video poster='[b]' src='[c]'>"},
             Case{"<source srcset='b 1x, c 2x'>", "<source srcset='[b] 1x, [c] 2x'>"},
             Case{"<body background='b'><td background='c'>",
                  "<body background='[b]'><td background='[c]'>"},
             Case{"<object data='b'><param value='c'></object>",
                  "<object data='[b]'><param value='c'></object>"},
             Case{"<form action='b'><button formaction='c'>",
                  "<form action='[b]'><button formaction='[c]'>"},
             Case{"<a ping=' b  c '><area ping='d'>", "<a ping=' [b]  [c] '><area ping='[d]'>"},
             Case{"<blockquote cite='b'><q cite='c'>", "<blockquote cite='[b]'><q cite='[c]'>"},
             Case{"<ins cite='b'><del cite='c'>", "<ins cite='[b]'><del cite='[c]'>"},
             Case{"<html manifest='b'>", "<html manifest='[b]'>"},
             Case{"<svg><image href='b' /></svg>", "<svg><image href='[b]' /></svg>"},
             // Attributes of the same name in other elements, names that are no references, and
             // scripts.
             Case{"<x data='b' action='c' cite='d' manifest='e' ping='f'>",
                  "<x data='b' action='c' cite='d' manifest='e' ping='f'>"},
             Case{"<div itemid='b' itemtype='c' data-src='d' data-href='e'>",
                  "<div itemid='b' itemtype='c' data-src='d' data-href='e'>"},
             Case{"<html xmlns='b'><img usemap='#c' name='src'>",
                  "<html xmlns='b'><img usemap='#c' name='src'>"},
         })
        CHECK(marked(html) == wanted);
    CHECK(marked("<h:object data='b'/><h:form action='c'/>", Markup::xml) ==
          "<h:object data='[b]'/><h:form action='[c]'/>");
    CHECK(with("<a ping='b'>", [](const std::string&) { return std::string("c d"); }) ==
          "<a ping='c%20d'>");
}

TEST_CASE("recover: decodes named and numeric character references") {
    struct Case {
        const char *html, *reference, *wanted;  // nullptr: it is not changed
    };
    for (const auto& [html, reference, wanted] : {
             Case{"<a href='&#x10D;&eacute;'>", "\xC4\x8D\xC3\xA9", "<a href='[&#269;&#233;]'>"},
             Case{"<a href='&hearts;&#128512;b'>",
                  "\xE2\x99\xA5\xF0\x9F\x98\x80"
                  "b",
                  "<a href='[&#9829;&#128512;b]'>"},
             Case{"<a href='\xC4\x8D&eacute;'>", "\xC4\x8D\xC3\xA9",
                  "<a href='[\xC4\x8D\xC3\xA9]'>"},
             Case{"<a href=b?c=&#233;>", "b?c=\xC3\xA9", "<a href=\"[b?c=&#233;]\">"},
             // Without semicolons: numbers, and Latin 1 names where HTML allows it.
             Case{"<a href='&#233/&#x26b'>", "\xC3\xA9/\xC9\xAB", "<a href='[&#233;/&#619;]'>"},
             Case{"<a href='&eacute/&amp'>", "\xC3\xA9/&", "<a href='[&#233;/&amp;]'>"},
             Case{"<a href='?b&copy=c&region=d&eacutes'>", "?b&copy=c&region=d&eacutes",
                  "<a href='[?b&amp;copy=c&amp;region=d&amp;eacutes]'>"},
             Case{"<a href='&alpha/&apos/'>", "&alpha/&apos/",
                  "<a href='[&amp;alpha/&amp;apos/]'>"},
             Case{"<a href='&&#&#x;&;b'>", "&&#&#x;&;b", "<a href='[&amp;&amp;#&amp;#x;&amp;;b]'>"},
             // These are not decoded.
             Case{"<a href='b&plus;c'>", "b&plus;c", nullptr},
             Case{"<a href='&#150;&#0;'>", "&#150;&#0;", nullptr},
             Case{"<a href='&#xD800;'>", "&#xD800;", nullptr},
             Case{"<a href='&#x110000;&#99999999999999;'>", "&#x110000;&#99999999999999;", nullptr},
             // In a document of another encoding.
             Case{"\xE8<a href='&#269;b'>",
                  "\xC4\x8D"
                  "b",
                  "\xE8<a href='[&#269;b]'>"},
             Case{"\xE8<a href='b?&#269;'>", "b?\xC4\x8D", nullptr},
             Case{"<a href='\xE8&#269;'>", "\xE8\xC4\x8D", nullptr},
             Case{"<a href='\xE8?&#38;'>", "\xE8?&", "<a href='[\xE8?&amp;]'>"},
         }) {
        INFO(html);
        std::string is;
        const std::string made =
            with(html, [&](const std::string& r) { return "[" + (is = r) + "]"; });
        CHECK(is == reference);
        CHECK(made == (wanted != nullptr ? wanted : html));
    }
    // Of several references, those stay that cannot be decoded.
    CHECK(marked("<img srcset='a&plus; 1x, b 2x, c&eacute; 3x'>") ==
          "<img srcset='a&plus; 1x, [b] 2x, [c&#233;] 3x'>");
}

TEST_CASE("recover: documents in attributes") {
    CHECK(marked("<iframe srcdoc='<a href=b>'>") == "<iframe srcdoc='<a href=&quot;[b]&quot;>'>");
    CHECK(marked("<iframe srcdoc=\"&lt;a href='b?c&amp;amp;d'&gt;&amp;amp;\">") ==
          "<iframe srcdoc=\"&lt;a href='[b?c&amp;amp;d]'&gt;&amp;amp;\">");
    CHECK(marked("<iframe srcdoc=\"<p style='a:url(b)'><!-- <a href=c> --><style>@import "
                 "'d'</style>\">") ==
          "<iframe srcdoc=\"<p style='a:url([b])'><!-- <a href=c> --><style>@import "
          "'[d]'</style>\">");
    CHECK(marked("<iframe srcdoc='<a href=&quot;&amp;eacute;&quot;>'>") ==
          "<iframe srcdoc='<a href=&quot;[&amp;#233;]&quot;>'>");
    CHECK(marked("<iframe srcdoc='<a href=&quot;&eacute;&quot;>'>") ==
          "<iframe srcdoc='<a href=&quot;[&#233;]&quot;>'>");
    CHECK(marked("<iframe srcdoc=<a/href=b>") == "<iframe srcdoc=\"<a/href=&quot;[b]&quot;\">");
    // A base within the nested document applies to that document only.
    CHECK(marked("<iframe srcdoc='<base href=/x/><a href=b>'><a href=c>") ==
          "<iframe srcdoc='<base href=/x/><a href=b>'><a href=\"[c]\">");
    CHECK(marked("<p srcdoc='<a href=b>'>") == "<p srcdoc='<a href=b>'>");
    const ReferenceMapper quotes = [](const std::string&) { return std::string("&\"'<"); };
    const std::string html = with("<iframe srcdoc=\"<a href='b'>\">", quotes);
    CHECK(html == "<iframe srcdoc=\"<a href='&amp;amp;&amp;quot;&amp;#39;&amp;lt;'>\">");
    CHECK(marked(html) == "<iframe srcdoc=\"<a href='[&amp;amp;&amp;quot;&amp;#39;&amp;lt;]'>\">");
}

TEST_CASE("recover: nested documents are read to a bounded depth") {
    const std::string three = "<iframe srcdoc=<iframe/srcdoc=<iframe/srcdoc=<a/href=b>";
    CHECK(marked(three).find("[b]") != std::string::npos);
    CHECK(marked("<iframe srcdoc=" + three.substr(0, 7) + "/" + three.substr(8)).find("[b]") ==
          std::string::npos);
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<iframe/srcdoc=";
    CHECK(marked(deep + "<a/href=b>") == deep + "<a/href=b>");
}

TEST_CASE("recover: finds style sheets of XML documents") {
    for (const Markup markup : {Markup::xml, Markup::other_xml}) {
        CHECK(
            marked(
                "<?xml version='1.0'?><?xml-stylesheet href='b?c&amp;d' type=\"text/xsl\"?>\n<r/>",
                markup) ==
            "<?xml version='1.0'?><?xml-stylesheet href='[b?c&amp;d]' type=\"text/xsl\"?>\n<r/>");
        CHECK(marked("<?xml-stylesheet type='text/css'\nhref = \"b\" title='>'?><?xml-stylesheet "
                     "href='c'?>",
                     markup) ==
              "<?xml-stylesheet type='text/css'\nhref = \"[b]\" title='>'?><?xml-stylesheet "
              "href='[c]'?>");
        for (const char* none :
             {"<?xml-stylesheets href='b'?>", "<?other href='b'?>", "<?xml-stylesheet href='b?>",
              "<?xml-stylesheet href='b", "<?xml-stylesheet",
              "<!-- <?xml-stylesheet href='b'?> -->", "<![CDATA[<?xml-stylesheet href='b'?>]]>",
              "<?xml-stylesheet > href='b'?>"})
            CHECK(marked(none, markup) == none);
    }
    CHECK(marked("<?xml-stylesheet href='b'?>") == "<?xml-stylesheet href='b'?>");  // not in HTML
    CHECK(marked("<a href='b' src='c' style='url(d)'/>", Markup::other_xml) ==
          "<a href='b' src='c' style='url(d)'/>");
    CHECK(marked("<style>a{b:url(c&amp;d)}</style>", Markup::xml) ==
          "<style>a{b:url([c&amp;d])}</style>");
    CHECK(marked("<style>a{b:url(c&amp;d)}</style>") == "<style>a{b:url([c&amp;d])}</style>");
    CHECK(marked("<style>a{b:url('<![CDATA[c') url(d)}]]></style>", Markup::xml) ==
          "<style>a{b:url('<![CDATA[c') url([d])}]]></style>");
    CHECK(with(
              "<style><![CDATA[url(c)]]></style>",
              [](const std::string&) { return std::string("]]>"); },
              Markup::xml) == "<style><![CDATA[url(c)]]></style>");
    CHECK(marked("<style>/*<![CDATA[*/a{b:url(c&d)}/*]]>*/</style>", Markup::xml) ==
          "<style>/*<![CDATA[*/a{b:url([c&d])}/*]]>*/</style>");
}

TEST_CASE("recover: SVG within HTML follows the rules of XML") {
    CHECK(marked("<svg><style/><script/><title/></svg><a href='b'>") ==
          "<svg><style/><script/><title/></svg><a href='[b]'>");
    CHECK(marked("<svg><![CDATA[><a href='b'>]]></svg><![CDATA[><a href='c'>]]>") ==
          "<svg><![CDATA[><a href='b'>]]></svg><![CDATA[><a href='[c]'>]]>");
    CHECK(marked("<svg/></svg><style/><a href='b'>") == "<svg/></svg><style/><a href='b'>");
}

TEST_CASE("recover: srcset") {
    CHECK(marked("<img srcset='a 1x, b 2x'>") == "<img srcset='[a] 1x, [b] 2x'>");
    CHECK(marked("<img srcset='a,b c'>") == "<img srcset='[a,b] c'>");
    CHECK(marked("<img srcset='a, b'>") == "<img srcset='[a], [b]'>");
    CHECK(marked("<img srcset=' , a 100w 2h(1,2) ,b,,'>") ==
          "<img srcset=' , [a] 100w 2h(1,2) ,[b],,'>");
    CHECK(marked("<link imagesrcset=\"data:image/png;base64,AA== 1x,c 2x\">") ==
          "<link imagesrcset=\"[data:image/png;base64,AA==] 1x,[c] 2x\">");
    CHECK(marked("<img srcset=a>") == "<img srcset=\"[a]\">");
    CHECK(marked("<img srcset=''><img srcset=' , '>") == "<img srcset=''><img srcset=' , '>");
    CHECK(with("<img srcset='a 1x'>", [](const std::string&) { return std::string(",b,"); }) ==
          "<img srcset='%2Cb%2C 1x'>");
}

TEST_CASE("recover: refreshes") {
    CHECK(marked("<meta http-equiv=refresh content='5; url=b'>") ==
          "<meta http-equiv=refresh content='5; url=[b]'>");
    CHECK(marked("<META CONTENT=\"0;URL='b'\" HTTP-EQUIV=Refresh>") ==
          "<META CONTENT=\"0;URL='[b]'\" HTTP-EQUIV=Refresh>");
    CHECK(marked("<meta http-equiv=refresh content='1.5,b'>") ==
          "<meta http-equiv=refresh content='1.5,[b]'>");
    CHECK(marked("<meta http-equiv=refresh content='0; urls '>") ==
          "<meta http-equiv=refresh content='0; [urls] '>");
    CHECK(
        marked(
            "<meta http-equiv=refresh content='0;../b'><meta http-equiv=refresh content='.5 b'>") ==
        "<meta http-equiv=refresh content='0;[../b]'><meta http-equiv=refresh content='.5 [b]'>");
    for (const char* none :
         {"<meta http-equiv=refresh content=5>", "<meta http-equiv=refresh content='5;'>",
          "<meta name=x content='5; url=b'>", "<meta http-equiv=refresh content='5; url='>",
          "<p http-equiv=refresh content='5; url=b'>",
          "<meta http-equiv=refresh content='http://b/'>",
          "<meta http-equiv=refresh content='url=b'>", "<meta http-equiv=refresh content='5b'>"})
        CHECK(marked(none).find('[') == std::string::npos);
}

TEST_CASE("recover: style elements") {
    CHECK(marked("<style>@import 'a';b{c:url(d)}</style>") ==
          "<style>@import '[a]';b{c:url([d])}</style>");
    CHECK(marked("<p style=\"background:url(&quot;a&quot;)\">") ==
          "<p style=\"background:url(&quot;[a]&quot;)\">");
    CHECK(with("<p style='f:url(&quot/b&quot)'>", [](const std::string& r) {
              return r == "/b" ? "c" : "";
          }) == "<p style='f:url(&quot;c&quot)'>");
    CHECK(marked("<p style='a:&eacute; url(b)'>") == "<p style='a:&eacute; url([b])'>");
    CHECK(marked("<p style=background:url(b)>") == "<p style=\"background:url([b])\">");
    CHECK(marked("<STYLE a>/* url(b) */</styles>c{d:url(e)}</style ><a href=f>") ==
          "<STYLE a>/* url(b) */</styles>c{d:url([e])}</style ><a href=\"[f]\">");
}

TEST_CASE("recover: a replacement is escaped, and keeps its meaning") {
    const ReferenceMapper quotes = [](const std::string&) {
        return std::string("b#\" onload='x' <&>");
    };
    const std::string html = with("<img src='b#&quot;'>", quotes);
    CHECK(html == "<img src='b#&quot; onload=&#39;x&#39; &lt;&amp;&gt;'>");
    CHECK(marked(html) == "<img src='[b#&quot; onload=&#39;x&#39; &lt;&amp;&gt;]'>");
    CHECK(with("<style>a{b:url(c)}</style>", [](const std::string&) {
              return std::string("</style><script>");
          }).find("</style><") == std::string::npos);
}

TEST_CASE("recover: everything but references stays byte for byte") {
    for (const std::string_view html : oai::text::split(
             "|<|a < b > c|<a|<a href|<a href=|<a title=\"href='b'\">|<!-- <a href=b> -->|"
             "<!-- <a href=b>|<script>'<a href=b>'</script>|<textarea><a href=b></textarea>|"
             "<title><a href=b></title>|</a href=b>|<=href=b>|<a =b>|<a data-href=b>|"
             "<?php <5 ?>|<?php echo '<a href=b' ?>|<!DOCTYPE html SYSTEM '<a href=b'>|"
             "<p title='url(b)'>|<!--><!-- <a href=b> --!><!---->|"
             "<script>'<a data-src=b>'</script>",
             '|'))
        CHECK(marked(html) == html);
    CHECK(with("<a href='b'  >", [](const std::string&) { return std::string(); }) ==
          "<a href='b'  >");
    CHECK(marked("<a href=\"\x83\x5C\xE9\">\x83\x5C\xE9") ==
          "<a href=\"[\x83\x5C\xE9]\">\x83\x5C\xE9");  // not UTF-8
}

TEST_CASE("recover: CDATA sections and empty elements of XML") {
    CHECK(marked("<script src='a'/><style/><a href='b'/>", Markup::xml) ==
          "<script src='[a]'/><style/><a href='[b]'/>");
    CHECK(marked("<script src=a /><a href=b>") == "<script src=\"[a]\" /><a href=b>");
    CHECK(marked("<![CDATA[<a href='b'>]]><?x <a href='c'>?><a href='d'>", Markup::xml) ==
          "<![CDATA[<a href='b'>]]><?x <a href='c'>?><a href='[d]'>");
    CHECK(marked("<style><![CDATA[a{b:url(c)}]]></style>", Markup::xml) ==
          "<style><![CDATA[a{b:url([c])}]]></style>");
}

TEST_CASE("recover: reads and removes the base") {
    const std::string html =
        "<head><BASE href='http://a.example/b/'></head><base href=c><a href=d>";
    CHECK(base_in(html, Markup::html) == "http://a.example/b/");
    CHECK(marked(html) == "<head><BASE href=''></head><base href=\"\"><a href=\"[d]\">");
    CHECK(base_in("<a href=b><link href=c>", Markup::html).empty());
    CHECK(marked("<base target=x>") == "<base target=x>");
}

TEST_CASE("recover: a truncated document is handled") {
    const std::string html =
        "<p><a title='x' href=\"b\" c>d</a><script>e</script><img src=f srcset='g 1x, h'><!-- i "
        "--><style>@import url( j ) k;</style>"
        "<meta http-equiv=refresh content='0; url=\"l\"'><p style='m:url(&quot;n&quot;)'>";
    for (std::size_t n = 0; n < html.size(); ++n) CHECK(marked(html.substr(0, n)).size() >= n);
    CHECK(marked("<a href=\"b") == "<a href=\"[b]");
}
