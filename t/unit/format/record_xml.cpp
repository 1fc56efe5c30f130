// SPDX-License-Identifier: MIT
#include "format/record_xml.h"

#include "protocol/error.h"
#include "t/unit/format/format_directory.h"
#include "t/unit/format/make_slice.h"
#include "xml/serialiser.h"

namespace {

std::string text_of(const RecordXml& r) {
    std::string out;
    xml::append_node(out, xmlDocGetRootElement(r.document.get()));
    return out;
}

std::string record(const std::vector<TestColumn>& columns, std::vector<Cell> values) {
    const RecordBatch batch = make_batch(columns, {{7, false, std::move(values)}});
    const RecordXml r = records_to_xml(batch, live_records(batch), kPrefix);
    REQUIRE(r.failures.empty());
    const std::string all = text_of(r);
    const std::string before =
        "<records><record id=\"7\" identifier=\"oai:example.org:doc/7\" "
        "datestamp=\"2007-05-24T09:46:40Z\"";
    REQUIRE(all.starts_with(before));
    const std::string after = "\uFFFD</records>";  // kRecordEnd is not a Char
    REQUIRE(all.ends_with(after));
    return all.substr(before.size(), all.size() - before.size() - after.size());
}

std::string failure(const std::vector<TestColumn>& columns, std::vector<Cell> values) {
    const RecordBatch batch =
        make_batch(columns, {{1, false, {}}, {2, false, std::move(values)}, {3, false, {}}});
    const RecordXml r = records_to_xml(batch, live_records(batch), kPrefix);
    REQUIRE(r.batch_index == std::vector{0, 2});
    REQUIRE(r.failures.size() == 1);
    REQUIRE(r.failures[0].index == 1);
    return r.failures[0].why;
}

const std::string kForeign =
    "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
    "xmlns:m='urn:m' exclude-result-prefixes='m'><xsl:param name='p' "
    "select=\"'none'\"/><xsl:template match='/m:record'><o xmlns='urn:n' p='{$p}' "
    "n='{count(//m:f)}'><xsl:copy-of select='m:f/text()'/></o></xsl:template></xsl:stylesheet>";

// Records with these values of a column "marc"; "" makes one without.
Strings made_of(const Directory& d, const Strings& values, pg::TypeOid type = pg::kXml) {
    const FormatRegistry registry = d.read();
    std::vector<TestRow> rows;
    for (const std::string& v : values)
        rows.push_back(
            {static_cast<std::int64_t>(rows.size()) + 1, false, {v.empty() ? Cell() : Cell(v)}});
    const RenderedRecords out =
        disseminate(*registry.find("f"), make_batch({{"marc", type}}, rows), kPrefix,
                    {.check_every = 1}, {.base_url = "http://x/oai"});
    Strings made;
    for (int i = 0; i < static_cast<int>(values.size()); ++i) made.emplace_back(out.of(i));
    for (const auto& failure : out.failures)
        made[static_cast<std::size_t>(failure.index)] = "! " + failure.why;
    return made;
}

// A directory with oai_dc, and with a stylesheet of somebody else.
struct WithForeign : Directory {
    WithForeign() {
        format("oai_dc.xsl", kGood, match(kTitle));
        write("vendor/foreign.xsl", kForeign);
    }
};

std::string descriptor(const std::string& attributes, const std::string& params = "") {
    return "<f:format xmlns:f='urn:oai-fcgi:format' xmlns:n='urn:n' xmlns:m='urn:m' prefix='f' "
           "schema='http://x/s.xsd' namespace='urn:n' unchanged='yes' " +
           attributes + ">" + params + "</f:format>";
}

}  // namespace

