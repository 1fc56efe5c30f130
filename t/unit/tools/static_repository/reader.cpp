// SPDX-License-Identifier: MIT
#include "tools/static_repository/reader.h"

#include <catch2/catch.hpp>

#include "xml/document.h"
#include "xml/push_parser.h"

using namespace oai;
using namespace oai::static_repository;

namespace {

struct CollectedRepository final : RepositoryHandler {
    void identity(const StaticIdentity& i) override { who = i; }
    void format(const StaticFormat& f) override { formats.push_back(f); }
    void record(const std::string& prefix, const xmlNode* record) override {
        records.push_back(prefix + " " + xml::text_of(record));
    }
    void fault(long line, const std::string& what) override {
        faults.push_back(std::to_string(line) + ": " + what);
    }
    void note(long line, const std::string& what) override {
        notes.push_back(std::to_string(line) + ": " + what);
    }
    StaticIdentity who;
    std::vector<StaticFormat> formats;
    std::vector<std::string> records, faults, notes;
};

const std::string kHead =
    "<Repository xmlns=\"http://www.openarchives.org/OAI/2.0/static-repository\" "
    "xmlns:oai=\"http://www.openarchives.org/OAI/2.0/\">\n";
const std::string kIdentify =
    "<Identify><oai:repositoryName>R</oai:repositoryName><oai:baseURL>http://g.example/a.example/"
    "r.xml</"
    "oai:baseURL>"
    "<oai:protocolVersion>2.0</oai:protocolVersion><oai:adminEmail>a@a.example</oai:adminEmail>"
    "<oai:earliestDatestamp>2002-09-19</oai:earliestDatestamp><oai:deletedRecord>no</"
    "oai:deletedRecord>"
    "<oai:granularity>YYYY-MM-DD</oai:granularity></Identify>\n";

std::string format(const std::string& prefix, const std::string& name_space) {
    return "<oai:metadataFormat><oai:metadataPrefix>" + prefix +
           "</oai:metadataPrefix><oai:schema>http://a.example/x.xsd</oai:schema>"
           "<oai:metadataNamespace>" +
           name_space + "</oai:metadataNamespace></oai:metadataFormat>";
}
const std::string kFormats =
    "<ListMetadataFormats>" + format("oai_dc", "urn:dc") + "</ListMetadataFormats>\n";

std::string record(const std::string& id, const std::string& day = "2002-09-19",
                   const std::string& metadata = "<d xmlns=\"urn:dc\">t</d>") {
    return "<oai:record><oai:header><oai:identifier>" + id + "</oai:identifier><oai:datestamp>" +
           day + "</oai:datestamp></oai:header><oai:metadata>" + metadata +
           "</oai:metadata></oai:record>\n";
}
std::string list(const std::string& records, const std::string& prefix = "oai_dc") {
    return "<ListRecords metadataPrefix=\"" + prefix + "\">\n" + records + "</ListRecords>\n";
}

CollectedRepository found(const std::string& text) {
    CollectedRepository kept;
    load::Input input = load::Input::of_bytes(text);
    read(input, kept);
    return kept;
}
std::string faults(const std::string& inside) {
    std::string all;
    for (const std::string& fault : found(kHead + inside + "</Repository>").faults)
        all += fault + "\n";
    return all;
}
std::string replaced(std::string s, const std::string& what, const std::string& by) {
    return s.replace(s.find(what), what.size(), by);
}

}  // namespace

TEST_CASE("a valid static repository is passed on part by part") {
    const CollectedRepository kept =
        found("<?xml version=\"1.0\"?><!-- c -->\n" + kHead + kIdentify + kFormats +
              list(record("oai:a:1") + record("urn:x:2")) + "</Repository>\n");
    CHECK(kept.faults.empty());
    CHECK(kept.who.name == "R");
    CHECK(kept.who.base_url == "http://g.example/a.example/r.xml");
    CHECK(kept.who.admin_emails == std::vector<std::string>{"a@a.example"});
    REQUIRE(kept.formats.size() == 1);
    CHECK(kept.formats[0].name_space == "urn:dc");
    CHECK(kept.records ==
          std::vector<std::string>{"oai_dc oai:a:12002-09-19t", "oai_dc urn:x:22002-09-19t"});
}

