// SPDX-License-Identifier: MIT
// Tests when the stylesheet of a format runs compiled, when by libxslt, and which records are
// compared in service.
#include "format/file.h"
#include "format/format.h"
#include "format/trial.h"
#include "t/lib/made_up_records.h"
#include "t/lib/sample.h"
#include "t/unit/format/make_slice.h"
#include "t/unit/transform/stylesheet_text.h"
#include "xml/document.h"

namespace {

Format format_of(transform::Stylesheet stylesheet, const Strings& required = {}) {
    auto compiled = std::make_unique<CompiledFormat>(stylesheet, "urn:n", required);
    return {{.prefix = "p",
             .metadata_namespace = "urn:n",
             .root_namespace = "urn:n",
             .requires_columns = required,
             .unchanged = true},
            std::move(stylesheet),
            nullptr,
            std::move(compiled)};
}

const std::string kTitle = "<xsl:value-of select='@title'/>";

// Gives the format the program of another stylesheet, as if the compiler had made an error.
Format with_program_of(const std::string& content, const std::string& compiled_content) {
    const Format otherwise = format_of(around(compiled_content));
    Format format = format_of(around(content));
    const_cast<std::unique_ptr<CompiledFormat>&>(format.compiled) =
        std::make_unique<CompiledFormat>(otherwise.stylesheet, "urn:n", Strings{"title"});
    return format;
}

RecordBatch titles(const std::string& a, const std::string& b, const std::string& c) {
    return make_batch({{"title", pg::kText}}, {{1, false, {a}}, {2, false, {b}}, {3, false, {c}}});
}

RecordBatch titled(const Strings& titles) {
    std::vector<TestRow> rows;
    for (const std::string& title : titles)
        rows.push_back({static_cast<std::int64_t>(rows.size()) + 1, false, {Cell(title)}});
    return make_batch({{"title", pg::kText}}, rows);
}

}  // namespace

TEST_CASE(
    "compiled format: stored XML is copied as the record's element, or libxslt makes the record") {
    const TemporaryDirectory directory;
    directory.write("part.xsl",
                    kHead +
                        "<xsl:template name='made'><n:made xmlns:n='urn:n'><xsl:value-of "
                        "select='@title'/></n:made></xsl:template></xsl:stylesheet>");
    const Format format = format_of(compile_text(
        kHead + "<xsl:import href='part.xsl'/><xsl:template match='record'>\n<xsl:choose><xsl:when "
                "test='x/*'><xsl:copy-of select='x/*'/></xsl:when>\n"
                "<xsl:otherwise><xsl:call-template "
                "name='made'/></xsl:otherwise></xsl:choose></xsl:template></xsl:stylesheet>",
        directory));
    INFO(execution_of(format, true));
    CHECK_THAT(execution_of(format, true),
               Contains("compiled, and by libxslt where it comes to ") &&
                   EndsWith(":4: xsl:call-template in place of a record's element"));
    const RecordBatch batch = make_batch(
        {{"title", pg::kText}, {"x", pg::kXml}},
        {{1,
          false,
          {"t", "<?xml version=\"1.0\"?><n:o xmlns:n=\"urn:n\" a=\"&quot;\"><n:p/>&lt;</n:o>"}},
         {2, false, {"t", std::nullopt}},
         {3, false, {"t", "<n:o xmlns:n='urn:n'><!-- c --></n:o>"}},
         {4, false, {"t", "<n:o xmlns:n=\"urn:n\"/><n:o xmlns:n=\"urn:n\"/>"}},
         {5, false, {"t", "<n:o xmlns:n=\"urn:other\"/>"}},
         {6, false, {"t", "<n:o/>"}},
         {7, true, {}}});
    for (const bool compiled : {true, false}) {
        const RenderedRecords out =
            disseminate(format, batch, "oai:e:", {.compiled = compiled, .check_every = 1});
        CHECK(out.of(0) == "<n:o xmlns:n=\"urn:n\" a=\"&quot;\"><n:p/>&lt;</n:o>");
        CHECK(out.of(1) == "<n:made xmlns:n=\"urn:n\">t</n:made>");
        CHECK(out.of(2) == "<n:o xmlns:n=\"urn:n\"><!-- c --></n:o>");
        CHECK(out.of(6).empty());
        REQUIRE(out.failures.size() == 3);
        CHECK_THAT(out.failures[0].why, Contains("a second element"));
        CHECK_THAT(out.failures[1].why, Contains("yields {urn:other}o"));
        CHECK_THAT(out.failures[2].why, Contains("amespace prefix n"));
        CHECK_FALSE(out.difference);
    }
    const RecordBatch texts = make_batch({{"title", pg::kText}, {"x", pg::kTextArray}},
                                         {{1, false, {"t", array(pg::kText, {"text"})}}});
    CHECK(disseminate(format, texts, "oai:e:").of(0) == "<n:made xmlns:n=\"urn:n\">t</n:made>");
}

