// SPDX-License-Identifier: MIT
// Pages played to the sink, as a walk would: what stands in the tables then.
#include "aggregate/database_sink.h"

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <stdexcept>

#include "aggregate/sources.h"
#include "load/item_queries.h"
#include "t/lib/testdb.h"
#include "xml/document.h"

using namespace oai;
using aggregate::DatabaseSink;
using aggregate::Source;
using harvest::Position;
using harvest::Record;

namespace {

constexpr const char* kWhen = "2024-05-01T10:00:00Z";

class Listener final : public harvest::Listener {
  public:
    void at(const Position&) override {}
    void note(const std::string& what) override { notes.push_back(what); }
    std::vector<std::string> notes;
};

std::string dc(const std::string& content) {
    return "<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "
           "xmlns:dc=\"http://purl.org/dc/elements/1.1/\">" + content + "</oai_dc:dc>";
}
Record record(const std::string& identifier, const std::string& title, std::vector<std::string> sets = {}) {
    return {.identifier = identifier, .datestamp = "2024-01-01", .deleted = false, .set_specs = std::move(sets),
            .metadata = dc("<dc:title>" + title + "</dc:title><dc:identifier>https://e.org/" + title + "</dc:identifier>"),
            .abouts = {}, .response_date = kWhen};
}
Record deleted(const std::string& identifier) {
    return {.identifier = identifier, .datestamp = "2024-02-01", .deleted = true, .set_specs = {}, .metadata = "", .abouts = {}};
}

Position start_of(const std::string& prefix, const std::string& from = "") {
    Position position;
    position.list = {prefix, "", from, ""};
    return position;
}
harvest::Identity told_of(const Source& source) {
    harvest::Identity identity;
    identity.address = source.base_url;
    identity.base_url = "http://" + source.name + ".example/told";
    identity.name = "The " + source.name;
    return identity;
}

// A database with the library, and what a program that harvests has.
class World {
  public:
    World() : db_(shared()) {
        xml::initialise();
        db_.run(R"(
            set session_replication_role = replica;
            truncate library.item, library.item_collection, library.collection, library.kind, library.language, oai.queue,
                     oai.set_chunk, oai.calendar, harvest.repository, harvest.set, harvest.list, harvest.record,
                     harvest.duplicate restart identity;
            delete from oai.set where parent is not null;
            update oai.horizon set h = null, last_seq = 0, item_count = 0, filling = null;
            reset session_replication_role)");
        connection_ = std::make_unique<pg::Connection>(db_.conninfo("oai_loader"), "test");
    }
    test::TestDb& db() { return db_; }
    pg::Connection& connection() { return *connection_; }
    Listener& listener() { return listener_; }

    Source add(Source source) {
        REQUIRE(aggregate::add_source(*connection_, source));
        return aggregate::read_sources(*connection_, {source.name}).at(0).source;
    }
    // A run of its own, with a connection of its own as a new process has.
    void run(const Source& source, const std::function<void(DatabaseSink&)>& what, int batch_records = 5000,
             const std::string& normalise = "") {
        const aggregate::Normaliser normaliser(normalise, source.normalise);
        pg::Connection connection(db_.conninfo("oai_loader"), "test");
        DatabaseSink sink(connection, source, normaliser, listener_, {"oai:ours.example:", batch_records});
        what(sink);
        tally = sink.tally();
    }
    // A list from its begin to its end, of one page.
    void harvest(const Source& source, const std::vector<Record>& records, const std::string& prefix = "oai_dc",
                 const std::string& from = "") {
        run(source, [&](DatabaseSink& sink) {
            sink.identity(told_of(source));
            const Position start = start_of(prefix, from);
            sink.begin(start);
            Position after = start;
            after.response_date = kWhen;
            after.records = static_cast<std::int64_t>(records.size());
            sink.take(records, after);
            sink.finish(after);
        }, 5000, "xslt/normalise");
    }
    // The datestamps move only with what is published.
    void publish() {
        for (;;) {
            const auto said = db_.column("select published::text || waiting from oai.publish(1000)");
            if (said.at(0) == "0false") return;
            pg::Connection(db_.conninfo(), "test").script("wait", "select pg_sleep(0.2)");
        }
    }
    std::string item(const std::string& local_id, const std::string& what) {
        const auto found = db_.column("select " + what + " from library.item i where local_id = '" + local_id + "'");
        return found.empty() ? "none" : found.at(0);
    }
    std::string sets(const std::string& local_id) {
        return db_.value("select coalesce(string_agg(s.spec, ' ' order by s.spec), '') from oai.membership m join oai.set s "
                         "on s.id = any (m.sets_now) where m.local_id = '" + local_id + "'");
    }
    aggregate::Tally tally;

