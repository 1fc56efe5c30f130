// SPDX-License-Identifier: MIT
#include "t/lib/unit_headers.h"
#include "tools/aggregate/database_sink.h"
#include "xml/document.h"

using namespace oai::aggregate;

namespace {

Source source_named(const std::string& name) {
    Source source;
    source.name = source.label = name;
    return source;
}

struct Made {
    load::Item item;
    bool whole;
};
Made described(const std::string& content, const std::string& attributes = "") {
    const auto document = xml::parse_memory(
        "<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "
        "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:t=\"http://purl.org/dc/terms/\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"" +
            attributes + ">" + content + "</oai_dc:dc>",
        "test");
    Made made;
    made.whole = describe(document.get(), made.item);
    return made;
}

const std::string kUrl = "<dc:identifier>https://e.org/1</dc:identifier>";

}  // namespace

TEST_CASE("description: local ids that are prefixed by the source, or kept from the source") {
    CHECK(our_local_id(source_named("arxiv"), "oai:arXiv.org:cs/1") == "arxiv/oai:arXiv.org:cs/1");
    CHECK(our_local_id(source_named("a"), "x y?") == "a/x%20y%3F");
    CHECK(our_local_id(source_named("a"), std::string(499, 'x')).empty());
    CHECK(their_local_id("http://e.org/?id=[1]#f") == ":http://e.org/?id=[1]#f");
    CHECK(their_local_id("x y") == ":x%20y");
    CHECK(their_local_id("").empty());
    CHECK(their_local_id(std::string(500, 'x')).empty());
}

TEST_CASE("description: the source's sets become collections below the source's name") {
    const Source source = source_named("a");
    const auto of = [&](Strings specs) { return collections_of(source, specs); };
    CHECK(of({}) == Strings{"a"});
    CHECK(of({"x:y", "z", "x:y"}) == Strings{"a:x:y", "a:z"});
    CHECK(of({"a b/č"}) == Strings{"a:a~20b~2F~C4~8D"});
    CHECK(of({"::", ""}) == Strings{"a"});
    CHECK(with_ancestors({"a:x:y", "a:z"}) == Strings{"a", "a:x", "a:x:y", "a:z"});
}

TEST_CASE("description: which Dublin Core can be given out exactly as it was received") {
    CHECK(described("<dc:title xml:lang=\"cs\">T</dc:title><dc:title>U</dc:title>" + kUrl).whole);
    CHECK(described("<dc:title> T </dc:title>" + kUrl).whole);  // blanks say nothing
    CHECK(described("<dc:title>T</dc:title>" + kUrl, " xml:lang=\"cs\"")
              .item[load::Element::title]
              .front()
              .language == "cs");
    CHECK(described("<dc:identifier>doi-like</dc:identifier><dc:identifier>https://doi.org/10.1234/"
                    "a</dc:identifier>" +
                    kUrl)
              .whole);
    CHECK(!described("<dc:identifier>doi:10.1234/a</dc:identifier>")
               .whole);  // becomes https://doi.org/10.1234/a
    CHECK(!described("<dc:identifier>https://doi.org/10.1234/a</"
                     "dc:identifier><dc:identifier>10.1234/a.pdf</dc:identifier>")
               .whole);
    CHECK(!described("<dc:title>T</dc:title>").whole);  // an identifier will be added
    CHECK(!described("<dc:title>T</dc:title><dc:title>T</dc:title>" + kUrl).whole);  // said twice
    CHECK(!described("<dc:title/>" + kUrl).whole);
    CHECK(!described("<t:abstract>A</t:abstract>" + kUrl).whole);  // a refinement
    CHECK(!described("<dc:titel>T</dc:titel>" + kUrl).whole);      // no such element
    CHECK(!described("<dc:title>a<i>b</i></dc:title>" + kUrl).whole);
    CHECK(!described("<dc:date xsi:type=\"t:W3CDTF\">2001</dc:date>" + kUrl).whole);
    CHECK(!described("<dc:date xml:lang=\"cs\">2001</dc:date>" + kUrl).whole);
    CHECK(!described("<dc:title xml:lang=\"Czech language\">T</dc:title>" + kUrl).whole);
}

