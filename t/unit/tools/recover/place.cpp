// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "base/text.h"
#include "tools/recover/output.h"

using namespace oai::recover;

TEST_CASE("recover: places of documents") {
    const auto html = [](const char* url) { return place_of(url, "text/html"); };
    CHECK(html("http://A.org") == "a.org/index.html");
    CHECK(html("http://a.org/") == "a.org/index.html");
    CHECK(html("http://user:pw@a.org:80/b.htm#c") == "a.org/b.htm");
    CHECK(html("https://a.org:8443/b.php") == "a.org%3A8443/b.php.html");
    CHECK(html("http://a.org/b?c=/../d") == "a.org/b@c=%2F..%2Fd.html");
    CHECK(html("http://a.org?c") == "a.org/index@c.html");
    CHECK(place_of("http://a.org/b", "image/png") == "a.org/b.png");
    CHECK(place_of("http://a.org/b.jpeg", "image/jpeg") == "a.org/b.jpeg");
    CHECK(place_of("http://a.org/b", "") == "a.org/b.bin");
    CHECK(html("mailto:a@a.org") == "");
    CHECK(html("http:///b") == "");
}

TEST_CASE("recover: no URL leads out of the tree") {
    std::string every;
    for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
    const std::string names[] = {"",
                                 ".",
                                 "..",
                                 "...",
                                 "~",
                                 ".~",
                                 "a.",
                                 "-",
                                 "%",
                                 every,
                                 std::string(5000, 'x'),
                                 std::string(300, '.')};
    for (const std::string& first : names)
        for (const std::string& second : names)
            for (const char* url : {"http://", "https://u@"}) {
                const std::string place =
                    place_of(url + first + "/" + second + "/" + first, "text/plain");
                if (place.empty()) continue;
                for (const auto name : oai::text::split(place, '/')) {
                    INFO(place);
                    REQUIRE(!name.empty());
                    REQUIRE(name.front() != '.');
                    REQUIRE(name.back() != '.');
                    REQUIRE(name.size() < 255);
                    REQUIRE(name.find_first_not_of(
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz01234"
                                "56789-._~!$'()+,;=@%") == name.npos);
                }
            }
}

TEST_CASE("recover: long places are shortened, and remain distinct") {
    std::string deep = "http://" + std::string(300, 'h');
    for (int i = 0; i < 3000; ++i) deep += "/a.b";
    const std::string one = place_of(deep + "/c/d", "text/plain"),
                      other = place_of(deep + "/e/d", "text/plain");
    CHECK(one.size() < 1600);
    CHECK(one != other);
}

TEST_CASE("recover: no document has the path of a directory") {
    for (const char* name : {"a", "a.b", "a~", "a.b~", ".a", "%2Ea", "", "a.txt"}) {
        const std::string document = place_of(std::string("http://h/") + name, "text/plain");
        for (const char* other :
             {"a", "a.b", "a~", "a.b~", ".a", "%2Ea", "", "a.txt", "a.txt~", "index.txt", "a~.txt"})
            CHECK_FALSE(place_of(std::string("http://h/") + other + "/x", "text/plain")
                            .starts_with(document + "/"));
    }
}

TEST_CASE("recover: tree_key distinguishes documents") {
    CHECK(tree_key("http://A.org/B?c#d") == "a.org/B?c");
    CHECK(tree_key("https://u:p@a.org:443/B?c") == tree_key("http://a.org:80/B?c"));
    CHECK(tree_key("http://a.org/B?") != tree_key("http://a.org/B"));
    CHECK(tree_key("dns:a.org") == "");
}

TEST_CASE("recover: host_of") {
    CHECK(host_of("http://A.org:8080/b:c") == "a.org");
    CHECK(host_of("https://u:p@a.org") == "a.org");
    CHECK(host_of("http://[2001:db8::1]:80/") == "[2001:db8::1]");
    CHECK(host_of("http://[2001:db8::1]:8080/") == "[2001:db8::1]");
    CHECK(host_of("mailto:a@a.org").empty());
}

TEST_CASE("recover: avoids names that another system forbids or changes") {
    const auto place = [](const char* url) { return place_of(url, "text/plain"); };
    CHECK(place("http://a.org/con") == "a.org/%63on.txt");
    CHECK(place("http://a.org/NUL.txt") == "a.org/%4EUL.txt");
    CHECK(place("http://a.org/aux.tar.gz") == "a.org/%61ux.tar.gz");
    CHECK(place("http://a.org/Com1/lpt9/prn") == "a.org/%43om1/%6Cpt9/%70rn.txt");
    CHECK(place("http://con/x.txt") == "%63on/x.txt");
    for (const char* other : {"http://a.org/cons.txt", "http://a.org/com.txt",
                              "http://a.org/com10.txt", "http://a.org/xcon.txt"})
        CHECK(place(other) == other + 7);
    CHECK(place("http://a.org/x.") == "a.org/x%2E.txt");
    CHECK(place("http://a.org/x./y.txt") == "a.org/x%2E/y.txt");
    CHECK(place("http://a.org./y.txt") == "a.org%2E/y.txt");
    CHECK(place("http://a.org/...") == "a.org/%2E.%2E");
}

TEST_CASE("recover: is_place") {
    for (const char* good : {"a.org/x.html", "a.org/%2E%2E/x", "a/b/c.d~/e"}) CHECK(is_place(good));
    for (const char* bad : {"", "/", "a.org", "a.org/", "/a.org/x", "a.org//x", "../x", "a.org/..",
                            "a.org/../x", "./x", "a.org/.x", "a.org/x\\y", "a.org/x\n"})
        CHECK_FALSE(is_place(bad));
}