TEST_CASE(
    "compiled format: equals libxslt, can be switched off, and leaves columns that it cannot read "
    "to libxslt") {
    const Format format =
        format_of(around("<xsl:value-of select='@title'/><xsl:for-each select='s'><n:s "
                         "l='{@lang}'><xsl:value-of select='.'/></n:s></xsl:for-each>"));
    REQUIRE(format.compiled->why_not().empty());
    const std::vector<TestColumn> columns = {{"title", pg::kText},
                                             {"s", pg::kTextArray},
                                             {"s_lang", pg::kTextArray},
                                             {"bad", pg::kTimestamptz}};
    const Cell infinity = int8(INT64_MAX);
    const RecordBatch batch = make_batch(
        columns,
        {{1,
          false,
          {"a<\x01", array(pg::kText, {"x", "ž"}), array(pg::kText, {std::nullopt, "cs"})}},
         {2, true, {}},
         {3, false, {}},
         {4, false, {"unread", std::nullopt, std::nullopt, infinity}},
         {5, false, {"b", array(pg::kText, {"x"}), array(pg::kText, {"a", "b"})}}});
    for (const bool compiled : {true, false}) {
        const RenderedRecords out =
            disseminate(format, batch, "oai:e:", {.compiled = compiled, .check_every = 1});
        CHECK(out.of(0) ==
              "<n:o xmlns:n=\"urn:n\">a&lt;\uFFFD<n:s l=\"\">x</n:s><n:s l=\"cs\">ž</n:s></n:o>");
        CHECK(out.of(1).empty());
        CHECK(out.of(2) == "<n:o xmlns:n=\"urn:n\"/>");
        CHECK(out.of(3) == "<n:o xmlns:n=\"urn:n\">unread</n:o>");
        REQUIRE(out.failures.size() == 1);
        CHECK(out.failures[0].index == 4);
        CHECK_FALSE(out.difference);
    }
    const RecordBatch tree =
        make_batch({{"title", pg::kText}, {"s", pg::kXml}}, {{1, false, {"t", "<k>u</k>"}}});
    CHECK(disseminate(format, tree, "oai:e:").of(0) ==
          "<n:o xmlns:n=\"urn:n\">t<n:s l=\"\">u</n:s></n:o>");
}

TEST_CASE("compiled format: a required column") {
    const Format format = format_of(around(kTitle), {"s"});
    const RecordBatch batch = make_batch({{"title", pg::kText}, {"s", pg::kTextArray}},
                                         {{1, false, {"t", array(pg::kText, {"x"})}},
                                          {2, false, {"t", array(pg::kText, {std::nullopt})}}});
    for (const bool compiled : {true, false}) {
        const RenderedRecords out = disseminate(format, batch, "oai:e:", {.compiled = compiled});
        CHECK_FALSE(out.of(0).empty());
        REQUIRE(out.failures.size() == 1);
        CHECK(out.failures[0].why == "requires s");
    }
}

TEST_CASE(
    "compiled format: after a difference from libxslt in service, libxslt's result is used from "
    "then on") {
    const Format format =
        with_program_of("<xsl:value-of select='normalize-space(@title)'/>", kTitle);
    const CompiledOptions every_fifth{.compiled = true, .check_every = 5};
    const auto element = [](const std::string& text) {
        return "<n:o xmlns:n=\"urn:n\">" + text + "</n:o>";
    };
    const RenderedRecords first =
        disseminate(format, titles("a", "b", "c "), "oai:e:", every_fifth);
    CHECK(first.of(2) == element("c "));  // the third
    CHECK_FALSE(first.difference);
    const RenderedRecords second =
        disseminate(format, titles("a ", "b ", "c "), "oai:e:", every_fifth);
    CHECK(second.of(0) == element("a"));
    REQUIRE(second.difference);
    CHECK(second.difference->index == 1);  // the fifth
    CHECK_THAT(second.difference->why, Contains("b</n:o> and not "));
    CHECK_FALSE(format.compiled->why_not().empty());
    CHECK(disseminate(format, titles("a ", "", ""), "oai:e:", {.compiled = true, .check_every = 0})
              .of(0) == element("a"));
}

