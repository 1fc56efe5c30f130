// SPDX-License-Identifier: MIT
#include "xml/painting.h"

#include <time.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "xml/document.h"

using namespace oai;

namespace {

const xmlNode* find(const xmlNode* from, std::string_view name) {
    for (const xmlNode* n = from; n != nullptr; n = n->next) {
        if (n->type == XML_ELEMENT_NODE && name == reinterpret_cast<const char*>(n->name)) return n;
        if (const xmlNode* below = find(n->children, name)) return below;
    }
    return nullptr;
}

// Parses the document and returns its element of that name as HTML.
std::string html(const std::string& document, std::string_view name) {
    const xml::DocumentHandle parsed = xml::parse_memory(document, "test");
    return xml::hypertext(find(parsed->children, name));
}

// The text that a browser shows for the HTML, which readers copy.
std::string read_back(const std::string& hypertext) {
    std::string text = std::regex_replace(hypertext, std::regex("</?(?:span|bdi)[^>]*>"), "");
    const std::pair<const char*, const char*> escapes[] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}};
    for (const auto& [escape, meant] : escapes)
        text = std::regex_replace(text, std::regex(escape), meant);
    return text;
}

}  // namespace

TEST_CASE("hypertext: the HTML displays the document's own markup") {
    CHECK(html("<a k='&quot;&lt;'>x &amp;&lt; <b/></a>", "a") ==
          R"(&lt;<span class="e">a</span> <span class="a">k</span>=)"
          R"(<span class="v">"&amp;quot;&amp;lt;"</span>&gt;<bdi>x &amp;amp;&amp;lt; </bdi>)"
          R"(&lt;<span class="e">b</span>/&gt;&lt;/<span class="e">a</span>&gt;)");
    CHECK(html("<a><!--<b>--></a>", "a").find(R"(<span class="c">&lt;!--&lt;b&gt;--&gt;</span>)") !=
          std::string::npos);
    for (const char* document : {"<a><b c=\"&amp;amp;&quot;'\">&amp;lt;script&gt;</b></a>",
                                 "<a>]]&gt;</a>", "<a b=\"&#10;\">&#13;</a>"})
        CHECK(xml::parse_memory(read_back(html(document, "a")), "again") != nullptr);
    CHECK(read_back(html("<a><b>&amp;lt;script&gt;</b></a>", "a")) ==
          "<a>\n  <b>&amp;lt;script&gt;</b>\n</a>");
}

TEST_CASE("hypertext: an element keeps the namespace declarations in scope") {
    const auto shown = [](const std::string& document) { return read_back(html(document, "e")); };
    CHECK(shown("<r xmlns:p='u'><e t='p:x'/></r>") ==
          R"(<e xmlns:p="u" t="p:x"/>)");  // values may use the prefix
    CHECK(shown("<r xmlns:p='u'><m xmlns:p='v'><e/></m></r>") == R"(<e xmlns:p="v"/>)");
    CHECK(shown("<r xmlns:p='u'><p:e xmlns:p='w'/></r>") == R"(<p:e xmlns:p="w"/>)");
    CHECK(shown("<r xmlns='u'><e/></r>") == R"(<e xmlns="u"/>)");
    CHECK(shown("<r xmlns='u' xmlns:p='v'><p:e/></r>") == R"(<p:e xmlns:p="v"/>)");
    CHECK(shown("<r xmlns='u' xmlns:p='v'><p:e><f/></p:e></r>") ==
          "<p:e xmlns=\"u\" xmlns:p=\"v\">\n  <f/>\n</p:e>");
    CHECK(shown("<r xmlns='u'><e xmlns=''><f xmlns='w'/></e></r>") ==
          "<e xmlns=\"\">\n  <f xmlns=\"w\"/>\n</e>");
}

TEST_CASE("hypertext: the time is linear in the length of the document") {
    const auto milliseconds = [](int elements) {
        std::string document = "<r";
        for (int i = 0; i < 50; ++i)
            document += " xmlns:n" + std::to_string(i) + "='urn:" + std::to_string(i) + "'";
        document += "><e>";
        for (int i = 0; i < elements; ++i)
            document +=
                "<n" + std::to_string(i % 50) + ":f a='v'>text</n" + std::to_string(i % 50) + ":f>";
        const xml::DocumentHandle parsed = xml::parse_memory(document + "</e></r>", "test");
        const xmlNode* element = find(parsed->children, "e");
        double least = 1e9;
        for (int round = 0; round < 5; ++round) {
            timespec before{}, after{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
            CHECK(xml::hypertext(element).size() > static_cast<std::size_t>(elements) * 100);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
            least = std::min(least, static_cast<double>(after.tv_sec - before.tv_sec) * 1e3 +
                                        static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e6);
        }
        return least;
    };
    const double few = milliseconds(500);
    CHECK(milliseconds(4000) < 8 * few * 2.5);  // quadratic time would be 64 times as long
}
