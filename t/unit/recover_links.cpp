// SPDX-License-Identifier: MIT
#include "recover/links.h"

#include <catch2/catch.hpp>

using namespace oai::recover;

namespace {

std::string with(std::string_view html, const Target& target, Markup markup = Markup::html) {
    return applied(html, link_edits(html, markup, target));
}

// Every reference that is asked for, in brackets.
std::string marked(std::string_view html, Markup markup = Markup::html) {
    return with(html, [](const std::string& reference) { return "[" + reference + "]"; }, markup);
}

}  // namespace

TEST_CASE("recover: references are replaced, however they are quoted") {
    CHECK(marked("<a href=\"b\">") == "<a href=\"[b]\">");
    CHECK(marked("<a href='b'>") == "<a href='[b]'>");
    CHECK(marked("<a href=b>") == "<a href=\"[b]\">");
    CHECK(marked("<a href=b\"c>") == "<a href=\"[b&quot;c]\">");
    CHECK(marked("<A x HREF = b c=d>") == "<A x HREF = \"[b]\" c=d>");
    CHECK(marked("<img src=' b ' alt='src=c'/>") == "<img src=' [b] ' alt='src=c'/>");
    CHECK(marked("<a x href=b>") == "<a x href=\"[b]\">");
    CHECK(marked("<a href=\"b?c&amp;d\">") == "<a href=\"[b?c&amp;d]\">");
    CHECK(marked("<a href='b&#38;c&#x26;d&amp;e&apos;'>") == "<a href='[b&amp;c&amp;d&amp;e&#39;]'>");
}

TEST_CASE("recover: in every attribute that holds them") {
    for (const char* name : {"href", "xlink:href", "src", "background", "poster", "data", "longdesc", "action", "formaction", "lowsrc", "dynsrc"}) {
        INFO(name);
        CHECK(marked("<x " + std::string(name) + "=\"b\">") == "<x " + std::string(name) + "=\"[b]\">");
    }
    CHECK(marked("<object data=a><param value=b></object>") == "<object data=\"[a]\"><param value=b></object>");
    CHECK(marked("<svg><use xlink:href='a#b'/><image href=c /></svg>") == "<svg><use xlink:href='[a#b]'/><image href=\"[c]\" /></svg>");
}

TEST_CASE("recover: lists of images") {
    CHECK(marked("<img srcset='a 1x, b 2x'>") == "<img srcset='[a] 1x, [b] 2x'>");
    CHECK(marked("<img srcset='a,b c'>") == "<img srcset='[a,b] c'>");
    CHECK(marked("<img srcset='a, b'>") == "<img srcset='[a], [b]'>");
    CHECK(marked("<img srcset=' , a 100w 2h(1,2) ,b,,'>") == "<img srcset=' , [a] 100w 2h(1,2) ,[b],,'>");
    CHECK(marked("<link imagesrcset=\"data:image/png;base64,AA== 1x,c 2x\">") == "<link imagesrcset=\"[data:image/png;base64,AA==] 1x,[c] 2x\">");
    CHECK(marked("<img srcset=a>") == "<img srcset=\"[a]\">");
    CHECK(marked("<img srcset=''><img srcset=' , '>") == "<img srcset=''><img srcset=' , '>");
    CHECK(with("<img srcset='a 1x'>", [](const std::string&) { return std::string(",b,"); }) == "<img srcset='%2Cb%2C 1x'>");
}

TEST_CASE("recover: refreshes") {
    CHECK(marked("<meta http-equiv=refresh content='5; url=b'>") == "<meta http-equiv=refresh content='5; url=[b]'>");
    CHECK(marked("<META CONTENT=\"0;URL='b'\" HTTP-EQUIV=Refresh>") == "<META CONTENT=\"0;URL='[b]'\" HTTP-EQUIV=Refresh>");
    CHECK(marked("<meta http-equiv=refresh content='1.5,b'>") == "<meta http-equiv=refresh content='1.5,[b]'>");
    CHECK(marked("<meta http-equiv=refresh content='0; urls '>") == "<meta http-equiv=refresh content='0; [urls] '>");
    for (const char* none : {"<meta http-equiv=refresh content=5>", "<meta http-equiv=refresh content='5;'>", "<meta name=x content='5; url=b'>",
                             "<meta http-equiv=refresh content='5; url='>", "<p http-equiv=refresh content='5; url=b'>"})
        CHECK(marked(none).find('[') == std::string::npos);
}

