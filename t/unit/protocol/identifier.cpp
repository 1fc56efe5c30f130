// SPDX-License-Identifier: MIT
#include "protocol/identifier.h"

#include <regex.h>

#include "t/lib/unit_headers.h"

namespace {

constexpr std::string_view kPrefix = "oai:example.org:";

// The pattern of setSpecType in OAI-PMH.xsd, matched by the C library. REQUIRES: no NUL.
class SchemaPattern {
  public:
    SchemaPattern() {
        REQUIRE(::regcomp(&pattern_, "^([A-Za-z0-9_.!~*'()-])+(:[A-Za-z0-9_.!~*'()-]+)*$",
                          REG_EXTENDED | REG_NOSUB) == 0);
    }
    ~SchemaPattern() { ::regfree(&pattern_); }
    SchemaPattern(const SchemaPattern&) = delete;
    SchemaPattern& operator=(const SchemaPattern&) = delete;
    bool matches(const std::string& s) const {
        return ::regexec(&pattern_, s.c_str(), 0, nullptr, 0) == 0;
    }

  private:
    regex_t pattern_{};
};

}  // namespace

TEST_CASE("identifier: the repository's own identifiers begin with its prefix") {
    CHECK(identifier_text(kPrefix, "thesis/1") == "oai:example.org:thesis/1");
    CHECK(local_id_in(kPrefix, "oai:example.org:thesis/1") == "thesis/1");
    CHECK(identifier_text(kPrefix, "a:b") == "oai:example.org:a:b");
}

TEST_CASE("identifier: an identifier from elsewhere is kept complete") {
    for (const char* given : {"oai:arXiv.org:cs/0112017", "hdl:1721.1/2", "urn:nbn:de:1",
                              "http://e.org/?id=1", "oai:example.or:1"}) {
        CHECK(identifier_text(kPrefix, std::string(":") + given) == given);
        CHECK(local_id_in(kPrefix, given) == std::string(":") + given);
    }
}

TEST_CASE("identifier: no item has two") {
    CHECK(local_id_in(kPrefix, "").empty());
    CHECK(local_id_in(kPrefix, "oai:example.org:").empty());
    CHECK(local_id_in(kPrefix, "oai:example.org::oai:arXiv.org:1").empty());
}

TEST_CASE(
    "set_spec: all strings of three characters from a small alphabet, compared with the pattern of "
    "OAI-PMH.xsd") {
    const SchemaPattern schema;
    int wrong = 0;
    std::string alphabet = ":azAZ09-~) /[\n";
    alphabet.push_back('\xC3');
    for (const char a : alphabet) {
        for (const char b : alphabet) {
            for (const char c : alphabet) {
                for (std::size_t length = 0; length <= 3; ++length) {
                    const std::string s = std::string{a, b, c}.substr(0, length);
                    wrong += is_set_spec(s) != schema.matches(s);
                    wrong += is_label(s) != (schema.matches(s) && s.find(':') == std::string::npos);
                }
            }
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("set_spec: each byte is allowed or not") {
    const std::string allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
    for (int byte = 0; byte < 256; ++byte) {
        const std::string s(1, static_cast<char>(byte));
        CAPTURE(byte);
        CHECK(is_set_spec(s) == (allowed.find(s) != std::string::npos));
    }
}

TEST_CASE("set_spec: complete setSpecs") {
    for (const auto good : {"a", "col:culture:estonia", "dom:ee:etv24:www", "mim:image:svg~2Bxml",
                            "dom:ip:127.0.0.1"})
        CHECK(is_set_spec(good));
    for (const auto bad :
         {"", ":", "a:", ":a", "a::b", "a b", "svg+xml", "a/b", "a:b:", "\xC3\xB5"})
        CHECK_FALSE(is_set_spec(bad));
    CHECK(is_set_spec(std::string(100'000, 'a')));
}

TEST_CASE("set_spec: set_label makes a different label of every text") {
    CHECK(set_label("svg+xml") == "svg~2Bxml");
    CHECK(set_label("a~b") == "a~7Eb");
    CHECK(set_label("a:b") == "a~3Ab");
    CHECK(set_label("\xC3\xB5") == "~C3~B5");
    CHECK(set_label("").empty());
    CHECK(set_label("A-z_0.!*'()") == "A-z_0.!*'()");
    std::set<std::string> labels;
    for (int a = 0; a < 256; ++a) {
        for (int b = -1; b < 256; ++b) {
            std::string bytes(1, static_cast<char>(a));
            if (b >= 0) bytes.push_back(static_cast<char>(b));
            const std::string label = set_label(bytes);
            REQUIRE(is_label(label));
            labels.insert(label);
        }
    }
    CHECK(labels.size() == 256 * 257);
}
