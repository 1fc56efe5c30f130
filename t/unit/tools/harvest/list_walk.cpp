// SPDX-License-Identifier: MIT
// Walks with a sink in memory, against a server that says what each test wants. What repositories
// do wrong is tried as a whole by t/server/harvester-hostile.t.
#include "tools/harvest/list_walk.h"

#include "t/unit/tools/http_client/server.h"
#include "tools/http_client/client.h"
#include "xml/document.h"

using namespace oai::harvest;
using oai::http::test::Server;

namespace {

class MemorySink final : public Sink {
  public:
    void identity(const RepositoryIdentity& who) override { said += "identity " + who.name + "\n"; }
    void sets(std::span<const SetInfo> all) override {
        said += "sets " + std::to_string(all.size()) + "\n";
    }
    std::optional<ListPosition> unfinished(const std::string&, const std::string&) override {
        return stopped;
    }
    std::optional<std::string> last_complete(const std::string&, const std::string&) override {
        return last;
    }
    void begin(const ListPosition& p) override { said += "begin " + p.list.from + "\n"; }
    void take(std::span<const Record> records, const ListPosition& after) override {
        said += "take";
        for (const Record& r : records) said += " " + r.identifier;
        said += " > " + after.token + "\n";
        stopped = after;
    }
    void finish(const ListPosition& end) override {
        said += "finish " + end.response_date + " " + std::to_string(end.records) + "\n";
    }
    void abandon(const ListPosition& end) override {
        said += "abandon " + std::to_string(end.records) + "\n";
    }

    std::optional<ListPosition> stopped;
    std::optional<std::string> last;
    std::string said;
};

class TestListener final : public HarvestListener {
  public:
    void on_page(const ListPosition&) override {}
    void note(const std::string& what) override { notes += what + "\n"; }
    bool should_stop() const override { return stopping; }
    void wait(std::chrono::seconds time, const std::string&) override {
        waits += std::to_string(time.count()) + " ";
        if (stop_when_waiting) stopping = true;
    }
    std::string notes, waits;
    bool stopping = false, stop_when_waiting = false;
};

std::string document(const std::string& date, const std::string& inside) {
    return oai::http::test::answer("200 OK", "",
                                   "<OAI-PMH><responseDate>2024-01-01T00:00:" + date +
                                       "Z</responseDate>" + inside + "</OAI-PMH>");
}

std::string record(const std::string& id) {
    return "<record><header><identifier>" + id + "</identifier></header></record>";
}

// Two pages, and what else a test wants.
std::string sound(const std::string& request) {
    if (request.find("verb=Identify") != request.npos)
        return document(
            "00",
            "<Identify><repositoryName>R</repositoryName><protocolVersion>2.0</protocolVersion>"
            "<granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>");
    if (request.find("verb=ListSets") != request.npos)
        return document("00", "<ListSets><set><setSpec>a</setSpec></set></ListSets>");
    if (request.find("resumptionToken=t%261") != request.npos)
        return document("09", "<ListRecords>" + record("3") + "</ListRecords>");
    return document("05", "<ListRecords>" + record("1") + record("2") +
                              "<resumptionToken>t&amp;1</resumptionToken></ListRecords>");
}

struct TestHarvest {
    MemorySink sink;
    TestListener listener;
    HarvestResult outcome;
    void go(const Server& server, HarvestRequest request = {}) {
        request.url = server.url("/oai");
        oai::http::Client client(oai::http::ClientOptions{});
        outcome = oai::harvest::harvest(client, request, sink, listener);
    }
};

// One of a sound repository.
struct SoundHarvest : TestHarvest {
    const Server server{sound};
    HarvestRequest request;
    void run() { go(server, request); }
};

using Kind = HarvestResult::Kind;

// A repository with one record, which GetRecord gives as `got` says.
std::string with_record(const std::string& request, const std::string& listed,
                        const std::string& got) {
    if (request.find("verb=GetRecord") != request.npos &&
        request.find("identifier=known") != request.npos)
        return document("00", got);
    if (request.find("verb=GetRecord") != request.npos)
        return document("00", "<GetRecord>" + listed + "</GetRecord>");
    return document("00", listed.empty() ? "<error code=\"noRecordsMatch\"/>"
                                         : "<ListRecords>" + listed + "</ListRecords>");
}

std::string dated(const std::string& id, const std::string& date) {
    return "<record><header><identifier>" + id + "</identifier><datestamp>" + date +
           "</datestamp></header></record>";
}

std::string setback(const std::string& listed, const std::string& got,
                    const std::string& deleted_record = "persistent") {
    const Server server([&](const std::string& r) { return with_record(r, listed, got); });
    TestListener listener;
    oai::http::Client client(oai::http::ClientOptions{});
    return find_setback(client, server.url("/oai"), {}, listener,
                        {"oai_dc", "known", "2024-01-02T00:00:00Z"}, deleted_record);
}

Record record(const std::string& identifier, const std::string& datestamp, Strings sets = {}) {
    return {.identifier = identifier,
            .datestamp = datestamp,
            .set_specs = std::move(sets),
            .metadata = {},
            .abouts = {}};
}

}  // namespace

