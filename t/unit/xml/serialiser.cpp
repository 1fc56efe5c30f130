// SPDX-License-Identifier: MIT
#include "xml/serialiser.h"

#include <libxml/parserInternals.h>
#include <libxml/xmlsave.h>

#include "t/lib/unit_headers.h"
#include "xml/document.h"

using namespace oai::xml;

namespace {

std::string ours(const xmlDoc* document) {
    std::string out;
    append_node(out, xmlDocGetRootElement(document));
    return out;
}

struct FreeBuffer {
    void operator()(xmlBuffer* b) const noexcept { xmlBufferFree(b); }
};

std::string libxml2s(xmlDoc* document) {
    const std::unique_ptr<xmlBuffer, FreeBuffer> buffer(xmlBufferCreate());
    xmlOutputBuffer* output = xmlOutputBufferCreateBuffer(buffer.get(), nullptr);
    xmlNodeDumpOutput(output, document, xmlDocGetRootElement(document), 0, 0, "UTF-8");
    xmlOutputBufferClose(output);
    return reinterpret_cast<const char*>(xmlBufferContent(buffer.get()));
}

DocumentHandle parse(std::string_view text) {
    // With an encoding given, libxml2 writes non-ASCII characters of attributes unescaped.
    return parse_memory("<?xml version='1.0' encoding='UTF-8'?>" + std::string(text), "test");
}

// Generates random documents as text; the same state gives the same documents.
struct Generator {
    unsigned state;
    unsigned pick(unsigned n) {
        state = state * 1664525U + 1013904223U;
        return (state >> 16) % n;
    }
    std::string text() {
        static constexpr const char* kTexts[] = {
            "a", "&amp;", "&lt;x&gt;", "\"'", "Łódź \U0001F600", "\n\t ", "&#13;"};
        return kTexts[pick(7)];
    }
    std::string element(int depth) {
        static constexpr const char* kNames[] = {"a", "p:b", "q:c", "d"};
        const std::string name = kNames[pick(4)];
        std::string out = "<" + name;
        if (pick(3) == 0) out += " xmlns='urn:default" + std::to_string(pick(2)) + "'";
        if (pick(4) == 0) out += " xmlns:q='urn:q" + std::to_string(pick(2)) + "'";
        if (pick(2) == 0)
            out += " k='" + std::string(pick(2) != 0 ? "&#10;&#9;&quot;&lt;" : "ž&amp;>") + "'";
        if (pick(3) == 0) out += " p:k='2'";
        if (pick(4) == 0) out += " xml:lang='cs'";
        out += ">";
        for (unsigned n = depth == 0 ? 0 : pick(4); n > 0; --n) {
            const unsigned kind = pick(6);
            out += kind == 0   ? "<!-- - c -->"
                   : kind == 1 ? "<?pi some data?>"
                   : kind == 2 ? "<?pi?>"
                   : kind == 3 ? text()
                               : element(depth - 1);
        }
        return out + "</" + name + ">";
    }
};

struct Short {
    std::string text;
    std::size_t removed;
};

Short shortened(const std::string& source, xml::ShortenLimits limits) {
    const xml::DocumentHandle document = xml::parse_memory(source, "source");
    xmlNode* root = xmlDocGetRootElement(document.get());
    Short out{"", xml::shorten(root, limits)};
    xml::append_node(out.text, root);
    return out;
}

std::string print(const char* document) { return html_text(parse_memory(document, "test").get()); }

}  // namespace

TEST_CASE("serialiser: equal to libxml2 byte for byte, for 500 random trees") {
    Generator g{4711};
    for (int i = 0; i < 500; ++i) {
        const auto document = parse("<r xmlns:p='urn:p' xmlns:q='urn:q'>" + g.element(5) + "</r>");
        REQUIRE(ours(document.get()) == libxml2s(document.get()));
    }
}