TEST_CASE("recover: style sheets within a page") {
    CHECK(marked("<style>@import 'a';b{c:url(d)}</style>") == "<style>@import '[a]';b{c:url([d])}</style>");
    CHECK(marked("<p style=\"background:url(&quot;a&quot;)\">") == "<p style=\"background:url(&quot;[a]&quot;)\">");
    CHECK(marked("<p style='a:&eacute; url(b)'>") == "<p style='a:&eacute; url([b])'>");
    CHECK(marked("<p style=background:url(b)>") == "<p style=\"background:url([b])\">");
    CHECK(marked("<STYLE a>/* url(b) */</styles>c{d:url(e)}</style ><a href=f>") == "<STYLE a>/* url(b) */</styles>c{d:url([e])}</style ><a href=\"[f]\">");
}

TEST_CASE("recover: whatever is put in stays within its quotes, and means the same") {
    const Target quotes = [](const std::string&) { return std::string("b#\" onload='x' <&>"); };
    const std::string html = with("<img src='b#&quot;'>", quotes);
    CHECK(html == "<img src='b#&quot; onload=&#39;x&#39; &lt;&amp;&gt;'>");
    CHECK(marked(html) == "<img src='[b#&quot; onload=&#39;x&#39; &lt;&amp;&gt;]'>");
    CHECK(with("<style>a{b:url(c)}</style>", [](const std::string&) { return std::string("</style><script>"); }).find("</style><") == std::string::npos);
}

TEST_CASE("recover: what is no reference stays byte for byte") {
    for (const char* html :
         {"", "<", "a < b > c", "<a", "<a href", "<a href=", "<a title=\"href='b'\">", "<!-- <a href=b> -->", "<!-- <a href=b>",
          "<script>'<a href=b>'</script>", "<textarea><a href=b></textarea>", "<title><a href=b></title>", "</a href=b>", "<=href=b>",
          "<a =b>", "<a data-href=b>", "<?php <5 ?>", "<?php echo '<a href=b' ?>", "<!DOCTYPE html SYSTEM '<a href=b'>", "<p title='url(b)'>",
          "<a href='b&eacute;c'>", "<a href='b&#233;c'>"})
        CHECK(marked(html) == html);
    CHECK(with("<a href='b'  >", [](const std::string&) { return std::string(); }) == "<a href='b'  >");
    CHECK(marked("<a href=\"\x83\x5C\xE9\">\x83\x5C\xE9") == "<a href=\"[\x83\x5C\xE9]\">\x83\x5C\xE9");  // no UTF-8
}

TEST_CASE("recover: XML has other sections, and elements that are empty") {
    CHECK(marked("<script src='a'/><style/><a href='b'/>", Markup::xml) == "<script src='[a]'/><style/><a href='[b]'/>");
    CHECK(marked("<script src=a /><a href=b>") == "<script src=\"[a]\" /><a href=b>");
    CHECK(marked("<![CDATA[<a href='b'>]]><?x <a href='c'>?><a href='d'>", Markup::xml) == "<![CDATA[<a href='b'>]]><?x <a href='c'>?><a href='[d]'>");
    CHECK(marked("<style><![CDATA[a{b:url(c)}]]></style>", Markup::xml) == "<style><![CDATA[a{b:url([c])}]]></style>");
}

TEST_CASE("recover: a base is told, and taken out") {
    const std::string html = "<head><BASE href='http://a.example/b/'></head><base href=c><a href=d>";
    CHECK(base_in(html, Markup::html) == "http://a.example/b/");
    CHECK(marked(html) == "<head><BASE href=''></head><base href=\"\"><a href=\"[d]\">");
    CHECK(base_in("<a href=b><link href=c>", Markup::html).empty());
    CHECK(marked("<base target=x>") == "<base target=x>");
}

TEST_CASE("recover: what is cut short does no harm") {
    const std::string html = "<p><a title='x' href=\"b\" c>d</a><script>e</script><img src=f srcset='g 1x, h'><!-- i --><style>@import url( j ) k;</style>"
                             "<meta http-equiv=refresh content='0; url=\"l\"'><p style='m:url(&quot;n&quot;)'>";
    for (std::size_t n = 0; n < html.size(); ++n) CHECK(marked(html.substr(0, n)).size() >= n);
    CHECK(marked("<a href=\"b") == "<a href=\"[b]");
}
