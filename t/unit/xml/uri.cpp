// SPDX-License-Identifier: MIT
#include "xml/uri.h"

#include <libxml/xmlschemas.h>

#include <catch2/catch.hpp>
#include <string>

#include "xml/document.h"
#include "xml/escape.h"
#include "xml/handle.h"

using namespace oai;

namespace {

// Tells whether the validator of libxml2 accepts a value of type anyURI.
class Validator {
  public:
    Validator() {
        xml::initialise();
        const std::string text =
            "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='a'>"
            "<xs:complexType><xs:attribute name='u' type='xs:anyURI'/></xs:complexType>"
            "</xs:element></xs:schema>";
        const xml::SchemaParserHandle parser(
            xmlSchemaNewMemParserCtxt(text.data(), static_cast<int>(text.size())));
        schema_.reset(xmlSchemaParse(parser.get()));
    }
    bool accepts(std::string_view uri) const {
        std::string document = "<a u=\"";
        xml::append_attribute(document, uri);
        const xml::DocumentHandle tree = xml::parse_memory(document + "\"/>", "test");
        const xml::SchemaValidatorHandle validator(xmlSchemaNewValidCtxt(schema_.get()));
        return xmlSchemaValidateDoc(validator.get(), tree.get()) == 0;
    }

  private:
    xml::SchemaHandle schema_;
};

}  // namespace

TEST_CASE("anyURI: accepts identifiers and rejects what is no URI") {
    for (const char* good : {"oai:example.org:1", "http://a/b?c=d&e#f", "urn:isbn:1", "x", "",
                             "oai:x:\xC5\xBE", "oai:x:{1}", "a%20b"})
        CHECK(xml::is_any_uri(good));
    for (const char* bad : {"& dir C:\\", "%2 -n", "oai:[x", "a b", "%zz", "http://[::1", "a\tb"})
        CHECK_FALSE(xml::is_any_uri(bad));
}

TEST_CASE("anyURI: whatever it accepts, libxml2's validator accepts") {
    const Validator validator;
    constexpr std::string_view kBytes = "a:/?#[]@!$&'()*+,;=%2 {}|\\^`\"<>~-._\xC5\xBE";
    int accepted = 0;
    for (const char a : kBytes) {
        for (const char b : kBytes) {
            for (const char c : std::string_view("a:/[%2\\ ")) {
                const std::string uri = {'o', a, b, c};
                if ((a == '\xC5') != (b == '\xBE')) continue;  // skips incomplete UTF-8 sequences
                if (a == '\xBE' || b == '\xC5' || !xml::is_any_uri(uri)) continue;
                ++accepted;
                INFO(uri);
                CHECK(validator.accepts(uri));
            }
        }
    }
    CHECK(accepted > 1000);
}
