// SPDX-License-Identifier: MIT
#include "browse/citation.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/utc.h"
#include "browse/citation_format.h"
#include "xml/document.h"

using namespace oai;

namespace {

CitationFacts book_facts() {
    return {.identifier = "oai:r.org:book/7",
            .url = "http://r.org/oai/browse/record/oai:r.org:book/7",
            .repository = "R & D",
            .kind = "",
            .viewed = *parse_utc("2026-11-23T10:20:30Z")};
}

CitationFacts capture_facts() {
    CitationFacts facts = book_facts();
    facts.captured = parse_utc("2006-01-02T12:34:56Z");
    facts.live_url = "http://example.cz/a";
    facts.replay = "https://archive.example.org/20060102123456/http://example.cz/a";
    return facts;
}

DublinCore read(const std::string& elements) {
    xml::initialise();
    const xml::DocumentHandle document = xml::parse_memory(
        "<dc xmlns:dc=\"http://purl.org/dc/elements/1.1/\">" + elements + "</dc>", "test");
    return DublinCore(find_element(document.get(), "dc"));
}

Citation cite(const std::string& elements, const CitationFacts& facts = book_facts()) {
    return make_citation(read(elements), facts);
}

std::string element(const std::string& name, const std::string& value) {
    return "<dc:" + name + ">" + value + "</dc:" + name + ">";
}

const Language& english() {
    static const Catalogue catalogue("xslt/page", "en cs");
    return *catalogue.find("en");
}
std::string iso690(const Citation& c) { return plain_text(citation_iso690(c), english()); }
std::string apa(const Citation& c) { return plain_text(citation_apa(c), english()); }

const std::string kThesis =
    "<dc:title>The Horse &amp; Other Colours</dc:title><dc:title>Another title</dc:title>"
    "<dc:creator>Nov\u00e1kov\u00e1, Jana Marie</dc:creator><dc:creator>Dvo\u0159\u00e1k, "
    "Karel, 1890-1938</dc:creator><dc:date>2019-11-28T00:00:00Z</dc:date><dc:type>Thesis</dc:type>"
    "<dc:publisher>Univerzita Karlova</dc:publisher><dc:language>cs</dc:language>"
    "<dc:identifier>sys-1</dc:identifier><dc:identifier>https://doi.org/10.1234/horse_1"
    "</dc:identifier><dc:identifier>urn:isbn:978-80-246-0000-0</dc:identifier>"
    "<dc:subject>horses</dc:subject><dc:subject>colours</dc:subject>";

}  // namespace

TEST_CASE("citation: what a thesis says") {
    const Citation c = cite(kThesis);
    CHECK(c.title == "The Horse & Other Colours");
    REQUIRE(c.creators.size() == 2);
    CHECK(c.creators[1].family == "Dvo\u0159\u00e1k");
    CHECK(c.creators[1].given == "Karel");
    CHECK(c.doi == "10.1234/horse_1");
    CHECK(c.isbn == "978-80-246-0000-0");
    CHECK(c.url == "https://doi.org/10.1234/horse_1");
    CHECK(
        citation_ris(c) ==
        "TY  - THES\r\nTI  - The Horse & Other Colours\r\nAU  - Nov\u00e1kov\u00e1, Jana Marie\r\n"
        "AU  - Dvo\u0159\u00e1k, Karel\r\nPY  - 2019\r\nDA  - 2019/11/28\r\n"
        "PB  - Univerzita Karlova\r\nLA  - cs\r\nSN  - 978-80-246-0000-0\r\n"
        "DO  - 10.1234/horse_1\r\nKW  - horses\r\nKW  - colours\r\n"
        "UR  - https://doi.org/10.1234/horse_1\r\nY2  - 2026/11/23\r\nAN  - oai:r.org:book/7\r\n"
        "DB  - R & D\r\nER  - \r\n");
    CHECK(citation_bibtex(c) ==
          "@phdthesis{oai:r.org:book-7,\n"
          "  author = {Nov\u00e1kov\u00e1, Jana Marie and Dvo\u0159\u00e1k, Karel},\n"
          "  title = {{The Horse \\& Other Colours}},\n  type = {Thesis},\n"
          "  school = {Univerzita Karlova},\n  year = {2019},\n  month = nov,\n  day = {28},\n"
          "  language = {cs},\n  isbn = {978-80-246-0000-0},\n  doi = {10.1234/horse_1},\n"
          "  url = {https://doi.org/10.1234/horse_1},\n  urldate = {2026-11-23}\n}\n");
    CHECK(iso690(c) ==
          "Nov\u00e1kov\u00e1, Jana Marie and Dvo\u0159\u00e1k, Karel. The Horse & Other Colours "
          "[online]. Univerzita Karlova, 2019-11-28 [viewed 2026-11-23]. ISBN 978-80-246-0000-0. "
          "Available from: https://doi.org/10.1234/horse_1");
    CHECK(
        apa(c) ==
        "Nov\u00e1kov\u00e1, J. M., & Dvo\u0159\u00e1k, K. (2019, November 28). The Horse & Other "
        "Colours [Thesis, Univerzita Karlova]. https://doi.org/10.1234/horse_1");
}

