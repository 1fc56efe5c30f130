// SPDX-License-Identifier: MIT
#include "tools/recover/archive.h"

#include "protocol/record.h"
#include "t/lib/temporary_directory.h"
#include "t/unit/tools/http_client/server.h"
#include "t/unit/tools/load/support.h"

using namespace oai::recover;
using oai::http::test::answer, oai::http::test::field, oai::http::test::Server;

namespace {

std::string record(const std::string& path, const std::string& body) {
    const std::string block = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body;
    return load::test::gzip("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example" +
                            path +
                            "\r\nWARC-Date: 2015-03-01T12:00:00Z\r\nContent-Type: "
                            "application/http\r\nContent-Length: " +
                            std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n");
}

std::string noise(std::size_t n) {
    std::string out;
    unsigned x = 1;
    while (out.size() < n) out += static_cast<char>((x = x * 1103515245u + 12345u) >> 16);
    return out;
}

// A server of files that minds ranges, if it is asked to.
std::string served(const std::string& request, const std::string& file, bool minds) {
    const std::string range = field(request, "Range");
    if (!minds || range.empty()) return answer("200 OK", "", file);
    const auto first = std::stoul(range.substr(6)),
               last = std::stoul(range.substr(range.find('-') + 1));
    if (first >= file.size()) return answer("416 Range Not Satisfiable", "", "");
    return answer("206 Partial Content", "Content-Range: bytes " + std::to_string(first) + "-x\r\n",
                  file.substr(first, last - first + 1));
}

RecordLocation place(std::int64_t offset, std::optional<std::int64_t> length,
                     const std::string& file = "crawls/2015/x.warc.gz") {
    return {file, offset, length};
}

// Records one after the other, and where each is.
struct Neighbours {
    std::string file;
    std::vector<RecordLocation> places;
    void add(const std::string& bytes, const std::string& gap = "") {
        places.push_back(
            place(static_cast<std::int64_t>(file.size()), static_cast<std::int64_t>(bytes.size())));
        file += bytes + gap;
    }
};

struct Fetcher {
    http::Client client{{}};
    http::RetryingClient retry{
        client, {.attempts = 2}, [this](std::chrono::seconds, const std::string&) { ++waits; }};
    int waits = 0;
};

ArchivedRecord stored(const std::string& bytes) {
    load::Input input = load::Input::of_bytes(bytes);
    return read_archived_record(input);
}

std::string warc(const std::string& fields, const std::string& block) {
    return "WARC/1.0\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2015-03-01T12:00:00Z\r\n" +
           fields + "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" + block +
           "\r\n\r\n";
}

const std::string kHttp = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n";

}  // namespace

TEST_CASE("recover: base_name drops directories") {
    CHECK(base_name("a/b/c.warc") == "c.warc");
    CHECK(base_name("c.warc") == "c.warc");
    for (const char* bad : {"", "a/", "..", "a/..", "."}) CHECK(base_name(bad).empty());
}

TEST_CASE("recover: reads a record by range requests, with known length or without") {
    const std::string first = record("/1", "one"), large = record("/2", noise(300'000)),
                      file = first + large + record("/3", "three");
    for (const bool minds : {true, false}) {
        Server server([&](const std::string& request) { return served(request, file, minds); });
        Fetcher fetcher;
        Archive archive(server.url("/files"), fetcher.retry);
        const auto at = static_cast<std::int64_t>(first.size()),
                   length = static_cast<std::int64_t>(large.size());
        CHECK(archive.read(place(0, first.size())).url == "http://a.example/1");
        CHECK(archive.read(place(at, length)).body() == noise(300'000));
        CHECK(archive.read(place(at, std::nullopt)).body() == noise(300'000));
        CHECK(archive.read(place(at + length, std::nullopt)).body() == "three");
        CHECK_THROWS_AS(archive.read(place(at, length / 2)), std::runtime_error);
        CHECK_THROWS_AS(archive.read(place(at + 1, length)), std::runtime_error);
        CHECK_THROWS_AS(archive.read(place(9'000'000, 5)), std::runtime_error);
        CHECK(server.requests().at(0).starts_with("GET /files/x.warc.gz "));
        CHECK(fetcher.waits == 0);
    }
}

TEST_CASE("recover: refuses a range other than the requested one") {
    const std::string file = record("/1", "one");
    Server server([&](const std::string&) {
        return answer("206 Partial Content", "Content-Range: bytes 0-9/10\r\n", file);
    });
    Server silent([&](const std::string&) { return answer("206 Partial Content", "", file); });
    Fetcher fetcher;
    for (const Server* which : {&server, &silent}) {
        Archive archive(which->url(), fetcher.retry);
        CHECK_THROWS_WITH(archive.read(place(7, file.size())), Contains("another range"));
    }
}

TEST_CASE("recover: requests a missing file once, and stops if the server is unreachable") {
    Server server([](const std::string&) { return answer("404 Not Found", "", ""); });
    Fetcher fetcher;
    Archive archive(server.url(), fetcher.retry);
    CHECK_THROWS_AS(archive.read(place(0, 9)), std::runtime_error);
    CHECK_THROWS_AS(archive.read(place(9, 9)), std::runtime_error);
    CHECK(server.requests().size() == 1);
    Server busy([](const std::string&) { return answer("503 Busy", "", ""); });
    Archive none(busy.url(), fetcher.retry);
    CHECK_THROWS_AS(none.read(place(0, 9)), ArchiveUnreachable);
    CHECK(fetcher.waits == 1);
    Server gone([](const std::string&) { return ""; });
    Archive nobody(gone.url(), fetcher.retry);
    CHECK_THROWS_AS(nobody.read(place(0, 9)), ArchiveUnreachable);
}

TEST_CASE("recover: rejects offsets outside a file") {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::string file = record("/1", "one");
    Server server([&](const std::string& request) { return served(request, file, true); });
    const TemporaryDirectory directory;
    directory.write("x.warc.gz", file);
    Fetcher fetcher;
    for (const std::string& where : {server.url(), directory.path}) {
        Archive archive(where, fetcher.retry);
        for (const RecordLocation& bad :
             {place(kMost, kMost), place(kMost, 9), place(kMost, std::nullopt), place(-1, 9),
              place(0, kMost), RecordLocation{}}) {
            archive.expect({bad, bad, place(0, 9)});
            if (where == directory.path && bad.offset == 0)
                CHECK(archive.read(bad).body() == "one");  // reads to the end of the record
            else
                CHECK_THROWS_AS(archive.read(bad), std::runtime_error);
        }
    }
    CHECK(fetcher.waits == 0);
}

TEST_CASE("recover: fetches neighbours by one request, in any order") {
    Neighbours all;
    for (int i = 0; i < 40; ++i)
        all.add(record("/" + std::to_string(i), noise(100 * i)),
                i % 7 == 0 ? "another record" : "");
    for (const bool minds : {true, false}) {
        Server server([&](const std::string& request) { return served(request, all.file, minds); });
        Fetcher fetcher;
        Archive archive(server.url(), fetcher.retry);
        archive.expect(all.places);
        CHECK(server.requests().empty());
        for (const std::size_t i : {7, 0, 39, 20, 7})
            CHECK(archive.read(all.places[i]).body() == noise(100 * i));
        CHECK(server.requests().size() == 1);
        archive.expect({all.places[3], all.places[30]});  // their distance allows one request
        for (const std::size_t i : {3, 30})
            CHECK(archive.read(all.places[i]).body() == noise(100 * i));
        CHECK(server.requests().size() <= 2);
    }
    const TemporaryDirectory directory;
    directory.write("x.warc.gz", all.file);
    Fetcher fetcher;
    Archive archive(directory.path, fetcher.retry);
    archive.expect(all.places);
    for (std::size_t i = 0; i < all.places.size(); ++i)
        CHECK(archive.read(all.places[i]).body() == noise(100 * i));
}

TEST_CASE("recover: distant records are fetched separately, and no window exceeds its limit") {
    Neighbours far;
    for (int i = 0; i < 3; ++i)
        far.add(record("/" + std::to_string(i), "x"), std::string(Archive::kGapBytes + 1, '\0'));
    Neighbours large;
    for (int i = 0; i < 5; ++i)
        large.add(record("/" + std::to_string(i), noise(Archive::kWindowBytes / 2 - 10'000)));
    for (const auto& [file, most] :
         {std::pair{&far, 0U}, {&large, static_cast<unsigned>(Archive::kWindowBytes)}}) {
        std::size_t longest = 0;
        Server server([&, all = file](const std::string& request) {
            const std::string sent = served(request, all->file, true);
            longest = std::max(longest, sent.size());
            return sent;
        });
        Fetcher fetcher;
        Archive archive(server.url(), fetcher.retry);
        archive.expect(file->places);
        for (const RecordLocation& where : file->places) archive.read(where);
        CHECK(server.requests().size() == 3);
        CHECK(longest < most + 1000);
    }
}

TEST_CASE("recover: a damaged record does not affect its neighbours") {
    Neighbours all;
    for (int i = 0; i < 4; ++i)
        all.add(i == 1 ? "no record at all" : record("/" + std::to_string(i), "x"));
    all.places.push_back(
        place(static_cast<std::int64_t>(all.file.size()) + 10, 100));  // after the end of the file
    all.places.push_back(
        place(static_cast<std::int64_t>(all.file.size()) - 10, 100));  // across the end of the file
    all.places[2].length = 40;
    Server server([&](const std::string& request) { return served(request, all.file, true); });
    const TemporaryDirectory directory;
    directory.write("x.warc.gz", all.file);
    Fetcher fetcher;
    for (const std::string& where : {server.url(), directory.path}) {
        Archive archive(where, fetcher.retry);
        archive.expect(all.places);
        CHECK(archive.read(all.places[0]).url == "http://a.example/0");
        CHECK_THROWS_AS(archive.read(all.places[1]), std::runtime_error);
        if (where == directory.path)
            CHECK(archive.read(all.places[2]).url == "http://a.example/2");
        else
            CHECK_THROWS_AS(archive.read(all.places[2]), CutShort);
        CHECK(archive.read(all.places[3]).url == "http://a.example/3");
        CHECK_THROWS_WITH(archive.read(all.places[4]), Contains("ends before offset"));
        CHECK_THROWS_AS(archive.read(all.places[5]), std::runtime_error);
    }
}

TEST_CASE("recover: chooses among files of the same name by their directories") {
    const TemporaryDirectory directory;
    directory.write("2014/x.warc.gz", record("/2014", ""));
    directory.write("crawls/2015/x.warc.gz", record("/2015", ""));
    Fetcher fetcher;
    Archive archive(directory.path, fetcher.retry);
    CHECK(archive.read(place(0, std::nullopt)).url == "http://a.example/2015");
    CHECK(archive.read(place(0, std::nullopt, "2014/x.warc.gz")).url == "http://a.example/2014");
    for (const char* which : {"x.warc.gz", "2013/x.warc.gz"})
        CHECK_THROWS_WITH(archive.read(place(0, std::nullopt, which)),
                          Contains("is there 2 times"));
    CHECK_THROWS_WITH(archive.read(place(0, 9, "y.warc.gz")), Contains("no such file"));
    CHECK_THROWS_AS(Archive(directory.path + "/none", fetcher.retry), std::runtime_error);
}

TEST_CASE("recover: reads a WARC record") {
    const ArchivedRecord s =
        stored(warc("WARC-Type: response\r\nContent-Type: application/http\r\nWARC-Payload-Digest: "
                    "sha1:ABC\r\n",
                    kHttp + "body"));
    CHECK(s.kind == ArchivedRecord::Kind::response);
    CHECK(s.url == "http://a.example/");
    CHECK(print_datestamp(s.time) == "2015-03-01T12:00:00Z");
    CHECK(s.http_header() == kHttp);
    CHECK(s.body() == "body");
    CHECK(s.status == 200);
    CHECK(s.media_type == "text/html");
    CHECK(s.digest == "ABC");
    CHECK(s.header.ends_with("Content-Length: " + std::to_string(kHttp.size() + 4) + "\r\n"));
}

TEST_CASE("recover: reads a resource and a revisit") {
    const ArchivedRecord resource = stored(warc(
        "WARC-Type: resource\r\nContent-Type: image/png\r\nWARC-Block-Digest: md5:1\r\n", "png"));
    CHECK(resource.kind == ArchivedRecord::Kind::resource);
    CHECK(resource.body() == "png");
    CHECK(resource.media_type == "image/png");
    CHECK(resource.digest == "md5:1");
    CHECK(resource.status == 0);
    const ArchivedRecord revisit = stored(
        warc("WARC-Type: revisit\r\nContent-Type: application/http\r\nWARC-Refers-To-Target-URI: "
             "http://b.example/\r\n"
             "WARC-Refers-To-Date: 2014-01-01T00:00:00Z\r\n",
             "HTTP/1.1 304 Not Modified\r\n"));
    CHECK(revisit.kind == ArchivedRecord::Kind::revisit);
    CHECK(revisit.refers_to == "http://b.example/");
    CHECK(print_datestamp(*revisit.refers_to_time) == "2014-01-01T00:00:00Z");
    CHECK(revisit.body().empty());
}

TEST_CASE("recover: reads an ARC record, with HTTP or without") {
    const ArchivedRecord s = stored(
        "http://a.example/ 192.0.2.1 20040101000000 text/plain 28\nHTTP/1.0 404 Not "
        "Found\n\nbody\nhttp://next");
    CHECK(s.status == 404);
    CHECK(s.body() == "body");
    CHECK(s.header.empty());
    const ArchivedRecord old =
        stored("http://a.example/ 192.0.2.1 20040101000000 text/plain 4\nbody\n");
    CHECK(old.status == 0);
    CHECK(old.media_type == "text/plain");
    CHECK(old.body() == "body");
}

TEST_CASE("recover: distinguishes truncated records from damaged ones") {
    const std::string record = warc("WARC-Type: response\r\nContent-Type: application/http\r\n",
                                    kHttp + std::string(5000, 'x'));
    const std::string gzip = load::test::gzip(record);
    CHECK(stored(gzip).body().size() == 5000);
    for (const std::string& whole : {record, gzip})
        for (std::size_t n = 20; n + 20 < whole.size(); n += 97)
            CHECK_THROWS_AS(stored(whole.substr(0, n)), CutShort);
    std::string damaged = gzip;
    for (std::size_t i = gzip.size() / 2; i < gzip.size() / 2 + 20; ++i)
        damaged[i] = static_cast<char>(~damaged[i]);
    CHECK_THROWS_AS(stored(damaged), std::runtime_error);
}

TEST_CASE("recover: refuses records without a document, with a message") {
    CHECK_THROWS_WITH(stored(warc("WARC-Type: request\r\n", "GET / HTTP/1.1\r\n\r\n")),
                      Contains("type request"));
    CHECK_THROWS_AS(stored("rubbish\nmore rubbish\n"), std::runtime_error);
    CHECK_THROWS_AS(stored(""), std::runtime_error);
    CHECK_THROWS_WITH(
        stored("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 999999999999\r\n\r\n"),
        Contains("larger than"));
    CHECK_THROWS_AS(stored("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: -5\r\n\r\n"),
                    std::runtime_error);
}