  private:
    // One for all, emptied each time: to install a schema takes longer than any test here.
    static test::TestDb& shared() {
        static test::TestDb db("sink");
        static const bool installed = (db.install_schema(test::kLibrary), true);
        return installed ? db : throw std::logic_error("no schema");
    }
    test::TestDb& db_;
    std::unique_ptr<pg::Connection> connection_;
    Listener listener_;
};

Source source_named(const std::string& name) {
    Source source;
    source.name = name;
    source.base_url = "http://" + name + ".example/oai";
    return source;
}

}  // namespace

TEST_CASE("sink: records become items, in sets under their source's", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    world.run(a, [&](DatabaseSink& sink) {
        const std::vector<harvest::SetInfo> sets{{"x", "Xes", {}}, {"x:y z", "Y", {}}};
        sink.sets(sets);
    });
    world.harvest(a, {record("oai:a:1", "One", {"x:y z", "x"}), record("oai:a:2", "Two"), deleted("oai:a:3")});
    CHECK(world.tally.inserted == 3);
    CHECK(world.item("a/oai:a:1", "title[1]") == "One");
    CHECK(world.item("a/oai:a:3", "deleted") == "t");
    CHECK(world.sets("a/oai:a:1") == "col:a:x col:a:x:y~20z");
    CHECK(world.sets("a/oai:a:2") == "col:a");
    CHECK(world.db().value("select string_agg(name, '|' order by spec) from oai.set where spec like 'col:a%'") == "The a|Xes|Y");
    CHECK(world.db().value("select complete from harvest.list") == kWhen);
    CHECK_THAT(world.item("a/oai:a:1", "origin::text"),
               Catch::Contains("altered=\"false\"><baseURL>http://a.example/told</baseURL><identifier>oai:a:1</identifier>"));
    CHECK(world.item("a/oai:a:3", "origin::text") == "NULL");
}

TEST_CASE("sink: provenance is dated by the answer that a record came in", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    Record first = record("oai:a:1", "One"), second = record("oai:a:2", "Two");
    second.response_date = "2024-05-01T11:22:33Z";
    world.harvest(a, {first, second});
    CHECK_THAT(world.item("a/oai:a:1", "origin::text"), Catch::Contains("harvestDate=\"2024-05-01T10:00:00Z\""));
    CHECK_THAT(world.item("a/oai:a:2", "origin::text"), Catch::Contains("harvestDate=\"2024-05-01T11:22:33Z\""));
}

TEST_CASE("sink: what has not changed is not touched", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    const std::vector<Record> records{record("oai:a:1", "One", {"x"}), record("oai:a:2", "Two"), deleted("oai:a:3")};
    world.harvest(a, records);
    world.publish();
    const auto seqs = [&] { return world.db().value("select string_agg(local_id || ':' || seq, ' ' order by local_id) from oai.item"); };
    const std::string before = seqs();
    const auto rows = [&] {  // which, and written by whom
        return world.db().value("select string_agg(x, ' ' order by x) from (select 'r' || xmin || r.ctid from harvest.record r "
                                "union all select 'i' || xmin || xmax || i.ctid from library.item i "
                                "union all select 'c' || xmin || c.ctid from library.item_collection c) w (x)");
    };
    const std::string written = rows();
    world.harvest(a, records);
    CHECK(rows() == written);
    auto again = records;
    again[1].datestamp = "2024-03-01";  // a new stamp alone
    world.harvest(a, again);
    CHECK(world.tally.updated == 0);
    CHECK(world.db().number("select count(*) from oai.queue") == 0);
    CHECK(world.db().value("select datestamp from harvest.record where identifier = 'oai:a:2'") == "2024-03-01");
    CHECK(world.item("a/oai:a:2", "origin::text").find("<datestamp>2024-01-01<") != std::string::npos);
    again[1] = record("oai:a:2", "Zwei");
    again[0].set_specs = {"y"};
    world.harvest(a, again);
    CHECK(world.tally.updated == 2);
    world.publish();
    CHECK(seqs() != before);
    CHECK(world.sets("a/oai:a:1") == "col:a:y");
}

