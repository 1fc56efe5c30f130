// SPDX-License-Identifier: MIT
#include "browse/signposting.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace oai;

namespace {

TypedLinks some() {
    return {.page = "http://r.org/oai/browse/record/oai:r.org:1",
            .linkset = "http://r.org/oai/browse/linkset/oai:r.org:1",
            .links = {{"cite-as", "https://doi.org/10.1234/5"},
                      {"type", "https://schema.org/AboutPage"},
                      {"type", "https://schema.org/Book"},
                      {"describedby", "http://r.org/oai?verb=GetRecord&metadataPrefix=oai_dc",
                       "text/xml", "http://www.openarchives.org/OAI/2.0/oai_dc/"},
                      {"item", "http://archive.example.org/1", "text/html"}}};
}

}  // namespace

TEST_CASE("signposting: the header has the linkset first, then the links in their order") {
    CHECK(link_header(some()) ==
          "<http://r.org/oai/browse/linkset/oai:r.org:1>; rel=\"linkset\"; "
          "type=\"application/linkset+json\", <https://doi.org/10.1234/5>; rel=\"cite-as\", "
          "<https://schema.org/AboutPage>; rel=\"type\", <https://schema.org/Book>; rel=\"type\", "
          "<http://r.org/oai?verb=GetRecord&metadataPrefix=oai_dc>; rel=\"describedby\"; "
          "type=\"text/xml\"; profile=\"http://www.openarchives.org/OAI/2.0/oai_dc/\", "
          "<http://archive.example.org/1>; rel=\"item\"; type=\"text/html\"");
}

TEST_CASE("signposting: the header has a bound, the linkset has all links") {
    TypedLinks links = some();
    for (int i = 0; i < 1000; ++i)
        links.links.push_back({"collection", "http://r.org/list?set=" + std::to_string(i)});
    links.links.insert(links.links.begin(),
                       {"license", "http://r.org/" + std::string(kMaxLinkHeaderBytes, 'x')});
    const std::string header = link_header(links);
    CHECK(header.size() <= kMaxLinkHeaderBytes);
    CHECK(header.size() > kMaxLinkHeaderBytes - 100);
    CHECK(header.find("license") == std::string::npos);
    CHECK(header.find("cite-as") != std::string::npos);
    const auto json = nlohmann::json::parse(linkset_json(links));
    CHECK(json["linkset"][0]["collection"].size() == 1000);
    CHECK(json["linkset"][0]["license"].size() == 1);
    links.linkset += std::string(kMaxLinkHeaderBytes, 'x');
    CHECK(link_header(links) == "");
}

TEST_CASE("signposting: a parameter that is no quoted string is left out of the header") {
    TypedLinks links = some();
    for (const char* bad : {"a\"b", "a\\b", "a\r\nX: y", "\xC5\xBE"}) {
        links.links = {{"describedby", "http://r.org/1", bad, "urn:good"}};
        CHECK(link_header(links).find(
                  "<http://r.org/1>; rel=\"describedby\"; profile=\"urn:good\"") !=
              std::string::npos);
    }
}

TEST_CASE("signposting: the linkset has the links, and those that lead back") {
    const auto json = nlohmann::json::parse(linkset_json(some()));
    REQUIRE(json["linkset"].size() == 3);
    const auto page = json["linkset"][0];
    CHECK(page["anchor"] == "http://r.org/oai/browse/record/oai:r.org:1");
    CHECK(page["cite-as"] == nlohmann::json::parse(R"([{"href": "https://doi.org/10.1234/5"}])"));
    CHECK(page["type"].size() == 2);
    CHECK(page["describedby"][0]["profile"] ==
          nlohmann::json::parse(R"(["http://www.openarchives.org/OAI/2.0/oai_dc/"])"));
    CHECK(json["linkset"][1]["anchor"] == page["describedby"][0]["href"]);
    CHECK(json["linkset"][1]["describes"][0]["href"] == page["anchor"]);
    CHECK(json["linkset"][2]["anchor"] == "http://archive.example.org/1");
    CHECK(json["linkset"][2]["collection"][0]["href"] == page["anchor"]);
}
