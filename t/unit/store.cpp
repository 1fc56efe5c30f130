// SPDX-License-Identifier: MIT
// The store over the real schema and the webarchiv model: what it pages through is what plain SQL says.
#include "store.h"

#include <catch2/catch.hpp>

#include <thread>

#include "error.h"
#include "pg/binary.h"
#include "t/lib/publish.h"
#include "t/lib/testdb.h"

using namespace oai;
using namespace std::chrono_literals;

namespace {

constexpr Seconds kFirst = std::chrono::sys_days(std::chrono::year(2020) / 1 / 1);

// 450 docs, 3 to a second from kFirst on, each 17th deleted; most below dom:cz, a third of them images.
constexpr const char* kDocs = R"(
    insert into webarchiv.domain (name) values ('cz:etv24:www'), ('cz:webarchiv'), ('ee:kool');
    insert into webarchiv.mimetype (name) values ('text:html'), ('image:svg~2Bxml');
    insert into webarchiv.collection (name, title) values ('culture:estonia', 'Estonian culture');
    insert into webarchiv.doc (id, archived_time, url, surt, digest, datestamp, deleted, id_domain, id_mimetype)
    select g, timestamptz '2007-01-01Z' + g * interval '1 hour', 'http://x/' || g, 'x)/' || g, 'd' || g,
           timestamptz '2020-01-01Z' + (g - 1) / 3 * interval '1 second', g % 17 = 0,
           (select id from webarchiv.domain
            where name = case g % 10 when 0 then 'ee:kool' when 1 then 'cz:webarchiv' else 'cz:etv24:www' end),
           (select id from webarchiv.mimetype where name = case g % 3 when 0 then 'image:svg~2Bxml' else 'text:html' end)
    from generate_series(1, 450) g;
    insert into webarchiv.doc_collection
    select d.id, c.id from webarchiv.doc d, webarchiv.collection c where c.name = 'culture:estonia' and d.id % 50 = 0;
    analyze;
)";

// Installing takes longer than testing, so one database serves the tests that only read.
test::TestDb& filled() {
    static std::unique_ptr<test::TestDb> db = [] {
        auto made = std::make_unique<test::TestDb>("store");
        made->install_schema();
        made->run(kDocs);
        test::publish_all(*made, 1000);
        return made;
    }();
    return *db;
}

StoreOptions options(const test::TestDb& db) {
    StoreOptions o;
    o.pool.conninfo = db.conninfo("oai_reader");
    o.pool.application_name = "store-test";
    o.pool.connections = 1;
    o.pool.max_waiters = 0;
    return o;
}

std::string timestamp(const std::optional<Seconds>& t) {
    return t ? "to_timestamp(" + std::to_string(t->time_since_epoch().count()) + ")" : "null::timestamptz";
}

// The list by plain SQL, without numbers bounds, chunks or cursors.
std::vector<std::int64_t> expected(test::TestDb& db, const ListQuery& q) {
    const std::string set = q.set ? "'" + *q.set + "'" : "null::text";
    const auto ids = db.column(
        "select i.id from oai.item i where i.seq is not null and (" + set + " is null or exists (select from oai.set s"
        " where s.id = any (i.set_ids) and (s.spec = " + set + " or s.spec like " + set + " || ':%')))"
        " and i.datestamp >= coalesce(" + timestamp(q.from) + ", '-infinity')"
        " and i.datestamp <= coalesce(" + timestamp(q.until) + ", 'infinity') order by i.seq");
    std::vector<std::int64_t> out;
    for (const auto& id : ids) out.push_back(std::stoll(id));
    return out;
}

// All pages of a list, each going on where the one before ended, as a harvester's tokens do.
std::vector<std::int64_t> walk(Store& store, ListQuery q) {
    std::vector<std::int64_t> ids;
    for (;;) {
        Listing listing = store.list(q);
        if (q.records <= 100) CHECK(store.pool().use().in_use == 0);
        int given = 0;
        for (Slice slice = listing.next(); slice.size() > 0; slice = listing.next()) {
            for (int i = 0; i < slice.size(); ++i) ids.push_back(slice.header(i).id);
            given += slice.size();
            q.after = slice.header(slice.size() - 1).seq;
        }
        CHECK(store.pool().use().in_use == 0);
        CHECK(given <= q.records);
        if (!listing.more()) return ids;
        REQUIRE(given == q.records);  // a page is never short while the list goes on
        if (listing.position().upto_fixed) q.upto = listing.position().upto;
    }
}

