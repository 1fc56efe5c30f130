// SPDX-License-Identifier: MIT
// Incremental harvests of the whole service while its repository changes, with small and large
// pages. A quarter of a thousand documents are inserted, changed, deleted, undeleted and filed into
// other sets by the shared writers (t/lib/harvest_model), some of it rolled back; harvesters poll
// with from = responseDate of their last harvest (invariant I1). In the end they hold exactly the
// records of the repository, and these are what the writers wrote.
#include "base/log.h"
#include "t/lib/harvest_model/harvester.h"
#include "t/lib/harvest_model/writer.h"
#include "t/lib/temporary_directory.h"
#include "t/lib/testdb.h"
#include "t/lib/unit_headers.h"
#include "t/lib/wait.h"

using namespace oai::harvest_model;

namespace {

constexpr auto kDuration = 4s;
constexpr unsigned kMostRounds = 75;
constexpr int kWriters = 2;

// A table of the documents as the writers' statements left them, which neither the publisher nor
// the project's triggers write: those run at a greater depth, or with oai.publisher on.
constexpr const char* kRecordWrites = R"(
create table control.written (id bigint primary key, url text, deleted boolean, removed boolean);
create function control.record_write() returns trigger language plpgsql security definer as $$
declare
    doc webarchiv.doc := case tg_op when 'DELETE' then old else new end;
begin
    insert into control.written values (doc.id, doc.url, doc.deleted, tg_op = 'DELETE')
    on conflict (id) do update set url = excluded.url, deleted = excluded.deleted, removed = excluded.removed;
    return null;
end $$;
create trigger record_write after insert or update or delete on webarchiv.doc for each row
when (pg_trigger_depth() = 0 and current_setting('oai.publisher', true) is distinct from 'on')
execute function control.record_write())";

// The differences between what the writers wrote and the records. A removed document is a deleted
// record, or none if it was never published. A deleted record keeps the sets that it had.
constexpr const char* kDifferences = R"(
with filed as (
    select d.id, array(select x from unnest(array[d.id_domain, d.id_mimetype]
                           || array(select c.id_collection from webarchiv.doc_collection c where c.id_doc = d.id)) x
                       where x is not null order by x) as set_ids,
           coalesce(d.visible_from > now() or d.visible_until <= now(), false) as hidden
    from webarchiv.doc d)
select concat_ws(' ', coalesce(w.id, r.id), w.url, w.deleted, w.removed, 'became', r.url, r.deleted, r.set_ids)
from control.written w full join oai.record r using (id) left join filed f using (id)
where case when w.id is null then true
           when w.removed then not coalesce(r.deleted, true)
           when r.id is null then true
           else w.url <> r.url or (w.deleted or f.hidden) <> r.deleted
                or not r.deleted and f.set_ids <> array(select x from unnest(r.set_ids) x order by x) end)";

// Publishes in a thread of its own, about twenty slices a second if the clock allows it.
class PublishingThread {
  public:
    PublishingThread(RunState& state, const std::string& conninfo)
        : thread_(start_thread(state, [this, conninfo] {
              pg::Connection connection(conninfo, "publisher");
              while (!stop_) {
                  connection.script("publish", "select oai.publish(200)");
                  pace(50ms);
              }
          })) {}
    ~PublishingThread() {
        stop_ = true;
        thread_.join();
    }
    PublishingThread(const PublishingThread&) = delete;
    PublishingThread& operator=(const PublishingThread&) = delete;

  private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

// A repository, one server of it with pages of so many records, and the harvesters.
class Model {
  public:
    explicit Model(int records) : records_(records), seed_(static_cast<unsigned>(records)) {
        log::set_level(log::Level::error);
        db_.install_schema();
        fill(db_.owner(), oai::harvest_model::kWebarchiv, documents_, 100);
        db_.run(kRecordWrites);
        db_.run("insert into control.written select id, url, deleted, false from webarchiv.doc");
        db_.run("select oai.publish(1)");  // makes the horizon, without which nothing is answered
        directory_.write("key", std::string(64, 'a'));
        fs::permissions(directory_.path + "/key", fs::perms::owner_read);
        servers_.push_back(
            make_server(db_.conninfo("oai_reader"), directory_.path + "/key", records, clock_));
        servers_.front()->read_horizon();
        state_.longest_seconds = 0.5;
        state_.longest_pause_seconds = 0.1;
    }

