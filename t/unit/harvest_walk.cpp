// SPDX-License-Identifier: MIT
// Walks with a sink in memory, against a server that says what each test wants. What repositories do wrong is tried as a
// whole by t/server/harvester-nasty.t.
#include "harvest/walk.h"

#include <catch2/catch.hpp>

#include <map>

#include "http/client.h"
#include "http_server.h"
#include "xml/document.h"

using namespace oai::harvest;
using oai::http::test::Server;

namespace {

class Memory final : public Sink {
  public:
    void identity(const Identity& who) override { said += "identity " + who.name + "\n"; }
    void sets(std::span<const SetInfo> all) override { said += "sets " + std::to_string(all.size()) + "\n"; }
    std::optional<Position> unfinished(const std::string&, const std::string&) override { return stopped; }
    std::optional<std::string> last_complete(const std::string&, const std::string&) override { return last; }
    void begin(const Position& p) override { said += "begin " + p.list.from + "\n"; }
    void take(std::span<const Record> records, const Position& after) override {
        said += "take";
        for (const Record& r : records) said += " " + r.identifier;
        said += " > " + after.token + "\n";
        stopped = after;
    }
    void finish(const Position& end) override { said += "finish " + end.response_date + " " + std::to_string(end.records) + "\n"; }
    void abandon(const Position& end) override { said += "abandon " + std::to_string(end.records) + "\n"; }

    std::optional<Position> stopped;
    std::optional<std::string> last;
    std::string said;
};

class Silent final : public Listener {
  public:
    void at(const Position&) override {}
    void note(const std::string& what) override { notes += what + "\n"; }
    bool stop() const override { return stopping; }
    void wait(std::chrono::seconds time, const std::string&) override {
        waits += std::to_string(time.count()) + " ";
        if (stop_when_waiting) stopping = true;
    }
    std::string notes, waits;
    bool stopping = false, stop_when_waiting = false;
};

std::string document(const std::string& date, const std::string& inside) {
    return oai::http::test::answer("200 OK", "", "<OAI-PMH><responseDate>2024-01-01T00:00:" + date + "Z</responseDate>" + inside + "</OAI-PMH>");
}

std::string record(const std::string& id) { return "<record><header><identifier>" + id + "</identifier></header></record>"; }

// Two pages, and what else a test wants.
std::string sound(const std::string& request) {
    if (request.find("verb=Identify") != request.npos)
        return document("00", "<Identify><repositoryName>R</repositoryName><protocolVersion>2.0</protocolVersion>"
                              "<granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>");
    if (request.find("verb=ListSets") != request.npos)
        return document("00", "<ListSets><set><setSpec>a</setSpec></set></ListSets>");
    if (request.find("resumptionToken=t%261") != request.npos)
        return document("09", "<ListRecords>" + record("3") + "</ListRecords>");
    return document("05", "<ListRecords>" + record("1") + record("2") + "<resumptionToken>t&amp;1</resumptionToken></ListRecords>");
}

struct Run {
    Memory sink;
    Silent listener;
    Outcome outcome;
    void go(const Server& server, Wish wish = {}) {
        oai::xml::initialise();
        wish.url = server.url("/oai");
        oai::http::Client client(oai::http::Options{});
        outcome = harvest(client, wish, sink, listener);
    }
};

using Kind = Outcome::Kind;

}  // namespace

TEST_CASE("a list from its start to its end, dated by its first answer") {
    const Server server(sound);
    Run run;
    Wish wish;
    wish.sets_too = true;
    run.go(server, wish);
    CHECK(run.outcome.kind == Kind::complete);
    CHECK(run.outcome.records == 3);
    CHECK(run.outcome.pages == 2);
    CHECK(run.sink.said == "identity R\nsets 1\nbegin \ntake 1 2 > t&1\ntake 3 > \nfinish 2024-01-01T00:00:05Z 3\n");
    CHECK(run.listener.notes == "its base URL, it says, is \n");
}

TEST_CASE("the next harvest asks from the last one's responseDate, less the overlap") {
    const Server server(sound);
    Run run;
    run.sink.last = "2024-01-01T00:00:05Z";
    Wish wish;
    wish.overlap = std::chrono::seconds{4};
    run.go(server, wish);
    CHECK(run.sink.said.find("begin 2024-01-01T00:00:01Z\n") != std::string::npos);
    CHECK(server.requests().at(1).find("verb=ListRecords&metadataPrefix=oai_dc&from=2024-01-01T00%3A00%3A01Z ") != std::string::npos);
    wish.full = true;
    Run full;
    full.sink.last = run.sink.last;
    full.go(server, wish);
    CHECK(full.sink.said.find("begin \n") != std::string::npos);
    Run undated;
    undated.sink.last = "long ago";
    undated.go(server);
    CHECK(undated.sink.said.find("begin \n") != std::string::npos);
    CHECK(undated.listener.notes.find("is no date (long ago)") != std::string::npos);
}

