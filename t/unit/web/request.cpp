// SPDX-License-Identifier: MIT
#include "web/request.h"

#include "t/lib/unit_headers.h"

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

CgiVariables cgi_of(const Variables& variables) {
    return [&variables](std::string_view name) -> std::string_view {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string_view{} : found->second;
    };
}

Request read(const Variables& variables, std::string_view body = "") {
    auto result = read_request(cgi_of(variables), body);
    REQUIRE(std::holds_alternative<Request>(result));
    return std::get<Request>(result);
}

int refused(const Variables& variables, std::string_view body = "") {
    const auto result = read_request(cgi_of(variables), body);
    return std::holds_alternative<Refusal>(result) ? std::get<Refusal>(result).status : 0;
}

// The number of bytes to be read, or minus the status of a Refusal.
long body_of(const Variables& variables, std::size_t limit = 100) {
    const auto result = body_length(cgi_of(variables), limit);
    if (const auto* refusal = std::get_if<Refusal>(&result)) {
        CHECK_FALSE(refusal->reason.empty());
        return -refusal->status;
    }
    return static_cast<long>(std::get<std::size_t>(result));
}

struct Split {
    std::vector<Argument> arguments;
    bool well_encoded = true;
};

Split split(std::string_view query) {
    Split result;
    result.arguments = split_arguments(query, &result.well_encoded);
    return result;
}

using Arguments = std::vector<Argument>;

}  // namespace

TEST_CASE("request: arguments are split before they are decoded") {
    CHECK(split("a=%26b%3Dc").arguments == Arguments{{"a", "&b=c"}});
    CHECK(split("%61%3D=1").arguments == Arguments{{"a=", "1"}});
    CHECK(split("a=%3D%3D&b=%26").arguments == Arguments{{"a", "=="}, {"b", "&"}});
    CHECK(split("a=%2525").arguments == Arguments{{"a", "%25"}});  // decoded once
    CHECK(split("a%26b=c").arguments == Arguments{{"a&b", "c"}});
}

TEST_CASE("request: order and duplicates are kept") {
    CHECK(split("b=1&a=2&b=3&b=1").arguments ==
          Arguments{{"b", "1"}, {"a", "2"}, {"b", "3"}, {"b", "1"}});
}

TEST_CASE("request: unusual query strings") {
    CHECK(split("").arguments.empty());
    CHECK(split("&&").arguments.empty());
    CHECK(split("&a=1&&b=2&").arguments == Arguments{{"a", "1"}, {"b", "2"}});
    CHECK(split("a").arguments == Arguments{{"a", ""}});
    CHECK(split("a=").arguments == Arguments{{"a", ""}});
    CHECK(split("=").arguments == Arguments{{"", ""}});
    CHECK(split("=x").arguments == Arguments{{"", "x"}});
    CHECK(split("a=b=c").arguments == Arguments{{"a", "b=c"}});
    CHECK(split("a=1;b=2").arguments == Arguments{{"a", "1;b=2"}});  // ';' is not a separator
    CHECK(split("a+b=c+d%2B").arguments == Arguments{{"a b", "c d+"}});
    CHECK(split("a=%00b").arguments == Arguments{{"a", "\0b"s}});
    CHECK(split("a=\xFF%fF").arguments == Arguments{{"a", "\xFF\xFF"}});
    CHECK(split("verb=Identify?x").arguments == Arguments{{"verb", "Identify?x"}});
}

TEST_CASE("request: a broken %HH is reported and not decoded") {
    for (const auto query : {"a=%", "a=%4", "a=%zz+", "%=1", "a=1&b=%2&c=3", "a%g0=1"}) {
        CAPTURE(query);
        CHECK_FALSE(split(query).well_encoded);
    }
    CHECK(split("a=1&b=%2+x&c=%33").arguments == Arguments{{"a", "1"}, {"b", "%2+x"}, {"c", "3"}});
    CHECK(split("%zz=%41").arguments == Arguments{{"%zz", "A"}});
    CHECK(split("a=%41&b=%%%").well_encoded == false);
    CHECK(split("a=%41").well_encoded);
    bool earlier = false;  // an earlier false is kept
    split_arguments("a=1", &earlier);
    CHECK_FALSE(earlier);
}

TEST_CASE("request: GET and HEAD take the query string, whatever body there is") {
    for (const char* method : {"GET", "HEAD"}) {
        const Variables variables{{"REQUEST_METHOD", method},
                                  {"REQUEST_URI", "/oai/x?verb=Identify"},
                                  {"QUERY_STRING", "verb=Identify"},
                                  {"CONTENT_TYPE", "application/json"},
                                  {"CONTENT_LENGTH", "999999"},
                                  {"HTTP_ACCEPT_ENCODING", "gzip"},
                                  {"REMOTE_ADDR", "192.0.2.1"},
                                  {"HTTP_USER_AGENT", "Harvester/1"},
                                  {"HTTP_ACCEPT_LANGUAGE", "cs, en;q=0.5"},
                                  {"HTTP_SEC_FETCH_DEST", "document"},
                                  {"HTTP_X_FORWARDED_FOR", "203.0.113.9"}};
        CHECK(body_of(variables) == 0);
        const Request request = read(variables);
        CHECK(request.method == method);
        CHECK(request.path == "/oai/x");
        CHECK(request.arguments == Arguments{{"verb", "Identify"}});
        CHECK(request.well_encoded);
        CHECK(request.accepts_gzip);
        CHECK(request.client == "192.0.2.1");  // clients can forge X-Forwarded-For
        CHECK(request.user_agent == "Harvester/1");
        CHECK(request.accept_language == "cs, en;q=0.5");
        CHECK(request.fetch_dest == "document");
    }
}

