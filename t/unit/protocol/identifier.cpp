// SPDX-License-Identifier: MIT
#include "protocol/identifier.h"

#include <catch2/catch.hpp>

using namespace oai;

namespace {

constexpr std::string_view kPrefix = "oai:example.org:";

}  // namespace

TEST_CASE("identifier: the repository's own identifiers begin with its prefix", "[identifier]") {
    CHECK(identifier_text(kPrefix, "thesis/1") == "oai:example.org:thesis/1");
    CHECK(local_id_in(kPrefix, "oai:example.org:thesis/1") == "thesis/1");
    CHECK(identifier_text(kPrefix, "a:b") == "oai:example.org:a:b");
}

TEST_CASE("identifier: an identifier from elsewhere is kept complete", "[identifier]") {
    for (const char* given : {"oai:arXiv.org:cs/0112017", "hdl:1721.1/2", "urn:nbn:de:1",
                              "http://e.org/?id=1", "oai:example.or:1"}) {
        CHECK(identifier_text(kPrefix, std::string(":") + given) == given);
        CHECK(local_id_in(kPrefix, given) == std::string(":") + given);
    }
}

TEST_CASE("identifier: no item has two", "[identifier]") {
    CHECK(local_id_in(kPrefix, "").empty());
    CHECK(local_id_in(kPrefix, "oai:example.org:").empty());
    CHECK(local_id_in(kPrefix, "oai:example.org::oai:arXiv.org:1").empty());
}