TEST_CASE("sink: deletions are carried, and those made here stay", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    world.harvest(a, {record("oai:a:1", "One", {"x"}), record("oai:a:2", "Two")});
    world.publish();
    world.harvest(a, {deleted("oai:a:1")});
    CHECK(world.item("a/oai:a:1", "deleted") == "t");
    CHECK(world.sets("a/oai:a:1") == "col:a:x");  // a deleted record keeps its sets
    world.harvest(a, {record("oai:a:1", "One", {"x"})});
    CHECK(world.item("a/oai:a:1", "deleted") == "f");
    world.db().run("select oai.change_deleted(array['a/oai:a:2'], true)");
    world.harvest(a, {record("oai:a:2", "Two, changed")});
    CHECK(world.item("a/oai:a:2", "deleted") == "t");
    CHECK(world.tally.left_deleted == 1);
    world.harvest(a, {deleted("oai:a:2")});
    world.harvest(a, {record("oai:a:2", "Two again")});  // deleted there too, and then not any more
    CHECK(world.item("a/oai:a:2", "deleted || ' ' || title[1]") == "false Two again");
}

TEST_CASE("sink: what a full harvest misses is deleted where that is wanted", "[aggregate][db]") {
    World world;
    Source strict = source_named("strict");
    strict.delete_missing = true;
    strict = world.add(strict);
    const Source mild = world.add(source_named("mild"));
    for (const Source& source : {strict, mild}) {
        world.harvest(source, {record("oai:1", "One"), record("oai:2", "Two")});
        world.harvest(source, {record("oai:2", "Two")}, "oai_dc", "2024-01-01");  // not full: says nothing
        CHECK(world.tally.missing == 0);
        world.harvest(source, {record("oai:2", "Two")});
    }
    CHECK(world.item("strict/oai:1", "deleted") == "t");
    CHECK(world.item("strict/oai:2", "deleted") == "f");
    CHECK(world.item("mild/oai:1", "deleted") == "f");
    world.harvest(strict, {record("oai:1", "One"), record("oai:2", "Two")});
    CHECK(world.item("strict/oai:1", "deleted") == "f");  // it is there again
}

TEST_CASE("sink: a walk that was cut off goes on behind what was written", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    Position at = start_of("oai_dc");
    world.run(a, [&](DatabaseSink& sink) {
        sink.begin(at);
        const auto page = [&](int n, const std::string& token) {
            at.token = token;
            at.response_date = kWhen;
            at.records += 2;
            ++at.pages;
            at.list_size = 6;
            const std::string i = std::to_string(n);
            sink.take(std::vector<Record>{record("oai:a:" + i + "1", "T" + i + "1"), record("oai:a:" + i + "2", "T" + i + "2")}, at);
        };
        page(1, "t1");
        page(2, "t2");  // full: written
        page(3, "t3");  // gathered, and lost with the process
    }, 4);
    CHECK(world.db().number("select count(*) from library.item") == 4);
    world.run(a, [&](DatabaseSink& sink) {
        const auto position = sink.unfinished("oai_dc", "");
        REQUIRE(position);
        CHECK(position->token == "t2");
        CHECK(position->records == 4);
        CHECK(position->pages == 2);
        CHECK(position->list_size == 6);
        CHECK(position->response_date == kWhen);
        CHECK(!sink.unfinished("oai_dc", "x"));
        CHECK(!sink.last_complete("oai_dc", ""));
        Position end = *position;
        end.token = "";
        end.records = 6;
        sink.take(std::vector<Record>{record("oai:a:31", "T31")}, end);
        sink.flush();
        CHECK(world.db().number("select count(*) from library.item") == 5);
        sink.finish(end);
        CHECK(!sink.unfinished("oai_dc", ""));
        CHECK(sink.last_complete("oai_dc", "") == kWhen);
        // The next one fails on the way: what was complete stays so.
        Position next = start_of("oai_dc", kWhen);
        next.response_date = "2024-06-01T00:00:00Z";
        sink.begin(next);
        next.pages_missing = 1;
        sink.abandon(next);
        CHECK(!sink.unfinished("oai_dc", ""));
        CHECK(sink.last_complete("oai_dc", "") == kWhen);
    });
}

