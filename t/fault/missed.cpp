// SPDX-License-Identifier: MIT
// No record is ever missed: eight writers, a bulk load and all kinds of harvesters run at once for
// a while; then each harvester must hold what the repository holds. t/fault/missed.t starts the
// cluster and its replica, runs and kills the publishers, and shifts the clock. On this program's
// standard input it writes a line "trouble" when it begins to do so, and "calm" when it has ended;
// from then on the load goes on for 0.3 SECONDS, and until enough has happened.
// Its standard output is "burning" once the load has begun, then the findings (Findings::print) and
// the lags.
//   missed MODEL PRIMARY REPLICA SECONDS LONGEST BULK SEED KEY_FILE
// MODEL is webarchiv or library. PRIMARY and REPLICA are connection strings without a user. LONGEST
// is the longest time in seconds that a transaction stays open, BULK the number of records of the
// bulk load.
#include <cinttypes>
#include <iostream>

#include "base/log.h"
#include "t/fault/feed_harvester.h"
#include "t/fault/further_checks.h"
#include "t/fault/store_harvester.h"
#include "t/lib/harvest_model/harvester.h"
#include "t/lib/harvest_model/writer.h"
#include "t/lib/wait.h"

using namespace oai;
using namespace oai::harvest_model;

namespace {

struct Options {
    const RepositoryModel& model;
    std::string primary, replica;
    double seconds, longest;
    std::int64_t bulk;
    unsigned seed;
    std::string key_file;
};

constexpr int kWriters = 8;
constexpr int kRules = 2;                // the view and the set lucky, which missed.t makes
constexpr std::int64_t kReplicaLag = 6;  // seconds: the delay that missed.t sets, and a margin

// A database that harvesters read, the primary or the replica, with its servers and harvesters.
struct Site {
    Site(RunState& state, const Options& options, const std::string& conninfo, std::int64_t overlap,
         const std::string& name)
        : store(store_options(conninfo)) {
        for (const int records : {13, 100, 500, 2000})
            for (Repository* of : {&whole, &view})
                of->servers.push_back(make_server(conninfo + " user=oai_reader", options.key_file,
                                                  records, clock, options.model,
                                                  of == &view ? "partners" : ""));
        const unsigned seed = options.seed + (name.empty() ? 100 : 200);
        const std::string where = name.empty() ? "" : ", " + name;
        const auto add = [&](const char* verb, const char* set, bool own_clock,
                             const std::string& words, Repository& of) {
            of.harvesters.push_back(std::make_unique<ServiceHarvester>(
                state, of.servers,
                ServiceHarvester::Task{
                    words + where, verb, set, {own_clock, overlap}, name.empty()},
                of.seen_records, seed + static_cast<unsigned>(of.harvesters.size())));
        };
        add("ListRecords", "", false, "I1: from = responseDate misses nothing in a view", view);
        add("ListRecords", "", false, "I1: from = responseDate misses nothing, ListRecords", whole);
        add("ListRecords", "", true, "I2: from = own clock misses nothing, ListRecords", whole);
        if (!name.empty()) return;
        add("ListRecords", "", true, "I2: from = own clock misses nothing in a view", view);
        add("ListIdentifiers", "", false, "I1: from = responseDate misses nothing, ListIdentifiers",
            whole);
        add("ListIdentifiers", "col", false, "I1: from = responseDate misses nothing, set=col",
            whole);
        add("ListIdentifiers", "lucky", false,
            "I1: from = responseDate misses nothing in a set by a rule", whole);
    }
    static StoreOptions store_options(const std::string& conninfo) {
        StoreOptions out;
        out.pool.conninfo = conninfo + " user=oai_reader";
        out.pool.application_name = "missed";
        out.prefetched_pages = 2;
        return out;
    }
    SystemClock clock;
    struct Repository {
        Servers servers;
        SeenRecords seen_records;
        std::vector<std::unique_ptr<ServiceHarvester>> harvesters;
    };
    Store store;
    Repository whole, view;
};

class Run {
  public:
    explicit Run(Options options)
        : options_(std::move(options)), owner_(options_.primary + " user=postgres", "missed") {
        state_.longest_seconds = options_.longest;
        for (const char* check : {Holdings::kMoves, ServiceHarvester::kOrder,
                                  StoreHarvester::kNeverAbsent, HeldPage::kWhole, kEveryThreadEnds,
                                  "writers fail only because of conflicts with each other",
                                  "the bulk load commits", "every answer is complete"})
            state_.findings.declare(check);
    }
    bool run() {
        fill(owner_, options_.model, documents_, 3000);
        wait_for_queue(owner_, options_.model, kRules, queue_timeout());
        Site primary(state_, options_, options_.primary, 3, "");
        Site replica(state_, options_, options_.replica, 3 + kReplicaLag, "replica");
        wait_for_replica(replica);
        std::puts("burning");
        std::fflush(stdout);
        run_load(primary, replica);
        for (Site* site : {&primary, &replica}) {
            wait_for_replica(*site);
            Findings::note("the servers show everything that is published");
            for (const Site::Repository* of : {&site->whole, &site->view})
                for (const auto& harvester : of->harvesters) harvester->harvest(true);
        }
        check(primary, replica);
        return state_.findings.print();
    }

