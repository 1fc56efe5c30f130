// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "tools/static_repository/gateway.h"
#include "tools/static_repository/reader.h"
#include "xml/document.h"

using namespace oai;
using namespace oai::static_repository;

namespace {

// Its elements in order, as "name=text ".
std::string elements(const GatewayDescription& gateway) {
    const auto document = xml::parse_memory(gateway_description(gateway), "description");
    const xmlNode* const root = xmlDocGetRootElement(document.get());
    CHECK(is(root, "gateway", "http://www.openarchives.org/OAI/2.0/gateway/"));
    std::string out;
    for (const xmlNode* n = first_element(root->children); n != nullptr; n = next_element(n))
        out += std::string(xml::name_of(n)) + "=" + xml::text_of(n) + " ";
    return out;
}

const std::string kGuidelines =
    "gatewayDescription=http://www.openarchives.org/OAI/2.0/guidelines-static-repository.htm ";

}  // namespace

TEST_CASE("a gateway's description has what the guidelines list, in the schema's order") {
    CHECK(elements({"http://a.example/r.xml",
                    {"p@g.example", "q@g.example"},
                    "http://g.example/",
                    "http://g.example/n?a&b"}) ==
          "source=http://a.example/r.xml " + kGuidelines +
              "gatewayAdmin=p@g.example gatewayAdmin=q@g.example gatewayURL=http://g.example/ "
              "gatewayNotes=http://g.example/n?a&b ");
    CHECK(elements({"http://a.example/r.xml", {"p@g.example"}, "", ""}) ==
          "source=http://a.example/r.xml " + kGuidelines + "gatewayAdmin=p@g.example ");
}
