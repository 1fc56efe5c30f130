// SPDX-License-Identifier: MIT
#include "protocol/record.h"
#include "t/lib/unit_headers.h"
#include "tools/recover/recovery.h"
#include "xml/document.h"

using namespace oai::recover;

namespace {

harvest::Record record(const std::string& id, const std::string& capture) {
    harvest::Record r;
    r.identifier = id;
    r.metadata = "<capture xmlns=\"urn:oai-fcgi:warc-capture\">" + capture + "</capture>";
    return r;
}

}  // namespace

TEST_CASE("recover: reads a capture from a record") {
    const ListedCapture found =
        read_capture(record("oai:a.org:1",
                            "<url>http://a.org/?b&amp;c</url><time>2015-03-01T12:00:00Z</"
                            "time><mediaType>text/html</mediaType><status>200</status><digest>ABC</"
                            "digest><file>x.warc.gz</file><offset>7</offset><length>8</length>"));
    CHECK(found.identifier == "oai:a.org:1");
    CHECK(found.capture.url == "http://a.org/?b&c");
    CHECK(print_datestamp(found.capture.archived_time) == "2015-03-01T12:00:00Z");
    CHECK(found.capture.mimetype == "text/html");
    CHECK(found.capture.status == 200);
    CHECK(found.capture.digest == "ABC");
    CHECK(found.capture.file == "x.warc.gz");
    CHECK(found.capture.offset == 7);
    CHECK(found.capture.length == 8);
    const ListedCapture poor =
        read_capture(record("2", "<url>http://a.org/</url><time>2015-03-01T12:00:00Z</time>"));
    CHECK_FALSE(poor.capture.offset);
    CHECK_FALSE(poor.capture.status);
    CHECK(poor.capture.digest.empty());
}

TEST_CASE("recover: an identifier has no tab or line end, which would part the lists") {
    CHECK(read_capture(
              record("oai:a\tb\n\rc", "<url>http://a.org/</url><time>2015-03-01T12:00:00Z</time>"))
              .identifier == "oai:a b  c");
}

TEST_CASE("recover: refuses what is no capture, with a message") {
    CHECK_THROWS_WITH(read_capture(record("1", "<url>http://a.org/</url>")),
                      Contains("without url or time"));
    CHECK_THROWS_AS(read_capture(record("1", "<time>2015</time>")), std::runtime_error);
    harvest::Record other;
    CHECK_THROWS_AS(read_capture(other), std::runtime_error);
    other.metadata = "<dc xmlns=\"urn:x\"/>";
    CHECK_THROWS_WITH(read_capture(other), Contains("no capture"));
    other.metadata = "<capture";
    CHECK_THROWS_AS(read_capture(other), std::runtime_error);
}

TEST_CASE("recover: passes on readable captures and reports the others") {
    Strings got, bad;
    int begun = 0;
    CaptureSink sink({[&] { ++begun; },
                      [&](const std::vector<ListedCapture>& page) {
                          for (const ListedCapture& f : page) got.push_back(f.identifier);
                      },
                      [&](const std::string& id, const std::string&) { bad.push_back(id); }});
    harvest::Record gone = record("gone", "");
    gone.deleted = true;
    const std::vector<harvest::Record> page{
        record("1", "<url>http://a.org/</url><time>2015</time>"), record("2", ""), gone,
        record("3", "<url>http://a.org/</url><time>2016</time>")};
    sink.begin({});
    sink.take(page, {});
    CHECK(begun == 1);
    CHECK(got == Strings{"1", "3"});
    CHECK(bad == Strings{"2"});
}

TEST_CASE("recover: compares digests in all notations") {
    CHECK(compare_digest("VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", "abc") == DigestVerdict::same);
    CHECK(compare_digest("VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", "") == DigestVerdict::different);
    CHECK(compare_digest("3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "") == DigestVerdict::same);
    CHECK(compare_digest("da39a3ee5e6b4b0d3255bfef95601890afd80709", "") == DigestVerdict::same);
    CHECK(compare_digest("md5:D41D8CD98F00B204E9800998ECF8427E", "") == DigestVerdict::same);
    CHECK(compare_digest("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                         "") == DigestVerdict::same);
    CHECK(compare_digest("sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====", "") ==
          DigestVerdict::same);
    CHECK(compare_digest("md5:d41d8cd98f00b204e9800998ecf8427e", "a") == DigestVerdict::different);
    CHECK(compare_digest("", "abc") == DigestVerdict::unknown);
    CHECK(compare_digest("nobody:knows", "abc") == DigestVerdict::unknown);
    CHECK(compare_digest("too-short", "abc") == DigestVerdict::unknown);
    // OpenSSL knows these names, but does not offer the algorithms by default.
    for (const char* old : {"md4:31d6cfe0d16ae931b73c59d7e0c089c0", "whirlpool:1", "shake128:1",
                            "null:1", "md5-sha1:1"})
        CHECK(compare_digest(old, "") == DigestVerdict::unknown);
}
