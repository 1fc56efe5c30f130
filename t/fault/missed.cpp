// SPDX-License-Identifier: MIT
// No record is ever missed: eight writers, a bulk load and all kinds of harvesters run at once for
// a while; then each harvester must hold what the repository holds. t/fault/missed.t starts the
// cluster and its replica, runs and kills the publishers, and shifts the clock. It writes "trouble"
// and "calm" to this program's standard input and reads the findings from its output (ledger.h).
//   missed PRIMARY REPLICA SECONDS LONGEST BULK SEED KEY_FILE
// PRIMARY and REPLICA are connection strings without a user. LONGEST is the longest time in seconds
// that a transaction stays open, BULK the number of records of the bulk load.
#include <cinttypes>
#include <functional>
#include <iostream>

#include "base/log.h"
#include "protocol/error.h"
#include "t/fault/harvester.h"
#include "t/fault/witness.h"
#include "t/fault/writer.h"

using namespace oai;
using namespace oai::fault;

namespace {

struct Options {
    std::string primary, replica;
    double seconds, longest;
    std::int64_t bulk;
    unsigned seed;
    std::string key_file;
};

constexpr int kWriters = 8;
constexpr std::int64_t kReplicaLag = 6;  // seconds: the delay that missed.t sets, and a margin

std::unique_ptr<Service> make_server(const Options& options, const std::string& reader, int records,
                                     const Clock& clock) {
    Config config;
    config.repository.name = "Fault";
    config.repository.base_url = "http://127.0.0.1/oai";
    config.repository.admin_email = {"admin@example.org"};
    config.repository.identifier_namespace = "example.org";
    config.lists.records = records;
    config.token.key_file = options.key_file;
    config.formats.directory = "xslt";
    config.database.connection = reader;
    return std::make_unique<Service>(config, clock);
}

// A database that harvesters read, the primary or the replica, with its servers and harvesters.
struct Site {
    Site(Fire& fire, const Options& options, const std::string& conninfo, std::int64_t overlap,
         const std::string& name)
        : store(store_options(conninfo)) {
        for (const int records : {13, 100, 500, 2000})
            servers.push_back(make_server(options, conninfo + " user=oai_reader", records, clock));
        const unsigned seed = options.seed + (name.empty() ? 100 : 200);
        const std::string where = name.empty() ? "" : ", " + name;
        const auto add = [&](const char* verb, const char* set, bool own_clock,
                             const std::string& words) {
            harvesters.push_back(std::make_unique<ServiceHarvester>(
                fire, servers,
                ServiceHarvester::Task{
                    words + where, verb, set, {own_clock, overlap}, name.empty()},
                board, seed + static_cast<unsigned>(harvesters.size())));
        };
        add("ListRecords", "", false, "I1: from = responseDate misses nothing, ListRecords");
        add("ListRecords", "", true, "I2: from = own clock misses nothing, ListRecords");
        if (!name.empty()) return;
        add("ListIdentifiers", "", false,
            "I1: from = responseDate misses nothing, ListIdentifiers");
        add("ListIdentifiers", "col", false, "I1: from = responseDate misses nothing, set=col");
    }
    static StoreOptions store_options(const std::string& conninfo) {
        StoreOptions out;
        out.pool.conninfo = conninfo + " user=oai_reader";
        out.pool.application_name = "missed";
        return out;
    }
    SystemClock clock;
    Store store;
    Servers servers;
    SeenBoard board;
    std::vector<std::unique_ptr<ServiceHarvester>> harvesters;
};

class Run {
  public:
    explicit Run(Options options)
        : options_(std::move(options)), owner_(options_.primary + " user=postgres", "missed") {
        fire_.longest_seconds = options_.longest;
        for (const char* check :
             {Holdings::kMoves, ServiceHarvester::kOrder, StoreHarvester::kNeverAbsent,
              HeldPage::kWhole, "writers fail only because of conflicts with each other",
              "the bulk load commits", "every answer is complete"})
            fire_.findings.declare(check);
    }
    bool run() {
        fill();
        Site primary(fire_, options_, options_.primary, 3, "");
        Site replica(fire_, options_, options_.replica, 3 + kReplicaLag, "replica");
        wait_for_replica(replica);
        std::puts("burning");
        std::fflush(stdout);
        burn(primary, replica);
        for (Site* site : {&primary, &replica}) {
            wait_for_replica(*site);
            Findings::note("all that is published is here");
            for (const auto& harvester : site->harvesters) harvester->harvest(true);
        }
        judge(primary, replica);
        return fire_.findings.print();
    }

