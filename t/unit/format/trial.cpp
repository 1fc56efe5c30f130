// SPDX-License-Identifier: MIT
#include "format/trial.h"

#include <dlfcn.h>
#include <libxslt/transform.h>

#include "format/file.h"
#include "t/lib/temporary_directory.h"
#include "t/lib/testdb.h"
#include "t/lib/wait.h"
#include "t/unit/format/make_slice.h"
#include "t/unit/transform/stylesheet_text.h"
#include "xml/document.h"

namespace {
std::atomic<int> transforms = 0;
}

// Takes the place of libxslt's own function, and counts.
extern "C" xmlDocPtr xsltApplyStylesheetUser(xsltStylesheetPtr style, xmlDocPtr document,
                                             const char** parameters, const char* output,
                                             FILE* profile, xsltTransformContextPtr context) {
    ++transforms;
    static const auto theirs = reinterpret_cast<decltype(&xsltApplyStylesheetUser)>(
        dlsym(RTLD_NEXT, "xsltApplyStylesheetUser"));
    return theirs(style, document, parameters, output, profile, context);
}

namespace {

const std::string kLocation =
    "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation='urn:n http://x/n.xsd'";

struct World : TemporaryDirectory {
    World() { fs::create_directory(at("schema")); }
    void schema(const std::string& text) const { write("schema/n.xsd", text); }

    // Tries a template on records with these titles; "-" makes a deleted one, "" one without a
    // title.
    Trial trial(const std::string& body, const Strings& titles,
                const std::string& kind = "format prefix='p'",
                const std::string& attributes = "") const {
        write("p.xsl",
              described(kind + " schema='http://x/n.xsd' namespace='urn:n' " + attributes, body));
        const auto format = read_format_file(file());
        std::vector<TestRow> rows;
        for (const std::string& t : titles)
            rows.push_back({static_cast<std::int64_t>(rows.size()) + 1,
                            t == "-",
                            {t.empty() ? Cell() : Cell(t)}});
        std::vector<RecordBatch> batches;
        batches.push_back(make_batch({{"title", pg::kText}}, rows));
        xml::SchemaFolder schemas(at("schema"));
        return try_format(*format, batches, schemas, "oai:x:");
    }
    std::string file() const { return at("p.xsl"); }
};

// A template body that yields the element n:o with the title and a schemaLocation, after the
// instructions in `before`.
std::string titled(const std::string& before = "", const std::string& attributes = kLocation) {
    return before + "<n:o xmlns:n='urn:n' " + attributes + "><xsl:value-of select='@title'/></n:o>";
}

std::string failing_on(const std::string& test) {
    return "<xsl:if test=\"" + test +
           "\"><xsl:message terminate='yes'>cannot be said</xsl:message></xsl:if>";
}

}  // namespace

TEST_CASE("format trial: a correct stylesheet is applied to the records that the format has") {
    const World w;
    const Trial all = w.trial(titled(), {"a", "-", "", "b"});
    CHECK(all.faults.empty());
    CHECK(all.records == 3);
    CHECK(all.failed == 0);
    CHECK(all.spent_microseconds > 0);
    CHECK(all.schema_file.empty());
    const Trial some =
        w.trial(titled(), {"a", "-", "", "b"}, "format prefix='p'", "requires='title'");
    CHECK(some.records == 2);
    CHECK(some.failed == 0);
    CHECK(w.trial(titled(), {"-"}).records == 0);
    CHECK(w.trial(titled(), {}).faults.empty());  // without records there is no fault
}

TEST_CASE(
    "format trial: a failure for some records is counted, a failure for all is the stylesheet's "
    "fault") {
    const World w;
    const Trial some = w.trial(titled(failing_on("@title = 'bad'")), {"a", "bad", "bad", "b"});
    CHECK(some.faults.empty());
    CHECK(some.records == 4);
    CHECK(some.failed == 2);
    CHECK_THAT(some.first_failure, Contains("oai:x:doc/2: ") && Contains("cannot be said"));
    const Trial all = w.trial(titled(failing_on("@title")), {"a", "-", "b"});
    REQUIRE(all.faults.size() == 1);
    CHECK_THAT(all.faults[0],
               Contains(w.file() + ":2: none of 2 records can be disseminated; oai:x:doc/1: ") &&
                   Contains("cannot be said"));
}

TEST_CASE("format trial: a record that fails runs once") {
    const World w;
    const auto runs = [&](const std::string& body, const Strings& titles) {
        const int before = transforms;
        w.trial(body, {});  // runs it over a record without columns
        const int loading = transforms - before;
        const Trial trial = w.trial(body, titles);
        CHECK(trial.failed == 1);
        return transforms - before - 2 * loading;
    };
    const std::string bad = titled(failing_on("@title = 'bad'"));
    const std::string second = titled() + "<xsl:if test=\"@title = 'bad'\">text</xsl:if>";
    // Sorting is beyond what can be compiled.
    const std::string by_libxslt = "<xsl:for-each select='@*'><xsl:sort/></xsl:for-each>";
    for (const std::string& body : {bad, second, by_libxslt + bad, by_libxslt + second}) {
        CAPTURE(body);
        CHECK(runs(body, {"bad"}) == 1);
    }
    // What libxslt runs gets one record at a time, as in service.
    CHECK(runs(by_libxslt + bad, {"a", "bad", "b"}) == 3);
}