TEST_CASE("citation: of a thesis it says the degree, and no URI of its type") {
    const std::string title = element("title", "T") + element("publisher", "U");
    const auto degree = [&](const std::string& type) {
        const Citation c = cite(title + element("type", type));
        CHECK(citation_bibtex(c).find("info:") == std::string::npos);
        return apa(c).substr(0, apa(c).find(']') + 1);
    };
    CHECK(degree("info:eu-repo/semantics/bachelorThesis") == "T [Bachelor's thesis, U]");
    CHECK(degree("info:eu-repo/semantics/masterThesis") == "T [Master's thesis, U]");
    CHECK(degree("info:eu-repo/semantics/doctoralThesis") == "T [Doctoral dissertation, U]");
    CHECK(degree("Thesis") == "T [Thesis, U]");
    const Citation c =
        cite(title + element("type", "info:eu-repo/semantics/masterThesis") + element("type", "x"));
    CHECK(citation_bibtex(c).find("type = {Master's thesis}") != std::string::npos);
    CHECK(citation_ris(c).find("M3  - Master's thesis\r\n") != std::string::npos);
    CHECK(nlohmann::json::parse(citation_csl(c))[0]["genre"] == "Master's thesis");
}

TEST_CASE("citation: CSL-JSON") {
    const auto json = nlohmann::json::parse(citation_csl(cite(kThesis)));
    REQUIRE(json.size() == 1);
    const auto& item = json[0];
    CHECK(item["type"] == "thesis");
    CHECK(item["id"] == "oai:r.org:book/7");
    CHECK(item["author"][0] ==
          nlohmann::json({{"family", "Nov\u00e1kov\u00e1"}, {"given", "Jana Marie"}}));
    CHECK(item["issued"] == nlohmann::json::parse(R"({"date-parts": [[2019, 11, 28]]})"));
    CHECK(item["accessed"] == nlohmann::json::parse(R"({"date-parts": [[2026, 11, 23]]})"));
    CHECK(item["DOI"] == "10.1234/horse_1");
    CHECK(item["keyword"] == "horses, colours");
    CHECK(item["source"] == "R & D");
    CHECK_FALSE(item.contains("note"));
    CHECK(nlohmann::json::parse(citation_csl(cite(element("date", "spring"))))[0]["issued"] ==
          nlohmann::json({{"literal", "spring"}}));
}

TEST_CASE("citation: an archived page names the archive, the capture and its address") {
    const std::string page =
        "<dc:title>http://example.cz/a</dc:title><dc:date>2006-01-02T12:34:56Z</dc:date>"
        "<dc:type>Text</dc:type><dc:publisher>example.cz</dc:publisher>"
        "<dc:identifier>http://example.cz/a</dc:identifier><dc:source>a.warc.gz#12</dc:source>";
    const Citation c = cite(page, capture_facts());
    CHECK(c.work == Work::page);
    CHECK_FALSE(c.issued);
    CHECK(c.url == "https://archive.example.org/20060102123456/http://example.cz/a");
    CHECK(iso690(c) ==
          "http://example.cz/a [online]. example.cz [archived 2006-01-02T12:34:56Z] [viewed "
          "2026-11-23]. In: R & D. Available from: "
          "https://archive.example.org/20060102123456/http://example.cz/a. Original address: "
          "http://example.cz/a");
    CHECK(apa(c) ==
          "http://example.cz/a. (n.d.). example.cz. R & D, archived January 2, 2006. "
          "https://archive.example.org/20060102123456/http://example.cz/a");
    const std::string ris = citation_ris(c);
    CHECK(ris.starts_with("TY  - ELEC\r\nTI  - http://example.cz/a\r\nPB  - example.cz\r\n"));
    CHECK(ris.find("N1  - Archived 2006-01-02T12:34:56Z by R & D. Original address: "
                   "http://example.cz/a\r\n") != std::string::npos);
    CHECK(ris.find("Y2  - 2006/01/02\r\n") != std::string::npos);
    const auto item = nlohmann::json::parse(citation_csl(c))[0];
    CHECK(item["archive"] == "R & D");
    CHECK(item["archive_location"] == c.url);
    CHECK(item["accessed"]["date-parts"][0] == nlohmann::json({2006, 1, 2}));
    // Where nothing shows the capture, the record's page is the address; an image is one.
    CitationFacts facts = capture_facts();
    facts.replay = "";
    CHECK(cite(page, facts).url == facts.url);
    CHECK(cite(element("type", "Image"), facts).work == Work::image);
}

