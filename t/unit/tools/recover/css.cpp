// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "base/text.h"
#include "tools/recover/links.h"

using namespace oai;
using namespace oai::recover;

namespace {

// Every reference that is asked for, in brackets.
std::string marked(std::string_view css) {
    return apply_edits(
        css, css_edits(
                 css, [](const std::string& reference) { return "[" + reference + "]"; }));
}

}  // namespace

TEST_CASE("recover: finds references in a style sheet in every notation") {
    CHECK(marked("a{b:url(c)}") == "a{b:url([c])}");
    CHECK(marked("a{b:URL( c )}") == "a{b:URL( [c] )}");
    CHECK(marked("a{b:url(\"c\") url( 'd' )}") == "a{b:url(\"[c]\") url( '[d]' )}");
    CHECK(marked("@import \"a\";@IMPORT 'b' screen;@import url(c);@import url('d') print;") ==
          "@import \"[a]\";@IMPORT '[b]' screen;@import url([c]);@import url('[d]') print;");
    CHECK(marked("@import/**/'a'supports(font-format('b'));") ==
          "@import/**/'[a]'supports(font-format('b'));");
    CHECK(marked("@font-face{src:url(a)format('b'),local('c')}") ==
          "@font-face{src:url([a])format('b'),local('c')}");
    CHECK(marked("a{b:image-set('c' 1x,url(d) 2x type('e'));f:-webkit-image-set(url(g) 1x)}") ==
          "a{b:image-set('[c]' 1x,url([d]) 2x type('e'));f:-webkit-image-set(url([g]) 1x)}");
    CHECK(marked("url(a") == "url([a]");
    CHECK(marked("url(data:image/svg+xml;utf8,<svg>)") ==
          "url([data:image/svg+xml;utf8,\\3c svg>])");
}

TEST_CASE("recover: decodes and writes CSS escapes") {
    CHECK(marked("u\\72l(a)") == "u\\72l([a])");
    CHECK(marked("\\75 \\000072\\6C(a)") == "\\75 \\000072\\6C([a])");
    CHECK(marked("url(a\\)\\(b)") == "url([a\\)\\(b])");
    CHECK(marked("url('a\\'b\\\nc\\26 d')") == "url('[a\\'bc&d]')");
    CHECK(marked("url(\\c9)") == "url([\xC3\x89])");
    CHECK(marked("@\\69mport 'a';") == "@\\69mport '[a]';");
    const Edits edits =
        css_edits("url(a)", [](const std::string&) { return std::string("b \"'()\\\n<"); });
    CHECK(apply_edits("url(a)", edits) == "url(b\\ \\\"\\'\\(\\)\\\\\\a \\3c )");
    CHECK(marked(apply_edits("url(a)", edits)) == "url([b\\ \\\"\\'\\(\\)\\\\\\a \\3c ])");
}

TEST_CASE("recover: leaves URLs that are names, and fragments") {
    for (const std::string_view css :
         text::split("|/* url(a) */|/* url(a)|'url(a)'|\"@import 'a'\"|@charset 'a';|"
                     "@namespace 'a';|@namespace b url(a);|@namespace url('a');|"
                     "@document url(a),url('b'){}|@-moz-document url(a){}|myurl(a)|-url(a)|#url(a)|"
                     "1url(a)|.5e3url(a)|url (a)|a{content:'b'}|image('a')|url('a\n)|url(a b)|"
                     "url(a\"b)|url(a(b)|@|\\|url(\\\n)|src(a)|@import|a{b:url(#c) url('#d')}",
                     '|'))
        CHECK(marked(css) == css);
    CHECK(marked("@namespace url(a);b{c:url(d)}") == "@namespace url(a);b{c:url([d])}");
    CHECK(marked("'a\nb{c:url(d)}") == "'a\nb{c:url([d])}");
    CHECK(marked("url(a b\\))url(c)") == "url(a b\\))url([c])");
    CHECK(marked("<!--url(a)-->url(b)") == "<!--url([a])-->url([b])");
}

TEST_CASE("recover: in East Asian encodings a backslash may be half a character") {
    CHECK(marked("a{font:'\x83\x5C';b:url(c)}") == "a{font:'\x83\x5C';b:url([c])}");  // Shift_JIS
    CHECK(marked("a{font:'\xC3\xA9\\'';b:url(c)}") ==
          "a{font:'\xC3\xA9\\'';b:url([c])}");  // in UTF-8 it is an escape
}

TEST_CASE("recover: a truncated style sheet is handled") {
    const std::string css =
        "@import url( 'a\\20 b' ) c;/* d */@namespace e 'f';g{h:url(i\\29 j);k:image-set(\"l\" "
        "1x)}<!-- --> .5m #n \\6f";
    for (std::size_t n = 0; n < css.size(); ++n) CHECK(marked(css.substr(0, n)).size() + 8 >= n);
}
