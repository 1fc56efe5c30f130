// SPDX-License-Identifier: MIT
#include "tools/load/pdf_title.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tools/load/document_description.h"

using namespace oai::load;

namespace {

// A file whose information dictionary has this title, and what else is given.
std::string with_title(const std::string& title, const std::string& more = "") {
    return "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n" + more +
           "9 0 obj\n<< /Producer (x) /Title " + title + " >>\nendobj\n";
}
std::string with_xmp(const std::string& title) {
    return "<?xpacket begin=''?><x:xmpmeta><rdf:Description><dc:title>" + title +
           "</dc:title></rdf:Description></x:xmpmeta>";
}

}  // namespace

TEST_CASE("load: the title of a PDF") {
    CHECK(pdf_title(with_title("(A Horse)")) == "A Horse");
    CHECK(pdf_title(with_title("(a (b) \\(c \\\\ \\101\\7x\\q\\\n d\\))")) ==
          "a (b) (c \\ A\ax"
          "q d)");
    CHECK(pdf_title(with_title("<41 2 0\n42>")) == "A B");
    CHECK(pdf_title(with_title("(\xFE\xFF\x01\x7D)")) == "Ž");
    CHECK(pdf_title(with_title("<FEFF017D>")) == "Ž");
    CHECK(pdf_title(with_title("(\xEF\xBB\xBFŽ)")) == "Ž");
    CHECK(pdf_title(with_title("(\x99lu\x9Eo \x84 \xA0 \xE9 \x18)")) == "Žlužo — € é ˘");
    CHECK(pdf_title(with_title("7 0 R")).empty());
    CHECK(pdf_title("%PDF-1.4").empty());
    CHECK(describe_document("application/pdf", "HTTP/1.1 200 OK\r\n\r\n",
                            with_title("(  A\n\x01 Horse )"))
              .title == "A Horse");
}

TEST_CASE("load: titles in a PDF that are not the file's") {
    CHECK(
        pdf_title("5 0 obj<</Title(Chapter 1)/Parent 4 0 R/Dest[1 0 R/XYZ 0 0 0]>>endobj").empty());
    CHECK(pdf_title("5 0 obj<</Producer(x)/Inner<</Title(Inner)>>/Array[/Title(Array)]>>").empty());
    CHECK(pdf_title("5 0 obj<</Producer(/Title)/Key(Title)>>endobj").empty());
    CHECK(pdf_title("5 0 obj<</Producer(x)%/Title(Comment)\n>>endobj").empty());
    CHECK(pdf_title("5 0 obj<</Producer(x)/Title(Cut").empty());
    CHECK(pdf_title(with_title("(Old)") + with_title("(New)")) == "New");
    CHECK(pdf_title(with_title("(\x12\x9A)") + "trailer<</Encrypt 3 0 R>>").empty());
}

TEST_CASE("load: the title in a PDF's metadata stream comes first") {
    const std::string alternatives =
        "<rdf:Alt><rdf:li xml:lang='x-default'>K\u016F\u0148 &amp; &#x17D;</rdf:li>"
        "<rdf:li xml:lang='en'>Horse</rdf:li></rdf:Alt>";
    CHECK(pdf_title(with_title("(Info)", with_xmp(alternatives))) == "Kůň & Ž");
    CHECK(pdf_title(with_title("(Info)", with_xmp(""))) == "Info");
    CHECK(pdf_title(with_title("(Info)", with_xmp("<rdf:Alt><rdf:li xml:lang='x'/></rdf:Alt>"))) ==
          "Info");
    CHECK(pdf_title(with_title("(Info)", with_xmp("<rdf:li><b>x</b></rdf:li>"))) == "Info");
    CHECK(pdf_title(with_title("(Info)", with_xmp("<rdf:li>\xFF</rdf:li>"))) == "Info");
    CHECK(pdf_title(with_title("(Info)", "<dc:title><rdf:list><rdf:li>")) == "Info");
}

TEST_CASE("load: a hostile PDF costs time in proportion to its size") {
    for (const std::string piece :
         {"obj<<", "<<", "obj<</Title(", "obj<</Producer(x)/Title<", "[", "obj<<(\\",
          "<dc:title><rdf:li>", "<dc:title", "obj<<%", "/Title/"}) {
        std::string bytes;
        while (bytes.size() < kDescribedBytes) bytes += piece;
        const auto begin = std::chrono::steady_clock::now();
        CHECK(describe_document("application/pdf", "", bytes).title.size() <=
              4 * DocumentDescription::kTitleCharacters);
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
    }
}
