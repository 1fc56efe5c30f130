// SPDX-License-Identifier: MIT
// Gives pages to the sink as a harvest would, and looks at what the tables then hold.
#include "t/unit/tools/aggregate/world.h"
#include "tools/aggregate/database_sink.h"

TEST_CASE_METHOD(WorldOfOne, "sink: records become items, in sets below that of their source") {
    run(a, [&](DatabaseSink& sink) {
        const std::vector<harvest::SetInfo> sets{{"x", "Xes"}, {"x:y z", "Y"}};
        sink.sets(sets);
    });
    harvest(a, {record("oai:a:1", "One", {"x:y z", "x"}), record("oai:a:2", "Two"),
                deleted("oai:a:3")});
    CHECK(counts.inserted == 3);
    CHECK(item("a/oai:a:1", "title[1]") == "One");
    CHECK(item("a/oai:a:3", "deleted") == "t");
    CHECK(sets("a/oai:a:1") == "col:a:x col:a:x:y~20z");
    CHECK(sets("a/oai:a:2") == "col:a");
    CHECK(db().value(
              "select string_agg(name, '|' order by spec) from oai.set where spec like 'col:a%'") ==
          "The a|Xes|Y");
    CHECK(db().value("select complete from harvest.list") == kWhen);
    CHECK_THAT(item("a/oai:a:1", "origin::text"),
               Contains("altered=\"false\"><baseURL>http://a.example/told</"
                        "baseURL><identifier>oai:a:1</identifier>"));
    CHECK(item("a/oai:a:3", "origin::text") == "NULL");
}

TEST_CASE_METHOD(WorldOfOne,
                 "sink: provenance has the responseDate of the answer with the record") {
    Record first = record("oai:a:1", "One"), second = record("oai:a:2", "Two");
    second.response_date = "2024-05-01T11:22:33Z";
    harvest(a, {first, second});
    CHECK_THAT(item("a/oai:a:1", "origin::text"), Contains("harvestDate=\"2024-05-01T10:00:00Z\""));
    CHECK_THAT(item("a/oai:a:2", "origin::text"), Contains("harvestDate=\"2024-05-01T11:22:33Z\""));
}

TEST_CASE_METHOD(WorldOfOne, "sink: unchanged records are not written") {
    const std::vector<Record> records{record("oai:a:1", "One", {"x"}), record("oai:a:2", "Two"),
                                      deleted("oai:a:3")};
    harvest(a, records);
    publish();
    const auto seqs = [&] {
        return db().value(
            "select string_agg(local_id || ':' || seq, ' ' order by local_id) from oai.item");
    };
    const std::string before = seqs();
    const auto rows = [&] {  // the rows and the transactions that wrote them
        return db().value(
            "select string_agg(x, ' ' order by x) from (select 'r' || xmin || r.ctid from "
            "harvest.record r union all select 'i' || xmin || xmax || i.ctid from library.item i "
            "union all select 'c' || xmin || c.ctid from library.item_collection c) w (x)");
    };
    const std::string written = rows();
    harvest(a, records);
    CHECK(rows() == written);
    auto again = records;
    again[1].datestamp = "2024-03-01";  // a new stamp alone
    harvest(a, again);
    CHECK(counts.updated == 0);
    CHECK(db().number("select count(*) from oai.queue") == 0);
    CHECK(db().value("select datestamp from harvest.record where identifier = 'oai:a:2'") ==
          "2024-03-01");
    CHECK_THAT(item("a/oai:a:2", "origin::text"), Contains("<datestamp>2024-01-01<"));
    again[1] = record("oai:a:2", "Zwei");
    again[0].set_specs = {"y"};
    harvest(a, again);
    CHECK(counts.updated == 2);
    publish();
    CHECK(seqs() != before);
    CHECK(sets("a/oai:a:1") == "col:a:y");
}

TEST_CASE_METHOD(WorldOfOne,
                 "sink: deletions by the source are taken over, and local deletions stay") {
    harvest(a, {record("oai:a:1", "One", {"x"}), record("oai:a:2", "Two")});
    publish();
    harvest(a, {deleted("oai:a:1")});
    CHECK(item("a/oai:a:1", "deleted") == "t");
    CHECK(sets("a/oai:a:1") == "col:a:x");  // a deleted record keeps its sets
    harvest(a, {record("oai:a:1", "One", {"x"})});
    CHECK(item("a/oai:a:1", "deleted") == "f");
    db().run("select oai.change_deleted(array['a/oai:a:2'], true)");
    harvest(a, {record("oai:a:2", "Two, changed")});
    CHECK(item("a/oai:a:2", "deleted") == "t");
    CHECK(counts.left_deleted == 1);
    harvest(a, {deleted("oai:a:2")});
    harvest(a, {record("oai:a:2", "Two again")});  // deleted there, too, and then undeleted
    CHECK(item("a/oai:a:2", "deleted || ' ' || title[1]") == "false Two again");
}