TEST_CASE_METHOD(SoundHarvest, "walks a list to its end, dated by the first answer") {
    request.with_sets = true;
    run();
    CHECK(outcome.kind == Kind::complete);
    CHECK(outcome.records == 3);
    CHECK(outcome.pages == 2);
    CHECK(sink.said ==
          "identity R\nsets 1\nbegin \ntake 1 2 > t&1\ntake 3 > \nfinish 2024-01-01T00:00:05Z 3\n");
    CHECK(listener.notes == "its base URL, it says, is \n");
}

TEST_CASE_METHOD(SoundHarvest,
                 "the next harvest begins at the last responseDate minus the overlap") {
    sink.last = "2024-01-01T00:00:05Z";
    request.overlap = 4s;
    run();
    CHECK_THAT(sink.said, Contains("begin 2024-01-01T00:00:01Z\n"));
    CHECK_THAT(server.requests().at(1),
               Contains("verb=ListRecords&metadataPrefix=oai_dc&from=2024-01-01T00%3A00%3A01Z "));
    request.full = true;
    TestHarvest full;
    full.sink.last = sink.last;
    full.go(server, request);
    CHECK_THAT(full.sink.said, Contains("begin \n"));
    TestHarvest undated;
    undated.sink.last = "long ago";
    undated.go(server);
    CHECK_THAT(undated.sink.said, Contains("begin \n"));
    CHECK_THAT(undated.listener.notes, Contains("is no date (long ago)"));
}

TEST_CASE_METHOD(SoundHarvest, "a clock that has been ahead is not believed") {
    sink.last = "2030-01-01T00:00:00Z";
    run();
    CHECK_THAT(sink.said, Contains("begin \n"));
    CHECK_THAT(listener.notes,
               Contains("its clock was at 2030-01-01T00:00:00Z in the last harvest and "
                        "is at 2024-01-01T00:00:00Z: harvesting all"));
    CHECK(outcome.whole);
    TestHarvest minutes;  // as between two hosts of one repository
    minutes.sink.last = "2024-01-01T00:10:00Z";
    minutes.go(server);
    CHECK_THAT(minutes.sink.said, Contains("begin 2024-01-01T00:10:00Z\n"));
    CHECK_FALSE(minutes.outcome.whole);
}

TEST_CASE_METHOD(SoundHarvest,
                 "a whole harvest goes on with one that stopped; a full one does not") {
    ListPosition stopped;
    stopped.list.prefix = "oai_dc";
    stopped.token = "t&1";
    stopped.response_date = "D";
    stopped.pages = 1;
    request.whole = true;
    TestHarvest whole;
    whole.sink.last = "2024-01-01T00:00:00Z";
    whole.sink.stopped = stopped;
    whole.go(server, request);
    CHECK(whole.sink.said == "identity R\ntake 3 > \nfinish D 1\n");
    request.full = true;
    TestHarvest full;
    full.sink.stopped = stopped;
    full.go(server, request);
    CHECK_THAT(full.sink.said, Contains("begin \n"));
}

TEST_CASE("a repository was set back if it lacks what it had, or has an older version of it") {
    const std::string other = dated("other", "2024-01-01T00:00:00Z"),
                      none = "<error code=\"idDoesNotExist\"/>";
    const auto known = [](const std::string& date) {
        return "<GetRecord>" + dated("known", date) + "</GetRecord>";
    };
    CHECK(setback(other, none) == "known of 2024-01-02T00:00:00Z is not there any more");
    CHECK(setback(other, none, "no").empty());  // it was deleted, perhaps
    CHECK(setback("", none) == "known of 2024-01-02T00:00:00Z is not there any more");
    CHECK(setback(other, known("2024-01-01T23:59:59Z")) ==
          "known of 2024-01-02T00:00:00Z has the earlier datestamp 2024-01-01T23:59:59Z there");
    CHECK(setback(other, known("2024-01-01T23:59:59Z"), "no") != "");
    CHECK(setback(other, known("2024-01-02T00:00:00Z")).empty());
    CHECK(setback(other, known("2024-01-02")).empty());  // its granularity is days now
    CHECK(setback(other, known("2024-02-01T00:00:00Z")).empty());
    CHECK(setback(other, "<error code=\"badVerb\"/>").empty());
    // Its GetRecord knows nothing of what it lists.
    CHECK(setback(dated("known", "2024-01-02T00:00:00Z"), none).empty());
}