TEST_CASE("sink: behind a batch that cannot be written nothing is", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    world.db().run("create function public.refuse() returns trigger language plpgsql as "
                   "$$ begin if new.title[1] = 'Bad' then raise 'refused'; end if; return new; end $$");
    world.db().run("create trigger refuse before insert on library.item for each row execute function public.refuse()");
    Position at = start_of("oai_dc");
    world.run(a, [&](DatabaseSink& sink) {
        sink.begin(at);
        at.response_date = kWhen;
        const auto page = [&](const std::string& title) {
            at.token = title;
            ++at.records;
            ++at.pages;
            sink.take(std::vector<Record>{record("oai:a:" + title, title)}, at);
        };
        page("Good");
        page("Bad");
        CHECK_THROWS_WITH(page("Better"), Catch::Contains("refused"));
        sink.flush();
    }, 1);
    CHECK(world.db().value("select string_agg(title[1], ' ') from library.item") == "Good");
    CHECK(world.db().value("select token || ' ' || records from harvest.list") == "Good 1");
    world.db().run("drop trigger refuse on library.item");
    world.db().run("drop function public.refuse()");
}

TEST_CASE("sink: a record that the database does not take costs only itself", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    world.db().run("alter table library.item add constraint odd check (title[1] not like 'Bad%')");
    std::vector<Record> records;
    for (int i = 0; i < 9; ++i) records.push_back(record("oai:a:" + std::to_string(i), i % 4 == 3 ? "Bad" : "Good" + std::to_string(i)));
    world.harvest(a, records);
    CHECK(world.tally.inserted == 7);
    CHECK(world.tally.refused == 2);
    REQUIRE(world.listener().notes.size() == 2);
    CHECK_THAT(world.listener().notes[0], Catch::StartsWith("oai:a:3: ") && Catch::Contains("odd"));
    CHECK_THAT(world.listener().notes[1], Catch::StartsWith("oai:a:7: "));
    CHECK(world.db().value("select string_agg(substr(title[1], 5), '' order by id) from library.item") == "0124568");
    CHECK(world.db().number("select count(*) from harvest.record") == 7);
    CHECK(world.db().value("select complete || ' ' || records from harvest.list") == std::string(kWhen) + " 9");
    world.db().run("alter table library.item drop constraint odd");
}

TEST_CASE("sink: a repository that is removed while it is harvested leaves nothing", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    world.run(a, [&](DatabaseSink& sink) {
        Position at = start_of("oai_dc");
        sink.begin(at);
        world.db().run("delete from harvest.repository");
        at.token = "t";
        CHECK_THROWS_WITH((sink.take(std::vector<Record>{record("oai:a:1", "One")}, at), sink.flush()), Catch::Contains("no longer"));
    });
    CHECK(world.db().number("select (select count(*) from library.item) + (select count(*) from harvest.record)") == 0);
}

TEST_CASE("sink: what an item was elsewhere goes with it, and with the repository", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a")), b = world.add(source_named("b"));
    for (const Source& source : {a, b}) world.harvest(source, {record("oai:1", "One"), record("oai:2", "Two")});
    const auto left = [&] {
        return world.db().value("select coalesce(string_agg(p.name || ' ' || r.identifier, ', ' order by p.name, r.identifier), '') "
                                "from harvest.record r left join harvest.repository p on p.id = r.id_repository");
    };
    world.db().run("delete from library.item where local_id = 'a/oai:1'");
    CHECK(left() == "a oai:2, b oai:1, b oai:2");
    world.db().run("delete from harvest.repository where name = 'b'");
    CHECK(left() == "a oai:2");
    CHECK(world.db().number("select count(*) from library.item") == 3);
}