  private:
    std::int64_t value(const pg::Statement& statement) {
        return pg::read_integer(owner_.query(statement).bytes(0, 0));
    }
    void fill() {
        owner_.script(
            "fill",
            "create schema control; create sequence control.version; create table control.record"
            " (id bigint generated always as identity primary key, stamp timestamptz not null "
            "default now());"
            "grant usage on schema control to oai_loader; grant all on control.record, "
            "control.version to "
            "oai_loader;"
            "insert into webarchiv.domain (name) values ('cz:example:www'), ('cz:example:shop');"
            "insert into webarchiv.mimetype (name) values ('text:html'), ('image:gif');"
            "insert into webarchiv.collection (name) select 'c' || i || ':d' || j from "
            "generate_series(0, 1) "
            "i,"
            " generate_series(0, 3) j;" +
                kInsert + " from generate_series(1, 3000) i");
        documents_.last = 3000;
        wait_for_queue();
    }
    void wait_for_queue() {
        static constexpr pg::Statement kQueued{"queued", "select count(*) from oai.queue"};
        const auto give_up = Stopwatch::now() + std::chrono::seconds{120 + options_.bulk / 2000};
        while (value(kQueued) > 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
            if (Stopwatch::now() > give_up)
                throw std::runtime_error("the publishers do not empty the queue");
        }
    }
    // Waits until the site shows everything that is published now.
    void wait_for_replica(Site& site) {
        static constexpr pg::Statement kLast{"last", "select last_seq from oai.horizon"};
        const auto last = value(kLast);
        const auto give_up = Stopwatch::now() + std::chrono::seconds{120};
        for (;;) {
            try {
                if (site.store.horizon().last_seq >= last) break;
            } catch (const std::exception& e) {
                if (Stopwatch::now() > give_up)
                    throw;  // the replica may not have received the schema yet
            }
            if (Stopwatch::now() > give_up)
                throw std::runtime_error("the replica does not catch up");
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
        }
        for (const auto& server : site.servers) server->read_horizon();
    }

    // Runs the work in a new thread. An exception is a finding and does not end the run.
    void start(std::vector<std::thread>& threads, std::function<void()> work) {
        threads.emplace_back([this, work = std::move(work)] {
            try {
                work();
            } catch (const std::exception& e) {
                fire_.findings.wrong("every harvester and check runs to the end", e.what());
            }
        });
    }
    void burn(Site& primary, Site& replica) {
        fire_.findings.declare("every harvester and check runs to the end");
        fire_.end = Stopwatch::now() +
                    std::chrono::microseconds{static_cast<std::int64_t>(options_.seconds * 1e6)};
        const std::string loader = options_.primary + " user=oai_loader";
        std::vector<std::thread> writers, watchers;
        start(watchers, [this] { hear(); });
        for (unsigned i = 0; i < kWriters; ++i)
            start(writers, [&, i] {
                Writer(fire_, documents_, loader, options_.longest * (i + 1) / kWriters,
                       options_.seed + i)
                    .run_until_out();
            });
        start(writers, [&] {
            std::this_thread::sleep_for(std::chrono::duration<double>(options_.seconds / 4));
            bulk_load(fire_, documents_, loader, options_.bulk);
        });
        start(writers, [&] {
            HeldPage(fire_, options_.primary + " user=oai_reader", loader_and_reader())
                .run_until_out();
        });

        Thesis thesis(loader);
        start(watchers, [&] { thesis.run_until_out(fire_); });
        for (Site* site : {&primary, &replica}) {
            for (const auto& harvester : site->harvesters)
                start(watchers, [&] { harvester->run_until_out(); });
            start(watchers, [this, site] {
                probe_get_record(fire_, site->servers, site->board, options_.seed + 50);
            });
        }
        start(watchers, [&] {
            of_store_.emplace(fire_, primary.store, Habit{}, primary.board, 300);
            of_store_->run_until_out();
        });
        start(watchers, [&] {
            StoreHarvester whole(fire_, primary.store, Habit{}, primary.board, 301);
            for (Dice dice(302); !fire_.out; Fire::pause(dice)) whole.census();
        });

        for (auto& thread : writers) thread.join();
        Findings::note("the writers rest");
        try {
            wait_for_queue();
        } catch (const std::exception& e) {  // the watching threads must still be stopped
            fire_.findings.wrong("every harvester and check runs to the end", e.what());
        }
        Findings::note("the queue is empty");
        fire_.out = true;
        for (auto& thread : watchers) thread.join();
        Findings::note("the harvesters rest");
        of_store_->harvest();
        thesis.harvest();
        thesis.judge(fire_);
    }
    // A user that may change documents as the loader does and query oai.item as the reader does.
    std::string loader_and_reader() const { return options_.primary + " user=postgres"; }