TEST_CASE_METHOD(SoundHarvest, "a stopped walk resumes at its token; at the end it only finishes") {
    sink.stopped = ListPosition{};
    sink.stopped->list.prefix = "oai_dc";
    sink.stopped->token = "t&1";
    sink.stopped->response_date = "D";
    sink.stopped->records = 2;
    sink.stopped->pages = 1;
    run();
    CHECK(sink.said == "identity R\ntake 3 > \nfinish D 3\n");
    TestHarvest again;
    again.sink.stopped = sink.stopped;
    again.go(server);
    CHECK(again.sink.said == "identity R\nfinish D 3\n");
    TestHarvest other;  // harvests another period
    other.sink.stopped = sink.stopped;
    other.sink.stopped->list.from = "2020-01-01T00:00:00Z";
    other.go(server);
    CHECK_THAT(other.sink.said, Contains("begin"));
}

TEST_CASE_METHOD(SoundHarvest,
                 "stops after max_records by whole pages, and when the listener wants to") {
    request.max_records = 1;
    run();
    CHECK(outcome.kind == Kind::stopped);
    CHECK(sink.said == "identity R\nbegin \ntake 1 2 > t&1\n");
    TestHarvest stopped;
    stopped.listener.stopping = true;
    stopped.go(server);
    CHECK(stopped.outcome.kind == Kind::stopped);
    CHECK(stopped.sink.said.empty());
}

TEST_CASE("waits double, follow Retry-After, and have a maximum") {
    int with_provider = 0;
    const Server server([&](const std::string& request) {
        if (request.find("ListRecords") == request.npos) return sound(request);
        ++with_provider;
        if (with_provider < 3) return oai::http::test::answer("500 No", "", "");
        return with_provider < 6 ? oai::http::test::answer("503 Busy", "Retry-After: 77\r\n", "")
                                 : sound(request);
    });
    TestHarvest run;
    HarvestRequest request;
    request.retry_limits.longest_wait = 70s;
    run.go(server, request);
    CHECK(run.outcome.kind == Kind::complete);
    CHECK(run.listener.waits == "2 4 70 70 70 ");
    with_provider = 0;
    TestHarvest stopped;
    stopped.listener.stop_when_waiting = true;
    stopped.go(server);
    CHECK(stopped.outcome.kind == Kind::stopped);
    CHECK(with_provider == 1);
}

TEST_CASE("after the last retry the list stays unfinished") {
    const Server server([](const std::string& request) {
        return request.find("resumptionToken") == request.npos
                   ? sound(request)
                   : oai::http::test::answer("502 No", "", "");
    });
    TestHarvest run;
    HarvestRequest request;
    request.set_specs = {"a", "b"};
    run.go(server, request);
    CHECK(run.outcome.kind == Kind::failed);
    CHECK(run.outcome.unreachable);
    CHECK_THAT(run.outcome.why, Contains("HTTP status 502"));
    CHECK(run.sink.said == "identity R\nbegin \ntake 1 2 > t&1\n");
    CHECK(run.listener.waits == "2 4 8 16 ");
}

TEST_CASE("a list that fails does not prevent the others") {
    const Server server([](const std::string& request) {
        return request.find("set=a") == request.npos
                   ? sound(request)
                   : document("00", "<error code=\"badArgument\">no set</error>");
    });
    TestHarvest run;
    HarvestRequest request;
    request.set_specs = {"a", "b"};
    run.go(server, request);
    CHECK(run.outcome.kind == Kind::failed);
    CHECK(run.outcome.why == "oai_dc of set a: badArgument: no set");
    CHECK(run.outcome.records == 3);
    CHECK_THAT(run.sink.said, Contains("abandon 0\n"));
}

TEST_CASE("a list that begins again by new tokens each time comes to an end") {
    const Server server([n = 0](const std::string& request) mutable {
        const std::string token = "<resumptionToken>t" + std::to_string(++n) + "</resumptionToken>";
        if (request.find("verb=ListSets") != request.npos)
            return document("00",
                            "<ListSets><set><setSpec>a</setSpec></set>" + token + "</ListSets>");
        if (request.find("verb=ListRecords") == request.npos) return sound(request);
        return document("05",
                        "<ListRecords>" + record("1") + record("2") + token + "</ListRecords>");
    });
    TestHarvest run;
    run.go(server);
    CHECK(run.outcome.kind == Kind::failed);
    CHECK(run.outcome.why == "oai_dc: 51 pages without a new record, and no end");
    CHECK(run.outcome.pages == 52);
    CHECK(run.sink.said.ends_with("abandon 104\n"));
    HarvestRequest request;
    request.with_sets = true;
    run.go(server, request);
    CHECK(run.outcome.why.ends_with("ListSets does not end"));
}