TEST_CASE_METHOD(
    World, "sink: records missing in a full harvest are deleted if the source is configured so") {
    Source strict = source_named("strict");
    strict.delete_missing = true;
    strict = add(strict);
    const Source mild = add(source_named("mild"));
    for (const Source& source : {strict, mild}) {
        harvest(source, {record("oai:1", "One"), record("oai:2", "Two")});
        harvest(source, {record("oai:2", "Two")}, "oai_dc",
                "2024-01-01");  // not a full harvest: finds nothing missing
        CHECK(departures.gone == 0);
        harvest(source, {record("oai:2", "Two")});
    }
    CHECK(item("strict/oai:1", "deleted") == "t");
    CHECK(item("strict/oai:2", "deleted") == "f");
    CHECK(item("mild/oai:1", "deleted") == "f");
    harvest(strict, {record("oai:1", "One"), record("oai:2", "Two")});
    CHECK(item("strict/oai:1", "deleted") == "f");  // it is there again
}

TEST_CASE_METHOD(World, "sink: a format is its namespace, and its schema what a source says") {
    for (const char* const name : {"a", "b", "c"}) {
        Source source = source_named(name);
        source.formats = {"marc21"};
        source = add(source);
        const std::string space = name[0] == 'b' ? "urn:other" : "urn:marc";
        const std::vector<harvest::FormatInfo> formats{{"oai_dc", "http://s/", "urn:dc"},
                                                       {"marc21", "http://s/m.xsd", space}};
        run(source, [&](DatabaseSink& sink) {
            sink.formats(formats);
            CHECK(sink.format_fault("oai_dc").empty());
            CHECK(sink.format_fault("marc21").empty() == (name[0] != 'b'));
        });
    }
    CHECK(db().value("select string_agg(prefix || ' ' || schema || ' ' || name_space, ',') "
                     "from harvest.format") == "marc21 http://s/m.xsd urn:marc");
}

TEST_CASE_METHOD(World, "sink: a record that cannot be stored does not count as missing") {
    Source ours = source_named("ours"), theirs = source_named("theirs");
    theirs.their_identifiers = true;
    ours.delete_missing = theirs.delete_missing = true;
    ours = add(ours);
    theirs = add(theirs);
    for (const Source& source : {ours, theirs})
        harvest(source, {record("oai:1", "One"), record("oai:2", "Two"), record("oai:3", "Three"),
                         record("oai:4", "Four")});
    db().run("alter table library.item add constraint odd check (title[1] not like 'Bad%')");
    Record broken = record("oai:2", "Two");
    broken.metadata = "<dc><unclosed></dc>";
    for (const Source& source : {ours, theirs}) {
        harvest(source, {record("oai:1", "Bad"), broken, record("oai:4", "Four")});
        CHECK(counts.refused == 2);
        CHECK(departures.gone == 1);
    }
    CHECK(db().value(
              "select string_agg(title[1], ' ' order by id) from library.item where not deleted") ==
          "One Two Four One Two Four");
    db().run("alter table library.item drop constraint odd");
}

TEST_CASE_METHOD(WorldOfOne,
                 "sink: a harvest from later than the last one's end leaves that end where it is") {
    const auto end = [&] {
        return db().value("select coalesce(max(complete), 'never') from harvest.list");
    };
    harvest(a, {record("oai:1", "One")}, "oai_dc", "2024-01-01", "2024-02-01T00:00:00Z");
    CHECK(end() == "never");  // what is older is not here
    harvest(a, {record("oai:1", "One")}, "oai_dc", "", "2024-03-01T12:00:00.5+02:00");
    CHECK(end() == "2024-03-01T12:00:00.5+02:00");
    for (const char* from : {"2024-03-02", "2024-03-01T10:00:01Z", "never"}) {
        harvest(a, {record("oai:2", "Two")}, "oai_dc", from, "2024-04-01T00:00:00Z");
        CHECK(end() == "2024-03-01T12:00:00.5+02:00");
    }
    harvest(a, {record("oai:2", "Two")}, "oai_dc", "2024-03-01T10:00:00Z", "2024-04-02T00:00:00Z");
    CHECK(end() == "2024-04-02T00:00:00Z");
    harvest(a, {record("oai:2", "Two")}, "oai_dc", "2024-04-02", "2024-04-03T00:00:00Z");
    CHECK(end() == "2024-04-03T00:00:00Z");
}