TEST_CASE("citation: the kind of a work by dc:type, or by what the model says") {
    struct {
        const char* type;
        Work work;
    } const cases[] = {
        {"Book", Work::book},
        {"info:eu-repo/semantics/doctoralThesis", Work::thesis},
        {"info:eu-repo/semantics/bookPart", Work::chapter},
        {"journal article", Work::article},
        {"http://purl.org/dc/dcmitype/StillImage", Work::image},
        {"MovingImage", Work::video},
        {"Dataset", Work::dataset},
        {"conference paper", Work::conference},
        {"Journal", Work::journal},
        {"Text", Work::other},
        {"bookish mapping", Work::other},
        {"", Work::other},
    };
    for (const auto& c : cases) {
        CAPTURE(c.type);
        CHECK(cite(element("type", c.type)).work == c.work);
    }
    CHECK(cite(element("type", "Text") + element("type", "Thesis")).work == Work::thesis);
    CitationFacts facts = book_facts();
    facts.kind = "thesis:master";
    CHECK(cite(element("type", "text"), facts).work == Work::thesis);
    CHECK(cite(element("type", "map"), facts).work == Work::map);
}

TEST_CASE("citation: dates as records write them") {
    struct {
        const char* date;
        int year, month, day;
    } const cases[] = {
        {"2020", 2020, 0, 0},
        {"2020-02", 2020, 2, 0},
        {"2020-02-29", 2020, 2, 29},
        {"2019-02-29", 2019, 0, 0},
        {"2020-02-29T12:00:00Z", 2020, 2, 29},
        {"2020-13", 2020, 0, 0},
        {"[c1998]", 1998, 0, 0},
        {"1998-2001", 1998, 0, 0},
        {"12. 5. 1998", 1998, 0, 0},
        {"20201231", 0, 0, 0},
        {"19. stolet\u00ed", 0, 0, 0},
        {"0999", 0, 0, 0},
        {"-1200", 0, 0, 0},
        {"1200 BC", 0, 0, 0},
        {"1200 p\u0159. n. l.", 0, 0, 0},
        {"\u20131938", 0, 0, 0},
    };
    for (const auto& c : cases) {
        CAPTURE(c.date);
        const Citation citation = cite(element("date", c.date));
        CHECK(citation.issued.has_value() == (c.year > 0));
        if (!citation.issued) continue;
        CHECK(citation.issued->year == c.year);
        CHECK(citation.issued->month == c.month);
        CHECK(citation.issued->day == c.day);
    }
    CHECK(cite(element("date", "spring") + element("date", "1999")).issued->year == 1999);
    CHECK(iso690(cite(element("title", "T") + element("date", "spring"))).find("spring [viewed") !=
          std::string::npos);
}

TEST_CASE("citation: what a date says beside a year is not left out") {
    const auto date = [](const std::string& written) {
        const Citation c = cite(element("title", "T") + element("date", written));
        const std::string text = apa(c), iso = iso690(c);
        const std::string shown = text.substr(4, text.find(")") - 4);
        CHECK(iso.find("[online]. " + shown + " [viewed") != std::string::npos);
        return shown;
    };
    for (const char* written : {"[1923?]", "ca. 1923", "1998-2001", "-1200", "1200 BC", "192-?",
                                "12. 5. 1998", "2019-02-29", "1923~"})
        CHECK(date(written) == written);
    for (const char* written : {"1998", "[1998]", "c1998", "[c1998].", "\u00a91998"})
        CHECK(date(written) == "1998");
    const Citation unsure = cite(element("date", "[1923?]"));
    CHECK(nlohmann::json::parse(citation_csl(unsure))[0]["issued"]["literal"] == "[1923?]");
    CHECK(citation_ris(unsure).find("PY  - 1923\r\n") != std::string::npos);
    CHECK(citation_bibtex(unsure).find("year = {1923}") != std::string::npos);
}

TEST_CASE("citation: what a record lacks") {
    const Citation none = cite("");
    CHECK(none.title == "oai:r.org:book/7");
    CHECK(none.url == book_facts().url);
    CHECK(iso690(none) ==
          "oai:r.org:book/7 [online]. [viewed 2026-11-23]. Available from: " + none.url);
    CHECK(apa(none) == "oai:r.org:book/7. (n.d.). " + none.url);
    CHECK(cite("", capture_facts()).title == "http://example.cz/a");
    CHECK(apa(cite(element("title", "Why?"))).starts_with("Why? (n.d.). "));
}

