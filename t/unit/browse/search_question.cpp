// SPDX-License-Identifier: MIT
#include "browse/search_question.h"

#include "base/clock.h"
#include "t/lib/unit_headers.h"
#include "web/surt.h"

using Kind = SearchKind;

namespace {
SearchQuestion ask(std::string_view typed) { return parse_search(typed, true); }
Kind kind(std::string_view typed) { return ask(typed).kind; }
std::string time(std::string_view text, bool last) {
    const auto found = capture_time(text, last);
    return found ? print_utc(*found) : "none";
}
}  // namespace

TEST_CASE("URLs with or without scheme, www and path") {
    for (const char* typed : {"http://www.example.cz/a/b?x=1", "https://example.cz/a/b/?x=1",
                              "www.example.cz/a/b?x=1", " EXAMPLE.cz/a/b?x=1#c \n"}) {
        INFO(typed);
        CHECK(kind(typed) == Kind::url);
        CHECK(ask(typed).key == "cz,example)/a/b?x=1");
    }
    CHECK(ask("example.cz:8080/a").key == "cz,example:8080)/a");
    CHECK(ask("192.0.2.1/a").key == "192.0.2.1)/a");
    CHECK(ask("[2001:db8::1]/a").key == "[2001:db8::1])/a");
    CHECK(ask("ftp://example.cz/a").key == "ftp://cz,example)/a");
    CHECK(ask("h\xc3\xa1\xc4\x8dky.cz/x").key == "cz,xn--hky-ela4t)/x");
    CHECK(ask("http://localhost/x").key == "localhost)/x");
}

TEST_CASE("hosts") {
    for (const char* typed :
         {"example.cz", "www.example.cz", "http://example.cz/", "example.cz/"}) {
        INFO(typed);
        CHECK(kind(typed) == Kind::host);
        CHECK(ask(typed).key == "cz,example)/");
        CHECK(ask(typed).set == "dom:cz:example");
    }
    CHECK(ask("example.cz").range.first == "cz,example)/");
    CHECK(kind("192.0.2.1") == Kind::host);
    CHECK(ask("192.0.2.1").set.empty());
    CHECK(kind("*.example.cz") == Kind::words);
    CHECK(kind("*") == Kind::words);
}

TEST_CASE("the beginning of URLs") {
    for (const char* typed : {"example.cz/news/*", "http://www.example.cz/news/**"}) {
        INFO(typed);
        CHECK(kind(typed) == Kind::prefix);
        CHECK(ask(typed).range.first == "cz,example)/news/");
    }
    CHECK(ask("example.cz/ne*").range.first == "cz,example)/ne");
    CHECK(ask("example.cz/*").range.first == "cz,example)/");
    CHECK(ask("example.cz*").range.first == "cz,example)/");
    const CaptureRange range = ask("example.cz/n*").range;
    for (const char* key : {"cz,example)/n", "cz,example)/nz~", "cz,example)/n\xc5\xbe"})
        CHECK((range.first <= key && key < range.before));
    CHECK(std::string("cz,example)/o") > range.before);
}

TEST_CASE("identifiers and words") {
    CHECK(kind("oai:example.org:1") == Kind::identifier);
    CHECK(kind(" oai:example.org:thesis/1 ") == Kind::identifier);
    for (const char* typed :
         {"oai:example", "oai:a:b c", "horse", "the horse", "example.cz news", "10.1234/abc",
          "978-80-246-0000-0", "thesis/1234", "jana@example.cz", "3.14",
          "Nov\xc3\xa1kov\xc3\xa1, Jana", "<script>alert(1)</script>", "://", "http//x", ".", "..",
          "\xce\x91\xce\xb8\xce\xae\xce\xbd\xce\xb1"}) {
        INFO(typed);
        CHECK(kind(typed) == Kind::words);
    }
    CHECK(parse_search("example.cz/a", false).kind == Kind::words);
    CHECK(ask("http://example.cz/a b").key == ask("http://example.cz/a%20b").key);
    CHECK(ask("http://example.cz/a b").kind == Kind::url);
    CHECK(ask("example.cz and others").kind == Kind::words);
    for (const char* address : {"urn:pageinfo:http://example.cz/a",
                                "screenshot:http://example.cz/a", "dns:a.cz", "mailto:a@b.cz"}) {
        INFO(address);
        CHECK(ask(address).kind == Kind::url);
        CHECK(ask(address).key == surt_of(address).text);
    }
    CHECK(parse_search("http://example.cz/a b", false).kind == Kind::words);
    CHECK(parse_search("oai:example.org:1", false).kind == Kind::identifier);
}

TEST_CASE("bad input") {
    CHECK(kind("") == Kind::empty);
    CHECK(kind(" \t\r\n") == Kind::empty);
    CHECK(kind("\x01\x02") ==
          Kind::words);  // replaced, so that it is seen that there was something
    CHECK(ask(std::string_view("a\0b", 3)).text ==
          "a\xef\xbf\xbd"
          "b");
    CHECK(ask("a\xff").text == "a\xef\xbf\xbd");
    CHECK(ask("\xe2\x80\xae"
              "example.cz/a\xe2\x80\xac")
              .key == "cz,example)/a");
    CHECK(kind(std::string(10'000, 'x')) == Kind::too_long);
    CHECK(kind(std::string(2'000, 'x')) == Kind::too_long);
    CHECK(kind("example.cz/" + std::string(3'000, 'x')) == Kind::url);
    CHECK(ask("http://").kind == Kind::url);
    CHECK(ask("http://[::/").kind == Kind::host);
}

TEST_CASE("times of captures") {
    CHECK(time("2010", false) == "2010-01-01T00:00:00Z");
    CHECK(time("2010", true) == "2010-12-31T23:59:59Z");
    CHECK(time("201002", true) == "2010-02-28T23:59:59Z");
    CHECK(time("2012-02", true) == "2012-02-29T23:59:59Z");
    CHECK(time("20100305", false) == "2010-03-05T00:00:00Z");
    CHECK(time("20100305", true) == "2010-03-05T23:59:59Z");
    CHECK(time("2010-03-05", true) == "2010-03-05T23:59:59Z");
    CHECK(time("20100305070809", false) == "2010-03-05T07:08:09Z");
    CHECK(time("201", false) == "2010-01-01T00:00:00Z");
    CHECK(time("201", true) == "2019-12-31T23:59:59Z");
    CHECK(time("20101", false) == "2010-10-01T00:00:00Z");
    for (const char* none : {"", "x", "20105", "201013", "20100230", "2010023024", "2010-xx",
                             "20100305070860", "201003050708091", "\xd9\xa2\xd9\xa0"}) {
        INFO(none);
        CHECK(time(none, false) == "none");
        CHECK(time(none, true) == "none");
    }
}
