// SPDX-License-Identifier: MIT
// The harvested repositories as the database has them; what seems to be the same in several.
#include "tools/aggregate/sources.h"

#include "t/unit/tools/aggregate/world.h"

TEST_CASE_METHOD(WorldOfOne, "sources: are added, listed and removed") {
    CHECK(!aggregate::add_source(connection(), a));
    harvest(a, {record("oai:a:1", "One"), deleted("oai:a:2")});
    aggregate::note_run(
        connection(), a,
        {.outcome = {.kind = harvest::HarvestResult::Kind::failed, .why = "no answer"}});
    const auto status = aggregate::read_status(connection(), "a").at(0);
    CHECK(status.items == 1);
    CHECK(status.deleted == 1);
    CHECK(status.outcome == "failed");
    CHECK(status.problem == "no answer");
    CHECK(status.lists.at(0).ends_with(std::string("complete up to ") + kWhen));
    CHECK(!aggregate::read_sources(connection(), {}).at(0).due);
    CHECK(aggregate::remove_source(connection(), a, aggregate::RecordsFate::deleted) == 1);
    CHECK(db().number("select count(*) from library.item where deleted") == 2);
    CHECK(db().number("select count(*) from harvest.record") == 0);
    const Source again = add(source_named("a"));  // its records are taken up again
    harvest(again, {record("oai:a:1", "One")});
    CHECK(item("a/oai:a:1", "deleted") == "f");
    CHECK(aggregate::remove_source(connection(), again, aggregate::RecordsFate::kept) == 0);
    CHECK(item("a/oai:a:1", "deleted") == "f");
}

TEST_CASE_METHOD(World, "sources: each has a state, since when, and is due") {
    using Kind = harvest::HarvestResult::Kind;
    Source a = source_named("a");
    a.full_every = 48h;
    a = add(a);
    const auto state = [&] {
        const auto status = aggregate::read_status(connection(), "a").at(0);
        return status.state + (status.since.empty() ? "" : " since");
    };
    using Run = aggregate::SourceRun;
    const auto run = [&](const std::function<void(Run&)>& change) {
        Run ended;
        if (change) change(ended);
        aggregate::note_run(connection(), a, ended);
    };
    const auto later = [&](const std::string& hours) {
        db().run(
            "update harvest.repository set ran_at = ran_at - t, began_at = began_at - t, told_at = "
            "told_at - t, failing_since = failing_since - t, full_at = full_at - t from (select "
            "interval '" +
            hours + " hours' as t) x");
    };
    const auto schedule = [&] { return aggregate::read_sources(connection(), {}).at(0); };
    CHECK(state() == "new");
    CHECK(schedule().full_due);
    harvest(a, {record("oai:a:1", "One")});
    run({});
    CHECK(state() == "healthy");
    CHECK_FALSE(schedule().due);
    CHECK_FALSE(schedule().full_due);
    later("21");  // a timer may come some hours earlier than the day before
    CHECK(schedule().due);
    CHECK_FALSE(schedule().full_due);
    run([](Run& r) { r.outcome.whole = false, r.seconds = 21h; });
    CHECK(schedule().due);  // so long after its beginning
    later("20");
    CHECK(schedule().full_due);
    run([](Run& r) { r.outcome = {.kind = Kind::failed, .why = "x", .refused = true}; });
    CHECK(state() == "refused since");
    run([](Run& r) { r.outcome = {.kind = Kind::failed, .why = "x"}; });
    CHECK(state() == "failing since");
    later("168");
    CHECK(state() == "gone since");
    run([](Run& r) { r.outcome.kind = Kind::stopped; });
    CHECK(state() == "gone since");
    run([](Run& r) { r.outcome.repeated = 1; });
    CHECK(state() == "lying");
    run([](Run& r) { r.set_back = "its newest record is not there"; });
    CHECK(state() == "stale since");
    run({});
    CHECK(state() == "stale since");
    run([](Run& r) { r.deleted_missing = true; });
    CHECK(state() == "healthy");
    later("80");
    CHECK(state() == "overdue since");
    // Nothing changes for three times as long as usual.
    const auto pass = [&](const std::string& days) {
        db().run("update harvest.repository set changed_at = changed_at - interval '" + days +
                 " days'");
    };
    run([](Run& r) { r.changed = 1; });
    pass("2");
    run([](Run& r) { r.changed = 5; });
    pass("5");
    run({});
    CHECK(state() == "healthy");
    pass("2");
    CHECK(state() == "quiet since");
    run([](Run& r) { r.changed = 1; });
    CHECK(state() == "healthy");
    a.base_url = "http://a.example/moved";
    a.full_every = 0s;
    aggregate::change_source(connection(), a);
    CHECK(schedule().source.base_url == "http://a.example/moved");
    // Another name leaves the set and the identifiers of its records as they are.
    a.name = "b";
    aggregate::change_source(connection(), a);
    a = schedule().source;
    CHECK(a.name == "b");
    CHECK(a.label == "a");
    harvest(a, {record("oai:a:1", "Two", {"x"})});
    CHECK(item("a/oai:a:1", "title[1]") == "Two");
    CHECK(sets("a/oai:a:1") == "col:a:x");
    CHECK_FALSE(schedule().full_due);
}