TEST_CASE("citation: names of persons and of others") {
    const auto names = [](const std::string& creator) {
        const Citation::Name name = cite(element("creator", creator)).creators.front();
        return name.family + "|" + name.given;
    };
    CHECK(names("Nov\u00e1k, Jan") == "Nov\u00e1k|Jan");
    CHECK(names("\u010capek, Karel, 1890-1938") == "\u010capek|Karel");
    CHECK(names("World Health Organization") == "World Health Organization|");
    CHECK(names("Smith, Jones and Sons") == "Smith, Jones and Sons|");
    CHECK(names("Smith, Jones, Brown") == "Smith, Jones, Brown|");
    CHECK(names("Nov\u00e1k,") == "Nov\u00e1k|");
    CHECK(names("Nov\u00e1k, Jan,") == "Nov\u00e1k|Jan");
    CHECK(cite(element("creator", ",")).creators.empty());
    CHECK(citation_bibtex(cite(element("creator", "Smith and Sons")))
              .find("author = {{Smith and Sons}}") != std::string::npos);
    CHECK(apa(cite(element("title", "T") + element("creator", "Sartre, Jean-Paul Charles")))
              .starts_with("Sartre, J.-P. C. (n.d.)"));
}

TEST_CASE("citation: a hundred creators, and more") {
    std::string creators;
    for (int i = 1; i <= 100; ++i) creators += element("creator", "C" + std::to_string(i) + ", A");
    const Citation c = cite(creators + element("title", "T"));
    CHECK(c.creators.size() == 100);
    CHECK(citation_ris(c).find("AU  - C100, A\r\n") != std::string::npos);
    CHECK(citation_bibtex(c).find("C99, A and C100, A}") != std::string::npos);
    CHECK(iso690(c).starts_with("C1, A et al. T [online]."));
    CHECK(apa(c).find("C19, A., \u2026 C100, A. (n.d.)") != std::string::npos);
    const Citation more = cite(creators + element("creator", "C101, A"));
    CHECK(more.creators.size() == 100);
    CHECK(citation_bibtex(more).find("C100, A and others}") != std::string::npos);
}

TEST_CASE("citation: no value leaves its field") {
    const std::string nasty =
        "}, note = {x}\r\nTY  - BOOK \\ ~ ^ $ &amp; # % _ \" &lt;b&gt; \u2028X  - y\u202Ez \u0085w";
    const Citation c = cite(element("title", nasty) + element("creator", nasty) +
                            element("publisher", nasty) + element("identifier", nasty));
    const std::string ris = citation_ris(c), bibtex = citation_bibtex(c);
    CHECK(std::count(ris.begin(), ris.end(), '\n') == 9);
    CHECK(ris.find("\nTY") == std::string::npos);
    for (const char* mark : {"\u2028", "\u202E", "\u0085"}) {
        CHECK(ris.find(mark) == std::string::npos);
        CHECK(bibtex.find(mark) == std::string::npos);
    }
    CHECK(std::count(bibtex.begin(), bibtex.end(), '{') ==
          std::count(bibtex.begin(), bibtex.end(), '}'));
    CHECK(
        bibtex.find("title = {{{\\textbraceright}, note = {\\textbraceleft}x{\\textbraceright} TY "
                    "- BOOK {$\\backslash$} {\\textasciitilde} {\\textasciicircum} \\$ \\& \\# "
                    "\\% \\_ \" <b> X - y z w}}") != std::string::npos);
    CHECK(nlohmann::json::parse(citation_csl(c))[0]["publisher"] ==
          "}, note = {x} TY - BOOK \\ ~ ^ $ & # % _ \" <b> X - y z w");
    CitationFacts facts = book_facts();
    facts.identifier = "oai:r.org:a b{c}\\d,e\u010d%";
    CHECK(citation_bibtex(cite("", facts)).starts_with("@misc{oai:r.org:a-b-c--d-e---,\n"));
}

TEST_CASE("citation: long values are cut between characters, right-to-left ones stay") {
    std::string title = "x";
    for (int i = 0; i < 5'000; ++i) title += "\u010d";
    const Citation c = cite(element("title", title));
    CHECK(c.title.size() <= DublinCore::kMaxValueBytes + 3);
    CHECK(c.title.ends_with("\u010d\u2026"));
    CHECK(cite(element("title", "\u05e2\u05d1\u05e8\u05d9\u05ea")).title ==
          "\u05e2\u05d1\u05e8\u05d9\u05ea");
}

TEST_CASE("citation: each file by its name") {
    const Citation c = cite(kThesis);
    CHECK(find_citation_file("endnote") == nullptr);
    CHECK(find_citation_file("") == nullptr);
    for (const CitationFile& file : kCitationFiles) {
        CAPTURE(file.name);
        CHECK(find_citation_file(file.name) == &file);
        CHECK(citation_file(file, c, english()).find("Horse") != std::string::npos);
    }
    CHECK(citation_file(*find_citation_file("apa"), c, english()) == apa(c) + "\n");
}