// The names of record i in the column that is shown under this name, of whatever kind they are.
std::vector<std::string> named(const Slice& slice, int i, std::string_view shown) {
    std::vector<int> ids;
    for (int c = 0; c < slice.columns(); ++c) {
        if (slice.shown_name(c) != shown || slice.is_null(i, c)) continue;
        REQUIRE(slice.is_named(c));
        if (slice.column_type(c) == pg::kInt4Array) pg::read_int4_array(slice.bytes(i, c), ids);
        else ids.push_back(static_cast<int>(pg::read_integer(slice.bytes(i, c))));
    }
    std::vector<std::string> names;
    for (const int id : ids) {
        const Name* name = slice.names().find(id);
        REQUIRE(name != nullptr);
        names.push_back(name->text);
    }
    return names;
}

struct Range { std::optional<Seconds> from, until; };

std::vector<Range> ranges() {
    return {{}, {kFirst + 40s, {}}, {{}, kFirst + 39s}, {kFirst + 10s, kFirst + 120s}, {kFirst + 7s, kFirst + 7s},
            {kFirst - 9s, kFirst + 9999s}, {kFirst + 9999s, {}}, {{}, kFirst - 1s}};
}

std::vector<std::optional<std::string>> sets() {
    return {std::nullopt, "dom", "dom:cz", "dom:cz:etv24:www", "dom:ee", "mim:image:svg~2Bxml", "col:culture",
            "col:culture:estonia"};
}

// Removes published docs behind the publisher's back: their numbers stay in the chunks.
void make_stale(test::TestDb& db, const std::string& which) {
    db.run("set session_replication_role = replica; delete from webarchiv.doc where " + which +
           "; reset session_replication_role");
}

}  // namespace

TEST_CASE("pages of any size give the list that plain SQL gives") {
    auto& db = filled();
    Store store(options(db));
    const int records = GENERATE(1, 7, 100, 250, 1000);
    int lists = 0;
    for (const auto& set : sets())
        for (const auto& [from, until] : ranges()) {
            const ListQuery q{.with_records = records == 7, .from = from, .until = until, .set = set, .records = records};
            const auto want = expected(db, q);
            if (want.size() > static_cast<std::size_t>(60 * records)) continue;  // many pages show no more than some
            ++lists;
            INFO(set.value_or("-") << " " << timestamp(from) << " " << timestamp(until) << " by " << records);
            REQUIRE(walk(store, q) == want);
        }
    CHECK(lists >= (records == 1 ? 30 : 60));
    CHECK(expected(db, {.set = "dom:cz"}).size() > 400);  // the comparison was not between nothings
    CHECK(expected(db, {.from = kFirst + 10s, .until = kFirst + 120s}).size() == 333);
}

TEST_CASE("stale numbers shorten no page and end no list") {
    test::TestDb db("store");
    db.install_schema();
    db.run(kDocs);
    test::publish_all(db, 1000);
    const bool all_before_last = GENERATE(false, true);
    make_stale(db, all_before_last ? "id between 2 and 448" : "id % 5 = 0 or id between 100 and 330");
    Store store(options(db));
    for (const int records : {1, 2, 7, 60, 100, 250, 1000})
        for (const auto& set : sets()) {
            const ListQuery q{.with_records = records == 60, .set = set, .records = records};
            const auto want = expected(db, q);
            if (want.size() > static_cast<std::size_t>(60 * records)) continue;
            INFO(set.value_or("-") << " by " << records << (all_before_last ? ", nearly all" : ", many"));
            REQUIRE(walk(store, q) == want);
        }
    CHECK(db.number("select count(*) from oai.set_page((select id from oai.set where spec = 'dom'), 0, 1000, 1000)") ==
          450);
}

TEST_CASE("only the tail of a set is stale: the last page says that nothing follows") {
    test::TestDb db("store");
    db.install_schema();
    db.run(kDocs);
    test::publish_all(db, 1000);
    make_stale(db, "id > 100");
    Store store(options(db));
    for (const int records : {50, 100}) {
        Listing listing = store.list({.set = "dom", .records = records, .after = records == 50 ? 50 : 0});
        CHECK(store.pool().use().in_use == 0);
        CHECK(listing.next().size() == records);
        CHECK_FALSE(listing.more());
    }
}

TEST_CASE("an unknown set is no set and has no records") {
    Store store(options(filled()));
    Listing listing = store.list({.set = "dom:none", .want_size = true});
    CHECK_FALSE(listing.position().set_exists);
    CHECK(listing.position().size == -1);
    CHECK(listing.next().size() == 0);
    CHECK_FALSE(listing.more());
    CHECK(store.pool().use().in_use == 0);
    CHECK(store.list({.set = "dom:cz"}).position().set_exists);
}