TEST_CASE("requests have a User-Agent and keep the query of the base URL") {
    const Server server(sound);
    oai::http::ClientOptions options;
    options.user_agent = "oai-fcgi/0.1 (+http://me)";
    options.from = "me@example.org";
    oai::http::Client client(options);
    TestListener listener;
    CHECK(identify(client, server.url("/oai?x=1"), {}, listener).name == "R");
    const std::string request = server.requests().at(0);
    CHECK(request.starts_with("GET /oai?x=1&verb=Identify HTTP/"));
    CHECK(oai::http::test::field(request, "User-Agent") == "oai-fcgi/0.1 (+http://me)");
    CHECK(oai::http::test::field(request, "From") == "me@example.org");
    CHECK(oai::http::test::field(request, "Accept-Encoding") == "gzip, deflate");
    CHECK(oai::http::test::field(request, "Accept").starts_with("text/xml,"));
    CHECK(request_url("http://a/oai?", {{"verb", "x y"}}) == "http://a/oai?verb=x%20y");
    CHECK(request_url("http://a/oai?b&", {{"verb", "x"}, {"set", "a:b"}}) ==
          "http://a/oai?b&verb=x&set=a%3Ab");
    CHECK(list_sets(client, server.url(), {}, listener).at(0).spec == "a");
    CHECK_THROWS_WITH(list_formats(client, server.url(), {}, listener),
                      Contains("the answer is one to ListRecords"));
}

TEST_CASE("record counter: records of other sets, and of none where others name theirs") {
    const ListSelection list{"oai_dc", "a:b", "", ""};
    ListCounts counts;
    RecordCounter counter;
    counter.count(record("0", "2024"), list, "", counts);
    CHECK(counts.outside_set() == 0);  // a repository may leave all setSpecs out
    counter.count(record("1", "2024", {"x", "a:b"}), list, "", counts);
    counter.count(record("2", "2024", {"a:b:c"}), list, "", counts);
    CHECK(counts.in_set == 2);
    CHECK(counts.outside_set() == 1);
    counter.count(record("3", "2024", {"a", "a:bc", "b"}), list, "", counts);
    CHECK(counts.outside_set() == 2);
    CHECK(counter.examples().outside_set == "0");
}

TEST_CASE("record counter: records before from and after until, in both granularities") {
    const auto outside = [](const char* from, const char* until, const char* datestamp) {
        ListCounts counts;
        RecordCounter().count(record("1", datestamp), {"oai_dc", "", from, until}, "", counts);
        return counts.outside_dates == 1;
    };
    CHECK(outside("2024-01-02", "", "2024-01-01"));
    CHECK_FALSE(outside("2024-01-02", "", "2024-01-02T00:00:00Z"));
    CHECK_FALSE(outside("2024-01-02T12:00:00Z", "", "2024-01-02"));  // some of that day
    CHECK(outside("2024-01-02T12:00:00Z", "", "2024-01-02T11:59:59Z"));
    CHECK_FALSE(outside("", "2024-01-02", "2024-01-02T23:59:59Z"));
    CHECK(outside("", "2024-01-02", "2024-01-03T00:00:00Z"));
    CHECK_FALSE(outside("2024-01-02", "2024-01-02", "yesterday"));
    CHECK_FALSE(outside("", "", "0001-01-01"));
}

TEST_CASE("record counter: the same record again, but not with another datestamp") {
    ListCounts counts;
    RecordCounter counter;
    for (int i = 0; i < 10'000; ++i)
        counter.count(record(std::to_string(i), "2024-01-01"), {}, "", counts);
    CHECK(counts.repeated == 0);
    counter.count(record("7", "2024-01-02"), {}, "", counts);
    CHECK(counts.repeated == 0);
    counter.count(record("7", "2024-01-01"), {}, "", counts);
    counter.count(record("9999", "2024-01-01"), {}, "", counts);
    CHECK(counts.repeated == 2);
    CHECK(counts.moved == 3);  // signs that the list moved
    CHECK(counter.examples().repeated == "7");
}

TEST_CASE("record counter: counts are read from what was written of them") {
    const ListCounts counts{1, 2, 3, 4, 5, 6};
    CHECK(read_counts(counts_text(counts)) == counts);
    CHECK(read_counts("{}") == ListCounts{});
}
