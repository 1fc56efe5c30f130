// SPDX-License-Identifier: MIT
#include "server/schema_file.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace oai;
namespace fs = std::filesystem;

namespace {

class Folder {
  public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "oai-schema-XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
        fs::create_directory(path_ / "schema");
        std::ofstream(path_ / "secret.xsd") << "not for you";
        write("a.xsd", "<schema/>");
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / "schema" / name) << text;
    }
    std::string path() const { return (path_ / "schema").string(); }
    Response ask(std::string_view name, const std::string& if_none_match = "") const {
        Request request;
        request.method = "GET";
        request.if_none_match = if_none_match;
        return schema_file_response(path(), name, request);
    }

  private:
    fs::path path_;
};

std::string header(const Response& response, const std::string& name) {
    for (const auto& [n, value] : response.headers)
        if (n == name) return value;
    return "";
}

}  // namespace

TEST_CASE("schema file: which paths are requests for a schema") {
    CHECK(schema_file_name("/oai/-/schema/a.xsd") == "a.xsd");
    CHECK(schema_file_name("/-/schema/My_own-1.2.xsd") == "My_own-1.2.xsd");
    CHECK(schema_file_name("/a/b/oai/-/schema/a.xsd") == "a.xsd");
    for (const char* not_ours :
         {"/oai", "/oai/", "/oai/-/", "/oai/-/schema", "/oai/-/health", "/oai/schema/a.xsd",
          "/oai/-/health/../schema/a.xsd", "/oai/-/health/-/schema/a.xsd"}) {
        CAPTURE(not_ours);
        CHECK_FALSE(schema_file_name(not_ours));
    }
}

TEST_CASE("schema file: a name that contains a path, or is no name of a schema, is rejected") {
    for (const char* name :
         {"", ".xsd", "..xsd", ".a.xsd", "a.xsl", "a.xsd/", "a.XSD", "../secret.xsd",
          "/etc/passwd.xsd", "sub/a.xsd", "./a.xsd", "%2e%2e%2fsecret.xsd", "..%2fsecret.xsd",
          "a%00.xsd", "a b.xsd", "a.xsd%00", "..\\secret.xsd", "\xC3\xA4.xsd", "a.xsd~"}) {
        CAPTURE(name);
        CHECK(schema_file_name(std::string("/oai/-/schema/") + name) == "");
    }
    CHECK(schema_file_name(std::string_view("/oai/-/schema/a\0.xsd", 20)) == "");
}

TEST_CASE(
    "schema file: a regular file is returned with an ETag of its content, anything else is 404") {
    const Folder folder;
    const Response found = folder.ask("a.xsd");
    CHECK(found.status == 200);
    CHECK(found.body == "<schema/>");
    CHECK(header(found, "Content-Type") == "application/xml");
    CHECK(header(found, "Cache-Control") == "public, max-age=3600");
    fs::create_directory(folder.path() + "/folder.xsd");
    REQUIRE(mkfifo((folder.path() + "/pipe.xsd").c_str(), 0600) == 0);
    for (const char* name : {"", "b.xsd", "folder.xsd", "pipe.xsd"}) {
        CAPTURE(name);
        CHECK(folder.ask(name).status == 404);
    }
    fs::remove_all(folder.path());
    CHECK(folder.ask("a.xsd").status == 404);
}

TEST_CASE("schema file: If-None-Match is answered by 304 until the content changes") {
    const Folder folder;
    const std::string tag = header(folder.ask("a.xsd"), "ETag");
    CHECK(tag.size() == 34);
    for (const std::string& sent : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
        CAPTURE(sent);
        const Response same = folder.ask("a.xsd", sent);
        CHECK(same.status == 304);
        CHECK(same.body.empty());
        CHECK(header(same, "ETag") == tag);
        CHECK(cgi_head(same).find("Content-Length") == std::string::npos);
    }
    CHECK(folder.ask("a.xsd", "\"x\"").status == 200);
    folder.write("copy.xsd", "<schema/>");
    CHECK(folder.ask("copy.xsd", tag).status == 304);
    folder.write("a.xsd", "<schema />");
    CHECK(folder.ask("a.xsd", tag).status == 200);
}

TEST_CASE("schema file: methods other than GET and HEAD are 405") {
    Request post;
    post.method = "POST";
    const Response refused = schema_file_response("/nowhere", "a.xsd", post);
    CHECK(refused.status == 405);
    CHECK(header(refused, "Allow") == "GET, HEAD");
}
