// SPDX-License-Identifier: MIT
#include "base/config_keys.h"

#include "base/config.h"
#include "base/text.h"
#include "t/lib/unit_headers.h"

namespace {

bool accepts(std::string_view key, std::string_view value) {
    Config config;
    for (const KeyRow& row : key_rows())
        if (key == row.key) return row.type.set(config, value);
    return false;
}

}  // namespace

TEST_CASE("config values: base_url is a plain http or https URL") {
    for (const char* good :
         {"http://a.org/oai", "https://a.org", "http://localhost:8080/oai",
          "https://xn--bcher-kva.example/a/b/", "http://127.0.0.1:65535/~x/%C3%A4;v=1"}) {
        CAPTURE(good);
        CHECK(accepts("base_url", good));
    }
    for (const std::string_view bad : text::split(
             "|a.org/oai|ftp://a.org/|http://|http:///oai|HTTP://a.org/|http://a.org/oai?|"
             "http://a.org/#x|http://u@a.org/|http://u:p@a.org/|http://a.org:/x|"
             "http://a.org:0/|http://a.org:65536/|http://a.org:+80/|http://a..org/|"
             "http://-a.org/|http://a.org/a b|http://a.org/<|http://a.org/%4|http://a.org/%|"
             "http://a.org/%zz|http://b\xC3\xBC.org/",
             '|')) {
        CAPTURE(bad);
        CHECK_FALSE(accepts("base_url", bad));
    }
}

TEST_CASE("config values: admin_email looks like a real address") {
    for (const char* good : {"oai@example.org", "a.b+c@sub.example.museum", "o'neil@ex-ample.ie"}) {
        CAPTURE(good);
        CHECK(accepts("admin_email", good));
    }
    CHECK(accepts("admin_email", std::string(64, 'a') + "@example.org"));
    CHECK_FALSE(accepts("admin_email", std::string(65, 'a') + "@example.org"));
    CHECK_FALSE(accepts("admin_email", "a@" + std::string(64, 'b') + ".org"));
    for (const char* bad :
         {"", "oai", "@example.org", "oai@", "oai@localhost", "mailto:oai@example.org",
          "a b@example.org", "oai@example.org ", "a@b@example.org", "oai@example..org", "oai@.org",
          "oai@example.org.", ".a@example.org", "a.@example.org", "a..b@example.org",
          "oai@192.0.2.1", "A <a@example.org>"}) {
        CAPTURE(bad);
        CHECK_FALSE(accepts("admin_email", bad));
    }
}

TEST_CASE("config values: contact is a mail address or a URL") {
    for (const char* good :
         {"oai@example.org", "http://example.org/harvester", "https://example.org"}) {
        CAPTURE(good);
        CHECK(accepts("contact", good));
    }
    for (const char* bad :
         {"", "oai", "mailto:oai@example.org", "ftp://example.org/", "oai@example.org (us)"}) {
        CAPTURE(bad);
        CHECK_FALSE(accepts("contact", bad));
    }
}

TEST_CASE("config values: identifier_namespace is a dotted domain name") {
    for (const char* good :
         {"a.b", "repository.example.org", "x1-2.example", "ebibpol.p.lodz.pl"}) {
        CAPTURE(good);
        CHECK(accepts("identifier_namespace", good));
    }
    for (const char* bad : {"", "a", "a.", ".a", "a..b", "1a.org", "a.1", "a_b.org", "a.org:x",
                            "a b.org", "\xC3\xA4.org"}) {
        CAPTURE(bad);
        CHECK_FALSE(accepts("identifier_namespace", bad));
    }
}

TEST_CASE("config values: a socket fits into sockaddr_un") {
    CHECK(accepts("socket", "/run/oai.sock"));
    CHECK(accepts("socket", std::string(107, 's')));
    CHECK_FALSE(accepts("socket", std::string(108, 's')));
    CHECK_FALSE(accepts("socket", ""));
}

TEST_CASE("config values: languages are tags with single blanks between") {
    for (const char* good : {"en", "en cs", "cs en pt-BR"}) CHECK(accepts("languages", good));
    for (const char* bad : {"", " ", "en  cs", "en cs ", "en,cs", "../x", "e/n", "en_GB"}) {
        CAPTURE(bad);
        CHECK_FALSE(accepts("languages", bad));
    }
}

TEST_CASE("config values: a logo is a file of SVG or PNG, by its name") {
    for (const char* good : {"/etc/logo.svg", "logo.png", "a b.svg"}) CHECK(accepts("logo", good));
    for (const char* bad : {"", "logo", "logo.jpg", "logo.SVG", "logo.svg ", "svg"}) {
        CAPTURE(bad);
        CHECK_FALSE(accepts("logo", bad));
    }
}

TEST_CASE("config values: a replay address has columns, and its host has none") {
    for (const char* good : {"https://web.archive.org/web/{archived_time}/{url}",
                             "http://h/?u={url}", "http://h:81/{url}"})
        CHECK(accepts("replay", good));
    for (const char* bad :
         {"", "{url}", "https://{url}", "https://h{url}/", "https://h/", "https://h/{url",
          "javascript:{url}", "//h/{url}", "https:///{url}", "https://h /{url}"}) {
        CAPTURE(bad);
        CHECK_FALSE(accepts("replay", bad));
    }
}
