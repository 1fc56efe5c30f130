// SPDX-License-Identifier: MIT
#include "tools/harvest/file_sink.h"

#include <iterator>

#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"
#include "xml/document.h"

using namespace oai::harvest;

namespace {

struct OutputDirectory : TemporaryDirectory {
    std::string file() const { return path + "/list.xml"; }
    std::size_t count() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
    }
};

std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

Record record(const std::string& id) {
    Record r;
    r.identifier = id;
    r.datestamp = "2024-01-01";
    r.metadata = "<x/>";
    return r;
}

ListPosition position(const std::string& token, std::int64_t records, std::int64_t pages) {
    ListPosition p;
    p.list = {"oai_dc", "a:b", "2024-01-01", ""};
    p.token = token;
    p.records = records;
    p.pages = pages;
    p.response_date = "2024-02-02";
    return p;
}

RepositoryIdentity from(const std::string& url) {
    RepositoryIdentity identity;
    identity.address = url;
    return identity;
}

void begin(FileSink& sink, const std::string& url = "http://a/?x=1&y") {
    sink.identity(from(url));
    sink.begin(position("", 0, 0));
}

const std::string kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<h:harvest xmlns:h=\"urn:oai-fcgi:harvest\" "
    "xmlns=\"http://www.openarchives.org/OAI/2.0/\" baseURL=\"http://a/?x=1&amp;y\" "
    "metadataPrefix=\"oai_dc\" "
    "set=\"a:b\" from=\"2024-01-01\" responseDate=\"2024-02-02\">\n";

std::string line(const std::string& id) {
    return "<record><header><identifier>" + id +
           "</identifier><datestamp>2024-01-01</datestamp></header><metadata><x/></metadata></"
           "record>\n";
}

}  // namespace

TEST_CASE("a record is written in the form of OAI-PMH") {
    Record r = record("a&b");
    r.deleted = true;
    r.set_specs = {"s", "t"};
    r.metadata.clear();
    r.abouts = {"<y/>", ""};
    std::string out;
    append_record(out, r);
    CHECK(out ==
          "<record><header "
          "status=\"deleted\"><identifier>a&amp;b</identifier><datestamp>2024-01-01</"
          "datestamp><setSpec>s</setSpec>"
          "<setSpec>t</setSpec></header><about><y/></about></record>\n");
}

TEST_CASE("a list becomes one file, without leftovers") {
    const OutputDirectory place;
    FileSink sink(place.file());
    sink.identity(from("http://a/?x=1&y"));
    CHECK_FALSE(sink.unfinished("oai_dc", "a:b"));
    sink.begin(position("", 0, 0));
    sink.take(std::vector{record("1"), record("2")}, position("t", 2, 1));
    CHECK_FALSE(fs::exists(place.file()));
    sink.take(std::vector{record("3")}, position("", 3, 2));
    sink.finish(position("", 3, 2));
    CHECK(read(place.file()) == kHead + line("1") + line("2") + line("3") + "</h:harvest>\n");
    CHECK(sink.written() == place.file());
    CHECK(place.count() == 1);
}

TEST_CASE("a harvest that was killed resumes after its last complete page") {
    const OutputDirectory place;
    {
        FileSink sink(place.file());
        begin(sink);
        ListPosition p = position("t&\"1", 1, 1);
        p.list_size = 7;
        p.counts = {.deleted = 2, .repeated = 1};
        p.pages_missing = 1;
        sink.take(std::vector{record("1")}, p);
    }
    std::ofstream(place.file() + ".part", std::ios::app) << "<record>half a p";
    FileSink sink(place.file());
    sink.identity(from("http://a/?x=1&y"));
    const auto stopped = sink.unfinished("oai_dc", "a:b");
    REQUIRE(stopped);
    ListPosition p = position("t&\"1", 1, 1);
    p.list_size = 7;
    p.counts = {.deleted = 2, .repeated = 1};
    p.pages_missing = 1;
    CHECK(*stopped == p);
    sink.take(std::vector{record("2")}, position("", 2, 2));
    sink.finish(position("", 2, 2));
    CHECK(read(place.file()) == kHead + line("1") + line("2") + "</h:harvest>\n");
}