TEST_CASE("serialiser: the intended differences from libxml2") {
    CHECK(ours(parse("<a><![CDATA[<&]]></a>").get()) == "<a>&lt;&amp;</a>");
    CHECK(ours(parse("<a></a>").get()) == "<a/>");
    // These nodes cannot come from a parser, but a stylesheet can create them.
    const auto document = parse("<a/>");
    xmlNode* root = xmlDocGetRootElement(document.get());
    const auto chars = [](const char* s) { return reinterpret_cast<const xmlChar*>(s); };
    xmlAddChild(root, xmlNewDocComment(document.get(), chars("a--b---")));
    xmlAddChild(root, xmlNewDocPI(document.get(), chars("p"), chars("x?>y")));
    xmlNode* raw = xmlNewDocText(document.get(), chars("<raw>\x01"));
    raw->name = xmlStringTextNoenc;
    xmlAddChild(root, raw);
    CHECK(ours(document.get()) == "<a><!--a- -b- - - --><?p x? >y?>&lt;raw&gt;\uFFFD</a>");
    CHECK_NOTHROW(parse(ours(document.get())));
}

TEST_CASE("serialiser: siblings of the node are not written, and depth does not use the stack") {
    const auto document = parse("<r><a>1</a><b>2</b></r>");
    std::string out = "x";
    append_node(out, xmlDocGetRootElement(document.get())->children);
    CHECK(out == "x<a>1</a>");
    const auto deep = parse("<r/>");
    xmlNode* node = xmlDocGetRootElement(deep.get());
    for (int i = 0; i < 200'000; ++i)
        node = xmlNewChild(node, nullptr, reinterpret_cast<const xmlChar*>("n"), nullptr);
    CHECK(ours(deep.get()).size() ==
          7 + 7 * 200'000 - 3);  // <r></r>, <n></n>..., the last one is <n/>
}

TEST_CASE("shorten: what is within the limits stays as it is") {
    const std::string source = "<a x=\"long attribute\">t<b/><c>12345</c><!-- c --></a>";
    const Short out = shortened(source, {.elements = 2, .text_bytes = 5});
    CHECK(out.text == source);
    CHECK(out.removed == 0);
}

TEST_CASE("shorten: elements of a name beyond the limit go, on each level") {
    const Short out = shortened("<a><b><c/><c/><c/><d/></b>t<b/><b/>u<b/><d/></a>",
                                {.elements = 2, .text_bytes = 9});
    CHECK(out.text == "<a><b><c/><c/><d/></b>t<b/>u<d/></a>");
    CHECK(out.removed == 3);
}

TEST_CASE("shorten: a long text ends between two characters") {
    const Short out = shortened("<a>12ž45<b>123</b></a>", {.elements = 9, .text_bytes = 3});
    CHECK(out.text == "<a>12\u2026<b>123</b></a>");
    CHECK(out.removed == 1);
    CHECK(shortened("<a>" + std::string(100'000, 'x') + "</a>", {.elements = 1, .text_bytes = 10})
              .text.size() < 30);
}

TEST_CASE("indented: an element keeps its text, and the namespace declarations in scope") {
    const auto shown = [](const std::string& text, const char* name) {
        const auto document = parse(text);
        const xmlNode* node = xmlDocGetRootElement(document.get());
        while (name != nullptr && xml::view(node->name) != name) node = node->children;
        return xml::indented(node);
    };
    CHECK(shown("<a><b>x <i>y</i> z</b><c/></a>", "a") ==
          "<a>\n  <b>x <i>y</i> z</b>\n  <c/>\n</a>");
    CHECK(shown("<a>\n\n<b> </b>\n</a>", "a") == "<a>\n\n<b> </b>\n</a>");
    CHECK(shown("<a k='&quot;&lt;'>\xC5\xBE&amp;</a>", "a") ==
          "<a k=\"&quot;&lt;\">\xC5\xBE&amp;</a>");
    CHECK(shown("<r xmlns:p='u'><e t='p:x'/></r>", "e") == R"(<e xmlns:p="u" t="p:x"/>)");
    CHECK(shown("<r xmlns:p='u'><m xmlns:p='v'><e/></m></r>", "e") == R"(<e xmlns:p="v"/>)");
    CHECK(shown("<r xmlns:p='u'><p:e xmlns:p='w'/></r>", "e") == R"(<p:e xmlns:p="w"/>)");
    CHECK(shown("<r xmlns='u'><e/></r>", "e") == R"(<e xmlns="u"/>)");
    CHECK(shown("<r xmlns='u' xmlns:p='v'><p:e/></r>", "e") == R"(<p:e xmlns:p="v"/>)");
}

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