TEST_CASE("violations of the specification are reported with their lines") {
    const auto with = [](const std::string& what, const std::string& by) {
        return faults(replaced(kIdentify + kFormats + list(record("oai:a:1")), what, by));
    };
    CHECK(with("<oai:deletedRecord>no", "<oai:deletedRecord>transient") ==
          "2: <deletedRecord> of a static repository is no\n");
    CHECK(with("YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ") ==
          "2: <granularity> of a static repository is YYYY-MM-DD\n");
    CHECK(with("<oai:baseURL>http://g.example/a.example/r.xml</oai:baseURL>", "") ==
          "2: <Identify> lacks <baseURL>, or has it at another place\n");
    CHECK(with("</Identify>", "<oai:compression>gzip</oai:compression></Identify>") ==
          "2: <compression> has no place in <Identify>\n");
    CHECK(with("2002-09-19</oai:earliest", "2002-09</oai:earliest") ==
          "2: earliestDatestamp is no day: 2002-09\n");
    CHECK(with("oai_dc</oai:metadataP", "dc</oai:metadataP") ==
          "3: there is no format oai_dc, which every repository has\n4: the metadataPrefix of "
          "<ListRecords> "
          "is not among the formats: oai_dc\n");
    CHECK(with("oai:a:1", "1") == "5: the identifier is no URI: 1\n");
    CHECK(with("<oai:datestamp>2002-09-19", "<oai:datestamp>2002-09-31") ==
          "5: the datestamp is no day: 2002-09-31\n");
    CHECK(with("</oai:datestamp></oai:header>",
               "</oai:datestamp><oai:setSpec>a</oai:setSpec></oai:header>") ==
          "5: <setSpec> has no place in <header>\n");
    CHECK(with("<oai:header>", "<oai:header status=\"deleted\">") ==
          "5: a static repository has no deleted records\n");
    CHECK(with("urn:dc\">t", "urn:other\">t") ==
          "5: <d> has nothing in the namespace of oai_dc, urn:dc\n");
    CHECK(with("<d xmlns=\"urn:dc\">t</d>", "") == "5: <metadata> is to hold one element\n");
    CHECK(with("</ListRecords>", "<oai:resumptionToken/></ListRecords>") ==
          "6: <resumptionToken> has no place in <ListRecords>\n");
    CHECK(with("</ListRecords>", "</ListRecords><ListSets/>") ==
          "6: <ListSets> has no place in a static repository\n");
}

TEST_CASE("parts that are missing, repeated or out of order are reported") {
    CHECK(faults("") ==
          "1: there is no <Identify>\n1: there is no <ListMetadataFormats>\n1: there is no "
          "<ListRecords>\n");
    CHECK(faults(kIdentify + kFormats) == "1: there is no <ListRecords>\n");
    CHECK(faults(kIdentify + kFormats + list("")) == "4: <ListRecords> is to hold a record\n");
    CHECK(faults(kFormats + kIdentify + list(record("oai:a:1"))) ==
          "2: <ListMetadataFormats> is to stand second, once\n3: <Identify> is to stand first, "
          "once\n");
    CHECK(faults(kIdentify + kFormats + list(record("oai:a:1")) + list(record("oai:a:1"))) ==
          "7: there is another <ListRecords> of oai_dc\n");
    CHECK(faults(kIdentify + kFormats + list(record("oai:a:1") + record("oai:a:1"))) ==
          "6: the identifier is there twice: oai:a:1\n");
    CHECK(faults(kIdentify + "<ListMetadataFormats>" + format("oai_dc", "urn:dc") +
                 format("oai_dc", "urn:dc") + "</ListMetadataFormats>" + list(record("oai:a:1"))) ==
          "3: the metadataPrefix oai_dc is there twice\n");
}

