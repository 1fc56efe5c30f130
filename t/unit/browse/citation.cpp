// SPDX-License-Identifier: MIT
// The stylesheets that make citations, JSON-LD and links of a record.
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "browse/catalogue.h"
#include "t/lib/rows.h"
#include "t/lib/unit_headers.h"
#include "transform/stylesheet.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

using nlohmann::json;

namespace {

const std::string kUrl = "http://r.org/oai/browse/record/oai:r.org:book/7";
const std::string kReplay = "https://archive.example.org/20060102123456/http://example.cz/a";

std::string item(const std::string& more = "", const std::string& identifier = "oai:r.org:book/7") {
    std::string out = "<item url='" + kUrl +
                      "' path='record/oai:r.org:book/7' repository='R &amp; D' "
                      "viewed='2026-11-23T10:20:30Z' " +
                      more + " identifier=\"";
    xml::append_attribute(out, identifier);
    return out + "\"/>";
}
std::string capture(const std::string& replay = kReplay) {
    return item("captured='2006-01-02T12:34:56Z' live='http://example.cz/a' replay='" + replay +
                "'");
}

std::string source(const std::string& elements, const std::string& item,
                   const std::string& more = "") {
    return "<page kind='record' lang='en' dir='ltr' mount='/oai' base='http://r.org/oai' "
           "repository='R' here='/'><file name='ris' title='RIS' type='application/x-ris'/>" +
           item +
           "<disseminated prefix='oai_dc' "
           "namespace='http://www.openarchives.org/OAI/2.0/oai_dc/'>"
           "<o:OAI-PMH xmlns:o='http://www.openarchives.org/OAI/2.0/'><o:GetRecord><o:record>"
           "<o:metadata><d:dc xmlns:d='http://www.openarchives.org/OAI/2.0/oai_dc/' "
           "xmlns:dc='http://purl.org/dc/elements/1.1/'>" +
           elements + "</d:dc></o:metadata></o:record></o:GetRecord></o:OAI-PMH></disseminated>" +
           more + "</page>";
}

xml::DocumentHandle rendered(const std::string& sheet, const std::string& page) {
    static const Catalogue catalogue("xslt/page", "en cs");
    const auto stylesheet = transform::Stylesheet::compile("xslt/page/" + sheet + ".xsl",
                                                           fs::canonical("xslt/page").string());
    const xml::DocumentHandle document = xml::parse_memory(page, "page");
    return stylesheet.apply(document.get(), 60s, {}, page_functions(*catalogue.find("en")));
}

std::string text_of(const std::string& sheet, const std::string& page) {
    const xml::DocumentHandle result = rendered(sheet, page);
    std::string text;
    for (const xmlNode* n = result->children; n != nullptr; n = n->next) {
        const xml::StringHandle content(xmlNodeGetContent(n));
        text += xml::view(content.get());
    }
    return text;
}

struct Cited {
    std::string elements, item = ::item();
    std::string file(const std::string& name) const {
        return text_of("cite/" + name, source(elements, item));
    }
    std::string ris() const { return file("ris"); }
    std::string bibtex() const { return file("bibtex"); }
    json csl() const { return json::parse(file("csl")).at(0); }
    std::string iso690() const {
        const std::string text = file("iso690");
        CHECK(text.ends_with("\n"));
        return text.substr(0, text.size() - 1);
    }
    // The value of a field of RIS; "" if there is none.
    std::string field(const std::string& tag) const {
        const std::string all = "\n" + ris(), begin = "\n" + tag + "  - ";
        const std::size_t at = all.find(begin);
        return at == all.npos
                   ? ""
                   : all.substr(at + begin.size(), all.find('\r', at) - at - begin.size());
    }
};

std::string element(const std::string& name, const std::string& value) {
    return "<dc:" + name + ">" + value + "</dc:" + name + ">";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

const std::string kThesis =
    "<dc:title>The Horse &amp; Other Colours</dc:title><dc:title>Another title</dc:title>"
    "<dc:creator>Nov\u00e1kov\u00e1, Jana Marie</dc:creator><dc:creator>Dvo\u0159\u00e1k, "
    "Karel, 1890-1938</dc:creator><dc:date>2019-11-28T00:00:00Z</dc:date><dc:type>Thesis</dc:type>"
    "<dc:publisher>Univerzita Karlova</dc:publisher><dc:language>cs</dc:language>"
    "<dc:identifier>sys-1</dc:identifier><dc:identifier>https://doi.org/10.1234/horse_1"
    "</dc:identifier><dc:identifier>urn:isbn:978-80-246-0000-0</dc:identifier>"
    "<dc:subject>horses</dc:subject><dc:subject>colours</dc:subject>";

}  // namespace

TEST_CASE("citation: of a thesis") {
    const Cited c{kThesis};
    CHECK(
        c.ris() ==
        "TY  - THES\r\nTI  - The Horse & Other Colours\r\nAU  - Nov\u00e1kov\u00e1, Jana Marie\r\n"
        "AU  - Dvo\u0159\u00e1k, Karel\r\nPY  - 2019\r\nDA  - 2019/11/28\r\n"
        "PB  - Univerzita Karlova\r\nLA  - cs\r\nSN  - 978-80-246-0000-0\r\n"
        "DO  - 10.1234/horse_1\r\nKW  - horses\r\nKW  - colours\r\n"
        "UR  - https://doi.org/10.1234/horse_1\r\nY2  - 2026/11/23\r\nAN  - oai:r.org:book/7\r\n"
        "DB  - R & D\r\nER  - \r\n");
    CHECK(c.bibtex() ==
          "@phdthesis{oai:r.org:book-7,\n"
          "  author = {Nov\u00e1kov\u00e1, Jana Marie and Dvo\u0159\u00e1k, Karel},\n"
          "  title = {{The Horse \\& Other Colours}},\n  year = {2019},\n  month = nov,\n"
          "  day = {28},\n  school = {Univerzita Karlova},\n  type = {Thesis},\n"
          "  language = {cs},\n  isbn = {978-80-246-0000-0},\n  doi = {10.1234/horse_1},\n"
          "  url = {https://doi.org/10.1234/horse_1},\n  urldate = {2026-11-23}\n}\n");
    CHECK(c.iso690() ==
          "Nov\u00e1kov\u00e1, Jana Marie and Dvo\u0159\u00e1k, Karel. The Horse & Other Colours "
          "[online]. Univerzita Karlova, 2019-11-28 [viewed 2026-11-23]. ISBN 978-80-246-0000-0. "
          "Available from: https://doi.org/10.1234/horse_1");
}

TEST_CASE("citation: what is printed has a place, and is not cited as a page") {
    const std::string book =
        "<dc:title>Babi\u010dka</dc:title><dc:creator>N\u011bmcov\u00e1, Bo\u017eena</dc:creator>"
        "<dc:date>1955</dc:date><dc:type>book</dc:type><dc:publisher>Praha : Orbis</dc:publisher>";
    const Cited c{book + "<dc:identifier>urn:isbn:80-00-00000-1</dc:identifier>"};
    CHECK(c.iso690() ==
          "N\u011bmcov\u00e1, Bo\u017eena. Babi\u010dka. Praha: Orbis, 1955. ISBN 80-00-00000-1.");
    CHECK(has(c.ris(), "CY  - Praha\r\nPB  - Orbis\r\n"));
    CHECK(!has(c.ris(), "UR  - "));
    CHECK(has(c.bibtex(), "  address = {Praha},\n  publisher = {Orbis},\n"));
    CHECK(c.csl()["publisher-place"] == "Praha");
    CHECK(!c.csl().contains("accessed"));
    CHECK(has(Cited{book + "<dc:identifier>http://a.example/b</dc:identifier>"}.iso690(),
              "Babi\u010dka [online]. Praha: Orbis, 1955 [viewed 2026-11-23]. Available from: "));
}

TEST_CASE("citation: of a thesis it says the degree, and no URI of its type") {
    const auto degree = [&](const std::string& type) {
        const Cited c{element("title", "T") + element("type", type)};
        CHECK_FALSE(has(c.bibtex(), "info:"));
        CHECK(c.csl().value("genre", "") == c.field("M3"));
        return c.field("M3");
    };
    CHECK(degree("info:eu-repo/semantics/bachelorThesis") == "Bachelor's thesis");
    CHECK(degree("info:eu-repo/semantics/masterThesis") == "Master's thesis");
    CHECK(degree("info:eu-repo/semantics/doctoralThesis") == "Doctoral dissertation");
    CHECK(degree("Thesis").empty());
    const Cited c{element("type", "info:eu-repo/semantics/masterThesis") + element("type", "x")};
    CHECK(has(c.bibtex(), "type = {Master's thesis}"));
}

TEST_CASE("citation: CSL-JSON") {
    const json item = Cited{kThesis}.csl();
    CHECK(item["type"] == "thesis");
    CHECK(item["id"] == "oai:r.org:book/7");
    CHECK(item["author"][0] == json({{"family", "Nov\u00e1kov\u00e1"}, {"given", "Jana Marie"}}));
    CHECK(item["issued"] == json::parse(R"({"date-parts": [[2019, 11, 28]]})"));
    CHECK(item["accessed"] == json::parse(R"({"date-parts": [[2026, 11, 23]]})"));
    CHECK(item["DOI"] == "10.1234/horse_1");
    CHECK(item["keyword"] == "horses, colours");
    CHECK(item["source"] == "R & D");
    CHECK_FALSE(item.contains("note"));
    CHECK(Cited{element("date", "spring")}.csl()["issued"] == json({{"literal", "spring"}}));
}

TEST_CASE("citation: an archived page names the archive, the capture and its address") {
    const std::string page =
        "<dc:title>http://example.cz/a</dc:title><dc:date>2006-01-02T12:34:56Z</dc:date>"
        "<dc:type>Text</dc:type><dc:publisher>example.cz</dc:publisher>"
        "<dc:identifier>http://example.cz/a</dc:identifier><dc:source>a.warc.gz#12</dc:source>";
    const Cited c{page, capture()};
    CHECK(c.iso690() ==
          "http://example.cz/a [online]. example.cz [archived 2006-01-02T12:34:56Z] [viewed "
          "2026-11-23]. In: R & D. Available from: " +
              kReplay + ". Original address: http://example.cz/a");
    CHECK(c.ris().starts_with("TY  - ELEC\r\nTI  - http://example.cz/a\r\nPB  - example.cz\r\n"));
    CHECK(c.field("N1") ==
          "Archived 2006-01-02T12:34:56Z by R & D. Original address: http://example.cz/a");
    CHECK(c.field("Y2") == "2006/01/02");
    const json item = c.csl();
    CHECK(item["archive"] == "R & D");
    CHECK(item["archive_location"] == kReplay);
    CHECK(item["accessed"]["date-parts"][0] == json({2006, 1, 2}));
    CHECK_FALSE(item.contains("issued"));
    // Where nothing shows the capture, the record's page is the address; an image is one.
    CHECK(Cited{page, capture("")}.field("UR") == kUrl);
    CHECK(Cited{element("type", "Image"), capture()}.field("TY") == "FIGURE");
    CHECK(Cited{"", capture()}.field("TI") == "http://example.cz/a");
}

TEST_CASE("citation: the kind of a work by dc:type, or by what the model says") {
    for (const auto& [type, tag] :
         rows("Book > BOOK | info:eu-repo/semantics/doctoralThesis > THES | "
              "info:eu-repo/semantics/bookPart > CHAP | journal article > JOUR | "
              "http://purl.org/dc/dcmitype/StillImage > FIGURE | MovingImage > VIDEO | "
              "Dataset > DATA | conference paper > CPAPER | Journal > JFULL | Text > GEN | "
              "bookish mapping > GEN |  > GEN")) {
        CAPTURE(type);
        CHECK(Cited{element("type", type)}.field("TY") == tag);
    }
    CHECK(Cited{element("type", "Text") + element("type", "Thesis")}.field("TY") == "THES");
    CHECK(Cited{element("type", "article") + element("type", "Thesis")}.field("TY") == "JOUR");
    const std::string thesis = item("kind='thesis:master'");
    CHECK(Cited{element("type", "text"), thesis}.field("TY") == "THES");
    CHECK(Cited{element("type", "map"), thesis}.field("TY") == "MAP");
    CHECK(Cited{element("type", "article") + element("source", "A journal")}.field("T2") ==
          "A journal");
}

TEST_CASE("citation: dates as records write them") {
    for (const auto& [date, parts] :
         rows("2020 > [2020] | 2020-02 > [2020,2] | 2020-02-29 > [2020,2,29] | "
              "2020-02-29T12:00:00Z > [2020,2,29] | [c1998] > [1998]")) {
        CAPTURE(date);
        const Cited c{element("date", date)};
        CHECK(c.csl()["issued"]["date-parts"][0] == json::parse(parts));
        CHECK(c.field("PY") == std::string(parts).substr(1, 4));
    }
    // Words beside the year are kept; they may have no year of our era.
    for (const char* date : {"20201231", "19. stolet\u00ed", "0999", "-1200", "1200 BC",
                             "1200 p\u0159. n. l.", "\u20131938", "192-?"}) {
        CAPTURE(date);
        const Cited c{element("date", date)};
        CHECK(c.csl()["issued"]["literal"] == date);
        CHECK(c.field("PY").empty());
        CHECK(has(c.bibtex(), "year = {"));
    }
    for (const char* date :
         {"[1923?]", "ca. 1923", "1923~", "1923-2001", "12. 5. 1923", "1923-02-29", "1923-13"}) {
        CAPTURE(date);
        const Cited c{element("title", "T") + element("date", date)};
        CHECK(c.csl()["issued"]["literal"] == date);
        CHECK(has(c.iso690(), "[online]. " + std::string(date) + " [viewed"));
        CHECK(c.field("PY") == "1923");
        CHECK(c.field("DA").empty());
        CHECK(has(c.bibtex(), "year = {1923}"));
    }
    for (const char* date : {"1998", "[1998]", "c1998", "[c1998].", "\u00a91998"})
        CHECK(has(Cited{element("date", date)}.iso690(), "[online]. 1998 [viewed"));
    CHECK(Cited{element("date", "spring") + element("date", "1999")}.field("PY") == "1999");
    CHECK(Cited{element("date", "2020-02")}.field("DA") == "2020/02/");
}

TEST_CASE("citation: what a record lacks") {
    const Cited none{""};
    CHECK(none.iso690() ==
          "oai:r.org:book/7 [online]. [viewed 2026-11-23]. Available from: " + kUrl);
    CHECK(has(Cited{element("title", "Why?") + element("creator", "A.")}.iso690(),
              "A. Why? [online]. "));
}

TEST_CASE("citation: names of persons and of others") {
    const auto names = [](const std::string& creator) {
        const json name = Cited{element("creator", creator)}.csl()["author"][0];
        return name.value("family", "") + "|" + name.value("given", "") + name.value("literal", "");
    };
    CHECK(names("Nov\u00e1k, Jan") == "Nov\u00e1k|Jan");
    CHECK(names("\u010capek, Karel, 1890-1938") == "\u010capek|Karel");
    CHECK(names("World Health Organization") == "|World Health Organization");
    CHECK(names("Smith, Jones and Sons") == "|Smith, Jones and Sons");
    CHECK(names("Smith, Jones, Brown") == "|Smith, Jones, Brown");
    CHECK(names("Nov\u00e1k,") == "|Nov\u00e1k");
    CHECK(names("Nov\u00e1k, Jan,") == "Nov\u00e1k|Jan");
    CHECK_FALSE(Cited{element("creator", ",")}.csl().contains("author"));
    CHECK(has(Cited{element("creator", "Smith and Sons")}.bibtex(), "author = {{Smith and Sons}}"));
}

TEST_CASE("citation: a hundred creators, and more") {
    std::string creators;
    for (int i = 1; i <= 100; ++i) creators += element("creator", "C" + std::to_string(i) + ", A");
    const Cited c{creators + element("title", "T")};
    CHECK(has(c.ris(), "AU  - C100, A\r\n"));
    CHECK(has(c.bibtex(), "C99, A and C100, A}"));
    CHECK(c.iso690().starts_with("C1, A et al. T [online]."));
    const Cited more{creators + element("creator", "C101, A")};
    CHECK_FALSE(has(more.ris(), "C101"));
    CHECK(has(more.bibtex(), "C100, A and others}"));
}

TEST_CASE("citation: no value leaves its field") {
    const std::string nasty =
        "}, note = {x}\r\nTY  - BOOK \\ ~ ^ $ &amp; # % _ \" &lt;b&gt; \u2028X  - y\u202Ez \u0085w";
    const Cited c{element("title", nasty) + element("creator", nasty) +
                  element("publisher", nasty) + element("identifier", nasty)};
    const std::string ris = c.ris(), bibtex = c.bibtex();
    CHECK(std::count(ris.begin(), ris.end(), '\n') == 9);
    CHECK_FALSE(has(ris, "\nTY"));
    for (const char* mark : {"\u2028", "\u202E", "\u0085"}) {
        CHECK_FALSE(has(ris, mark));
        CHECK_FALSE(has(bibtex, mark));
    }
    CHECK(std::count(bibtex.begin(), bibtex.end(), '{') ==
          std::count(bibtex.begin(), bibtex.end(), '}'));
    CHECK(has(bibtex,
              "title = {{{\\textbraceright}, note = {\\textbraceleft}x{\\textbraceright} TY "
              "- BOOK {$\\backslash$} {\\textasciitilde} {\\textasciicircum} \\$ \\& \\# "
              "\\% \\_ \" <b> X - y z w}}"));
    CHECK(c.csl()["publisher"] == "}, note = {x} TY - BOOK \\ ~ ^ $ & # % _ \" <b> X - y z w");
    CHECK(Cited{"", item("", "oai:r.org:a b{c}\\d,e\u010d%")}.bibtex().starts_with(
        "@misc{oai:r.org:a-b-c--d-e--,\n"));
}

TEST_CASE("citation: long values are cut between characters, right-to-left ones stay") {
    std::string title = "x";
    for (int i = 0; i < 5'000; ++i) title += "\u010d";
    const std::string cut = Cited{element("title", title)}.field("TI");
    CHECK(cut.size() <= 2'003);
    CHECK(cut.ends_with("\u010d\u2026"));
    CHECK(Cited{element("title", "\u05e2\u05d1\u05e8\u05d9\u05ea")}.field("TI") ==
          "\u05e2\u05d1\u05e8\u05d9\u05ea");
}

TEST_CASE("JSON-LD: Dublin Core as properties of schema.org, without markup") {
    const std::string html = xml::html_text(
        rendered("browse",
                 source(element("title",
                                "&lt;/script>&lt;script>alert(1) &amp;amp; &lt;!-- \xC5\xBE "
                                "\xE2\x80\xAE &#10;\"") +
                            element("title", "Two") + element("creator", "C") +
                            element("identifier", "i") + element("title", "Three") +
                            element("relation", "no word") + element("subject", ""),
                        item()))
            .get());
    const std::string begin = "<script type=\"application/ld+json\">";
    REQUIRE(has(html, begin));
    const std::size_t at = html.find(begin) + begin.size();
    const std::string text = html.substr(at, html.find("</script>", at) - at);
    CHECK(std::all_of(text.begin(), text.end(), [](char c) {
        return c >= ' ' && c <= '~' && c != '<' && c != '>' && c != '&';
    }));
    const json ld = json::parse(text);
    CHECK(ld["@context"] == "https://schema.org");
    CHECK(ld["@type"] == "CreativeWork");
    CHECK(ld["@id"] == kUrl);
    CHECK(ld["name"] == json({"</script><script>alert(1) &amp; <!-- \xC5\xBE \xE2\x80\xAE \n\"",
                              "Two", "Three"}));
    CHECK(ld["creator"] == json({"C"}));
    CHECK(ld["identifier"] == json({"oai:r.org:book/7", "i"}));
    CHECK(ld["includedInDataCatalog"]["name"] == "R & D");
    CHECK(ld.size() == 8);
}

TEST_CASE("links: the header has the linkset first, then the most important ones") {
    const std::string page =
        source(kThesis + element("rights", "https://c.org/by/4.0/") + element("rights", "free"),
               item(), "<paths><path><set spec='a'/><set spec='a:b'/></path></paths>");
    const std::string linkset = "http://r.org/oai/browse/linkset/oai:r.org:book/7";
    CHECK(text_of("link-header", page) ==
          "<" + linkset +
              ">; rel=\"linkset\"; type=\"application/linkset+json\", "
              "<https://doi.org/10.1234/horse_1>; rel=\"cite-as\", <https://schema.org/AboutPage>; "
              "rel=\"type\", <https://schema.org/Thesis>; rel=\"type\", <https://c.org/by/4.0/>; "
              "rel=\"license\", <http://r.org/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier="
              "oai:r.org:book%2F7>; rel=\"describedby\"; type=\"text/xml\"; "
              "profile=\"http://www.openarchives.org/OAI/2.0/oai_dc/\", "
              "<http://r.org/oai/browse/cite/ris/oai:r.org:book/7>; rel=\"describedby\"; "
              "type=\"application/x-ris\", <http://r.org/oai/browse/list?set=a:b>; "
              "rel=\"collection\"; type=\"text/html\"");
    const json all = json::parse(text_of("cite/linkset", page))["linkset"];
    REQUIRE(all.size() == 3);
    CHECK(all[0]["anchor"] == kUrl);
    CHECK(all[0]["cite-as"] == json::parse(R"([{"href": "https://doi.org/10.1234/horse_1"}])"));
    CHECK(all[0]["type"].size() == 2);
    CHECK(all[0]["describedby"][0]["profile"] ==
          json::parse(R"(["http://www.openarchives.org/OAI/2.0/oai_dc/"])"));
    CHECK(all[1]["anchor"] == all[0]["describedby"][0]["href"]);
    CHECK(all[1]["describes"][0]["href"] == kUrl);
}

TEST_CASE("links: of a capture, whose media type may be anything") {
    for (const char* type : {"text/html", "a/b\"c", "a/b\\c", "\xC5\xBE/x", "image"}) {
        CAPTURE(type);
        const std::string page = source(element("format", type), capture());
        const bool plain = type == std::string("text/html");
        CHECK(has(text_of("link-header", page),
                  "<" + kReplay + ">; rel=\"item\"" + (plain ? "; type=\"text/html\", " : ", ")));
        const json all = json::parse(text_of("cite/linkset", page))["linkset"];
        CHECK(all[0]["cite-as"][0]["href"] == kUrl);
        CHECK(all[1]["anchor"] == kReplay);
        CHECK(all[1]["collection"][0]["href"] == kUrl);
    }
}

TEST_CASE("links: the header has a bound, the linkset has all links") {
    std::string paths;
    for (int i = 0; i < 100; ++i) paths += "<path><set spec='s" + std::to_string(i) + "'/></path>";
    const std::string page = source(
        element("rights", "https://c.org/" + std::string(480, 'x')), item(),
        "<disseminated prefix='" + std::string(2'000, 'x') + "'/><paths>" + paths + "</paths>");
    const std::string header = text_of("link-header", page);
    CHECK(header.size() <= 2'048);
    CHECK(header.size() > 2'048 - 100);
    CHECK(has(header, "license"));
    CHECK_FALSE(has(header, "metadataPrefix=x"));
    CHECK(has(header, "set=s1>"));
    const json all = json::parse(text_of("cite/linkset", page))["linkset"];
    CHECK(all[0]["collection"].size() == 100);
    const std::string long_path = "path='record/" + std::string(2'048, 'x') + "'";
    std::string other = item();
    other.replace(other.find("path='"), std::string("path='record/oai:r.org:book/7'").size(),
                  long_path);
    CHECK(text_of("link-header", source("", other)).empty());
}