TEST_CASE_METHOD(WorldOfOne, "sink: the stored position does not pass a page that failed") {
    ListPosition at = start_of("oai_dc");
    at.response_date = kWhen;
    run(a, [&](DatabaseSink& sink) {
        sink.begin(at);
        at.token = "t1";
        sink.take(std::vector<Record>{record("oai:a:1", "One")}, at);
        at.token = "t2";
        listener().fails = true;
        CHECK_THROWS_WITH(sink.take(std::vector<Record>{record("oai:ours.example:1", "Ours"),
                                                        record("oai:a:2", "Two")},
                                    at),
                          "nobody listens");
        listener().fails = false;
        sink.flush();
        CHECK(sink.unfinished("oai_dc", "")->token == "t1");
    });
}

TEST_CASE_METHOD(WorldOfOne,
                 "sink: an interrupted harvest resumes after the records that were written") {
    ListPosition at = start_of("oai_dc");
    run(
        a,
        [&](DatabaseSink& sink) {
            sink.begin(at);
            const auto page = [&](int n, const std::string& token) {
                at.token = token;
                at.response_date = kWhen;
                at.records += 2;
                ++at.pages;
                at.list_size = 6;
                ++at.counts.deleted;
                const std::string i = std::to_string(n);
                sink.take(std::vector<Record>{record("oai:a:" + i + "1", "T" + i + "1"),
                                              record("oai:a:" + i + "2", "T" + i + "2")},
                          at);
            };
            page(1, "t1");
            page(2, "t2");  // the batch is full and written
            page(3, "t3");  // gathered, and lost with the process
        },
        4);
    CHECK(db().number("select count(*) from library.item") == 4);
    run(a, [&](DatabaseSink& sink) {
        const auto position = sink.unfinished("oai_dc", "");
        REQUIRE(position);
        CHECK(position->token == "t2");
        CHECK(position->records == 4);
        CHECK(position->pages == 2);
        CHECK(position->list_size == 6);
        CHECK(position->counts.deleted == 2);
        CHECK(position->response_date == kWhen);
        CHECK(!sink.unfinished("oai_dc", "x"));
        CHECK(!sink.last_complete("oai_dc", ""));
        ListPosition end = *position;
        end.token = "";
        end.records = 6;
        sink.take(std::vector<Record>{record("oai:a:31", "T31")}, end);
        sink.flush();
        CHECK(db().number("select count(*) from library.item") == 5);
        sink.finish(end);
        CHECK(!sink.unfinished("oai_dc", ""));
        CHECK(sink.last_complete("oai_dc", "") == kWhen);
        // The next one fails on the way: the last complete harvest stays.
        ListPosition next = start_of("oai_dc", kWhen);
        next.response_date = "2024-06-01T00:00:00Z";
        sink.begin(next);
        next.pages_missing = 1;
        sink.abandon(next);
        CHECK(!sink.unfinished("oai_dc", ""));
        CHECK(sink.last_complete("oai_dc", "") == kWhen);
    });
}

TEST_CASE_METHOD(WorldOfOne, "sink: the newest record is told by the days that are meant") {
    Record old = record("oai:a:1", "T1");
    old.datestamp = "31. 12. 1999";
    harvest(a, {old, record("oai:a:2", "T2")});
    run(a, [](DatabaseSink& sink) {
        const auto newest = sink.unmet_newest();
        REQUIRE(newest);
        CHECK(newest->identifier == "oai:a:2");
    });
}

TEST_CASE_METHOD(WorldOfOne, "sink: nothing is written after a batch that failed") {
    db().run(
        "create function public.refuse() returns trigger language plpgsql as $$ begin if "
        "new.title[1] = 'Bad' then raise 'refused'; end if; return new; end $$");
    db().run(
        "create trigger refuse before insert on library.item for each row execute function "
        "public.refuse()");
    ListPosition at = start_of("oai_dc");
    run(
        a,
        [&](DatabaseSink& sink) {
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
            CHECK_THROWS_WITH(page("Better"), Contains("refused"));
            sink.flush();
        },
        1);
    CHECK(db().value("select string_agg(title[1], ' ') from library.item") == "Good");
    CHECK(db().value("select token || ' ' || records from harvest.list") == "Good 1");
    db().run("drop trigger refuse on library.item");
    db().run("drop function public.refuse()");
}