  private:
    std::chrono::seconds queue_timeout() const {
        return std::chrono::seconds{600 + options_.bulk / 2000};
    }
    // Waits until the site shows all that is published: views may be later than the last number.
    void wait_for_replica(Site& site) {
        static constexpr pg::Statement kLast{
            "last", "select extract(epoch from h)::bigint from oai.horizon"};
        const auto last = pg::read_integer(owner_.query(kLast).bytes(0, 0));
        const auto give_up = Stopwatch::now() + std::chrono::minutes{10};
        for (;;) {
            try {
                if (site.store.horizon().h.time_since_epoch().count() >= last) break;
            } catch (const std::exception& e) {
                if (Stopwatch::now() > give_up)
                    throw;  // the replica may not have received the schema yet
            }
            if (Stopwatch::now() > give_up)
                throw std::runtime_error("the replica does not catch up");
            test::pace(std::chrono::milliseconds{100});
        }
        for (const Site::Repository* of : {&site.whole, &site.view})
            for (const auto& server : of->servers) server->read_horizon();
    }

    void start_writers(std::vector<std::thread>& writers, const std::string& loader) {
        for (unsigned i = 0; i < kWriters; ++i)
            writers.push_back(start_thread(state_, [this, &loader, i] {
                Writer(state_, documents_, loader, options_.longest * (i + 1) / kWriters,
                       options_.seed + i)
                    .run_until_end();
            }));
        writers.push_back(start_thread(
            state_,
            [&] {
                test::pace(std::chrono::duration<double>(options_.seconds / 4));
                bulk_load(state_, documents_, loader, options_.bulk);
            }));
        writers.push_back(start_thread(state_, [&] {
            HeldPage(state_, options_.primary + " user=oai_reader", loader_and_reader())
                .run_until_end();
        }));
    }
    void run_load(Site& primary, Site& replica) {
        state_.end = Stopwatch::now() + std::chrono::hours{24};
        const std::string loader = options_.primary + " user=oai_loader";
        std::vector<std::thread> writers, harvesters;
        harvesters.push_back(start_thread(state_, [this] { read_messages(); }));
        start_writers(writers, loader);
        NegativeControl control(loader);
        harvesters.push_back(start_thread(state_, [&] { control.run_until_stop(state_); }));
        for (Site::Repository* of :
             {&primary.whole, &primary.view, &replica.whole, &replica.view}) {
            for (const auto& harvester : of->harvesters)
                harvesters.push_back(start_thread(
                    state_, [&] { harvester->run_until_stop(); }));
            harvesters.push_back(start_thread(state_, [this, of] {
                check_get_record(state_, of->servers, of->seen_records, options_.seed + 50);
            }));
        }
        harvesters.push_back(start_thread(state_, [&] {
            of_store_.emplace(state_, primary.store, FromPolicy{}, primary.whole.seen_records, 300);
            of_store_->run_until_stop();
        }));
        for (Site::Repository* of : {&primary.whole, &primary.view}) {
            feeds_.push_back(
                std::make_unique<FeedHarvester>(state_, of->servers, of->seen_records, 303));
            FeedHarvester& feed = *feeds_.back();
            harvesters.push_back(start_thread(state_, [&feed] { feed.run_until_stop(); }));
        }
        harvesters.push_back(start_thread(state_, [&] {
            StoreHarvester whole(state_, primary.store, FromPolicy{}, primary.whole.seen_records,
                                 301);
            for (RandomNumbers random(302); !state_.stop; state_.pause(random))
                unless_locked(state_, [&] { whole.check_whole_list(); });
        }));

        wait_for_enough();
        state_.end = Stopwatch::now();
        for (auto& thread : writers) thread.join();
        Findings::note("the writers have stopped");
        // In a thread, because the harvesters must still be stopped if it fails.
        start_thread(state_, [&] {
            wait_for_queue(owner_, options_.model, kRules, queue_timeout());
        }).join();
        Findings::note("the queue is empty");
        state_.stop = true;
        for (auto& thread : harvesters) thread.join();
        Findings::note("the harvesters have stopped");
        of_store_->harvest();
        for (const auto& feed : feeds_) feed->harvest();
        control.harvest();
        control.check(state_);
    }
    // A user that may change documents as the loader does and query oai.item as the reader does.
    std::string loader_and_reader() const { return options_.primary + " user=postgres"; }

