// SPDX-License-Identifier: MIT
#include "xml/shorten.h"

#include <catch2/catch.hpp>
#include <string>

#include "xml/document.h"
#include "xml/serialiser.h"

using namespace oai;

namespace {

struct Short {
    std::string text;
    std::size_t removed;
};

Short shortened(const std::string& source, xml::ShortenLimits limits) {
    xml::initialise();
    const xml::DocumentHandle document = xml::parse_memory(source, "source");
    xmlNode* root = xmlDocGetRootElement(document.get());
    Short out{"", xml::shorten(root, limits)};
    xml::append_node(out.text, root);
    return out;
}

}  // namespace

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
