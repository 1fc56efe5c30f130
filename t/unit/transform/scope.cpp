// SPDX-License-Identifier: MIT
#include "transform/compiler.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "xml/document.h"

using namespace oai::transform;
using Catch::Matchers::EndsWith;

namespace {

// The place in a stylesheet with this at the top, without its file.
std::string place(const std::string& top) {
    const auto path =
        std::filesystem::temp_directory_path() / ("oai-scope-" + std::to_string(getpid()) + ".xsl");
    std::ofstream(path) << "<xsl:stylesheet version='1.0' "
                           "xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>\n"
                        << top << "</xsl:stylesheet>";
    const std::string found = place_beyond_record(Stylesheet::compile(path));
    std::filesystem::remove(path);
    return found.empty() ? "" : found.substr(path.string().size() + 1);
}
std::string place_in_record(const std::string& content) {
    return place("<xsl:template match='record'>\n" + content + "</xsl:template>");
}

}  // namespace

TEST_CASE("scope: parts of expressions that look beyond a record") {
    const auto [expression, part] = GENERATE(table<const char*, const char*>({
        {"//subject", "//subject"},
        {"count(//subject)", "//subject"},
        {".//subject", "//subject"},
        {"/records/record", "/records/record"},
        {"@a | /records", "/records"},
        {"not(/records)", "/records"},
        {"@a and /records", "/records"},
        {"../record", "../record"},
        {"subject/..", ".."},
        {"../@a | ..//@b", "..//@b"},
        {"../../@a", "../../@a"},
        {"ancestor::records", "ancestor::records"},
        {"parent ::*", "parent"},
        {"following-sibling::record[1]", "following-sibling::record"},
        {"preceding::title", "preceding::title"},
        {"key('k', @a)", "key('k'"},
        {"id('x')", "id('x'"},
        {"generate-id(title)", "generate-id(title"},
        {"dyn:evaluate(@a)", "evaluate(@a"},
        {"position()", "position("},
        {"title[1] and last () = 2", "last"},
        {"100-position()", "position("},
        {"count(title) -last()", "last("},
        {"1-key('k', @a)", "key('k'"},
        {"string-length(title)-preceding::title", "preceding::title"},
        {"count(*) -parent::*/@n", "parent::*/@n"},
        {"-/records/@n", "/records/@n"},
        {"2mod/records/@n", "/records/@n"},
        {"1or/records", "/records"},
    }));
    CAPTURE(expression);
    CHECK(part_beyond_record(expression) == part);
}

TEST_CASE("scope: expressions that stay within a record") {
    CHECK(part_beyond_record(GENERATE(
              "", ".", "@title", "title", "marc:record/marc:datafield[@tag = '245']", "subject[1]",
              "subject[position() = 2]", "subject[last()]", "concat(@a, '//', 'key(', \"../x\")",
              "@ancestor", "ancestor", "$position", "$key", "@id", "id", "child::title",
              "last-modified", "not-parent", "x-key(1)", "a-position()", "../@title",
              "../@a = '/' and @b", "self::node()/title", "descendant::title", "*/title",
              "marc:*/title", "@a * 2", "/records/@metadataNamespace", "current()/@title",
              "string-length(title) - 1", "1.5", "count(title) div 2", "position", "title/text()",
              "last")) == "");
}

TEST_CASE("scope: places in a stylesheet") {
    CHECK(place_in_record("<a><xsl:value-of select='title'/></a>") == "");
    CHECK(place_in_record("<a><xsl:value-of select='//title'/></a>") == "3: //title");
    CHECK(place_in_record("<a b='{//title}'/>") == "3: //title");
    CHECK(place_in_record("<a b='{{//title}}'/>") == "");
    CHECK(place_in_record("<a b='//title'/>") == "");
    CHECK(place_in_record("<a><xsl:if test='key(\"k\", 1)'/></a>") == "3: key(\"k\"");
    CHECK(place_in_record("<a><xsl:value-of select='position()'/></a>") == "3: position(");
    CHECK(place_in_record("<xsl:for-each select='title'><a n='{position()}'/></xsl:for-each>") ==
          "");
    CHECK(place_in_record("<a><xsl:number/></a>") == "3: xsl:number");
    CHECK(place_in_record("<a><xsl:number value='2'/></a>") == "");
    CHECK(place("<xsl:template match='/'><a/></xsl:template>") == "2: /");
    CHECK(place("<xsl:template match='records'><a/></xsl:template>") == "2: records");
    CHECK(place("<xsl:template match='record[1]'><a/></xsl:template>") == "2: record[1]");
}

TEST_CASE("scope: variables of the whole stylesheet") {
    CHECK(place("<xsl:variable name='v' select=\"'text'\"/>") == "");
    CHECK(place("<xsl:param name='v' select='-1.5'/>") == "");
    CHECK(place("<xsl:variable name='v'>text</xsl:variable>") == "");
    CHECK(place("<xsl:variable name='v' select=\"concat('a ', 'b') = $w and 2 * 3 div .5\"/>"
                "<xsl:variable name='w' select='true()'/>") == "");
    CHECK(place("<xsl:variable name='v' select=\"concat('a', string())\"/>") ==
          "2: concat('a', string())");
    CHECK(place("<xsl:variable name='v' select='2 * *'/>") == "2: 2 * *");
    CHECK(place("<xsl:variable name='v' select='string-length(.)'/>") == "2: string-length(.)");
    CHECK(place("<xsl:variable name='v' select='and'/>") == "2: and");
    CHECK(place("<xsl:variable name='v' select='/records/@metadataNamespace'/>") == "");
    CHECK(place("<xsl:variable name='v' select='records/record'/>") == "2: records/record");
    CHECK(place("<xsl:variable name='v'>\n<xsl:value-of select='records'/></xsl:variable>") ==
          "3: records");
    CHECK(place_in_record("<xsl:variable name='v' select='title'/><a/>") == "");
}