TEST_CASE("sources: what the world may read of a base URL") {
    CHECK(aggregate::public_url("https://u:p@a.example:81/oai?key=s#x") ==
          "https://a.example:81/oai");
    CHECK(aggregate::public_url("HTTP://a.example") == "HTTP://a.example");
    CHECK(aggregate::public_url("http://a.example/u@b") == "http://a.example/u@b");
    CHECK(aggregate::public_url("javascript:alert(1)").empty());
    CHECK(aggregate::public_url("ftp://a.example/").empty());
    CHECK(aggregate::public_url("not a url").empty());
}

TEST_CASE_METHOD(WorldOfOne, "sources: a collection of our own is no source") {
    harvest(a, {record("oai:a:1", "One", {"x"})});
    CHECK_FALSE(aggregate::is_own_collection(connection(), "a"));
    CHECK_FALSE(aggregate::is_own_collection(connection(), "b"));
    aggregate::remove_source(connection(), a, aggregate::RecordsFate::kept);
    CHECK(aggregate::is_own_collection(connection(), "a"));
}

TEST_CASE_METHOD(WorldOfOne,
                 "sources: sets that are no longer there are noted while records are in them") {
    const auto sets = [&](const std::vector<harvest::SetInfo>& found) {
        run(a, [&](DatabaseSink& sink) { sink.sets(found); });
        aggregate::note_run(connection(), a, {});
        return aggregate::read_status(connection(), "a").at(0).lost_sets;
    };
    auto one = record("oai:a:1", "One");
    one.set_specs = {"old"};
    harvest(a, {one});
    CHECK(sets({{"old", "Old"}, {"empty", "Empty"}}).empty());
    CHECK(sets({{"new", "New"}}) == Strings{"old"});
    CHECK(db().number("select count(*) from harvest.set") == 2);
    one.set_specs = {"new"};
    harvest(a, {one});
    CHECK(sets({{"new", "New"}}).empty());
    CHECK(db().number("select count(*) from harvest.set") == 1);
}

TEST_CASE_METHOD(World, "duplicates: found by DOI, URN, identifier, or title and year") {
    db().run(R"(
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
        return db().value(
            "select string_agg(first_local_id || '=' || local_id || ' by ' || reason || '; ', '') "
            "from harvest.duplicates()");
    };
    const std::string wanted =
        "one=doi by doi; one=identifier by identifier; one=title by title; one=urn by urn; ";
    CHECK(found() == wanted);
    CHECK(found() == wanted);
    db().run("update library.item set doi = null where id = 101");
    CHECK(found() == "one=identifier by identifier; one=title by title; one=urn by urn; ");
}

TEST_CASE_METHOD(World, "how many records are in none of a source's sets") {
    Source source = add(source_named("s"));
    harvest(source, {record("1", "One", {"x:y"}), record("2", "Two", {"xx"}),
                     record("3", "Three", {"z", "x"}), record("4", "Four"), deleted("5")});
    for (const auto& [sets, outside] :
         {std::pair<Strings, int>{{"x"}, 2}, {{"x", "xx"}, 1}, {{"nothing"}, 4}}) {
        source.sets = sets;
        CHECK(aggregate::count_outside(connection(), source) ==
              std::pair<std::int64_t, std::int64_t>(outside, 4));
    }
}

TEST_CASE_METHOD(World, "a source that empties itself for a night loses nothing here") {
    Source source = source_named("s");
    source.delete_missing = true;
    source = add(source);
    std::vector<Record> all, none;
    for (int n = 0; n < 24; ++n)
        all.push_back(record(fmt::format("oai:{}", n), fmt::format("T{}", n)));
    for (int n = 0; n < 24; ++n) none.push_back(deleted(fmt::format("oai:{}", n)));
    std::vector<Record> marc = all;
    for (Record& r : marc) r.metadata = "<r xmlns='http://www.loc.gov/MARC21/slim'/>";
    const auto both = [&](const std::vector<Record>& dc, const std::vector<Record>& kept,
                          const std::string& from = "") {
        harvest(source, dc, "oai_dc", from);
        const aggregate::Departures of_dc = departures;
        harvest(source, kept, "marc21");
        return of_dc;
    };
    const auto live = [&] {
        return db().number(
            "select count(*) from library.item where not deleted and marc is not null");
    };
    const auto rows = [&] {
        return db().value("select string_agg(xmin::text, ' ' order by id) from library.item");
    };
    const bool told = GENERATE(true, false);
    const std::vector<Record> gone(told ? none : std::vector<Record>{all.front()}),
        gone_marc(told ? none : marc);
    const std::string from = told ? "2024-02-01" : "";
    const int most = told ? 24 : 23;
    both(all, marc);
    const std::string before = rows();
    CHECK(both(gone, gone_marc, from).held == most);  // it is night
    CHECK(both(gone, gone_marc, from).held == most);
    CHECK(live() == 24);
    CHECK(both(all, marc).held == 0);  // and morning
    CHECK(rows() == before);
    CHECK(both(gone, gone_marc, from).gone == 0);
    db().run("update harvest.record set departing_since = departing_since - interval '1 day'");
    CHECK(both(gone, gone_marc, from).gone == most);
    CHECK(live() == 24 - most);
    both(all, marc);
    CHECK(live() == 24);
    both(gone, gone_marc, from);
    CHECK(aggregate::depart(connection(), source, true).gone == most);
    both(all, marc);
    none.resize(12);  // half of them are taken for meant
    CHECK(both(none, none, "2024-02-01").gone == 12);
}
