// SPDX-License-Identifier: MIT
#include "tools/recover/recovery.h"

#include "protocol/record.h"
#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"

using namespace oai::recover;

namespace {

constexpr const char* kHello = "VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N";  // SHA-1 of hello

// An archive of records, which may lie one behind the other in a file, and what a repository says
// of them.
struct Archived : TemporaryDirectory {
    Archived() {
        fs::create_directory(at("files"));
        archive.emplace(at("files"), retry);
    }

    // day: of 2015-01; fields: of the WARC header.
    ListedCapture add(const std::string& url, int day, const std::string& type,
                      const std::string& body, const std::string& fields = "",
                      const std::string& digest = "") {
        const std::string block =
            "HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\n" + http + "\r\n" + body;
        ListedCapture found{std::to_string(++count), {}};
        load::Capture& c = found.capture;
        c.url = url;
        c.archived_time = Seconds(std::chrono::days{16'436 + day});
        c.digest = digest;
        c.file = "x.warc";
        c.offset = size;
        const std::string record =
            "WARC/1.0\r\nWARC-Type: " + type + "\r\nWARC-Target-URI: " + url +
            "\r\nWARC-Date: " + print_datestamp(c.archived_time) + "\r\n" + fields +
            "Content-Type: application/http\r\nContent-Length: " + std::to_string(block.size()) +
            "\r\n\r\n" + block + "\r\n\r\n";
        c.length = static_cast<std::int64_t>(record.size());
        size += *c.length;
        std::ofstream(at("files/x.warc"), std::ios::app) << record;
        archive.emplace(at("files"), retry);
        return found;
    }
    ListedCapture revisit(const std::string& url, int day, const std::string& of, int of_day,
                          const std::string& digest = "") {
        return add(url, day, "revisit", "",
                   of.empty()
                       ? ""
                       : "WARC-Refers-To-Target-URI: " + of + "\r\nWARC-Refers-To-Date: " +
                             print_datestamp(Seconds(std::chrono::days{16'436 + of_day})) + "\r\n",
                   digest);
    }

    // Recovers these captures completely; if originals are lacking, also searches the whole
    // list.
    RecoveryReport recover(const std::vector<ListedCapture>& wanted,
                           const std::vector<ListedCapture>& whole = {}, bool partial = false) {
        missing.clear();
        Tree tree(at("tree"));
        Recovery recovery(
            *archive, {}, tree,
            [&](const ListedCapture& found, const std::string& why) {
                missing.push_back(found.capture.url + ": " + why);
            },
            partial);
        recovery.begin();
        recovery.take(wanted);
        recovery.resolve();
        looked = 0;
        for (const ListedCapture& found : whole) {
            if (!recovery.lacks_originals()) break;
            ++looked;
            recovery.look_for_originals({found});
        }
        recovery.finish();
        const RecoveryReport& r = recovery.report();
        CHECK(r.captures == r.recovered + r.older + r.no_document + r.partial + r.missing);
        return r;
    }
    std::string read(const std::string& place) const {
        std::ifstream in(at("tree/" + place), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::string status = "200 OK";
    std::string http;  // further lines of the HTTP header of what is added
    http::Client client{{}};
    http::RetryingClient retry{client, {.attempts = 1}};
    std::optional<Archive> archive;
    std::int64_t size = 0;
    int count = 0, looked = 0;
    Strings missing;
};

}  // namespace

TEST_CASE_METHOD(Archived,
                 "recover: a revisit gets its original, by name or digest, in any order") {
    const ListedCapture by_name = revisit("http://a.example/n", 2, "http://a.example/", 1);
    const ListedCapture by_digest = revisit("http://a.example/d", 2, "", 0, kHello);
    const ListedCapture original = add("http://a.example/", 1, "response", "hello", "", kHello);
    const RecoveryReport r = recover({by_name, by_digest, original});
    CHECK(r.recovered == 3);
    CHECK(r.revisits == 2);
    CHECK(r.unverified == 1);
    CHECK(read("a.example/n.txt") == "hello");
    CHECK(read("a.example/d.txt") == "hello");
}

TEST_CASE_METHOD(Archived, "recover: what cannot be decoded is missing") {
    http = "Transfer-Encoding: lzma, chunked\r\n";
    const ListedCapture found = add("http://a.example/", 1, "response", "hello");
    CHECK(recover({found}).missing == 1);
    CHECK(missing == Strings{"http://a.example/: its encoding is lzma, which "
                             "is not known here"});
}

TEST_CASE_METHOD(Archived, "recover: revisits of revisits get the original") {
    std::vector<ListedCapture> all{add("http://a.example/0", 1, "response", "hello")};
    for (int i = 1; i < 6; ++i) {
        const std::string n = std::to_string(i), before = std::to_string(i - 1);
        all.push_back(revisit("http://a.example/" + n, i + 1, "http://a.example/" + before, i));
    }
    std::reverse(all.begin(), all.end());
    CHECK(recover(all, all).recovered == 6);
    CHECK(looked == 0);
    CHECK(read("a.example/5.txt") == "hello");
}

TEST_CASE_METHOD(Archived, "recover: revisits of each other, or of nothing, are missing") {
    const ListedCapture one = revisit("http://a.example/1", 1, "http://a.example/2", 2),
                        two = revisit("http://a.example/2", 2, "http://a.example/1", 1),
                        self = revisit("http://a.example/3", 3, "http://a.example/3", 3),
                        none = revisit("http://a.example/4", 4, "", 0);
    const RecoveryReport r = recover({one, two, self, none}, {one, two, self, none});
    CHECK(r.missing == 4);
    CHECK(r.recovered == 0);
    CHECK(missing.at(3) ==
          "http://a.example/4: it repeats a capture that is not in this repository");
}

TEST_CASE_METHOD(
    Archived,
    "recover: finds an original elsewhere in the repository, after other revisits of it") {
    const ListedCapture wanted = revisit("http://a.example/1", 5, "", 0, kHello),
                        chained = revisit("http://a.example/2", 6, "http://b.example/", 1);
    const ListedCapture other = revisit("http://b.example/also", 3, "", 0, kHello),
                        original = add("http://b.example/", 1, "response", "hello", "", kHello),
                        behind = add("http://b.example/behind", 1, "response", "hello", "", kHello);
    const RecoveryReport r = recover({wanted, chained}, {wanted, chained, other, original, behind});
    CHECK(r.recovered == 2);
    CHECK(r.missing == 0);
    CHECK(looked == 4);
}

TEST_CASE_METHOD(Archived,
                 "recover: after an interrupted run a revisit finds an original elsewhere again") {
    const ListedCapture done = revisit("http://a.example/1", 5, "", 0, kHello),
                        left = revisit("http://a.example/2", 6, "", 0, kHello),
                        original = add("http://b.example/", 1, "response", "hello", "", kHello);
    CHECK(recover({done}, {done, original}).recovered == 1);
    const RecoveryReport r = recover({done, left}, {done, left, original});
    CHECK(r.missing == 0);
    CHECK(r.recovered == 2);
    CHECK(read("a.example/2.txt") == "hello");
}

TEST_CASE_METHOD(Archived, "recover: an original with another digest is not used") {
    const ListedCapture altered = add("http://a.example/", 1, "response", "hallo"),
                        named = revisit("http://a.example/n", 2, "http://a.example/", 1, kHello),
                        sound = add("http://a.example/sound", 1, "response", "hello", "", kHello);
    RecoveryReport r = recover({altered, named});
    CHECK(r.missing == 1);
    CHECK(missing.at(0) == std::string("http://a.example/n: its digest is not ") + kHello);
    r = recover({altered, named, sound});  // found by its digest
    CHECK(r.missing == 0);
    CHECK(read("a.example/n.txt") == "hello");
}

TEST_CASE_METHOD(Archived, "recover: a record of another URL is not used") {
    const ListedCapture one = add("http://a.example/1", 1, "response", "one"),
                        two = add("http://a.example/2", 1, "response", "two");
    ListedCapture mixed = one;
    mixed.capture.offset = two.capture.offset;
    mixed.capture.length = two.capture.length;
    CHECK(recover({mixed, two}).missing == 1);
    CHECK(missing.at(0) == "http://a.example/1: another record is there: http://a.example/2");
}

TEST_CASE("recover: what is whole wins over what is newer, unless parts are wanted") {
    struct Newer {
        const char *status, *http, *fields, *body, *why;
    };
    for (const Newer& newer :
         {Newer{"206 Partial Content", "Content-Range: bytes 0-1/5\r\n", "", "he",
                "parts of 5 bytes (HTTP 206)"},
          Newer{"206 Partial Content", "", "", "he", "a part, whose range is unknown (HTTP 206)"},
          Newer{"200 OK", "", "WARC-Truncated: length\r\n", "he",
                "the crawler cut it off (WARC-Truncated: length)"},
          Newer{"200 OK", "Content-Length: 5\r\n", "", "he", "it has 2 of 5 bytes"}}) {
        CAPTURE(newer.status, newer.http, newer.fields);
        Archived a;
        const ListedCapture whole = a.add("http://a.example/x", 1, "response", "hello");
        a.status = newer.status;
        a.http = newer.http;
        const ListedCapture part =
            a.add("http://a.example/x", 2, "response", newer.body, newer.fields);
        const ListedCapture alone =
            a.add("http://a.example/y", 2, "response", newer.body, newer.fields);
        const RecoveryReport r = a.recover({whole, part, alone});
        CHECK(r.recovered == 1);
        CHECK(r.partial == 1);
        CHECK(r.missing == 1);  // there is nothing else of it
        const std::string why = "it is not whole: " + std::string(newer.why);
        CHECK(a.missing == Strings{"http://a.example/x: " + why, "http://a.example/y: " + why});
        CHECK(a.read("a.example/x.txt") == "hello");
        const RecoveryReport parts = a.recover({whole, part, alone}, {}, true);
        CHECK(parts.recovered == 2);
        CHECK(a.read("a.example/x.txt") == newer.body);
        CHECK(a.read("a.example/y.txt") == newer.body);
    }
    for (const char* const status : {"204 No Content", "205 Reset Content", "304 Not Modified"}) {
        Archived a;
        const ListedCapture whole = a.add("http://a.example/x", 1, "response", "hello");
        a.status = status;
        const ListedCapture nothing = a.add("http://a.example/x", 2, "response", "");
        for (const bool partial : {false, true}) {
            const RecoveryReport r = a.recover({whole, nothing}, {}, partial);
            CHECK(r.recovered == 1);
            CHECK(r.no_document == 1);
            CHECK(a.read("a.example/x.txt") == "hello");
        }
    }
}

TEST_CASE_METHOD(Archived, "recover: parts that cover a document are put together") {
    status = "206 Partial Content";
    const auto part = [&](int begin, const std::string& bytes, int day, const std::string& tag) {
        http = "Content-Range: bytes " + std::to_string(begin) + "-" +
               std::to_string(begin + static_cast<int>(bytes.size()) - 1) + "/10\r\nETag: " + tag +
               "\r\n";
        return add("http://a.example/v", day, "response", bytes);
    };
    const std::vector<ListedCapture> wanted{part(4, "4567", 1, "a"), part(0, "01234", 2, "a"),
                                            part(7, "789", 3, "a"), part(5, "XXXXX", 3, "b")};
    const RecoveryReport r = recover(wanted);
    CHECK(r.recovered == 1);
    CHECK(r.older == 2);
    CHECK(r.partial == 1);  // of another version
    CHECK(read("a.example/v.txt") == "0123456789");
    // Once more, and with a whole one that is older, or newer.
    CHECK(recover(wanted).recovered == 1);
    status = "200 OK";
    http = "";
    std::vector<ListedCapture> more = wanted;
    more.push_back(add("http://a.example/v", 0, "response", "older"));
    recover(more);
    CHECK(read("a.example/v.txt") == "0123456789");
    more.push_back(add("http://a.example/v", 9, "response", "newer"));
    recover(more);
    CHECK(read("a.example/v.txt") == "newer");
}

TEST_CASE_METHOD(Archived,
                 "recover: parts that repeat others are put together by what these have") {
    status = "206 Partial Content";
    http = "Content-Range: bytes 5-9/10\r\n";
    const ListedCapture last = add("http://b.example/v", 1, "response", "56789"),
                        again = revisit("http://a.example/v", 2, "http://b.example/v", 1);
    http = "Content-Range: bytes 0-4/10\r\n";
    const ListedCapture first = add("http://a.example/v", 3, "response", "01234");
    CHECK(recover({last, again, first}).recovered == 1);
    CHECK(read("a.example/v.txt") == "0123456789");
}

TEST_CASE("recover: what may be whole is taken where nothing else is, the latest of it") {
    const std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\x03\0\x05\0\xfa\xff", 15);  // no last block
    for (const auto& [http, begin] : {std::pair{"Content-Length: 2\r\n", std::string()},
                                      {"Transfer-Encoding: chunked\r\n", "5\r\n"},
                                      {"Content-Encoding: gzip\r\n", gzip}}) {
        CAPTURE(http);
        Archived a;
        const ListedCapture whole = a.add("http://a.example/x", 1, "response", "whole");
        a.http = http;
        const std::vector<ListedCapture> all{
            whole, a.add("http://a.example/x", 2, "response", begin + "hello"),
            a.add("http://a.example/y", 1, "response", begin + "older"),
            a.add("http://a.example/y", 2, "response", begin + "hello")};
        for (int run = 1; run <= 2; ++run) {
            const RecoveryReport r = a.recover(all);
            CHECK(r.recovered == 2);
            CHECK(r.missing == 0);
            CHECK(a.read("a.example/x.txt") == "whole");
            CHECK(a.read("a.example/y.txt") == "hello");
        }
    }
}