TEST_CASE("provenance: origins are nested, and dates are checked") {
    Origin origin{.base_url = "http://a.org/?x=1&y=2",
                  .identifier = "oai:a:<1>",
                  .datestamp = "2020-01-01",
                  .metadata_namespace = "urn:n",
                  .harvest_date = "2021-01-01T00:00:00Z",
                  .altered = true};
    const std::string first = origin_description(origin, "");
    CHECK(first ==
          "<originDescription xmlns=\"http://www.openarchives.org/OAI/2.0/provenance\" "
          "harvestDate=\"2021-01-01T00:00:00Z\" "
          "altered=\"true\"><baseURL>http://a.org/?x=1&amp;y=2</"
          "baseURL><identifier>oai:a:&lt;1&gt;</identifier><datestamp>2020-01-01</"
          "datestamp><metadataNamespace>urn:n</metadataNamespace></originDescription>");
    const auto provenance = [](const std::string& attributes, const std::string& url,
                               const std::string& within = "") {
        return "<p:provenance "
               "xmlns:p=\"http://www.openarchives.org/OAI/2.0/provenance\"><p:originDescription " +
               attributes + "><p:baseURL>" + url +
               "</p:baseURL><p:identifier>oai:b:1</p:identifier><p:datestamp>2018-01-01</"
               "p:datestamp><p:metadataNamespace>urn:n</p:metadataNamespace>" +
               within + "</p:originDescription></p:provenance>";
    };
    const std::string dated = "harvestDate=\"2019-01-01\" altered=\"false\"";
    const auto judge = [](const Strings& abouts) {
        return OriginFinder("http://us.example/oai", "oai:us:").find(abouts);
    };
    const KnownOrigin known = judge({"<rights xmlns=\"urn:r\"/>",
                                     "<broken http://www.openarchives.org/OAI/2.0/provenance",
                                     provenance(dated, "http://b.example/oai")});
    CHECK_THAT(known.description, StartsWith("<p:originDescription xmlns:p="));
    CHECK(known.fault != "");  // of the broken one
    CHECK(known.depth == 1);
    CHECK_FALSE(known.ours);
    CHECK(origin_description(origin, known.description)
              .ends_with("</metadataNamespace>" + known.description + "</originDescription>"));
    CHECK(judge({}).description.empty());
    // What the schema does not allow is not passed on.
    for (const std::string& wrong :
         {provenance("harvestDate=\"last week\" altered=\"true\"", "http://b.example/oai"),
          provenance("harvestDate=\"2019-01-01\"", "http://b.example/oai"),
          provenance(dated, "not a url"), provenance(dated, "javascript:alert(1)"),
          provenance(dated, "http://b.example/", "<junk/>"),
          provenance(dated + " by=\"x\"", "http://b.example/"),
          provenance(dated, "http://b<junk/>.example/")}) {
        CHECK(judge({wrong}).description.empty());
        CHECK_FALSE(judge({wrong}).fault.empty());
    }
    // What was here before is known at any depth.
    const std::string deep =
        "<p:originDescription " + dated +
        "><p:baseURL>http://c.example/oai</p:baseURL><p:identifier>oai:us:7</"
        "p:identifier><p:datestamp>2018-01-01</p:datestamp><p:metadataNamespace>urn:n</"
        "p:metadataNamespace></p:originDescription>";
    CHECK(judge({provenance(dated, "http://us.example/oai")}).ours);
    CHECK(judge({provenance(dated, "http://b.example/oai", deep)}).ours);
    CHECK(judge({provenance(dated, "http://b.example/oai", deep)}).depth == 2);
    for (const char* const ours : {"https://US.example/oai/", "http://me:pw@us.example/oai?key=1"})
        CHECK(judge({provenance(dated, ours)}).ours);
    CHECK_FALSE(judge({provenance(dated, "http://us.example/oai2")}).ours);
    // Also where the schema does not have it.
    for (const std::string& odd : {deep + deep, "<p:junk>" + deep + "</p:junk>", "a" + deep}) {
        CHECK(judge({provenance(dated, "http://b.example/oai", odd)}).ours);
        CHECK(judge({provenance(dated, "http://b.example/oai", odd)}).fault != "");
    }
    origin.datestamp = "2020-01-01T01:00:00.5+01:00";
    CHECK_THAT(origin_description(origin, ""), Contains(">2020-01-01T00:00:00Z<"));
    origin.datestamp = "yesterday";
    CHECK(origin_description(origin, "").empty());
}
