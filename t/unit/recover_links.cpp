// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "recover/links.h"

using namespace oai::recover;

namespace {

// Every reference that is asked for, in brackets.
std::string marked(std::string_view html) {
    return with_links(html, [](const std::string& reference) { return "[" + reference + "]"; });
}

}  // namespace

TEST_CASE("recover: references are replaced, however they are quoted") {
    CHECK(marked("<a href=\"b\">") == "<a href=\"[b]\">");
    CHECK(marked("<a href='b'>") == "<a href=\"[b]\">");
    CHECK(marked("<a href=b>") == "<a href=\"[b]\">");
    CHECK(marked("<A x HREF = b c=d>") == "<A x HREF = \"[b]\" c=d>");
    CHECK(marked("<img src=' b ' alt='src=c'/>") == "<img src=\"[b]\" alt='src=c'/>");
    CHECK(marked("<a href=\"b?c&amp;d\">") == "<a href=\"[b?c&amp;d]\">");
}

TEST_CASE("recover: whatever is put in stays within its quotes, and means the same") {
    const Target quotes = [](const std::string&) { return std::string("b#\" onload='x' <&>"); };
    const std::string html = with_links("<img src='b#&quot;'>", quotes);
    CHECK(html == "<img src=\"b#&quot; onload=&#39;x&#39; &lt;&amp;&gt;\">");
    CHECK(marked(html) == "<img src=\"[b#&quot; onload=&#39;x&#39; &lt;&amp;&gt;]\">");
}

TEST_CASE("recover: what is no reference stays byte for byte") {
    for (const char* html :
         {"", "<", "a < b > c", "<a", "<a href", "<a href=", "<a title=\"href='b'\">", "<!-- <a href=b> -->",
          "<!-- <a href=b>", "<script>'<a href=b>'</script>", "<STYLE><a href=b></sTyle>", "</a href=b>",
          "<=href=b>", "<a =b>", "<a data-href=b>", "<?php <5 ?>"})
        CHECK(marked(html) == html);
    CHECK(with_links("<a href='b'  >", [](const std::string&) { return std::string(); }) == "<a href='b'  >");
}

TEST_CASE("recover: a base is told, and taken out") {
    const std::string html = "<head><BASE href='http://a.example/b/'></head><base href=c><a href=d>";
    CHECK(base_in(html) == "http://a.example/b/");
    CHECK(marked(html) == "<head><BASE href=\"\"></head><base href=\"\"><a href=\"[d]\">");
    CHECK(base_in("<a href=b><link href=c>").empty());
    CHECK(marked("<base target=x>") == "<base target=x>");
}

TEST_CASE("recover: what is cut short does no harm") {
    const std::string html = "<p><a title='x' href=\"b\" c>d</a><script>e</script><img src=f><!-- g -->";
    for (std::size_t n = 0; n < html.size(); ++n) CHECK(marked(html.substr(0, n)).size() >= n);
    CHECK(marked("<a href=\"b") == "<a href=\"[b]\"");
}