    // A slow machine gets more time, until enough has happened.
    void harvest_while_writing() {
        for (unsigned round = 0; round < kMostRounds && !has_seen_enough(); ++round)
            harvest_while_writing(seed_ + round * kWriters);
        of_records_.harvest(true);
        of_headers_.harvest(true);
    }

    void check() {
        const ExpectedRecords expected =
            ExpectedRecords::read(db_.owner(), oai::harvest_model::kWebarchiv);
        CHECK(compare(of_records_.holdings(), expected, {}, "ListRecords", state_) > 100);
        compare(of_headers_.holdings(), expected, {.versions = false}, "ListIdentifiers", state_);
        check_every_set(expected);
        check_database(db_.owner(), state_);
        CHECK(state_.findings.failures() == "");
        CHECK(db_.column(kDifferences) == Strings{});
        for (const ServiceHarvester* harvester : {&of_records_, &of_headers_})
            CHECK(harvester->largest_page() <= static_cast<std::size_t>(records_));
        CHECK(state_.counts.of("answers 503") == 0);
        check_counts();
    }

  private:
    void harvest_while_writing(unsigned seed) {
        state_.end = Stopwatch::now() + kDuration;
        state_.stop = false;
        const PublishingThread publisher(state_, db_.conninfo("oai_publisher"));
        std::vector<std::thread> writers, harvesters;
        for (unsigned i = 0; i < kWriters; ++i)
            writers.push_back(start_thread(state_, [this, i, seed] {
                Writer(state_, documents_, db_.conninfo("oai_loader"), 0.5, seed + i)
                    .run_until_end();
            }));
        for (ServiceHarvester* harvester : {&of_records_, &of_headers_})
            harvesters.push_back(
                start_thread(state_, [harvester] { harvester->run_until_stop(); }));
        for (std::thread& thread : writers) thread.join();
        start_thread(state_, [this] {
            wait_for_queue(db_.owner(), oai::harvest_model::kWebarchiv);
        }).join();
        state_.stop = true;
        for (std::thread& thread : harvesters) thread.join();
    }

    // Every set, harvested whole, has exactly the records of that set and its descendants.
    void check_every_set(const ExpectedRecords& expected) {
        for (const auto& [id, spec] : expected.specs) {
            ServiceHarvester of_set(state_, servers_, {.verb = "ListIdentifiers", .set = spec},
                                    seen_records_, seed_);
            of_set.harvest(true);
            compare(of_set.holdings(), expected,
                    {.versions = false, .set = spec, .one_harvest = true}, "set " + spec, state_);
        }
    }
    // A run in which too little happened proves nothing.
    bool has_seen_enough() const {
        return state_.counts.of("commits") >= 10 && state_.counts.of("changes seen") >= 20 &&
               state_.counts.of("harvests") >= 4;
    }
    void check_counts() {
        INFO(state_.counts.text());
        CHECK(has_seen_enough());
    }

    const int records_;
    const unsigned seed_;
    TestDb db_{"incremental"};
    const TemporaryDirectory directory_;
    const SystemClock clock_;
    RunState state_;
    Documents documents_;
    SeenRecords seen_records_;
    Servers servers_;
    ServiceHarvester of_records_{state_, servers_, {.verb = "ListRecords"}, seen_records_, seed_};
    ServiceHarvester of_headers_{
        state_, servers_, {.verb = "ListIdentifiers"}, seen_records_, seed_};
};

void check_harvests(int records) {
    Model model(records);
    model.harvest_while_writing();
    model.check();
}

}  // namespace

TEST_CASE("incremental harvests miss nothing with pages of 1 record") { check_harvests(1); }
TEST_CASE("incremental harvests miss nothing with pages of 7 records") { check_harvests(7); }
TEST_CASE("incremental harvests miss nothing with pages of 100 records") { check_harvests(100); }