TEST_CASE("a walk that stopped goes on at its token, and one that was at its end only ends") {
    const Server server(sound);
    Run run;
    run.sink.stopped = Position{};
    run.sink.stopped->list.prefix = "oai_dc";
    run.sink.stopped->token = "t&1";
    run.sink.stopped->response_date = "D";
    run.sink.stopped->records = 2;
    run.sink.stopped->pages = 1;
    run.go(server);
    CHECK(run.sink.said == "identity R\ntake 3 > \nfinish D 3\n");
    Run again;
    again.sink.stopped = run.sink.stopped;
    again.go(server);
    CHECK(again.sink.said == "identity R\nfinish D 3\n");
    Run other;  // of another time
    other.sink.stopped = run.sink.stopped;
    other.sink.stopped->list.from = "2020-01-01T00:00:00Z";
    other.go(server);
    CHECK(other.sink.said.find("begin") != std::string::npos);
}

TEST_CASE("so many records, by whole pages, and a listener that wants an end") {
    const Server server(sound);
    Run run;
    Wish wish;
    wish.most_records = 1;
    run.go(server, wish);
    CHECK(run.outcome.kind == Kind::stopped);
    CHECK(run.sink.said == "identity R\nbegin \ntake 1 2 > t&1\n");
    Run stopped;
    stopped.listener.stopping = true;
    stopped.go(server);
    CHECK(stopped.outcome.kind == Kind::stopped);
    CHECK(stopped.sink.said.empty());
}

TEST_CASE("waits grow, are what Retry-After says, and end when they should") {
    int asked = 0;
    const Server server([&](const std::string& request) {
        if (request.find("ListRecords") == request.npos) return sound(request);
        ++asked;
        if (asked < 3) return oai::http::test::answer("500 No", "", "");
        return asked < 6 ? oai::http::test::answer("503 Busy", "Retry-After: 77\r\n", "") : sound(request);
    });
    Run run;
    Wish wish;
    wish.patience.longest_wait = std::chrono::seconds{70};
    run.go(server, wish);
    CHECK(run.outcome.kind == Kind::complete);
    CHECK(run.listener.waits == "2 4 70 70 70 ");
    asked = 0;
    Run stopped;
    stopped.listener.stop_when_waiting = true;
    stopped.go(server);
    CHECK(stopped.outcome.kind == Kind::stopped);
    CHECK(asked == 1);
}

TEST_CASE("patience ends, and the list stays where it stands") {
    const Server server([](const std::string& request) {
        return request.find("resumptionToken") == request.npos ? sound(request) : oai::http::test::answer("502 No", "", "");
    });
    Run run;
    Wish wish;
    wish.set_specs = {"a", "b"};
    run.go(server, wish);
    CHECK(run.outcome.kind == Kind::failed);
    CHECK(run.outcome.unreachable);
    CHECK(run.outcome.why.find("HTTP status 502") != std::string::npos);
    CHECK(run.sink.said == "identity R\nbegin \ntake 1 2 > t&1\n");
    CHECK(run.listener.waits == "2 4 8 16 ");
}

TEST_CASE("a list that is refused does not keep the others from being harvested") {
    const Server server([](const std::string& request) {
        return request.find("set=a") == request.npos ? sound(request) : document("00", "<error code=\"badArgument\">no set</error>");
    });
    Run run;
    Wish wish;
    wish.set_specs = {"a", "b"};
    run.go(server, wish);
    CHECK(run.outcome.kind == Kind::failed);
    CHECK(run.outcome.why == "oai_dc of set a: badArgument: no set");
    CHECK(run.outcome.records == 3);
    CHECK(run.sink.said.find("abandon 0\n") != std::string::npos);
}

TEST_CASE("requests say who asks, and keep a query that the base URL has") {
    const Server server(sound);
    oai::xml::initialise();
    oai::http::Options options;
    options.user_agent = "oai-fcgi/0.1 (+http://me)";
    options.from = "me@example.org";
    oai::http::Client client(options);
    Silent listener;
    CHECK(identify(client, server.url("/oai?x=1"), {}, listener).name == "R");
    const std::string request = server.requests().at(0);
    CHECK(request.starts_with("GET /oai?x=1&verb=Identify HTTP/"));
    CHECK(oai::http::test::field(request, "User-Agent") == "oai-fcgi/0.1 (+http://me)");
    CHECK(oai::http::test::field(request, "From") == "me@example.org");
    CHECK(oai::http::test::field(request, "Accept-Encoding") == "gzip, deflate");
    CHECK(oai::http::test::field(request, "Accept").starts_with("text/xml,"));
    CHECK(request_url("http://a/oai?", {{"verb", "x y"}}) == "http://a/oai?verb=x%20y");
    CHECK(request_url("http://a/oai?b&", {{"verb", "x"}, {"set", "a:b"}}) == "http://a/oai?b&verb=x&set=a%3Ab");
    CHECK(list_sets(client, server.url(), {}, listener).at(0).spec == "a");
    CHECK_THROWS_WITH(list_formats(client, server.url(), {}, listener), Catch::Contains("the answer is one to ListRecords"));
}
