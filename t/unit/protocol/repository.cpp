// SPDX-License-Identifier: MIT
#include "protocol/repository.h"

#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"
#include "xml/document.h"

namespace {

Config config_with(Strings descriptions) {
    Config config;
    config.repository.name = "R";
    config.repository.identifier_namespace = "r.example.org";
    config.repository.description = std::move(descriptions);
    config.lists.records = 7;
    return config;
}

}  // namespace

TEST_CASE("repository: the oai-identifier description declares its namespace on itself") {
    const Repository r = make_repository(config_with({}));
    CHECK(r.identifier_prefix == "oai:r.example.org:");
    CHECK(r.facts.name == "R");
    CHECK(r.lists.records == 7);
    REQUIRE(r.descriptions.size() == 1);
    CHECK(r.descriptions[0] ==
          "<oai-identifier xmlns=\"http://www.openarchives.org/OAI/2.0/oai-identifier\" "
          "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
          "xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai-identifier "
          "http://www.openarchives.org/OAI/2.0/oai-identifier.xsd\"><scheme>oai</"
          "scheme><repositoryIdentifier>r.example.org</repositoryIdentifier><delimiter>:</"
          "delimiter><sampleIdentifier>oai:r.example.org:1</sampleIdentifier></oai-identifier>");
}

TEST_CASE(
    "repository: each description file becomes one element, in the order of the configuration") {
    const TemporaryDirectory directory;
    const std::string a = directory.write(
        "a.xml", "<?xml version=\"1.0\"?>\n<!-- c -->\n<e xmlns=\"urn:a\">&amp;\xC3\xA4<f/></e>\n");
    const std::string b = directory.write("b.xml", "<p:g xmlns:p=\"urn:b\"/>");
    const Repository r = make_repository(config_with({b, a}));
    REQUIRE(r.descriptions.size() == 3);
    CHECK(r.descriptions[0].starts_with("<oai-identifier "));
    CHECK(r.descriptions[1] == "<p:g xmlns:p=\"urn:b\"/>");
    CHECK(r.descriptions[2] == "<e xmlns=\"urn:a\">&amp;\xC3\xA4<f/></e>");
}

TEST_CASE(
    "repository: a description file that is not one element of another namespace is refused with "
    "its name") {
    const TemporaryDirectory directory;
    const std::string files[] = {
        directory.write("empty.xml", ""),
        directory.write("open.xml", "<a xmlns=\"urn:a\">\n<b>\n</a>"),
        directory.write("two.xml", "<a xmlns=\"urn:a\"/><a xmlns=\"urn:a\"/>"),
        directory.write("text.xml", "hello"),
        directory.write("bare.xml", "<a/>"),
        directory.write("own.xml", "<a xmlns=\"http://www.openarchives.org/OAI/2.0/\"/>"),
        directory.write(
            "entity.xml",
            "<!DOCTYPE a [<!ENTITY e SYSTEM \"/etc/passwd\">]><a xmlns=\"urn:a\">&e;</a>"),
        "no/such/file.xml",
    };
    for (const std::string& file : files) {
        CAPTURE(file);
        CHECK_THROWS_AS(make_repository(config_with({file})), ConfigError);
        CHECK_THROWS_WITH(make_repository(config_with({file})), Contains(file));
    }
    CHECK_THROWS_WITH(make_repository(config_with({files[1]})), StartsWith(files[1] + ":3: "));
    CHECK_THROWS_WITH(
        make_repository(config_with({files[1], files[4]})),
        Contains(files[1] + ":3: ") && Contains("\n" + files[4] + ":1: <a> is in no namespace"));
}

TEST_CASE("set description: only the element itself is kept") {
    CHECK(set_description("<a xmlns=\"urn:a\">x</a>", "s") == "<a xmlns=\"urn:a\">x</a>");
    CHECK(set_description(
              "<?xml version=\"1.0\" standalone=\"yes\"?>\n<!-- c --><p:a xmlns:p=\"urn:a\"/>\n",
              "s") == "<p:a xmlns:p=\"urn:a\"/>");
    CHECK(set_description("", "s").empty());
    CHECK(set_description(" \n\t", "s").empty());
}

TEST_CASE("set description: text becomes Dublin Core") {
    const std::string made = set_description(" Books &amp; &lt;maps&gt;\n", "s");
    CHECK_THAT(
        made,
        StartsWith("<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" ") &&
            EndsWith("><dc:description>Books &amp; &lt;maps&gt;</dc:description></oai_dc:dc>"));
    const xml::DocumentHandle document = xml::parse_memory(made, "made");
    CHECK(xml::root_namespace(document.get()) == "http://www.openarchives.org/OAI/2.0/oai_dc/");
}

TEST_CASE(
    "set description: what is not one element of another namespace is refused with the set's "
    "name") {
    for (const char* content :
         {"<a/>", "<a xmlns=\"http://www.openarchives.org/OAI/2.0/\"/>", "two <b xmlns=\"urn:b\"/>",
          "<a xmlns=\"urn:a\"/><a xmlns=\"urn:a\"/>", "<a xmlns=\"urn:a\">", "Books & maps",
          "&nbsp;", "<!DOCTYPE a [<!ENTITY e 'x'>]><a xmlns=\"urn:a\">&e;</a>",
          "<!-- nothing -->"}) {
        CAPTURE(content);
        CHECK_THROWS_AS(set_description(content, "col:x"), xml::Error);
        CHECK_THROWS_WITH(set_description(content, "col:x"), StartsWith("set col:x:1: "));
    }
}