TEST_CASE("sink: identifiers of theirs", "[aggregate][db]") {
    World world;
    Source a = source_named("a"), b = source_named("b");
    a.their_identifiers = b.their_identifiers = true;
    a = world.add(a);
    b = world.add(b);
    world.harvest(a, {record("oai:a:1", "One"), record("http://e.org/?x=[1]", "Two"), record("oai:ours.example:7", "Ours")});
    CHECK(world.tally.refused == 1);
    CHECK(world.listener().notes == std::vector<std::string>{"oai:ours.example:7: comes from this repository"});
    CHECK(world.item(":oai:a:1", "title[1]") == "One");
    CHECK(world.item(":http://e.org/?x=[1]", "title[1]") == "Two");
    // Another aggregator has the same record: it is kept beside the first, under an identifier of ours.
    for (int i = 0; i < 2; ++i) world.harvest(b, {record("oai:a:1", "One, by way of B"), record("oai:b:1", "Three")});
    CHECK(world.item(":oai:a:1", "title[1]") == "One");
    CHECK(world.item("b/oai:a:1", "title[1]") == "One, by way of B");
    CHECK(world.item(":oai:b:1", "title[1]") == "Three");
    CHECK(world.db().number("select count(*) from library.item") == 4);
}

TEST_CASE("sink: other formats are kept as they came", "[aggregate][db]") {
    World world;
    Source a = source_named("a");
    a.formats = {"ese", "marc21"};
    a = world.add(a);
    const auto ese = [](const std::string& identifier, const std::string& content) {
        Record r = record(identifier, "x");
        r.metadata = "<e:r xmlns:e=\"urn:ese\">" + content + "</e:r>";
        return r;
    };
    world.harvest(a, {record("oai:a:1", "One"), record("oai:a:2", "Two")});
    world.harvest(a, {ese("oai:a:1", "<e:x a='1'/>"), ese("oai:a:9", "alone")}, "ese");
    CHECK(world.item("a/oai:a:1", "kept_ese::text") == "<e:r xmlns:e=\"urn:ese\"><e:x a='1'/></e:r>");
    CHECK(world.item("a/oai:a:9", "kept_ese::text || coalesce(title[1], '')") == "<e:r xmlns:e=\"urn:ese\">alone</e:r>");
    Record marc = record("oai:a:1", "x");
    marc.metadata = "<record xmlns=\"http://www.loc.gov/MARC21/slim\"><leader/></record>";
    world.harvest(a, {marc}, "marc21");
    CHECK(world.item("a/oai:a:1", "marc::text") == marc.metadata);
    const auto origins = [&] {
        return world.db().value("select string_agg((xpath('/p:originDescription/p:metadataNamespace/text()', o, '{{p,http://www.openarchives.org/OAI/2.0/provenance}}'))[1]::text, ' ' order by n) "
                                "from library.item i, unnest(xpath('/o/*', xmlelement(name o, origin))) with ordinality u(o, n) where local_id = 'a/oai:a:1'");
    };
    CHECK(origins() == "http://www.openarchives.org/OAI/2.0/oai_dc/ urn:ese http://www.loc.gov/MARC21/slim");
    world.publish();
    world.harvest(a, {record("oai:a:1", "One"), record("oai:a:2", "Two")});
    world.harvest(a, {ese("oai:a:1", "<e:x a='1'/>")}, "ese");
    CHECK(world.db().number("select count(*) from oai.queue") == 0);
    world.harvest(a, {record("oai:a:1", "Eins")});  // the payloads stay
    CHECK(world.item("a/oai:a:1", "title[1] || (kept_ese is not null) || (marc is not null)") == "Einstruetrue");
    CHECK(origins() == "http://www.openarchives.org/OAI/2.0/oai_dc/ urn:ese http://www.loc.gov/MARC21/slim");
    world.harvest(a, {deleted("oai:a:1")}, "ese");
    CHECK(world.item("a/oai:a:1", "deleted || (kept_ese is null)::text") == "falsetrue");
    CHECK(origins() == "http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.loc.gov/MARC21/slim");
    CHECK(world.db().number("select count(*) from oai.record where kept_ese is not null") == 1);
}