TEST_CASE("request: the path is not decoded") {
    const auto path = [](const std::string& uri, const std::string& query) {
        return read({{"REQUEST_METHOD", "GET"}, {"REQUEST_URI", uri}, {"QUERY_STRING", query}})
            .path;
    };
    CHECK(path("/oai/%2e%2E//x", "") == "/oai/%2e%2E//x");
    CHECK(path("/oai?a=b?c", "a=b?c") == "/oai");
    CHECK(path("/oai?", "").empty() == false);
    CHECK(path("", "").empty());
}

TEST_CASE("request: POST takes the body and ignores the query string, unless the body is empty") {
    Variables variables{{"REQUEST_METHOD", "POST"},
                        {"REQUEST_URI", "/oai?verb=ListSets"},
                        {"QUERY_STRING", "verb=ListSets"},
                        {"CONTENT_TYPE", "application/x-www-form-urlencoded; charset=UTF-8"},
                        {"CONTENT_LENGTH", "13"}};
    CHECK(body_of(variables) == 13);
    CHECK(read(variables, "verb=Identify").arguments == Arguments{{"verb", "Identify"}});
    variables["CONTENT_LENGTH"] = "0";
    CHECK(body_of(variables) == 0);
    CHECK(read(variables).arguments == Arguments{{"verb", "ListSets"}});
    variables["CONTENT_LENGTH"] = "7";
    CHECK_FALSE(read(variables, "verb=%z").well_encoded);
}

TEST_CASE("request: a truncated body is refused") {
    const Variables variables{{"REQUEST_METHOD", "POST"}, {"CONTENT_LENGTH", "13"}};
    CHECK(refused(variables, "verb=Identif") == 400);
    CHECK(refused(variables, "verb=Identify&") == 400);
    CHECK(refused(variables, "") == 400);
    CHECK(refused(variables, "verb=Identify") == 0);
    CHECK(refused({{"REQUEST_METHOD", "POST"}}, "verb=Identify") ==
          0);  // no Content-Length was given
}

TEST_CASE("request: other methods, and methods in lower case, are 405") {
    for (const auto method : {"", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get",
                              "Post", "GET ", "GETX"}) {
        CAPTURE(method);
        CHECK(refused({{"REQUEST_METHOD", method}}) == 405);
        CHECK(body_of({{"REQUEST_METHOD", method}, {"CONTENT_LENGTH", "5"}}) == 0);
    }
}

TEST_CASE("request: a query string dropped by the web server is 414") {
    CHECK(refused({{"REQUEST_METHOD", "GET"}, {"REQUEST_URI", "/oai?verb=Identify"}}) == 414);
    CHECK(refused({{"REQUEST_METHOD", "POST"}, {"REQUEST_URI", "/oai?x"}}) == 414);
    CHECK(refused({{"REQUEST_METHOD", "GET"}, {"REQUEST_URI", "/oai?"}}) ==
          0);  // the query is empty
    CHECK(refused({{"REQUEST_METHOD", "GET"}, {"REQUEST_URI", "/oai"}}) == 0);
    CHECK(refused({{"REQUEST_METHOD", "GET"}, {"REQUEST_URI", "/oai?a"}, {"QUERY_STRING", "a"}}) ==
          0);
}

TEST_CASE("request: the length of a body") {
    const auto length = [](const std::string& value) {
        return body_of({{"REQUEST_METHOD", "POST"},
                        {"CONTENT_LENGTH", value},
                        {"CONTENT_TYPE", "application/x-www-form-urlencoded"}});
    };
    CHECK(length("0") == 0);
    CHECK(length("1") == 1);
    CHECK(length("0100") == 100);
    CHECK(length("101") == -413);
    CHECK(length("9223372036854775807") == -413);
    CHECK(length("9223372036854775808") == -413);
    CHECK(length("99999999999999999999999999") == -413);
    for (const auto bad : {"-1", "+1", " 1", "1 ", "1OO", "0x1", "1.0", "1,1", "abc"}) {
        CAPTURE(bad);
        CHECK(length(bad) == -400);
    }
    CHECK(length("") == 0);
    CHECK(body_of({{"REQUEST_METHOD", "POST"}, {"HTTP_TRANSFER_ENCODING", "chunked"}}) == -411);
}

TEST_CASE("request: the type of a body") {
    const auto type = [](const std::string& value, const std::string& length = "5") {
        return body_of(
            {{"REQUEST_METHOD", "POST"}, {"CONTENT_LENGTH", length}, {"CONTENT_TYPE", value}});
    };
    for (const auto good :
         {"application/x-www-form-urlencoded", "application/x-www-form-urlencoded;charset=UTF-8",
          "application/x-www-form-urlencoded ; charset=\"iso-8859-1\"",
          "Application/X-WWW-Form-URLencoded"}) {
        CAPTURE(good);
        CHECK(type(good) == 5);
    }
    for (const auto bad :
         {"", "text/plain", "multipart/form-data; boundary=x", "application/json",
          "application/x-www-form-urlencodedx", "x; application/x-www-form-urlencoded",
          "application/x-www-form-urlencoded, text/plain"}) {
        CAPTURE(bad);
        CHECK(type(bad) == -415);
    }
    CHECK(type("application/json", "0") == 0);  // there is no body
}

TEST_CASE("mount: the mount point is the path of base_url") {
    CHECK(mount_of("http://r.org/oai") == "/oai");
    CHECK(mount_of("https://r.org:8443/a/b/") == "/a/b");
    CHECK(mount_of("http://r.org") == "");
    CHECK(mount_of("http://r.org/") == "");
}