TEST_CASE_METHOD(WorldOfOne,
                 "sink: a record that the database refuses does not affect the others") {
    db().run("alter table library.item add constraint odd check (title[1] not like 'Bad%')");
    std::vector<Record> records;
    for (int i = 0; i < 9; ++i)
        records.push_back(
            record("oai:a:" + std::to_string(i), i % 4 == 3 ? "Bad" : "Good" + std::to_string(i)));
    harvest(a, records);
    CHECK(counts.inserted == 7);
    CHECK(counts.refused == 2);
    REQUIRE(listener().notes.size() == 2);
    CHECK_THAT(listener().notes[0], StartsWith("oai:a:3: ") && Contains("odd"));
    CHECK_THAT(listener().notes[1], StartsWith("oai:a:7: "));
    CHECK(db().value("select string_agg(substr(title[1], 5), '' order by id) from library.item") ==
          "0124568");
    CHECK(db().number("select count(*) from harvest.record") == 7);
    CHECK(db().value("select complete || ' ' || records from harvest.list") ==
          std::string(kWhen) + " 9");
    db().run("alter table library.item drop constraint odd");
}

TEST_CASE_METHOD(WorldOfOne,
                 "sink: a repository that is removed while it is harvested leaves nothing") {
    run(a, [&](DatabaseSink& sink) {
        ListPosition at = start_of("oai_dc");
        sink.begin(at);
        db().run("delete from harvest.repository");
        at.token = "t";
        CHECK_THROWS_WITH(
            (sink.take(std::vector<Record>{record("oai:a:1", "One")}, at), sink.flush()),
            Contains("no longer"));
    });
    CHECK(
        db().number(
            "select (select count(*) from library.item) + (select count(*) from harvest.record)") ==
        0);
}

TEST_CASE_METHOD(World,
                 "sink: the origin of an item is removed with the item, and with its repository") {
    const Source a = add(source_named("a")), b = add(source_named("b"));
    for (const Source& source : {a, b})
        harvest(source, {record("oai:1", "One"), record("oai:2", "Two")});
    const auto left = [&] {
        return db().value(
            "select coalesce(string_agg(p.name || ' ' || r.identifier, ', ' order by p.name, "
            "r.identifier), '') from harvest.record r left join harvest.repository p on p.id = "
            "r.id_repository");
    };
    db().run("delete from library.item where local_id = 'a/oai:1'");
    CHECK(left() == "a oai:2, b oai:1, b oai:2");
    db().run("delete from harvest.repository where name = 'b'");
    CHECK(left() == "a oai:2");
    CHECK(db().number("select count(*) from library.item") == 3);
}

TEST_CASE_METHOD(World, "sink: items may keep the identifiers of their source") {
    Source a = source_named("a"), b = source_named("b");
    a.their_identifiers = b.their_identifiers = true;
    a = add(a);
    b = add(b);
    harvest(a, {record("oai:a:1", "One"), record("http://e.org/?x=[1]", "Two"),
                record("oai:ours.example:7", "Ours")});
    CHECK(counts.refused == 1);
    CHECK(listener().notes == Strings{"oai:ours.example:7: comes from this repository"});
    CHECK(item(":oai:a:1", "title[1]") == "One");
    CHECK(item(":http://e.org/?x=[1]", "title[1]") == "Two");
    // Another source has the same record: it is kept beside the first, under an identifier of this
    // repository.
    for (int i = 0; i < 2; ++i)
        harvest(b, {record("oai:a:1", "One, by way of B"), record("oai:b:1", "Three")});
    CHECK(item(":oai:a:1", "title[1]") == "One");
    CHECK(item("b/oai:a:1", "title[1]") == "One, by way of B");
    CHECK(item(":oai:b:1", "title[1]") == "Three");
    CHECK(db().number("select count(*) from library.item") == 4);
    // One that is too long with our name before it, as the second one's would be.
    const std::string longest = "oai:" + std::string(495, 'x');
    for (const Source& source : {a, b}) {
        harvest(source, {record(longest, "Which")});
        CHECK(counts.refused == 1);
        CHECK(listener().notes.back() == longest + ": an identifier that is too long");
    }
    CHECK(item(":" + longest, "title[1]") == "none");
}