TEST_CASE("record_xml: scalar columns become attributes, NULL becomes nothing") {
    using namespace std::chrono;
    CHECK(record({{"t", pg::kText}, {"v", pg::kVarchar}, {"n", pg::kText}},
                 {"a<b", "ž", std::nullopt}) == " t=\"a&lt;b\" v=\"ž\"/>");
    CHECK(record({{"b", pg::kBool}, {"c", pg::kBool}}, {boolean(true), boolean(false)}) ==
          " b=\"true\" c=\"false\"/>");
    CHECK(record({{"i", pg::kInt8}, {"j", pg::kInt4}, {"k", pg::kInt2}},
                 {int8(-9'000'000'000), int4(-1), big_endian(300, 2)}) ==
          " i=\"-9000000000\" j=\"-1\" k=\"300\"/>");
    CHECK(record({{"t", pg::kTimestamptz}, {"d", pg::kDate}},
                 {timestamptz(sys_days(1999y / 12 / 31) + 23h), date(2007y / 5 / 1)}) ==
          " t=\"1999-12-31T23:00:00Z\" d=\"2007-05-01\"/>");
    CHECK(record({{"empty", pg::kText}}, {""}) == " empty=\"\"/>");
}

TEST_CASE("record_xml: texts of all lengths and characters are preserved") {
    for (std::size_t n = 0; n < 40; ++n) {  // short texts are stored inside their node
        const std::string s(n, 'x');
        REQUIRE(record({{"t", pg::kText}}, {s}) == " t=\"" + s + "\"/>");
    }
    CHECK(record({{"t", pg::kText}}, {"a\x01"
                                      "b\xEF\xBF\xBF"}) == " t=\"a\uFFFDb\uFFFD\"/>");
    CHECK(record({{"t", pg::kText}}, {"eight by\x1F"}) == " t=\"eight by\uFFFD\"/>");
}

TEST_CASE("record_xml: an array becomes one element per entry") {
    CHECK(record({{"s", pg::kTextArray}, {"t", pg::kText}},
                 {array(pg::kText, {"a", std::nullopt, "b&"}), "x"}) ==
          " t=\"x\"><s>a</s><s>b&amp;</s></record>");
    CHECK(record({{"s", pg::kTextArray}}, {array(pg::kText, {})}) == "/>");
    CHECK(record({{"n", pg::kInt4Array}}, {array(pg::kInt4, {int4(1), int4(-2)})}) ==
          "><n>1</n><n>-2</n></record>");
}

TEST_CASE("record_xml: the column *_lang of an array becomes the attribute lang of its elements") {
    const std::vector<TestColumn> columns = {
        {"title_lang", pg::kTextArray}, {"title", pg::kTextArray}, {"n", pg::kInt8}};
    const auto texts = [](const std::vector<Cell>& t) { return array(pg::kText, t); };
    CHECK(
        record(columns, {texts({"cs", std::nullopt, "a\"\x01"}), texts({"Babička", "b&", "c"})}) ==
        "><title lang=\"cs\">Babička</title><title>b&amp;</title><title "
        "lang=\"a&quot;\uFFFD\">c</title></record>");
    CHECK(record(columns, {std::nullopt, texts({"a", std::nullopt, "b"})}) ==
          "><title>a</title><title>b</title></record>");
    CHECK(record(columns, {texts({"cs", "en", "de"}), texts({"a", std::nullopt, "b"})}) ==
          "><title lang=\"cs\">a</title><title lang=\"de\">b</title></record>");
    CHECK(record(columns, {texts({"cs"}), std::nullopt}) == "/>");
    CHECK(failure(columns, {texts({"cs"}), texts({"a", "b"})}) ==
          "column title: 2 entries, but 1 languages in title_lang");
    CHECK(record({{"mother_lang", pg::kTextArray}, {"n_lang", pg::kText}, {"n", pg::kTextArray}},
                 {texts({"cs"}), "x", texts({"1"})}) ==
          " n_lang=\"x\"><mother_lang>cs</mother_lang><n>1</n></record>");
}

TEST_CASE("record_xml: columns *_id show names of the dictionary") {
    Dictionary dictionary;
    dictionary.learn({{-3, "arc", "a&b\x01.gz"},
                      {5, "mimetype", "text/html"},
                      {6, "groups", "Art"},
                      {7, "groups", "Žižkov"}});
    const std::vector<TestColumn> columns = {{"mimetype_id", pg::kInt4},
                                             {"arc_id", pg::kInt4},
                                             {"groups_id", pg::kInt4Array},
                                             {"_id", pg::kInt4},
                                             {"other_id", pg::kInt8}};
    const auto xml_of = [&](std::vector<Cell> values) {
        RecordBatch batch = make_batch(columns, {{7, false, std::move(values)}});
        batch.set_names(dictionary.names(batch.named_ids()));
        const RecordXml r = records_to_xml(batch, live_records(batch), kPrefix);
        if (!r.failures.empty()) return r.failures[0].why;
        const std::string all = text_of(r);
        const std::size_t from = all.find("Z\"") + 2;
        return all.substr(from, all.find("\uFFFD</records>") - from);
    };
    CHECK(xml_of({int4(5), int4(-3), array(pg::kInt4, {int4(7), int4(5), int4(6)}), int4(1),
                  int8(2)}) ==
          " mimetype=\"text/html\" arc=\"a&amp;b\uFFFD.gz\" _id=\"1\" "
          "other_id=\"2\"><groups>Žižkov</groups><groups>Art</groups></record>");
    CHECK(xml_of({std::nullopt, std::nullopt, array(pg::kInt4, {int4(5)})}) == "/>");
    CHECK(xml_of({}) == "/>");
    CHECK(xml_of({int4(8)}) == "column mimetype_id: oai.dictionary has no mimetype with the id 8");
    CHECK(xml_of({int4(6)}) == "column mimetype_id: the dictionary's 6 is a name of groups");
    CHECK(xml_of({int4(5), std::nullopt, array(pg::kInt4, {int4(6), int4(9)})}) ==
          "column groups_id: oai.dictionary has no groups with the id 9");
}

TEST_CASE(
    "record_xml: a column of type xml becomes a subtree, whether it is a document or content") {
    const std::vector<TestColumn> x = {{"x", pg::kXml}};
    CHECK(record(x, {"<m xmlns='urn:m' xml:lang='cs'><n/></m>"}) ==
          "><x><m xmlns=\"urn:m\" xml:lang=\"cs\"><n/></m></x></record>");
    CHECK(record(x, {"<?xml version=\"1.0\" encoding=\"UTF-8\"?><a/>"}) == "><x><a/></x></record>");
    CHECK(record(x, {"text <a/><b/>"}) == "><x>text <a/><b/></x></record>");
    CHECK(record({{"x", pg::kXmlArray}}, {array(pg::kXml, {"<a/>", "<b/>"})}) ==
          "><x><a/></x><x><b/></x></record>");
}

TEST_CASE("record_xml: an invalid value affects only its own record") {
    const std::vector<TestColumn> x = {{"x", pg::kXml}};
    for (const char* bad : {"<a>", "</x><x>", "&e;", "<!DOCTYPE a []><a/>", "<p:a/>", "<?xml "})
        CHECK_THAT(failure(x, {bad}), StartsWith("column x: x:"));
    CHECK_THAT(failure({{"t", pg::kTimestamptz}}, {big_endian(0x7FFFFFFFFFFFFFFFU, 8)}),
               Contains("infinity"));
    CHECK_THAT(failure({{"t", pg::kTimestamptz}},
                       {timestamptz(std::chrono::sys_days(std::chrono::year(10000) / 1 / 1))}),
               Contains("column t") && Contains("9999"));
    CHECK_THAT(
        failure({{"d", pg::kDate}}, {date(std::chrono::sys_days(std::chrono::year(0) / 1 / 1))}),
        Contains("0001"));
}

TEST_CASE("record_xml: deleted records are left out") {
    const RecordBatch batch =
        make_batch({}, {{1, true, {}}, {2, false, {}}, {3, true, {}}, {4, false, {}}});
    const RecordXml r = records_to_xml(batch, live_records(batch), kPrefix);
    CHECK(r.batch_index == std::vector{1, 3});
    const RecordXml one = records_to_xml(batch, std::array{3}, kPrefix);
    CHECK(one.batch_index == std::vector{3});
    CHECK_THAT(text_of(one), Contains("id=\"4\"") && !Contains("id=\"2\""));
}

TEST_CASE("record_xml: a view that breaks the contract is a fault") {
    const auto broken = [](const TestColumn& column) {
        records_to_xml(make_batch({column}, {{1, false, {}}}), std::array{0}, kPrefix);
    };
    CHECK_THROWS_AS(broken({"x", 701}), Fault);  // double precision
    CHECK_THROWS_WITH(broken({"x", 701}), Contains("column x") && Contains("701"));
    CHECK_THROWS_WITH(broken({"dc:title", pg::kText}), Contains("dc:title"));
    CHECK_THROWS_WITH(broken({"?column?", pg::kText}), Contains("?column?"));
    CHECK_THROWS_WITH(broken({"identifier", pg::kText}), Contains("identifier"));
    CHECK_NOTHROW(broken({"identifier", pg::kTextArray}));
}

TEST_CASE("format: a column's document has one element, with blanks and comments around it") {
    const WithForeign d;
    d.write("vendor/foreign.xsl",
            "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
            "xmlns:m='urn:m' exclude-result-prefixes='m'><xsl:output indent='yes'/><xsl:template "
            "match='/'><o xmlns='urn:n' all='{.}'><xsl:for-each select='m:record/m:f[@t &lt; "
            "700]'><f><xsl:value-of "
            "select='.'/></f></xsl:for-each></o></xsl:template></xsl:stylesheet>");
    d.write("f.format", descriptor("input='marc' stylesheet='vendor/foreign.xsl'"));
    const std::string one =
        "<record xmlns=\"urn:m\"><f t=\"245\">a&amp;</f><f t=\"x\">b</f></record>";
    const std::string made = "<o xmlns=\"urn:n\" all=\"a&amp;b\"><f>a&amp;</f></o>";
    const Strings out =
        made_of(d, {one, " \n" + one + "\n", "<!-- c -->" + one, one + one, "x" + one, "<f", ""});
    REQUIRE(out.size() == 7);
    for (const int i : {0, 1, 2}) CHECK(out[static_cast<std::size_t>(i)] == made);
    CHECK_THAT(out[3], Contains("not a document of one element"));
    CHECK_THAT(out[4], Contains("not a document of one element"));
    for (const int i : {5, 6}) CHECK_THAT(out[static_cast<std::size_t>(i)], StartsWith("! "));
    CHECK(made_of(d, {one}, pg::kText).at(0) == made);
}

TEST_CASE("format: the input of an unedited stylesheet is the document in a column") {
    const WithForeign d;
    d.write("f.format", descriptor("input='marc' stylesheet='vendor/foreign.xsl'"));
    const std::string one = "<record xmlns='urn:m'><f>a</f></record>",
                      two =
                          "<?xml version='1.0'?><!-- c --><m:record "
                          "xmlns:m='urn:m'><m:f>b</m:f><m:f>c</m:f></m:record>";
    const Strings wanted = {"<o xmlns=\"urn:n\" p=\"none\" n=\"1\">a</o>", "! requires marc",
                            "<o xmlns=\"urn:n\" p=\"none\" n=\"2\">bc</o>"};
    CHECK(made_of(d, {one, "", two}) == wanted);
    CHECK(made_of(d, {one, "", two}, pg::kText) == wanted);
    CHECK(made_of(d, {one + one, "text", "<other/>"}) ==
          Strings{"! column marc: not a document of one element",
                  "! column marc: not a document of one element",
                  "! the stylesheet yields no element"});
    CHECK(d.read().find("f")->requires_columns == Strings{"marc"});
    CHECK_THAT(execution_of(*d.read().find("f"), true),
               Contains("one record at a time for ") && Contains("f.format:1: input=\"marc\""));
}

TEST_CASE("format: parameters of a stylesheet are XPath over the record") {
    const WithForeign d;
    const auto made = [&](const std::string& select) {
        d.write("f.format", descriptor("input='marc' stylesheet='vendor/foreign.xsl'",
                                       "<f:param name='p' select=\"" + select + "\"/>"));
        return made_of(d, {"<record xmlns='urn:m'><f>a'b</f></record>"}).front();
    };
    const auto with = [](const std::string& p) {
        return "<o xmlns=\"urn:n\" p=\"" + p + "\" n=\"1\">a'b</o>";
    };
    CHECK(made("'constant'") == with("constant"));
    CHECK(made("concat(@identifier, ' ', $base_url, $sets)") ==
          with("oai:example.org:doc/1 http://x/oai"));
    CHECK(made("marc/m:record/m:f") == with("a'b"));
    CHECK(made("@none") == with(""));
    CHECK_THAT(made("$unknown"), StartsWith("! param p: $unknown cannot be evaluated"));
    d.write("f.format", descriptor("input='marc' stylesheet='vendor/foreign.xsl'",
                                   "\n<f:param name='p' select='1 +'/><f:params/>"));
    CHECK(d.wrong() == d.at("f.format") + ":2: select=\"1 +\": no XPath expression\n" +
                           d.at("f.format") +
                           ":2: params: only <param name=\"\" select=\"\"/> may stand here");
}

TEST_CASE("format: an adapter makes the document that the stylesheet expects") {
    const WithForeign d;
    d.write(
        "adapter/a.xsl",
        "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:param "
        "name='p'/><xsl:template match='record'><record xmlns='urn:m'><f><xsl:value-of "
        "select='concat(@marc, $p)'/></f></record></xsl:template></xsl:stylesheet>");
    d.write("f.format", descriptor("input='adapter/a.xsl' stylesheet='vendor/foreign.xsl'",
                                   "<f:param name='p' select=\"'!'\"/>"));
    CHECK(made_of(d, {"x", "y"}, pg::kText) ==
          Strings{"<o xmlns=\"urn:n\" p=\"!\" n=\"1\">x!</o>",
                  "<o xmlns=\"urn:n\" p=\"!\" n=\"1\">y!</o>"});
    CHECK(d.read().find("f")->files() ==
          Strings{d.at("f.format"), d.at("vendor/foreign.xsl"), d.at("adapter/a.xsl")});
}

TEST_CASE(
    "format: a descriptor reports missing attributes, and reads nothing outside of the directory") {
    const WithForeign d;
    d.write("f.format", descriptor(""));
    CHECK_THAT(d.wrong(), Contains(":1: stylesheet is missing"));
    for (const char* path : {"../x.xsl", "/x.xsl", "a/../../x.xsl"}) {
        d.write("f.format", descriptor("stylesheet='" + std::string(path) + "'"));
        CHECK_THAT(d.wrong(), Contains("must be a path from this file, without .."));
    }
    d.write("f.format", descriptor("stylesheet='none/x.xsl'"));
    CHECK_THAT(d.wrong(), Contains("f.format:1: ") && Contains("none: No such file"));
    d.write("f.format", descriptor("input='no column' stylesheet='x.xsl'"));
    CHECK_THAT(d.wrong(), Contains("input=\"no column\": must be a column"));
    d.write("f.format", "<other/>");
    CHECK_THAT(d.wrong(), Contains("no <format> or <about>"));
    fs::remove(d.at("f.format"));
    d.format("g.xsl", kGood + " stylesheet='x.xsl'", match(kTitle));
    CHECK_THAT(d.wrong(), Contains("stylesheet: the file is one itself"));
}