TEST_CASE("a list that begins anew drops the earlier records") {
    const OutputDirectory place;
    FileSink sink(place.file());
    begin(sink);
    sink.take(std::vector{record("1"), record("2")}, position("t", 2, 1));
    sink.begin(position("", 0, 0));
    sink.take(std::vector{record("3")}, position("", 1, 1));
    sink.finish(position("", 1, 1));
    CHECK(read(place.file()) == kHead + line("3") + "</h:harvest>\n");
}

TEST_CASE("an empty list is an empty file; an abandoned one is FILE.incomplete") {
    const OutputDirectory place;
    {
        FileSink sink(place.file());
        begin(sink);
        sink.finish(position("", 0, 0));
    }
    CHECK(read(place.file()) == kHead + "</h:harvest>\n");
    fs::remove(place.file());
    {
        FileSink sink(place.file());
        begin(sink);
        sink.take(std::vector{record("1")}, position("t", 1, 1));
        sink.abandon(position("t", 1, 1));
    }
    CHECK(read(place.file() + ".incomplete") ==
          kHead + line("1") + "<!-- incomplete -->\n</h:harvest>\n");
    CHECK(place.count() == 1);
    fs::remove(place.file() + ".incomplete");
    {
        FileSink sink(place.file());
        begin(sink);
        sink.abandon(position("", 0, 0));
    }
    CHECK(place.count() == 0);
}

TEST_CASE("a file of another list is not resumed") {
    const OutputDirectory place;
    {
        FileSink sink(place.file());
        begin(sink, "http://a");
        sink.take(std::vector{record("1")}, position("t", 1, 1));
        CHECK_THROWS_WITH(FileSink(place.file()), Contains("another oai harvest"));
    }
    {
        FileSink sink(place.file());
        sink.identity(from("http://b"));
        CHECK_THROWS_WITH(sink.unfinished("oai_dc", "a:b"), Contains("holds oai_dc of http://a"));
        sink.identity(from("http://a"));
        CHECK_THROWS_WITH(sink.unfinished("oai_dc", ""), Contains("holds oai_dc of http://a"));
        CHECK(sink.unfinished("oai_dc", "a:b"));
    }
    std::ofstream(place.file() + ".state") << "{}";
    FileSink sink(place.file());
    CHECK_THROWS_WITH(sink.unfinished("oai_dc", "a:b"), Contains("not written by this program"));
}

TEST_CASE("a file gives its responseDate to the harvest that continues it") {
    const OutputDirectory place;
    FileSink sink(place.file(), "2023-01-01");
    CHECK(sink.last_complete("oai_dc", "") == "2023-01-01");
    sink.identity(from("http://a/?x=1&y"));
    sink.begin(position("", 0, 0));
    sink.finish(position("", 0, 0));
    const auto date = [&](const std::string& url, const std::string& prefix = "oai_dc",
                          const std::string& set = "a:b") {
        return response_date_of(place.file(), url, prefix, set);
    };
    const std::string url = "http://a/?x=1&y";
    CHECK(date(url) == "2024-02-02");
    CHECK_THROWS_WITH(date("http://b/"), EndsWith("harvested with baseURL=\"http://a/?x=1&y\", not "
                                                  "\"http://b/\""));
    CHECK_THROWS_WITH(date(url, "marc21"), Contains("metadataPrefix=\"oai_dc\", not"));
    CHECK_THROWS_WITH(date(url, "oai_dc", ""), Contains("with set=\"a:b\", not \"\""));
    for (const char* other :
         {"", "<h:harvest>", "<a responseDate=\"x\"/>", "<h:harvest a=''> responseDate=\"x\""}) {
        std::ofstream(place.file()) << other;
        CHECK_THROWS_WITH(date(url), Contains("not a file that oai harvest wrote"));
    }
    for (const std::string& part : {line("1"), line("1") + file_tail(false)}) {
        std::ofstream(place.file()) << kHead << part;
        CHECK_THROWS_WITH(date(url), EndsWith("the list is not whole in it"));
    }
    std::string until = kHead + file_tail();
    until.insert(until.find(" responseDate"), " until=\"2024-01-05\"");
    std::ofstream(place.file()) << until;
    CHECK_THROWS_WITH(date(url), Contains("harvested until 2024-01-05 alone"));
    CHECK_THROWS(response_date_of(place.file() + ".none", url, "oai_dc", "a:b"));
}
