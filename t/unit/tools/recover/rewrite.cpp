// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <optional>

#include "t/lib/temporary_directory.h"
#include "tools/recover/output.h"

using namespace oai;
using namespace oai::recover;

namespace {

struct Site {
    Site() { tree.emplace(directory.path); }
    void put(const std::string& path, const std::string& media_type, std::string_view bytes) {
        tree->put({"oai:x:" + path, "http://a.example/" + path, media_type, Seconds{}}, bytes);
    }
    std::string read(const std::string& place) const { return tree->read("a.example/" + place); }
    void open_again() { tree.emplace(directory.path); }
    test::TemporaryDirectory directory;
    std::optional<Tree> tree;
};

}  // namespace

TEST_CASE("recover: documents refer to each other, also to those added later") {
    Site site;
    site.put("", "text/html",
             "<base href='/d/'><a href='p.html'><a href='#x'><a href='later.html'><a "
             "href='//b.example/'>");
    site.put("d/p.html", "text/html", "\xE8<p style='background:url(/i.png)'><a href=/ >\xE8");
    site.put("d/s.css", "text/plain", "a{b:url(../i.png) url(/none.png)}");
    site.put("i.png", "image/png", "url(/d/s.css)");
    CHECK(rewrite_links(*site.tree).changed == 3);
    const std::string home = site.read("index.html");
    CHECK(home ==
          "<base href=''><a href='d/p.html'><a href='http://a.example/d/#x'><a "
          "href='http://a.example/d/later.html'><a href='http://b.example/'>");
    CHECK(site.read("d/p.html") ==
          "\xE8<p style='background:url(../i.png)'><a href=\"../index.html\" >\xE8");
    CHECK(site.read("d/s.css") == "a{b:url(../i.png) url(http://a.example/none.png)}");
    CHECK(site.read("i.png") == "url(/d/s.css)");
    site.open_again();
    CHECK(rewrite_links(*site.tree).changed == 0);
    site.put("d/later.html", "text/html", "<a href=s.css>");
    CHECK(rewrite_links(*site.tree).changed == 1);
    CHECK(site.read("index.html").find("<a href='d/later.html'>") != std::string::npos);
    CHECK(rewrite_links(*site.tree).changed == 0);
}

TEST_CASE("recover: references lead into the tree or to the web") {
    Site site;
    site.put("b/", "image/gif", "<a href=\"../c\">");
    site.put("c", "text/html",
             "<a href=\"b/\"> <a href='d?e=http://x#f'> <a href=\"#g\"> <a href=\"mailto:a@b\"> "
             "<img src=\"//a.example/b/\">");
    CHECK(rewrite_links(*site.tree).changed == 1);
    CHECK(site.read("b/index.gif") == "<a href=\"../c\">");  // it is not HTML
    CHECK(site.read("c.html") ==
          "<a href=\"b/index.gif\"> <a href='http://a.example/d?e=http://x#f'> <a href=\"#g\"> <a "
          "href=\"mailto:a@b\"> <img "
          "src=\"b/index.gif\">");
}

TEST_CASE("recover: addresses with different escapes are the same") {
    Site site;
    site.put("%C4%8d%7e.png", "image/png", "");
    site.put("b%2Fc%41.png", "image/png", "");
    site.put("\xC5\xBE.png", "image/png", "");
    site.put("", "text/html",
             "<img src='&#269;~.png'><img src='b%2fcA.png'><img src='%C5%BE.png'><img "
             "src='&zcaron;.png'><img src='b/cA.png'><img src='%4.png'>");
    CHECK(rewrite_links(*site.tree).changed == 1);
    CHECK(site.read("index.html") ==
          "<img src='%25C4%258d%257e.png'><img src='b%252Fc%2541.png'><img "
          "src='%25C5%25BE.png'><img src='&zcaron;.png'>"
          "<img src='http://a.example/b/cA.png'><img src='http://a.example/%4.png'>");
}

TEST_CASE(
    "recover: non-ASCII addresses are percent-encoded, whatever the encoding of the document") {
    Site site;
    site.put("\xC5\xBE(/s.css", "text/css", "\xE8{b:url(none.png)}");
    site.put("\xC5\xBE(/p.html", "text/html", "\xE8<a href='#x'><a href='none'>");
    CHECK(rewrite_links(*site.tree).changed == 2);
    CHECK(site.read("%C5%BE(/s.css") == "\xE8{b:url(http://a.example/%C5%BE\\(/none.png)}");
    CHECK(site.read("%C5%BE(/p.html") ==
          "\xE8<a href='#x'><a href='http://a.example/%C5%BE(/none'>");
}

TEST_CASE("recover: maps style sheets of any XML, and nested documents") {
    Site site;
    site.put("d/x.xsl", "text/xml", "<xsl:stylesheet><a href='{@b}'/></xsl:stylesheet>");
    site.put("d/feed", "application/rss+xml", "<?xml-stylesheet href='x.xsl'?><a href='x.xsl'/>");
    site.put("p.html", "text/html",
             "<base href='/d/'><iframe srcdoc='<a href=&quot;x.xsl&quot;>'></iframe>");
    CHECK(rewrite_links(*site.tree).changed == 1);  // the feed already refers to it
    CHECK(site.read("p.html") ==
          "<base href=''><iframe srcdoc='<a href=&quot;d/x.xsl&quot;>'></iframe>");
    site.put("e/feed", "text/xml",
             "<?xml-stylesheet href='../d/x.xsl?v=1'?><?xml-stylesheet href='/d/x.xsl'?>");
    CHECK(rewrite_links(*site.tree).changed == 1);
    CHECK(site.read("e/feed.xml") ==
          "<?xml-stylesheet href='http://a.example/d/x.xsl?v=1'?><?xml-stylesheet "
          "href='../d/x.xsl'?>");
}

TEST_CASE("recover: a document on the list that was not written is rewritten") {
    Site site;
    site.put("a.html", "text/html", "<a href='/b'>");
    site.tree->rewrite("a.example/a.html", "<a href='http://a.example/b'>");
    site.put("a.html", "text/html", "<a href='/b'>");  // as it was before
    CHECK(rewrite_links(*site.tree).changed == 1);
    CHECK(site.read("a.html") == "<a href='http://a.example/b'>");
}

TEST_CASE("recover: skips and reports encodings that do not extend ASCII") {
    Site site;
    const std::string utf16("\xFF\xFE<\0a\0 \0h\0r\0e\0f\0=\0/\0>\0", 22),
        japanese = "<a href=/>\x1B$B<a href=/>\x1B(B";
    site.put("utf16.html", "text/html", utf16);
    site.put("japanese.html", "text/html", japanese);
    const RewriteResult result = rewrite_links(*site.tree);
    CHECK(result.changed == 0);
    CHECK(result.skipped ==
          std::vector<std::string>{"a.example/japanese.html", "a.example/utf16.html"});
    CHECK(site.read("utf16.html") == utf16);
}