TEST_CASE(
    "format trial: output that cannot be metadata is the stylesheet's fault even for one record, "
    "and is reported once") {
    const World w;
    const std::string when = "<xsl:if test=\"starts-with(@title, 'b')\">";
    const auto fault = [&](const std::string& extra) {
        const Trial trial = w.trial(titled() + when + extra + "</xsl:if>", {"a", "b1", "b2"});
        CHECK(trial.failed == 2);
        return trial.faults.size() == 1 ? trial.faults[0] : "not one fault";
    };
    CHECK_THAT(fault("<n:o xmlns:n='urn:n'/>"),
               Contains(w.file() + ":2: oai:x:doc/2: a second element"));
    CHECK_THAT(fault("and text"),
               Contains(w.file() + ":2: oai:x:doc/2: text outside of the element"));
    const Trial foreign = w.trial(
        "<xsl:choose><xsl:when test='@title'><m:o xmlns:m='urn:m'/></xsl:when><xsl:otherwise>" +
            titled() + "</xsl:otherwise></xsl:choose>",
        {"", "b"});
    REQUIRE(foreign.faults.size() == 1);
    CHECK_THAT(foreign.faults[0], Contains(w.file() + ":2: oai:x:doc/2: yields {urn:m}o"));
}

TEST_CASE("format trial: the root element must have xsi:schemaLocation for its namespace") {
    const World w;
    const std::string why =
        w.file() + ":2: oai:x:doc/1: the root element has no xsi:schemaLocation for urn:n";
    const std::string instance =
        "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation=";
    CHECK(w.trial(titled("", ""), {"a", "b"}).faults.empty());  // it gets one
    CHECK(w.trial(titled("", instance + "'urn:m http://x/n.xsd'"), {"a"}).faults == Strings{why});
    CHECK(w.trial(titled("", instance + "'http://x/n.xsd urn:n'"), {"a"}).faults == Strings{why});
    CHECK(w.trial(titled("", instance + "'urn:n'"), {"a"}).faults == Strings{why});
    CHECK(
        w.trial(titled("", instance + "'urn:m m.xsd&#10;  urn:n&#9;n.xsd'"), {"a"}).faults.empty());
}

TEST_CASE("format trial: metadata are validated if there is a schema") {
    const World w;
    const std::string head =
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:n'>";
    w.schema(head + "<xs:element name='o' type='xs:integer'/></xs:schema>");
    const Trial good = w.trial(titled(), {"1", "2"});
    CHECK(good.faults.empty());
    CHECK_THAT(good.schema_file, EndsWith("schema/n.xsd"));
    const Trial bad = w.trial(titled(), {"1", "two", "three"});
    REQUIRE(bad.faults.size() == 1);
    CHECK_THAT(bad.faults[0],
               Contains(w.file() + ":2: oai:x:doc/2: not valid by ") && Contains("two"));
    w.schema(head + "\n<xs:element name='o' type='xs:nonesuch'/></xs:schema>");
    const Trial unknown = w.trial(titled(), {"two"});
    CHECK(unknown.faults.empty());  // a fault of the schema is not one of the stylesheet
    CHECK_THAT(unknown.schema_problem, Contains("n.xsd:2: "));
    CHECK(unknown.schema_file.empty());
}

TEST_CASE("format trial: an about stylesheet may yield nothing") {
    const World w;
    const std::string body = "<xsl:if test=\"@title = 'x'\">" + titled() + "</xsl:if>";
    const Trial about = w.trial(body, {"a", "b"}, "about");
    CHECK(about.faults.empty());
    CHECK(about.records == 2);
    CHECK(about.failed == 0);
    CHECK(w.trial(body, {"a", "b"}).faults.size() == 1);  // a format must yield an element
    const std::string foreign =
        "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation='urn:m m.xsd'";
    CHECK(w.trial(body + titled("", foreign), {"a"}, "about").faults.size() == 1);
}

TEST_CASE("format trial: samples come from the beginning, the middle and the end of the list") {
    TestDb db("trial");
    db.install_schema();
    StoreOptions options;
    options.pool.conninfo = db.conninfo("oai_reader");
    options.pool.application_name = "trial";
    options.pool.connections = 1;
    Store store(options);
    const auto sampled = [&](int records) {
        std::vector<std::int64_t> seqs;
        for (const RecordBatch& batch : sample_records(store, records))
            for (int i = 0; i < batch.size(); ++i) seqs.push_back(batch.header(i).seq);
        return seqs;
    };
    const auto fill = [&](int upto) {
        db.run(
            "insert into webarchiv.doc (url, surt, archived_time) select 'http://x/' || n, 'x)/' "
            "|| n, '2007-01-01Z' from generate_series((select count(*) + 1 from webarchiv.doc), " +
            std::to_string(upto) + ") n");
        REQUIRE(wait_until([&] {
            db.value("select published from oai.publish(1000, true)");
            return db.number("select last_seq from oai.horizon") >= upto;
        }));
    };
    fill(5);
    CHECK(sampled(100) ==
          std::vector<std::int64_t>{1, 2, 3, 4, 5});  // no record twice, however many are requested
    fill(301);
    const std::vector<std::int64_t> some = sampled(8);
    CHECK(some == std::vector<std::int64_t>{1, 2, 100, 101, 200, 201, 300, 301});
}
