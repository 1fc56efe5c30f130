// SPDX-License-Identifier: MIT
// The documents that the tests of the store page through, and the lists that plain SQL gives of
// them.
#pragma once

#include "store/store.h"
#include "t/lib/publish.h"
#include "t/lib/testdb.h"
#include "t/lib/unit_headers.h"

namespace oai::test {

inline constexpr Seconds kFirst = std::chrono::sys_days(std::chrono::year(2020) / 1 / 1);

// 450 docs, 3 to a second from kFirst on, each 17th deleted; most below dom:cz, a third of them
// images.
inline const std::string kDocs = R"(
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

// A database of its own with the documents, published.
struct Filled : TestDb {
    explicit Filled(const std::string& name = "store", const std::string& more = "")
        : TestDb(name) {
        install_schema();
        run(kDocs + more);
        publish_all(*this, 1000);
    }
};

// Installing takes longer than testing, so one database serves the tests that only read.
inline TestDb& filled() {
    static Filled db;
    return db;
}

inline StoreOptions options(const TestDb& db) {
    StoreOptions o;
    o.pool.conninfo = db.conninfo("oai_reader");
    o.pool.application_name = "store-test";
    o.pool.connections = 1;
    o.pool.max_waiters = 0;
    return o;
}

// What a test has that only reads.
struct Reading {
    TestDb& db = filled();
    Store store{options(db)};
};

inline std::string timestamp(const std::optional<Seconds>& t) {
    return t ? "to_timestamp(" + std::to_string(t->time_since_epoch().count()) + ")"
             : "null::timestamptz";
}

// The list by plain SQL, without numbers bounds, chunks or cursors.
inline std::vector<std::int64_t> expected(TestDb& db, const ListQuery& q) {
    const std::string set = q.set ? "'" + *q.set + "'" : "null::text";
    const auto ids = db.column(
        "select i.id from oai.item i where i.seq is not null and (" + set +
        " is null or exists (select from oai.set s where s.id = any (i.set_ids) and (s.spec = " +
        set + " or s.spec like " + set + " || ':%'))) and i.datestamp >= coalesce(" +
        timestamp(q.from) + ", '-infinity') and i.datestamp <= coalesce(" + timestamp(q.until) +
        ", 'infinity') order by i.seq");
    std::vector<std::int64_t> out;
    for (const auto& id : ids) out.push_back(std::stoll(id));
    return out;
}

}  // namespace oai::test
