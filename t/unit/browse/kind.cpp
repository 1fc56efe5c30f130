// SPDX-License-Identifier: MIT
#include "browse/kind.h"

#include <catch2/catch.hpp>
#include <string>

#include "xml/document.h"

using namespace oai;

namespace {

std::string kind(const std::string& elements) {
    const auto document =
        xml::parse_memory("<metadata>\n<r xmlns:dc='http://purl.org/dc/elements/1.1/'>" + elements +
                              "</r></metadata>",
                          "test");
    return std::string(kind_of(xmlDocGetRootElement(document.get())));
}
std::string of(const std::string& type, const std::string& format) {
    return kind("<dc:type>" + type + "</dc:type><dc:format>" + format + "</dc:format>");
}

}  // namespace

TEST_CASE("kind: an archived document is known by its media type") {
    CHECK(of("Text", "text/html") == "page");
    CHECK(of("Text", " Text/HTML; charset=UTF-8") == "page");
    CHECK(of("Image", "image/svg+xml") == "image");
    CHECK(of("Text", "application/pdf") == "pdf");
    CHECK(of("Sound", "audio/mpeg") == "audio");
    CHECK(of("MovingImage", "video/mp4") == "video");
    CHECK(of("Dataset", "application/rss+xml") == "data");
    CHECK(of("Software", "application/javascript") == "software");
    CHECK(of("Text", "text/plain") == "text");
    CHECK(of("Collection", "application/zip") == "package");
}

TEST_CASE("kind: a publication is known by its type before its media type") {
    CHECK(of("info:eu-repo/semantics/doctoralThesis", "application/pdf") == "thesis");
    CHECK(of("info:eu-repo/semantics/article", "text/html") == "article");
    CHECK(of("book", "application/pdf") == "book");
    CHECK(of("Journal", "print") == "journal");
    CHECK(of("manuscript", "image/jpeg") == "manuscript");
    CHECK(of("map", "image/jpeg") == "map");
    CHECK(of("music", "audio/mpeg") == "music");
    CHECK(kind("<dc:type>Text</dc:type><dc:type>review</dc:type>") == "article");
    CHECK(kind("<genre>book</genre>") == "book");
}

TEST_CASE("kind: a term of the DCMI Type Vocabulary counts where nothing else does") {
    CHECK(of("MovingImage", "") == "video");
    CHECK(of("StillImage", "1 photo") == "image");
    CHECK(of("Dataset", "application/octet-stream") == "data");
    CHECK(of("PhysicalObject", "wood") == "item");
}

TEST_CASE("kind: what says nothing is an item") {
    CHECK(kind("") == "item");
    CHECK(kind("<dc:type/><dc:format><b>text/html</b></dc:format><type><!-- book --></type>") ==
          "item");
    CHECK(kind("<dc:title>book</dc:title>") == "item");
    CHECK(kind_of(nullptr) == "item");
    std::string many;
    for (int i = 0; i < 100; ++i) many += "<dc:type>x</dc:type>";
    CHECK(kind(many + "<dc:type>book</dc:type>") == "item");
}

TEST_CASE("kind: a type alone says it, too") {
    CHECK(kind_of_type("thesis:master") == "thesis");
    CHECK(kind_of_type("Sound") == "audio");
    CHECK(kind_of_type("music") == "music");
    CHECK(kind_of_type("text/html") == "page");
    CHECK(kind_of_type("image/svg+xml") == "image");
    CHECK(kind_of_type("application/javascript") == "software");
    CHECK(kind_of_type("") == "item");
}