TEST_CASE("values are checked as the schema demands") {
    const auto with = [](const std::string& what, const std::string& by) {
        return faults(replaced(kIdentify + kFormats + list(record("oai:a:1")), what, by));
    };
    for (const char* mail : {"a", "a@b", "a@b.", "a@.b", "@b.example", "a b@c.example", ""})
        CHECK(with("a@a.example", mail) ==
              std::string("2: adminEmail is no mail address: ") + mail + "\n");
    for (const char* mail : {"a@b.c", "a@b@c.d", "a.b@c-d.example.org"})
        CHECK(with("a@a.example", mail).empty());
    CHECK(with("http://g.example/a.example/r.xml", "g.example") ==
          "2: baseURL is no URL: g.example\n");
    CHECK(with("2.0</oai:protocol", "2.1</oai:protocol") ==
          "2: <protocolVersion> of a static repository is 2.0\n");
    CHECK(faults(kIdentify + "<ListMetadataFormats>" + format("oai_dc", "urn:dc") +
                 format("a:b", "urn:b") + "</ListMetadataFormats>" + list(record("oai:a:1"))) ==
          "3: a metadataPrefix is of A-Za-z0-9-_.!~*'(): a:b\n");
    for (const char* id : {"2001-12-14T00:00:00Z", "1a:b", ":b", "a:", "a:%zz", "a:b c",
                           "a:\xC3\xA9", "http://[", ""})
        CHECK(with("oai:a:1", id) == std::string("5: the identifier is no URI: ") + id + "\n");
    for (const char* id :
         {"urn:isbn:1", "a:b", "http://a.example/?b#c", "info:x/%C3%A9", "http://[::1]/"})
        CHECK(with("oai:a:1", id).empty());
    CHECK(with("http://a.example/x.xsd", "http://a.example/%zz") ==
          "3: no URI: http://a.example/%zz\n");
    CHECK(with("http://a.example/x.xsd", "x.xsd").empty());
    // Blanks around values of types other than string are allowed by the schema's
    // whiteSpace=collapse.
    CHECK(with(">oai:a:1<", ">\n  oai:a:1 <").empty());
    CHECK(with("<oai:datestamp>2002-09-19", "<oai:datestamp> 2002-09-19\n").empty());
}

TEST_CASE("metadata may begin with an element of another namespace, as that of EDM does") {
    const auto with = [](const std::string& metadata) {
        return faults(replaced(kIdentify + kFormats + list(record("oai:a:1")),
                               "<d xmlns=\"urn:dc\">t</d>", metadata));
    };
    CHECK(with("<r xmlns=\"urn:rdf\"><d xmlns=\"urn:dc\">t</d></r>").empty());
    CHECK(with("<r xmlns=\"urn:rdf\" xmlns:dc=\"urn:dc\"/>").empty());
    CHECK(with("<r xmlns=\"urn:rdf\"><d>t</d></r>") ==
          "5: <r> has nothing in the namespace of oai_dc, urn:dc\n");
}

TEST_CASE("the content of elements is checked as the schema demands") {
    const auto with = [](const std::string& what, const std::string& by) {
        return faults(replaced(kIdentify + kFormats + list(record("oai:a:1")), what, by));
    };
    CHECK(with("<oai:header>", "<oai:header status=\"\">") ==
          "5: a static repository has no deleted records\n");
    CHECK(with("<oai:header>", "<oai:header lang=\"en\">") ==
          "5: <header> has no attribute lang\n");
    CHECK(with("<oai:record>", "<oai:record xml:lang=\"en\">") ==
          "5: <record> has no attribute lang\n");
    CHECK(with("<ListRecords ", "<ListRecords more=\"1\" ") ==
          "4: <ListRecords> has no attribute more\n");
    CHECK(with("<Identify>",
               "<Identify xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"t\">")
              .empty());
    CHECK(with("R</oai:repositoryName>", "<b/></oai:repositoryName>") ==
          "2: <repositoryName> is to hold text alone\n");
    CHECK(with("<oai:header>", "x<oai:header>") ==
          "5: text has no place in <record>, but for its elements\n");
    CHECK(with("<oai:record>", "x<oai:record>") ==
          "4: text has no place in <ListRecords>, but for its elements\n");
    CHECK(with("</ListRecords>", "<![CDATA[x]]></ListRecords>") ==
          "4: text has no place in <ListRecords>, but for its elements\n");
    CHECK(with("<ListRecords", "x<ListRecords") ==
          "1: text has no place in <Repository>, but for its elements\n");
    CHECK(with("</oai:metadata>", "</oai:metadata><oai:about/>") ==
          "5: <about> is to hold one element\n");
    CHECK(with("</oai:metadata>", "</oai:metadata><oai:about><a xmlns=\"\"/></oai:about>") ==
          "5: <a> in <about> needs a namespace of its own\n");
    CHECK(with("</oai:metadata>", "</oai:metadata><oai:about><oai:x/></oai:about>") ==
          "5: <x> in <about> needs a namespace of its own\n");
    CHECK(with("</Identify>", "<oai:description>words</oai:description></Identify>") ==
          "2: text has no place in <description>, but for its elements\n2: <description> is to "
          "hold one element\n");
}

