// SPDX-License-Identifier: MIT
#include "browse/json_ld.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "xml/document.h"

using namespace oai;

namespace {

std::string json_of(const std::string& elements) {
    xml::initialise();
    const xml::DocumentHandle document = xml::parse_memory(
        "<dc xmlns:dc=\"http://purl.org/dc/elements/1.1/\">" + elements + "</dc>", "test");
    return json_ld(xmlDocGetRootElement(document.get()),
                   {.identifier = "oai:r.org:1",
                    .url = "http://r.org/oai/browse/record/oai:r.org:1",
                    .catalogue = "R & D"});
}

}  // namespace

TEST_CASE("JSON-LD: Dublin Core as properties of schema.org") {
    const auto json = nlohmann::json::parse(
        json_of("<dc:title>One</dc:title><dc:title>Two</dc:title><dc:creator>C</"
                "dc:creator><dc:date>2020</dc:date><dc:identifier>i</dc:identifier>"
                "<dc:relation>no word</dc:relation><dc:subject></dc:subject>"));
    CHECK(json["@context"] == "https://schema.org");
    CHECK(json["@type"] == "CreativeWork");
    CHECK(json["name"] == nlohmann::json({"One", "Two"}));
    CHECK(json["creator"] == nlohmann::json({"C"}));
    CHECK(json["datePublished"] == nlohmann::json({"2020"}));
    CHECK(json["identifier"] == nlohmann::json({"oai:r.org:1", "i"}));
    CHECK(json["includedInDataCatalog"]["name"] == "R & D");
    CHECK_FALSE(json.contains("keywords"));
    CHECK(json.size() == 9);
}

TEST_CASE("JSON-LD: it holds no markup, and no value is lost") {
    const std::string text = json_of(
        "<dc:title>&lt;/script>&lt;script>alert(1)&lt;/script> &amp;amp; &lt;!-- \xC5\xBE "
        "\xE2\x80\xAE &#10;\"</dc:title>");
    CHECK(text.find_first_of("<>&") == std::string::npos);
    CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
    CHECK(nlohmann::json::parse(text)["name"][0] ==
          "</script><script>alert(1)</script> &amp; <!-- \xC5\xBE \xE2\x80\xAE \n\"");
}
