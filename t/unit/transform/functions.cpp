// SPDX-License-Identifier: MIT
#include "transform/functions.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "transform/stylesheet.h"
#include "xml/document.h"

using namespace oai;
namespace fs = std::filesystem;

namespace {

using Arguments = std::span<const transform::FunctionArgument>;

std::string join(const void* data, Arguments arguments) {
    std::string all = *static_cast<const std::string*>(data);
    for (const transform::FunctionArgument& argument : arguments) all += "|" + argument.text();
    return all;
}
std::string name(const void*, Arguments a) {
    const xmlNode* node = a[0].node();
    return node == nullptr ? "none" : reinterpret_cast<const char*>(node->name);
}
std::string fail(const void*, Arguments) { throw std::runtime_error("no"); }

constexpr std::array kFunctions{transform::Function{"join", 0, 3, join},
                                transform::Function{"name", 1, 1, name},
                                transform::Function{"fail", 0, 0, fail}};

// The value of an expression over <r><x>1</x><y>2</y></r>.
std::string value(const std::string& expression, bool offered = true) {
    std::string directory = fs::temp_directory_path() / "oai-functions-XXXXXX";
    const fs::path place = fs::canonical(mkdtemp(directory.data()));
    std::ofstream(place / "s.xsl")
        << "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
           "xmlns:p='urn:p'>"
           "<xsl:template match='/'><v><xsl:value-of select=\""
        << expression << "\"/></v></xsl:template></xsl:stylesheet>";
    const transform::Stylesheet stylesheet = transform::Stylesheet::compile(place / "s.xsl");
    fs::remove_all(place);
    const std::string data = "d";
    const transform::Functions functions{"urn:p", kFunctions, &data};
    const auto source = xml::parse_memory("<r><x>1</x><y>2</y></r>", "source");
    const auto result =
        stylesheet.apply(source.get(), std::chrono::seconds{300}, offered ? &functions : nullptr);
    const xml::StringHandle text(xmlNodeGetContent(xmlDocGetRootElement(result.get())));
    return reinterpret_cast<const char*>(text.get());
}

}  // namespace

TEST_CASE("functions: arguments are passed in order, as text") {
    CHECK(value("p:join()") == "d");
    CHECK(value("p:join('a', 1 + 1, /r/y)") == "d|a|2|2");
    CHECK(value("p:join(true(), /r/none, /r)") == "d|true||12");
    CHECK(value("concat(p:join('a'), p:join(p:join('b')))") == "d|ad|d|b");
}

TEST_CASE("functions: of several nodes the first in document order is passed") {
    CHECK(value("p:name(/r/y | /r/x)") == "x");
    CHECK(value("p:name(/r/none)") == "none");
    CHECK(value("p:name('x')") == "none");
}

TEST_CASE("functions: a wrong call fails the transform") {
    CHECK_THROWS_AS(value("p:name()"), xml::Error);
    CHECK_THROWS_AS(value("p:join(1, 2, 3, 4)"), xml::Error);
    CHECK_THROWS_AS(value("p:other()"), xml::Error);
    CHECK_THROWS_AS(value("p:fail()"), xml::Error);
    CHECK_THROWS_AS(value("p:join()", false), xml::Error);
}
