// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "t/lib/temporary_directory.h"
#include "t/unit/tools/load/support.h"
#include "tools/load/archive_reader.h"
#include "tools/recover/output.h"

using namespace oai;
using namespace oai::recover;
namespace fs = std::filesystem;

namespace {

ArchivedRecord stored(const std::string& url) {
    const std::string block = "HTTP/1.1 200 OK\r\n\r\nbody";
    load::Input input =
        load::Input::of_bytes("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: " + url +
                              "\r\nWARC-Date: 2015-03-01T12:00:00Z\r\nContent-Type: "
                              "application/http\r\nContent-Length: " +
                              std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n");
    return read_archived_record(input);
}

// The URLs in the file, and "damage" if it is damaged.
std::vector<std::string> urls_in(const std::string& path) {
    load::Input input = load::Input::open(path);
    load::test::CollectedCaptures kept;
    load::read_records(input, load::FileFormat::warc, "x", kept);
    std::vector<std::string> urls;
    for (const load::Capture& c : kept.captures) urls.push_back(c.url);
    if (!kept.damages.empty()) urls.emplace_back("damage");
    return urls;
}

}  // namespace

TEST_CASE(
    "recover: a WARC file is gone on with behind its last record, wherever its writer was killed") {
    const test::TemporaryDirectory d;
    const std::string path = d.path + "/x.warc.gz", list = path + ".recovered.tsv";
    {
        WarcFile file(path);
        file.put("1", stored("http://a.example/1"));
        file.put("2", stored("http://a.example/2"), {.unverified = true});
    }
    CHECK(urls_in(path) == std::vector<std::string>{"http://a.example/1", "http://a.example/2"});
    std::ofstream(path, std::ios::app) << "half a record";
    std::ofstream(list, std::ios::app) << "99";
    {
        WarcFile file(path);
        CHECK(file.has("1"));
        CHECK_FALSE(file.how("1").unverified);
        CHECK(file.has("2"));
        CHECK(file.how("2").unverified);
        CHECK_FALSE(file.has("3"));
        file.put("3", stored("http://a.example/3"));
    }
    fs::resize_file(path, fs::file_size(path) - 1);
    {
        WarcFile file(path);
        CHECK(file.has("2"));
        CHECK_FALSE(file.has("3"));
    }
    CHECK(urls_in(path) == std::vector<std::string>{"http://a.example/1", "http://a.example/2"});
}

TEST_CASE("recover: refuses another WARC file; an empty one is begun anew") {
    const test::TemporaryDirectory d;
    const std::string path = d.path + "/x.warc.gz";
    std::ofstream(path) << "mine";
    CHECK_THROWS_WITH(WarcFile(path), Catch::Matchers::Contains("was not made by a recovery"));
    CHECK(fs::file_size(path) == 4);
    fs::resize_file(path, 0);
    WarcFile(path).put("1", stored("http://a.example/1"));
    CHECK(urls_in(path) == std::vector<std::string>{"http://a.example/1"});
    CHECK_THROWS_AS(WarcFile(d.path + "/none/x.warc.gz"), std::runtime_error);
    const WarcFile file(path);
    CHECK_THROWS_WITH(WarcFile(path), Catch::Matchers::Contains("at work"));
}
