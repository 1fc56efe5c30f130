// SPDX-License-Identifier: MIT
#include "xml/html.h"

#include <libxml/parserInternals.h>

#include <catch2/catch.hpp>

#include "xml/document.h"

using namespace oai;

namespace {

std::string print(const char* document) {
    return xml::html_text(xml::parse_memory(document, "test").get());
}

}  // namespace

TEST_CASE("html: text and values are escaped, void elements have no end") {
    CHECK(print("<html><body><p title='&lt;&quot;&amp;'>&lt;b&gt; &amp; \xC3\xA9</p><br/><i/><img "
                "alt=''/></body></html>") ==
          "<!DOCTYPE html>\n<html><body><p title=\"&lt;&quot;&amp;\">&lt;b&gt; &amp; "
          "\xC3\xA9</p><br><i></i><img alt=\"\"></body></html>\n");
}

TEST_CASE("html: special characters are left unescaped in script and style only") {
    CHECK(print("<p><script>a &lt; b &amp;&amp; c</script>a &lt; b</p>") ==
          "<!DOCTYPE html>\n<p><script>a < b && c</script>a &lt; b</p>\n");
    CHECK(print("<p><style>a &gt; b</style></p>") ==
          "<!DOCTYPE html>\n<p><style>a > b</style></p>\n");
}

TEST_CASE("html: comments and processing instructions are left out, attributes keep their prefix") {
    CHECK(print("<p xml:lang='cs'><!-- x --><?y z?>t</p>") ==
          "<!DOCTYPE html>\n<p xml:lang=\"cs\">t</p>\n");
}