TEST_CASE("sink: normalised records say that they are", "[aggregate][db]") {
    World world;
    Source a = source_named("a");
    a.normalise = {"dates"};
    a = world.add(a);
    Record changed = record("oai:a:1", "One"), same = record("oai:a:2", "Two");
    changed.metadata = dc("<dc:date>[1993]</dc:date><dc:identifier>i</dc:identifier>");
    same.metadata = dc("<dc:date>1993</dc:date><dc:identifier>i</dc:identifier>");
    world.harvest(a, {changed, same});
    CHECK(world.item("a/oai:a:1", "date[1]") == "1993");
    CHECK(world.item("a/oai:a:1", "origin::text").find("altered=\"true\"") != std::string::npos);
    CHECK(world.item("a/oai:a:2", "origin::text").find("altered=\"false\"") != std::string::npos);
}

TEST_CASE("sink: bad records cost only themselves", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    Record broken = record("oai:a:1", "x"), empty = record("oai:a:2", "x");
    broken.metadata = "<dc><unclosed></dc>";
    empty.metadata = "";
    world.harvest(a, {broken, empty, record("oai:a:" + std::string(600, 'x'), "long"), record("oai:a:3", "Three"),
                      record("oai:a:3", "Three, later")});
    CHECK(world.tally.refused == 3);
    CHECK(world.db().number("select count(*) from library.item") == 1);
    CHECK(world.item("a/oai:a:3", "title[1]") == "Three, later");
}

TEST_CASE("sources: added, told of, removed", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    CHECK(!aggregate::add_source(world.connection(), a));
    world.harvest(a, {record("oai:a:1", "One"), deleted("oai:a:2")});
    aggregate::note_run(world.connection(), a, {.kind = harvest::Outcome::Kind::failed, .why = "no answer"});
    const auto status = aggregate::read_status(world.connection(), "a").at(0);
    CHECK(status.items == 1);
    CHECK(status.deleted == 1);
    CHECK(status.outcome == "failed");
    CHECK(status.problem == "no answer");
    CHECK(status.lists.at(0).complete == kWhen);
    CHECK(!aggregate::read_sources(world.connection(), {}).at(0).due);
    CHECK(aggregate::remove_source(world.connection(), a, aggregate::Fate::deleted) == 1);
    CHECK(world.db().number("select count(*) from library.item where deleted") == 2);
    CHECK(world.db().number("select count(*) from harvest.record") == 0);
    const Source again = world.add(source_named("a"));  // its records are taken up again
    world.harvest(again, {record("oai:a:1", "One")});
    CHECK(world.item("a/oai:a:1", "deleted") == "f");
    CHECK(aggregate::remove_source(world.connection(), again, aggregate::Fate::kept) == 0);
    CHECK(world.item("a/oai:a:1", "deleted") == "f");
}

TEST_CASE("duplicates: by DOI, URN, identifier, title and year", "[aggregate][db]") {
    World world;
    world.db().run(R"(
        insert into library.item (id, local_id, title, year, doi, urn, identifier) overriding system value values
            (101, 'one', '{"The Great Book of Words"}', 1993, '10.1234/AB', 'urn:nbn:cz:x', '{http://e.org/1}'),
            (102, 'doi', '{Other}', 1993, '10.1234/ab', null, null),
            (103, 'urn', '{Other}', 1994, null, 'URN:NBN:cz:x', null),
            (104, 'identifier', '{Other}', 1995, null, null, '{other,http://e.org/1}'),
            (105, 'title', '{"  The GREAT book, of wörds! "}', 1993, null, null, null),
            (106, 'year', '{"The Great Book of Words"}', 1994, null, null, null),
            (107, 'short', '{Other}', 1995, null, null, null),
            (108, 'gone', '{Other}', 1995, '10.1234/ab', null, null);
        update library.item set deleted = true where id = 108;
        insert into library.item (local_id, identifier) select 'many/' || n, '{http://e.org/}' from generate_series(1, 25) n)");
    const auto found = [&] {
        std::string all;
        for (const auto& d : aggregate::find_duplicates(world.connection()))
            all += d.first_local_id + "=" + d.local_id + " by " + d.reason + "; ";
        return all;
    };
    const std::string wanted = "one=doi by doi; one=identifier by identifier; one=title by title; one=urn by urn; ";
    CHECK(found() == wanted);
    CHECK(found() == wanted);
    world.db().run("update library.item set doi = null where id = 101");
    CHECK(found() == "one=identifier by identifier; one=title by title; one=urn by urn; ");
}