    void read_messages() {
        for (std::string word; std::getline(std::cin, word);)
            word == "calm" ? end_disturbance() : state_.disturbance.begin();
        end_disturbance();
    }
    void end_disturbance() {
        state_.disturbance.end();
        is_calm_ = true;
    }
    void wait_for_enough() {
        const auto pause = [] { test::pace(std::chrono::milliseconds{100}); };
        while (!is_calm_) pause();
        const auto calm = Stopwatch::now();
        const std::chrono::duration<double> least{0.3 * options_.seconds};
        while (Stopwatch::now() - calm < least) pause();
        while (!has_happened() && Stopwatch::now() - calm < std::chrono::minutes{10}) pause();
    }
    bool has_happened() const {
        return state_.lags.size() > 0 &&
               std::all_of(
                   std::begin(kWanted), std::end(kWanted),
                   [this](const auto& wanted) {
                       return state_.counts.of(wanted.first) >= wanted.second;
                   });
    }

    void check(Site& primary, Site& replica) {
        const ExpectedRecords of_whole = ExpectedRecords::read(owner_, options_.model),
                              of_view = ExpectedRecords::read(owner_, options_.model, true);
        const auto check = [&](const Holdings& holdings, const ExpectedRecords& expected,
                               const Scope& scope, const std::string& name) {
            const long compared = compare(holdings, expected, scope, name, state_);
            Findings::note(name + ": " + std::to_string(compared) + " records compared");
        };
        for (Site* site : {&primary, &replica})
            for (const Site::Repository* of : {&site->whole, &site->view})
                for (const auto& harvester : of->harvesters) {
                    const ServiceHarvester::Task& task = harvester->task();
                    check(harvester->holdings(), of == &site->view ? of_view : of_whole,
                          {task.verb == "ListRecords", task.set}, task.name);
                }
        check(of_store_->holdings(), of_whole, {false, ""},
              "I1: from = responseDate misses nothing, by the store");
        check(feeds_[0]->holdings(), of_whole, {false, ""}, "who follows the feed misses nothing");
        check(feeds_[1]->holdings(), of_view, {false, ""},
              "who follows the feed of the view misses nothing");
        check_database(owner_, state_);
        check_counts();
        Findings::note(state_.counts.text());
        state_.lags.print();
    }
    // A run in which too little happened proves nothing.
    static constexpr std::pair<const char*, long> kWanted[] = {{"commits", 50},
                                                               {"rollbacks", 5},
                                                               {"long commits", 1},
                                                               {"bulk loads", 1},
                                                               {"changes seen", 500},
                                                               {"harvests", 100},
                                                               {"harvests by own clock", 10},
                                                               {"whole lists", 2},
                                                               {"held pages", 1},
                                                               {"pages of the feed", 100},
                                                               {"GetRecords", 200}};
    void check_counts() {
        for (const auto& [what, least] : kWanted)
            state_.findings.require(
                state_.counts.of(what) >= least, std::string("enough happened: ") + what,
                std::to_string(state_.counts.of(what)) + " of at least " + std::to_string(least));
    }

    const Options options_;
    RunState state_{options_.model};
    Documents documents_;
    pg::Connection owner_;
    std::optional<StoreHarvester> of_store_;
    std::vector<std::unique_ptr<FeedHarvester>> feeds_;  // of the whole, and of the view
    std::atomic<bool> is_calm_{false};
};

}  // namespace

int main(int argc, char** argv) {
    const std::string model = argc == 9 ? argv[1] : "";
    if (model != "webarchiv" && model != "library") {
        std::fputs(
            "usage: missed webarchiv|library PRIMARY REPLICA SECONDS LONGEST BULK SEED KEY_FILE\n",
            stderr);
        return 2;
    }
    xml::initialise();
    log::set_level(log::Level::error);
    try {
        Run run({model == "library" ? kLibrary : kWebarchiv, argv[2], argv[3], std::atof(argv[4]),
                 std::atof(argv[5]), std::atoll(argv[6]), static_cast<unsigned>(std::atoi(argv[7])),
                 argv[8]});
        return run.run() ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("fail\tthe run itself\t%s\n", e.what());
        return 1;
    }
}