TEST_CASE(
    "compiled format: a record that executes an instruction for the first time is compared with "
    "libxslt") {
    const CompiledOptions seldom{.compiled = true, .check_every = 1'000'000};
    const Format format = with_program_of("<xsl:if test=\"@title = 'c'\">x</xsl:if>",
                                          "<xsl:if test=\"@title = 'c'\">y</xsl:if>");
    CHECK_FALSE(disseminate(format, titles("a", "b", "d"), "oai:e:", seldom).difference);
    CHECK_FALSE(
        disseminate(format, titles("c", "c", "c"), "oai:e:", {.compiled = true, .check_every = 0})
            .difference);
    const RenderedRecords out = disseminate(format, titles("a", "c", "b"), "oai:e:", seldom);
    REQUIRE(out.difference);
    CHECK(out.difference->index == 1);
    CHECK(out.of(1).find("x") != std::string_view::npos);

    // A record that falls back to libxslt is not compared.
    const std::string rest = "<xsl:if test=\"@title = 'c'\"><xsl:comment/></xsl:if>";
    const Format left = with_program_of("x" + rest, "y" + rest);
    CHECK_FALSE(disseminate(left, titles("c", "c", "c"), "oai:e:", seldom).difference);
    CHECK(disseminate(left, titles("c", "c", "a"), "oai:e:", seldom).difference);
}

TEST_CASE("compiled format: the elements that have a child with the namespace of the format") {
    const std::string selected = "x/*[p:m = /records/@metadataNamespace]";
    const Format format = format_of(around("<xsl:if xmlns:p='urn:p' test='" + selected +
                                           "'><xsl:copy-of select='" + selected + "'/></xsl:if>"));
    REQUIRE(execution_of(format, true) == "compiled");
    const auto element = [](const std::string& text) {
        return "<e xmlns=\"urn:p\"><m>" + text + "</m></e>";
    };
    const RecordBatch batch =
        make_batch({{"x", pg::kXml}}, {{1, false, {element("urn:a&amp;b") + element("urn:c")}},
                                       {2, false, {element("urn:a<b/>&amp;b")}},
                                       {3, false, {element("urn:c")}},
                                       {4, false, {"<m xmlns=\"urn:p\">urn:c</m>"}}});
    for (const std::string name_space : {"urn:a&b", "urn:c", ""})
        for (const bool compiled : {true, false}) {
            const RenderedRecords out =
                disseminate(format, batch, "oai:e:", {.compiled = compiled, .check_every = 1},
                            {.metadata_namespace = name_space});
            CHECK_FALSE(out.difference);
            const std::string_view first = out.of(0), third = out.of(2);
            CHECK((first.find("urn:a&amp;b") != first.npos) == (name_space == "urn:a&b"));
            CHECK((first.find("<m>urn:c") != first.npos) == (name_space == "urn:c"));
            CHECK((out.of(1).find("<b/>") != first.npos) == (name_space == "urn:a&b"));
            CHECK((third.find("urn:c") != third.npos) == (name_space == "urn:c"));
            CHECK(out.of(3).find("urn:c") == first.npos);
        }
}

TEST_CASE("compiled format: all live shipped formats are compiled, and give the same as libxslt") {
    const Sample sample(4);
    unsigned n = 0;
    Strings by_libxslt;
    for (const std::string directory : {"xslt", "xslt/library"}) {
        for (const std::string& path : format_files_of(directory)) {
            const auto format = read_format_file(path);
            const transform::Program* program = format->compiled->program();
            INFO(path << ": " << execution_of(*format, true));
            if (program == nullptr)
                by_libxslt.push_back(execution_of(*format, true));
            else if (sample.has(n++))
                CHECK(try_program(*program, format->stylesheet) == "");
        }
    }
    CHECK(by_libxslt == Strings());
}

TEST_CASE("compiled format: a partly compiled stylesheet gets one record at a time") {
    const Format format = format_of(around("<xsl:value-of select='count(//record)'/>"));
    CHECK_THAT(format.compiled->why_alone(), Contains(".xsl:4: "));
    CHECK_THAT(execution_of(format, true), Contains("by libxslt, one record at a time for "));
    const RecordBatch batch = titled({"a", "b", "c"});
    const RenderedRecords out = disseminate(format, batch, "oai:e:");
    for (const int i : {0, 1, 2}) CHECK(out.of(i) == "<n:o xmlns:n=\"urn:n\">1</n:o>");
    const Format in_part = format_of(
        around("<xsl:if test='title = \"b\"'><xsl:value-of select='count(//record)'/></xsl:if>"));
    CHECK(in_part.compiled->program() != nullptr);
    CHECK_THAT(in_part.compiled->why_alone(), Contains(".xsl:4: "));
    CHECK(format_of(around("<xsl:value-of select='title'/>")).compiled->why_alone().empty());
}

TEST_CASE("compiled format: a place among siblings in a pattern looks beyond the record") {
    for (const char* match : {"*[position() = 2]", "record[2]", "node()[last()]"}) {
        const Format format = format_of(compile_text(
            kHead +
            "<xsl:template match='record'><n:o xmlns:n='urn:n'/></xsl:template><xsl:template "
            "match='" +
            std::string(match) +
            "' priority='2'><n:o xmlns:n='urn:n' second='yes'/></xsl:template></xsl:stylesheet>"));
        CHECK(!format.compiled->why_alone().empty());
    }
}