TEST_CASE_METHOD(World, "sink: records in other formats are stored as they were received") {
    Source a = source_named("a");
    a.formats = {"ese", "marc21"};
    a = add(a);
    const auto ese = [](const std::string& identifier, const std::string& content) {
        Record r = record(identifier, "x");
        r.metadata = "<e:r xmlns:e=\"urn:ese\">" + content + "</e:r>";
        return r;
    };
    harvest(a, {record("oai:a:1", "One"), record("oai:a:2", "Two")});
    harvest(a, {ese("oai:a:1", "<e:x a='1'/>"), ese("oai:a:9", "alone")}, "ese");
    CHECK(item("a/oai:a:1", "kept_ese::text") == "<e:r xmlns:e=\"urn:ese\"><e:x a='1'/></e:r>");
    CHECK(item("a/oai:a:9", "kept_ese::text || coalesce(title[1], '')") ==
          "<e:r xmlns:e=\"urn:ese\">alone</e:r>");
    Record marc = record("oai:a:1", "x");
    marc.metadata = "<record xmlns=\"http://www.loc.gov/MARC21/slim\"><leader/></record>";
    harvest(a, {marc}, "marc21");
    CHECK(item("a/oai:a:1", "marc::text") == marc.metadata);
    const auto origins = [&] {
        return db().value(
            "select string_agg((xpath('/p:originDescription/p:metadataNamespace/text()', o, "
            "'{{p,http://www.openarchives.org/OAI/2.0/provenance}}'))[1]::text, ' ' order by n) "
            "from library.item i, unnest(xpath('/o/*', xmlelement(name o, origin))) with "
            "ordinality u(o, n) where local_id = 'a/oai:a:1'");
    };
    CHECK(origins() ==
          "http://www.openarchives.org/OAI/2.0/oai_dc/ urn:ese http://www.loc.gov/MARC21/slim");
    publish();
    harvest(a, {record("oai:a:1", "One"), record("oai:a:2", "Two")});
    harvest(a, {ese("oai:a:1", "<e:x a='1'/>")}, "ese");
    CHECK(db().number("select count(*) from oai.queue") == 0);
    harvest(a, {record("oai:a:1", "Eins")});  // the payloads stay
    CHECK(item("a/oai:a:1", "title[1] || (kept_ese is not null) || (marc is not null)") ==
          "Einstruetrue");
    CHECK(origins() ==
          "http://www.openarchives.org/OAI/2.0/oai_dc/ urn:ese http://www.loc.gov/MARC21/slim");
    harvest(a, {deleted("oai:a:1")}, "ese");
    CHECK(item("a/oai:a:1", "deleted || (kept_ese is null)::text") == "falsetrue");
    CHECK(origins() ==
          "http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.loc.gov/MARC21/slim");
    CHECK(db().number("select count(*) from oai.record where kept_ese is not null") == 1);
}

TEST_CASE_METHOD(World, "sink: provenance says that a record was normalised") {
    Source a = source_named("a");
    a.normalise = {"dates"};
    a = add(a);
    Record changed = record("oai:a:1", "One"), same = record("oai:a:2", "Two");
    changed.metadata = dc("<dc:date>[1993]</dc:date><dc:identifier>i</dc:identifier>");
    same.metadata = dc("<dc:date>1993</dc:date><dc:identifier>i</dc:identifier>");
    harvest(a, {changed, same});
    CHECK(item("a/oai:a:1", "date[1]") == "1993");
    CHECK_THAT(item("a/oai:a:1", "origin::text"), Contains("altered=\"true\""));
    CHECK_THAT(item("a/oai:a:2", "origin::text"), Contains("altered=\"false\""));
}

TEST_CASE_METHOD(WorldOfOne, "sink: invalid records do not affect the others") {
    Record broken = record("oai:a:1", "x"), empty = record("oai:a:2", "x");
    broken.metadata = "<dc><unclosed></dc>";
    empty.metadata = "";
    harvest(a, {broken, empty, record("oai:a:" + std::string(600, 'x'), "long"),
                record("oai:a:3", "Three"), record("oai:a:3", "Three, later")});
    CHECK(counts.refused == 3);
    CHECK(db().number("select count(*) from library.item") == 1);
    CHECK(item("a/oai:a:3", "title[1]") == "Three, later");
}