TEST_CASE("unusual content that is allowed is noted") {
    const auto notes = [](const std::string& inside) {
        const CollectedRepository kept = found(kHead + inside + "</Repository>");
        CHECK(kept.faults.empty());
        return kept.notes;
    };
    CHECK(notes(kIdentify + kFormats +
                list(record("oai:a:1", "2002-09-18") + record("oai:a:2", "2002-09-17"))) ==
          std::vector<std::string>{"5: the datestamp 2002-09-18 is before earliestDatestamp "
                                   "2002-09-19, and so may others be"});
    CHECK(notes(kIdentify + "<ListMetadataFormats>" + format("oai_dc", "urn:dc") +
                format("dc2", "urn:2") + "</ListMetadataFormats>" + list(record("oai:a:1"))) ==
          std::vector<std::string>{"1: there is no <ListRecords> of the format dc2"});
    CHECK(notes(kIdentify + kFormats + list(record("oai:a:1"))).empty());
}

TEST_CASE("a document that is no static repository is refused") {
    CHECK_THROWS_WITH(found("<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"/>"),
                      Catch::Matchers::StartsWith("1: <OAI-PMH> is no Repository"));
    CHECK_THROWS_AS(found(kHead + kIdentify), std::runtime_error);
    CHECK_THROWS_WITH(found(kHead + kIdentify + "\n</Repositry>"),
                      Catch::Matchers::StartsWith("4: "));
    CHECK_THROWS_AS(found(""), std::runtime_error);
    CHECK_THROWS_AS(
        found(kHead + kIdentify + kFormats + list(record("oai:a:1")) + "</Repository><more/>"),
        std::runtime_error);
}

TEST_CASE("a DOCTYPE is passed over, unless it declares something itself") {
    const std::string rest = kHead + kIdentify + kFormats + list(record("oai:a:1")) +
                             list(record("oai:a:2")) + "</Repository>";
    const CollectedRepository without = found(rest);
    for (const char* doctype :
         {"<!DOCTYPE Repository>", "<?xml version=\"1.0\"?><!-- > --><!DOCTYPE Repository >",
          "<!DOCTYPE Repository SYSTEM \"none.dtd\">",
          "<!DOCTYPE Repository PUBLIC \"-//a//\" 'none>[.dtd' >"}) {
        INFO(doctype);
        const CollectedRepository kept = found(doctype + rest);
        CHECK(kept.records == without.records);
        CHECK(kept.faults == without.faults);
        CHECK(kept.notes == without.notes);
    }
    const std::string late = record("oai:a:1", "2002-09-19", "<d xmlns=\"urn:dc\">&x;</d>");
    CHECK_THROWS_WITH(found("<!DOCTYPE Repository SYSTEM \"none.dtd\">" + kHead + kIdentify +
                            kFormats + list(late) + "</Repository>"),
                      Catch::Contains("Entity 'x' not defined"));
    for (const char* doctype :
         {"<!DOCTYPE Repository [<!ENTITY x \"y\">]>", "<!DOCTYPE Repository []>",
          "\n<!DOCTYPE Repository SYSTEM \"none.dtd\" [ <!ELEMENT Repository ANY>]>"}) {
        INFO(doctype);
        CHECK_THROWS_WITH(found(doctype + rest),
                          Catch::Contains(": a DOCTYPE that declares something itself is not"));
    }
}

TEST_CASE("records are read in pieces of any size") {
    std::string records;
    for (int i = 0; i < 1500; ++i)
        records += record(
            "oai:a:" + std::to_string(i), "2003-01-01",
            "<d xmlns=\"urn:dc\">" + std::string(static_cast<std::size_t>(i % 97), 'x') + "</d>");
    const CollectedRepository kept =
        found(kHead + kIdentify + kFormats + list(records) + "</Repository>");
    CHECK(kept.faults.empty());
    REQUIRE(kept.records.size() == 1500);
    CHECK(kept.records[1499] == "oai_dc oai:a:14992003-01-01" + std::string(1499 % 97, 'x'));
}

TEST_CASE("a static repository in another encoding than UTF-8 is read, with a note") {
    const std::string rest = kHead + kIdentify + kFormats + list(record("urn:a")) + "</Repository>";
    CHECK(found("<?xml version=\"1.0\" encoding=\"utf-8\"?>" + rest).notes.empty());
    const CollectedRepository kept =
        found("<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?>" + rest);
    CHECK(kept.faults.empty());
    CHECK(kept.notes == std::vector<std::string>{
                            "1: a static repository is UTF-8, and this one says ISO-8859-2"});
    CHECK(kept.who.encoding == "ISO-8859-2");
}
