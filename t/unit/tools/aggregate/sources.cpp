// SPDX-License-Identifier: MIT
// The harvested repositories as the database has them; what seems to be the same in several.
#include "tools/aggregate/sources.h"

#include <catch2/catch.hpp>

#include "t/unit/tools/aggregate/world.h"

using namespace oai;
using namespace oai::test;

TEST_CASE("sources: are added, listed and removed", "[aggregate][db]") {
    World world;
    const Source a = world.add(source_named("a"));
    CHECK(!aggregate::add_source(world.connection(), a));
    world.harvest(a, {record("oai:a:1", "One"), deleted("oai:a:2")});
    aggregate::note_run(world.connection(), a,
                        {.kind = harvest::HarvestResult::Kind::failed, .why = "no answer"});
    const auto status = aggregate::read_status(world.connection(), "a").at(0);
    CHECK(status.items == 1);
    CHECK(status.deleted == 1);
    CHECK(status.outcome == "failed");
    CHECK(status.problem == "no answer");
    CHECK(status.lists.at(0).complete == kWhen);
    CHECK(!aggregate::read_sources(world.connection(), {}).at(0).due);
    CHECK(aggregate::remove_source(world.connection(), a, aggregate::RecordsFate::deleted) == 1);
    CHECK(world.db().number("select count(*) from library.item where deleted") == 2);
    CHECK(world.db().number("select count(*) from harvest.record") == 0);
    const Source again = world.add(source_named("a"));  // its records are taken up again
    world.harvest(again, {record("oai:a:1", "One")});
    CHECK(world.item("a/oai:a:1", "deleted") == "f");
    CHECK(aggregate::remove_source(world.connection(), again, aggregate::RecordsFate::kept) == 0);
    CHECK(world.item("a/oai:a:1", "deleted") == "f");
}

TEST_CASE("duplicates: found by DOI, URN, identifier, or title and year", "[aggregate][db]") {
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
    const std::string wanted =
        "one=doi by doi; one=identifier by identifier; one=title by title; one=urn by urn; ";
    CHECK(found() == wanted);
    CHECK(found() == wanted);
    world.db().run("update library.item set doi = null where id = 101");
    CHECK(found() == "one=identifier by identifier; one=title by title; one=urn by urn; ");
}