TEST_CASE("position says size, bounds and horizon") {
    auto& db = filled();
    Store store(options(db));
    const auto whole = store.list({.want_size = true}).position();
    CHECK(whole.size == 450);
    CHECK(whole.after == 0);
    CHECK(whole.upto == 450);
    CHECK_FALSE(whole.upto_fixed);
    CHECK(whole.horizon.last_seq == 450);
    CHECK(whole.horizon.earliest == kFirst);
    CHECK(std::to_string(whole.horizon.h.time_since_epoch().count()) ==
          db.value("select extract(epoch from h)::bigint from oai.horizon"));
    CHECK(std::to_string(whole.horizon.epoch) == db.value("select epoch from oai.horizon"));
    CHECK(store.horizon().epoch == whole.horizon.epoch);
    CHECK(store.list({}).position().size == -1);
    CHECK(store.list({.set = "dom:ee", .want_size = true}).position().size == 45);

    const ListQuery dated{.from = kFirst + 10s, .until = kFirst + 19s, .want_size = true};
    const auto bounds = store.list(dated).position();
    CHECK(bounds.after == 30);
    CHECK(bounds.upto == 60);
    CHECK(bounds.upto_fixed);
    CHECK(bounds.size == 30);
    ListQuery capped = dated;
    capped.count_limit = 29;
    CHECK(store.list(capped).position().size == -1);
}

TEST_CASE("a header is what the item's row says") {
    auto& db = filled();
    Store store(options(db));
    Listing listing = store.list({.set = "col:culture:estonia", .records = 1, .after = 100});
    const Slice slice = listing.next();
    REQUIRE(slice.size() == 1);
    const Header& header = slice.header(0);
    CHECK(header.id == 150);
    CHECK(header.seq == 150);
    CHECK(header.local_id == "150");
    CHECK(header.datestamp == kFirst + 49s);
    CHECK_FALSE(header.deleted);
    CHECK(slice.columns() == 0);
    std::vector<std::string_view> specs;
    store.set_specs(header.set_ids, specs);
    CHECK(specs == std::vector<std::string_view>{"dom:ee:kool", "mim:image:svg~2Bxml", "col:culture:estonia"});
    const int unknown = 2'000'000'000;
    CHECK_THROWS_AS(store.set_specs({&unknown, 1}, specs), Fault);
    CHECK(store.get("17").slice.header(0).deleted);
}

TEST_CASE("a record brings the model's columns, after a move too") {
    Store store(options(filled()));
    for (const bool by_set : {false, true}) {
        ListQuery q{.with_records = true, .records = 3, .after = 149};
        if (by_set) q.set = "dom";
        Listing listing = store.list(q);
        Slice first = listing.next();
        const Slice slice = std::move(first);
        REQUIRE(slice.size() == 3);
        CHECK(slice.column_name(0) == "url");
        CHECK(slice.column_type(0) == pg::kText);
        CHECK(slice.bytes(0, 0) == "http://x/150");
        CHECK(slice.bytes(2, 0) == "http://x/152");
        CHECK(slice.column_name(slice.columns() - 1) == "collections_id");
        CHECK(slice.shown_name(slice.columns() - 1) == "collections");
        CHECK(named(slice, 0, "collections") == std::vector<std::string>{"kool.ee", "image/svg+xml", "Estonian culture"});
        CHECK(named(slice, 0, "mimetype") == std::vector<std::string>{"image/svg+xml"});
        CHECK(named(slice, 1, "domain") == std::vector<std::string>{"webarchiv.cz"});
        CHECK(named(slice, 0, "arc").empty());
        CHECK(slice.header(1).set_ids.size() == 2);
    }
}

TEST_CASE("names are learnt as they are met, arcs by numbers of their own") {
    test::TestDb db("store");
    db.install_schema();
    db.run(kDocs);
    db.run("insert into webarchiv.arc (file) select 'f' || g || '.gz' from generate_series(1, 40) g;"
           "update webarchiv.doc set id_arc = 1 + id % 40");
    test::publish_all(db, 1000);
    Store store(options(db));
    CHECK(named(store.get("79").slice, 0, "arc") == std::vector<std::string>{"f40.gz"});
    Listing listing = store.list({.with_records = true, .set = "dom:cz:webarchiv", .records = 45});
    const Slice slice = listing.next();
    REQUIRE(slice.size() == 45);
    for (int i = 0; i < 45; ++i) {
        CHECK(named(slice, i, "arc") ==
              std::vector<std::string>{"f" + std::to_string(1 + slice.header(i).id % 40) + ".gz"});
        CHECK(named(slice, i, "domain") == std::vector<std::string>{"webarchiv.cz"});
    }
    db.run("insert into webarchiv.arc (id, file) values (400, 'new.gz');"
           "update webarchiv.doc set id_arc = 400 where id = 79");
    CHECK(named(store.get("79").slice, 0, "arc") == std::vector<std::string>{"new.gz"});
}