    void hear() {
        for (std::string word; std::getline(std::cin, word);)
            word == "calm" ? fire_.trouble.end() : fire_.trouble.begin();
    }

    void judge(Site& primary, Site& replica) {
        const Truth truth = Truth::read(owner_);
        for (Site* site : {&primary, &replica})
            for (const auto& harvester : site->harvesters) {
                const ServiceHarvester::Task& task = harvester->task();
                compare(harvester->holdings(), truth,
                        {task.verb == "ListRecords", !task.set.empty()}, task.name, fire_);
            }
        compare(of_store_->holdings(), truth, {false, false},
                "I1: from = responseDate misses nothing, by the store", fire_);
        judge_database();
        judge_fire();
        Findings::note(fire_.counts.text());
        fire_.lags.print();
    }
    void judge_database() {
        static constexpr pg::Statement kChunks{"chunks",
                                               "select (select count(*) from oai.check_chunks()) + "
                                               "(select count(*) from oai.check_calendar())"};
        static constexpr pg::Statement kUnpublished{
            "unpublished", "select count(*) from oai.item where seq is null"};
        static constexpr pg::Statement kFalling{
            "falling",
            "select count(*) from (select datestamp < lag(datestamp) "
            "over (order by seq) as falls from oai.item"
            " where seq is not null) x where falls"};
        for (const auto& [statement, check] :
             {std::pair{kChunks, "the chunks of all sets and the calendar are consistent"},
              std::pair{kUnpublished, "no item is left unpublished"},
              std::pair{kFalling, "datestamps never fall as seq grows"}}) {
            const auto n = value(statement);
            fire_.findings.require(n == 0, check, std::to_string(n));
        }
    }
    void judge_fire() {
        const std::pair<const char*, long> wanted[] = {
            {"commits", 50},       {"rollbacks", 5},   {"long commits", 1}, {"bulk loads", 1},
            {"changes seen", 500}, {"harvests", 100},  {"I2 harvests", 10}, {"whole lists", 2},
            {"held pages", 1},     {"GetRecords", 200}};
        for (const auto& [what, least] : wanted)
            fire_.findings.require(
                fire_.counts.of(what) >= least, std::string("enough happened: ") + what,
                std::to_string(fire_.counts.of(what)) + " of at least " + std::to_string(least));
    }

    const Options options_;
    Fire fire_;
    Documents documents_;
    pg::Connection owner_;
    std::optional<StoreHarvester> of_store_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 8) {
        std::fputs("usage: missed PRIMARY REPLICA SECONDS LONGEST BULK SEED KEY_FILE\n", stderr);
        return 2;
    }
    xml::initialise();
    log::set_level(log::Level::error);
    try {
        Run run({argv[1], argv[2], std::atof(argv[3]), std::atof(argv[4]), std::atoll(argv[5]),
                 static_cast<unsigned>(std::atoi(argv[6])), argv[7]});
        return run.run() ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("fail\tthe run itself\t%s\n", e.what());
        return 1;
    }
}
