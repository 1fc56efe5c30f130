// SPDX-License-Identifier: MIT
#include "transform/stylesheet.h"

#include <dlfcn.h>

#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"
#include "xml/document.h"
#include "xml/serialiser.h"

using namespace oai::transform;
using namespace oai::xml;
using std::chrono::milliseconds;

namespace {

// A directory with a stylesheet, and one beside it that no stylesheet may reach.
struct Place : TemporaryDirectory {
    Place() {
        fs::create_directories(at("in/lib"));
        write("secret.xml", "<secret/>");
        write("secret.xsl", sheet(""));
        write("in/data.xml", "<data>here</data>");
        fs::create_symlink("../secret.xml", at("in/link.xml"));
    }

    static std::string sheet(const std::string& body, const std::string& attributes = "") {
        return "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' " +
               attributes + ">\n" + body + "</xsl:stylesheet>";
    }
    Stylesheet compile(const std::string& body, const std::string& attributes = "") {
        return Stylesheet::compile(write("in/s.xsl", sheet(body, attributes)));
    }
    std::string run(const std::string& body, const std::string& attributes = "",
                    milliseconds limit = milliseconds{300'000}) {
        const Stylesheet s = compile(body, attributes);
        const auto source = parse_memory("<r><x>1</x><x>2</x></r>", "source");
        const auto result = s.apply(source.get(), limit);
        std::string out;
        for (const xmlNode* n = result->children; n != nullptr; n = n->next) append_node(out, n);
        return out;
    }
};

std::string match(const std::string& content) {
    return "<xsl:template match='/'>" + content + "</xsl:template>";
}

}  // namespace

TEST_CASE_METHOD(Place, "stylesheet: compiles, applies, imports, includes, and reads documents") {
    CHECK(run(match("<o><xsl:value-of select='count(//x)'/></o>")) == "<o>2</o>");
    write("in/lib/i.xsl",
          Place::sheet("<xsl:import href='../lib/j.xsl'/><xsl:template name='i'>I</xsl:template>"));
    write("in/lib/j.xsl", Place::sheet("<xsl:template name='j'>J</xsl:template>"));
    const std::string call =
        match("<o><xsl:call-template name='i'/><xsl:call-template name='j'/></o>");
    CHECK(run("<xsl:import href='lib/i.xsl'/>" + call) == "<o>IJ</o>");
    CHECK(run("<xsl:include href='lib/i.xsl'/>" + call) == "<o>IJ</o>");
    CHECK(run(match("<o><xsl:value-of select=\"document('data.xml')\"/></o>")) == "<o>here</o>");
    CHECK(run(match("<o><xsl:value-of select=\"str:replace('abc','b','x')\"/></o>"),
              "xmlns:str='http://exslt.org/strings' exclude-result-prefixes='str'") ==
          "<o>axc</o>");
}

TEST_CASE_METHOD(Place, "stylesheet: an error has file and line") {
    CHECK_THROWS_WITH(
        compile("\n<xsl:template match='/'><xsl:value-of select='1 +'/></xsl:template>"),
        StartsWith(at("in/s.xsl") + ":3: "));
    CHECK_THROWS_WITH(compile("<xsl:template match='['/>"), Contains("s.xsl:2: "));
    CHECK_THROWS_WITH(compile("<xsl:nonsense"), StartsWith(at("in/s.xsl") + ":"));
    CHECK_THROWS_WITH(Stylesheet::compile(at("in/none.xsl")), StartsWith(at("in/none.xsl") + ": "));
    write("in/t.xsl", "<t/>");
    CHECK_THROWS_WITH(Stylesheet::compile(at("in/t.xsl")), Contains("t.xsl"));
}

TEST_CASE_METHOD(Place, "stylesheet: what goes wrong while it runs has file and line, too") {
    const auto wrong = [&](const std::string& instruction, const std::string& what) {
        CHECK_THROWS_WITH(
            run("\n<xsl:template match='/'>\n<o>" + instruction + "</o></xsl:template>" +
                    "<xsl:template name='l'><xsl:param name='s'/><xsl:call-template "
                    "name='l'><xsl:with-param name='s' select='concat($s, "
                    "$s)'/></xsl:call-template></xsl:template>",
                "xmlns:php='urn:php' exclude-result-prefixes='php'"),
            StartsWith(at("in/s.xsl") + ":4: ") && Contains(what));
    };
    wrong("<xsl:value-of select=\"php:functionString('x')\"/>", "functionString not found");
    wrong("<xsl:variable name='v'>x</xsl:variable><xsl:value-of select='$v/x'/>", "Invalid type");
    wrong("<xsl:value-of select='$none'/>", "none");
    wrong("<xsl:message terminate='yes'>enough</xsl:message>", "enough");
    wrong(
        "<xsl:call-template name='l'><xsl:with-param name='s' "
        "select=\"'xxxxxxxxxxxxxxxx'\"/></xsl:call-template>",
        "");
}

TEST_CASE_METHOD(Place, "stylesheet: import and include stay within the directory") {
    for (const std::string& href : {std::string("../secret.xsl"), at("secret.xsl"),
                                    "file://" + at("secret.xsl"), std::string("none.xsl")}) {
        CHECK_THROWS_WITH(compile("<xsl:import href='" + href + "'/>"),
                          Contains("directory of the stylesheet"));
        CHECK_THROWS_WITH(compile("<xsl:include href='" + href + "'/>"),
                          Contains("directory of the stylesheet"));
    }
    write("in/dtd.xsl",
          "<!DOCTYPE x [<!ENTITY e SYSTEM '" + at("secret.xml") + "'>]>" + Place::sheet(""));
    CHECK_THROWS_WITH(compile("<xsl:import href='dtd.xsl'/>"), Contains("DOCTYPE"));
}

TEST_CASE_METHOD(
    Place, "stylesheet: an address means the file of its name beside it, and nothing is fetched") {
    for (const char* step : {"import", "include"})
        CHECK_THROWS_WITH(
            compile(std::string("<xsl:") + step + " href='http://127.0.0.1:1/a/none.xsl'/>"),
            Contains("http://127.0.0.1:1/a/none.xsl: nothing is fetched from the network"));
    write("in/i.xsl", Place::sheet("<xsl:template name='i'>I</xsl:template>"));
    const std::string call = match("<o><xsl:call-template name='i'/></o>");
    CHECK(run("<xsl:import href='http://127.0.0.1:1/a/i.xsl'/>" + call) == "<o>I</o>");
    CHECK_THROWS_WITH(compile("<xsl:import href='http://127.0.0.1:1/s.xsl'/>"),
                      Contains("imported without an end"));
}

TEST_CASE_METHOD(Place, "stylesheet: the catalog maps addresses to files of its directory") {
    fs::create_directory(at("in/vendor"));
    write("in/vendor/i.xsl", Place::sheet("<xsl:include href='j.xsl'/>"));
    write("in/vendor/j.xsl", Place::sheet("<xsl:template name='i'>I</xsl:template>"));
    const std::string call = match("<o><xsl:call-template name='i'/></o>");
    const auto made = [&](const std::string& entry, const std::string& address) {
        write("in/catalog.xml", "<catalog xmlns='urn:oasis:names:tc:entity:xmlns:xml:catalog'>" +
                                    entry + "</catalog>");
        write("in/s.xsl", Place::sheet("<xsl:import href='" + address + "'/>" + call));
        const auto catalog = std::make_shared<const Catalog>(Catalog::read(at("in/catalog.xml")));
        return Stylesheet::compile(at("in/s.xsl"), "", catalog).files();
    };
    const Strings wanted = {at("in/s.xsl"), at("in/vendor/i.xsl"), at("in/vendor/j.xsl"),
                            at("in/catalog.xml")};
    for (const char* entry :
         {"<uri name='http://x.org/a/b.xsl' uri='vendor/i.xsl'/>",
          "<group xml:base='vendor/'><system systemId='http://x.org/a/b.xsl' uri='i.xsl'/></group>",
          "<rewriteURI uriStartString='http://x.org/' rewritePrefix='none/'/><uri "
          "name='http://x.org/a/b.xsl' uri='vendor/i.xsl'/>"})
        CHECK(made(entry, "http://x.org/a/b.xsl") == wanted);
    CHECK(made("<rewriteURI uriStartString='http://x.org/a/' rewritePrefix='vendor/'/><rewriteURI "
               "uriStartString='http://x.org/' rewritePrefix='none/'/>",
               "http://x.org/a/i.xsl") == wanted);
    for (const char* file : {"../secret.xsl", "vendor/../../secret.xsl", "file:///etc/passwd"})
        CHECK_THROWS_WITH(made(std::string("<uri name='http://x.org/b.xsl' uri='") + file + "'/>",
                               "http://x.org/b.xsl"),
                          Contains("nothing is fetched"));
    CHECK_THROWS_WITH(made("\n<nextCatalog catalog='http://x.org/c.xml'/>", "http://x.org/b.xsl"),
                      StartsWith(at("in/catalog.xml") + ":2: nextCatalog: "));
    CHECK_THROWS_WITH(made("<uri name='http://x.org/b.xsl'/>", "http://x.org/b.xsl"),
                      Contains(":1: uri without uri"));
    write("in/catalog.xml", "<catalog/>");
    CHECK_THROWS_WITH(Catalog::read(at("in/catalog.xml")), Contains(":1: no catalog"));
}

TEST_CASE_METHOD(Place, "stylesheet: XSLT 2.0 is rejected with a message") {
    write("in/two.xsl",
          "\n<xsl:stylesheet version='2.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'/>");
    CHECK_THROWS_WITH(Stylesheet::compile(at("in/two.xsl")),
                      StartsWith(at("in/two.xsl") + ":2: this stylesheet is in XSLT 2.0, and"));
    CHECK_THROWS_WITH(compile("<xsl:import href='two.xsl'/>"),
                      Contains("two.xsl:2: this stylesheet is in XSLT 2.0"));
    write("in/data.xml", "<data version='2.0'/>");
    CHECK(run(match("<o><xsl:copy-of select=\"document('data.xml')/data/@version\"/></o>")) ==
          "<o version=\"2.0\"/>");
}

TEST_CASE_METHOD(Place, "stylesheet: has entities of text that it declares itself") {
    write("in/e.xsl", "<!DOCTYPE s [<!ENTITY nbsp '&#160;'><!ENTITY two '&nbsp;&nbsp;'>]>" +
                          Place::sheet("<xsl:template name='i'>&two;</xsl:template>"));
    CHECK(run("<xsl:import href='e.xsl'/>" + match("<o><xsl:call-template name='i'/></o>")) ==
          "<o>\u00A0\u00A0</o>");
    for (const char* doctype :
         {"SYSTEM 'x.dtd'", "PUBLIC '-//X' 'http://127.0.0.1:1/x.dtd'",
          "[<!ENTITY % p SYSTEM 'http://127.0.0.1:1/x'> %p;]", "[<!ENTITY e SYSTEM 'data.xml'>]"}) {
        write("in/e.xsl", std::string("<!DOCTYPE s ") + doctype + ">" + Place::sheet(""));
        CHECK_THROWS_WITH(compile("<xsl:import href='e.xsl'/>"),
                          Contains("a DOCTYPE may only declare entities of text"));
    }
}

TEST_CASE_METHOD(Place, "stylesheet: parameters are text, and have the default of the stylesheet") {
    const Stylesheet s = compile("<xsl:param name='a' select=\"'none'\"/><xsl:param name='b'/>" +
                                 match("<o a='{$a}' b='{$b}'/>"));
    const auto source = parse_memory("<r/>", "source");
    const auto made = [&](const std::vector<Parameter>& parameters) {
        std::string out;
        append_node(out, xmlDocGetRootElement(
                             s.apply(source.get(), milliseconds{300'000}, parameters).get()));
        return out;
    };
    CHECK(made({}) == "<o a=\"none\" b=\"\"/>");
    CHECK(made({{"a", "it's \"//x\""}, {"b", "'"}, {"c", "unknown"}}) ==
          "<o a=\"it's &quot;//x&quot;\" b=\"'\"/>");
}

TEST_CASE_METHOD(Place, "stylesheet: document() stays within the directory") {
    for (const std::string& uri :
         {std::string("../secret.xml"), at("secret.xml"), std::string("link.xml"),
          std::string("http://127.0.0.1:1/x"), std::string("ftp://127.0.0.1/x")}) {
        const std::string body = match("<o><xsl:copy-of select=\"document('" + uri + "')\"/></o>");
        CHECK_THROWS_AS(run(body), Error);
    }
}

TEST_CASE_METHOD(Place, "stylesheet: cannot write files") {
    const std::string exsl =
        "xmlns:exsl='http://exslt.org/common' extension-element-prefixes='exsl'";
    const std::string saxon =
        "xmlns:saxon='http://icl.com/saxon' extension-element-prefixes='saxon'";
    const std::string file = at("in/out.xml");
    CHECK_THROWS_AS(run(match("<exsl:document href='" + file + "'><a/></exsl:document>"), exsl),
                    Error);
    CHECK_THROWS_AS(
        run(match("<exsl:document href='" + at("in/new/out.xml") + "'><a/></exsl:document>"), exsl),
        Error);
    CHECK_THROWS_AS(run(match("<saxon:output href='" + file + "'><a/></saxon:output>"), saxon),
                    Error);
    CHECK_FALSE(fs::exists(file));
    CHECK_FALSE(fs::exists(at("in/new")));
}

TEST_CASE_METHOD(Place, "stylesheet: does not evaluate data as XPath") {
    CHECK_THROWS_AS(run(match("<o><xsl:value-of select=\"dyn:evaluate('1+1')\"/></o>"),
                        "xmlns:dyn='http://exslt.org/dynamic'"),
                    Error);
}

TEST_CASE_METHOD(Place, "stylesheet: xsl:message is reported") {
    CHECK(run(match("<xsl:message>only said</xsl:message><o/>")) == "<o/>");
    CHECK_THROWS_WITH(run(match("<xsl:message terminate='yes'>no title</xsl:message><o/>")),
                      Contains("no title"));
    CHECK_THROWS_WITH(run(match("\n<o><xsl:value-of select='nonsense()'/></o>")),
                      Contains("nonsense"));
}

TEST_CASE_METHOD(Place, "stylesheet: an endless transform is stopped") {
    const std::string endless = match("<xsl:call-template name='t'/>");
    CHECK_THROWS_AS(
        run(endless + "<xsl:template name='t'><a><xsl:call-template name='t'/></a></xsl:template>"),
        Error);
    CHECK_THROWS_AS(
        run(endless + "<xsl:template name='t'><xsl:call-template name='t'/></xsl:template>"),
        Error);
    CHECK_THROWS_AS(
        run("<xsl:template match='/|x|r'><xsl:apply-templates select='/'/></xsl:template>"), Error);
    const auto doubling = [](const std::string& step) {
        return match(
                   "<xsl:call-template name='t'><xsl:with-param name='n' "
                   "select='0'/><xsl:with-param name='s' select=\"'ab'\"/></xsl:call-template>") +
               "<xsl:template name='t'><xsl:param name='n'/><xsl:param name='s'/>" + step +
               "</xsl:template>";
    };
    const std::string again =
        "<xsl:call-template name='t'><xsl:with-param name='n' select='$n + 1'/><xsl:with-param "
        "name='s' select='concat($s,$s)'/></xsl:call-template>";
    // 2^60 elements, and a string of 2^60 bytes. The elements of 50 ms fit into the memory.
    CHECK_THROWS_WITH(
        run(doubling(
                "<xsl:if test='$n &lt; 60'><a/><xsl:call-template name='t'><xsl:with-param "
                "name='n' select='$n + 1'/></xsl:call-template><xsl:call-template "
                "name='t'><xsl:with-param name='n' select='$n + 1'/></xsl:call-template></xsl:if>"),
            "", milliseconds{50}),
        Contains("too long"));
    CHECK_THROWS_WITH(run(doubling("<xsl:if test='$n &lt; 60'>" + again + "</xsl:if>")),
                      Contains("memory"));
    // The thread is not the worse for it.
    CHECK(run(match("<o/>")) == "<o/>");
}

TEST_CASE_METHOD(
    Place, "stylesheet: several threads can apply a stylesheet while another compiles it anew") {
    write("in/lib/i.xsl", Place::sheet("<xsl:template name='i'>I</xsl:template>"));
    const Stylesheet s =
        compile("<xsl:import href='lib/i.xsl'/>" + match("<o><xsl:call-template name='i'/></o>"));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 60; ++i) {
                const Stylesheet own = Stylesheet::compile(s.path());
                const auto source = parse_memory("<r/>", "source");
                const auto result = (t == 0 ? own : s).apply(source.get(), milliseconds{300'000});
                std::string out;
                append_node(out, xmlDocGetRootElement(result.get()));
                wrong += out == "<o>I</o>" ? 0 : 1;
            }
        });
    }
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}

// hooks.cpp has it.
TEST_CASE("stylesheet: libxslt compares strings by this program's function") {
    Dl_info found{};
    REQUIRE(::dladdr(::dlsym(RTLD_DEFAULT, "xmlStrEqual"), &found) != 0);
    CHECK_THAT(found.dli_fname, !Contains("libxml2"));
    const std::string a(70, 'a'), b = a, c = a + 'c';
    const auto equal = [](const char* x, const char* y) {
        return xmlStrEqual(reinterpret_cast<const xmlChar*>(x),
                           reinterpret_cast<const xmlChar*>(y));
    };
    CHECK(equal(a.c_str(), a.c_str()) == 1);
    CHECK(equal(a.c_str(), b.c_str()) == 1);
    CHECK(equal(a.c_str(), c.c_str()) == 0);
    CHECK(equal("", a.c_str()) == 0);
    CHECK(equal(nullptr, nullptr) == 1);
    CHECK(equal(nullptr, a.c_str()) == 0);
    CHECK(equal(a.c_str(), nullptr) == 0);
}