TEST_CASE("get finds what is published under exactly this name") {
    Store store(options(filled()));
    const auto found = store.get("150");
    REQUIRE(found.slice.size() == 1);
    CHECK(found.slice.header(0).id == 150);
    CHECK(found.slice.bytes(0, 0) == "http://x/150");
    CHECK(found.horizon.last_seq == 450);
    std::vector<std::string_view> specs;
    store.set_specs(found.slice.header(0).set_ids, specs);
    CHECK(specs.size() == 3);
    CHECK(store.get("150", false).slice.columns() == 0);
    for (const char* other : {"451", "0150", "+150", "", "x", "99999999999999999999"}) {
        const auto none = store.get(other);
        CHECK(none.slice.size() == 0);
        CHECK(none.horizon.last_seq == 450);
    }
}

TEST_CASE("sets come by id, ancestors too") {
    auto& db = filled();
    Store store(options(db));
    std::vector<std::string> specs;
    int after = 0;
    for (;;) {
        const auto page = store.sets(after, 4);
        CHECK(page.horizon.last_seq == store.horizon().last_seq);
        if (page.sets.empty()) break;
        for (const auto& set : page.sets) {
            CHECK(set.id > after);
            after = set.id;
            specs.push_back(set.spec);
            CHECK(set.description.empty());
        }
    }
    CHECK(specs == db.column("select spec from oai.set order by id"));
    CHECK(specs.size() == 15);
}

TEST_CASE("what a list has shown is lost when the database went on from an earlier state") {
    test::TestDb db("store_fork");
    db.install_schema();
    db.run("insert into oai.fork (datestamp, seq) values ('2020-01-01T00:00:10Z', 100), ('2020-01-01T00:00:20Z', 300);"
           "update oai.horizon set h = '2020-01-01T00:00:30Z', last_seq = 400");
    Store store(options(db));
    CHECK_FALSE(store.sets(0, 1).lost);
    const std::tuple<std::int64_t, int, bool> cases[] = {  // up to number, at second, lost
        {100, 9, false}, {101, 9, true}, {101, 10, false}, {300, 19, false}, {301, 19, true}, {301, 20, false}};
    for (const auto& [seq, second, lost] : cases) {
        const Seen seen{seq, kFirst + std::chrono::seconds{second}};
        CHECK(store.list({.after = 10, .seen = seen}).position().lost == lost);
        CHECK(store.sets(0, 1, seen).lost == lost);
    }
}

TEST_CASE("stop reads no further than to know whether more follows") {
    Store store(options(filled()));
    for (const bool by_set : {false, true}) {
        ListQuery q{.records = 1000};
        if (by_set) q.set = "dom";
        Listing listing = store.list(q);
        CHECK(store.pool().use().in_use == 1);
        CHECK(listing.next().size() == 100);
        CHECK(store.pool().use().in_use == 1);
        listing.stop();
        CHECK(store.pool().use().in_use == 0);
        CHECK(listing.more());
        CHECK(listing.next().size() == 0);

        q.after = 350;
        Listing tail = store.list(q);
        CHECK(tail.next().size() == 100);
        tail.stop();
        CHECK_FALSE(tail.more());
        CHECK(store.pool().use().in_use == 0);

        Listing unread = store.list(q);
        unread.stop();
        CHECK(unread.more());
        CHECK(store.pool().use().in_use == 0);
    }
    { Listing dropped = store.list({.records = 1000}); }
    CHECK(store.pool().use().in_use == 0);
    CHECK(store.list({}).next().size() == 100);
}

TEST_CASE("a repository not yet numbered is unavailable, an empty one is not") {
    test::TestDb db("store");
    db.install_schema();
    Store store(options(db));
    CHECK_THROWS_AS(store.horizon(), Unavailable);
    CHECK_THROWS_AS(store.list({}), Unavailable);
    CHECK_THROWS_AS(store.get("1"), Unavailable);
    CHECK(store.pool().use().in_use == 0);
    test::publish_all(db, 1000);
    const Horizon horizon = store.horizon();
    CHECK(horizon.earliest == horizon.h);
    Listing listing = store.list({.want_size = true});
    CHECK(listing.position().size == 0);
    CHECK(listing.next().size() == 0);
    CHECK_FALSE(listing.more());
}

TEST_CASE("a record that breaks the contract is a fault that names the column") {
    test::TestDb db("store");
    db.install_schema();
    db.run(kDocs);
    test::publish_all(db, 1000);
    const auto replace_record = [&](const std::string& columns) {
        db.run("drop view oai.record; create view oai.record as select " + columns +
               " from oai.item; grant select on oai.record to oai_reader");
    };
    Store store(options(db));
    replace_record("id, seq, local_id, datestamp::timestamp, deleted, set_ids");
    CHECK_THROWS_WITH(store.list({.with_records = true}),
                      Catch::Contains("datestamp timestamp with time zone as column 4"));
    CHECK_THROWS_AS(store.get("1"), Fault);
    replace_record("id, seq, local_id as name, datestamp, deleted, set_ids");
    CHECK_THROWS_WITH(store.list({.with_records = true}), Catch::Contains("local_id text as column 3, not name"));
    replace_record("id, seq, local_id, datestamp, deleted");
    CHECK_THROWS_WITH(store.list({.with_records = true}), Catch::Contains("column 6, but there is none"));
    replace_record("id, seq, local_id, datestamp, nullif(deleted, false) as deleted, set_ids");
    CHECK_THROWS_WITH(store.list({.with_records = true}), Catch::Contains("oai.item 1: deleted"));
    db.run("update oai.set_chunk set seqs = array[5, 4, 6]");
    CHECK_THROWS_WITH(store.list({.set = "dom"}), Catch::Contains("do not ascend"));
    CHECK(store.list({}).next().size() == 100);
}

TEST_CASE("the serving session can only read, and its settings are made") {
    auto& db = filled();
    StoreOptions o = options(db);
    o.statement_timeout = 4321ms;
    Store store(o);
    auto lease = store.pool().take();
    const auto setting = [&](std::string_view name) {
        return std::string(
            lease->query({"show", "select current_setting($1)"}, pg::Parameters().add(name)).bytes(0, 0));
    };
    CHECK(setting("default_transaction_read_only") == "on");
    CHECK(setting("statement_timeout") == "4321ms");
    CHECK(setting("idle_in_transaction_session_timeout") == "4321ms");
    for (const char* off : {"jit", "enable_seqscan", "enable_bitmapscan"}) CHECK(setting(off) == "off");
    CHECK(setting("enable_sort") == "on");
    CHECK_THROWS_AS(lease->query({"write", "create temporary table x ()"}), pg::Error);
}

TEST_CASE("a backend killed in mid-list is unavailable, and the next request works") {
    auto& db = filled();
    Store store(options(db));
    const auto kill_readers = [&] {
        db.value("select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'store-test'"
                 " and datname = '" + db.name() + "'");
    };
    {
        Listing listing = store.list({.records = 1000});
        CHECK(listing.next().size() == 100);
        kill_readers();
        // A slice is asked for while the one before it is worked on: one more may have arrived in time.
        int arrived = 0;
        try {
            while (listing.next().size() > 0) ++arrived;
            FAIL("the backend is gone");
        } catch (const pg::Error& e) {
            CHECK(e.unavailable());
        }
        CHECK(arrived <= 1);
    }
    CHECK(store.list({}).next().size() == 100);
    kill_readers();
    CHECK(store.list({}).next().size() == 100);
}

TEST_CASE("many threads ask one store") {
    auto& db = filled();
    StoreOptions o = options(db);
    o.pool.connections = 3;
    o.pool.max_waiters = 16;
    o.pool.max_wait = 20s;
    Store store(o);
    const auto want = expected(db, {.set = "dom:cz"});
    std::vector<std::vector<std::int64_t>> got(6);
    std::vector<int> specs(6);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < got.size(); ++t)
        threads.emplace_back([&, t] {
            Listing listing = store.list({.set = "dom:cz", .records = 1000});
            for (Slice slice = listing.next(); slice.size() > 0; slice = listing.next())
                for (int i = 0; i < slice.size(); ++i) {
                    got[t].push_back(slice.header(i).id);
                    std::vector<std::string_view> names;
                    store.set_specs(slice.header(i).set_ids, names);
                    specs[t] += static_cast<int>(names.size());
                }
        });
    for (auto& thread : threads) thread.join();
    for (std::size_t t = 0; t < got.size(); ++t) {
        CHECK(got[t] == want);
        CHECK(specs[t] >= static_cast<int>(2 * want.size()));
    }
}
