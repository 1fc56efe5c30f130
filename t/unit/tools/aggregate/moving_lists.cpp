// SPDX-License-Identifier: MIT
// A made-up provider whose tokens are offsets into a list that moves: while it is walked, records
// are added, changed, deleted and moved from set to set at random, and told or not, by seconds or
// by days. What is here equals what is there after the next harvest in which nothing moves, and
// nothing that is live there was ever deleted here. Some seeds; in full a thousand, or those that
// OAI_SEEDS=FIRST-LAST names.

#include "t/unit/tools/aggregate/world.h"
#include "t/unit/tools/http_client/server.h"
#include "tools/harvest/harvest.h"
#include "tools/http_client/client.h"

namespace {

std::string argument(const std::string& request, const std::string& name) {
    const auto end = request.find(" HTTP/");
    auto at = request.find('?');
    while (at < end) {
        const auto next = std::min(request.find('&', at + 1), end);
        if (request.compare(at + 1, name.size() + 1, name + "=") == 0)
            return request.substr(at + name.size() + 2, next - at - name.size() - 2);
        at = next;
    }
    return "";
}

class MovingProvider {
  public:
    struct Kept {
        int number, version;
        std::int64_t stamp, order;
        bool deleted, in_set;
    };

    explicit MovingProvider(unsigned seed)
        : dice_(seed),
          tells_(dice_() % 2 == 0),
          sized_(!tells_ || dice_() % 2 == 0),
          has_days_(dice_() % 3 == 0) {
        for (int n = 0; n < 25; ++n) write(0);
    }
    bool tells_deletions() const { return tells_; }
    bool tells_sizes() const { return sized_; }

    std::string answer(const std::string& request) {
        if (busy_ > 0 && dice_() % 3 == 0) write(static_cast<int>(dice_() % busy_));
        now_ += dice_() % 2;
        const std::string verb = argument(request, "verb");
        std::string body = fmt::format("<OAI-PMH><responseDate>{}</responseDate>", date(now_));
        if (verb == "Identify")
            body += fmt::format(
                "<Identify><protocolVersion>2.0</protocolVersion><deletedRecord>{}</deletedRecord>"
                "<granularity>{}</granularity></Identify>",
                tells_ ? "persistent" : "no", has_days_ ? "YYYY-MM-DD" : "YYYY-MM-DDThh:mm:ssZ");
        else if (verb == "GetRecord")
            body += record_of(argument(request, "identifier"));
        else if (verb == "ListSets")
            body += "<error code=\"noSetHierarchy\"/>";
        else
            body += list(verb, request);
        return http::test::answer("200 OK", "", body + "</OAI-PMH>");
    }
    // 0 adds, 1 changes, 2 deletes, 3 moves a record into the set or out of it.
    void write(int what) {
        now_ += dice_() % 2;
        if (what == 0) {
            const bool in_set = dice_() % 2 == 0;
            records_.push_back({next_number_++, 1, now_, next_order_++, false, in_set});
            return;
        }
        std::vector<std::size_t> live;
        for (std::size_t i = 0; i < records_.size(); ++i)
            if (!records_[i].deleted) live.push_back(i);
        if (live.size() < 10) return;
        Kept& one = records_[live[dice_() % live.size()]];
        if (what == 2 && !tells_) {
            records_.erase(records_.begin() + (&one - records_.data()));
            return;
        }
        one.deleted = what == 2;
        if (what == 3) one.in_set = !one.in_set;
        ++one.version;
        one.stamp = now_;
        one.order = next_order_++;
    }
    void pass(int writes) {
        for (int i = 0; i < writes; ++i) write(static_cast<int>(dice_() % 4));
        now_ += has_days_ && dice_() % 2 == 0 ? 60'000 : 1000;
    }
    // kinds: of write(), how many of them happen within requests.
    void set_busy(unsigned kinds) { busy_ = kinds; }
    bool is_live(int number) const {
        return std::any_of(
            records_.begin(), records_.end(),
            [&](const Kept& k) { return k.number == number && !k.deleted; });
    }
    // number -> version of what is live, and in the set if one is asked for.
    std::map<int, int> live(bool of_set) const {
        std::map<int, int> all;
        for (const Kept& k : records_)
            if (!k.deleted && (!of_set || k.in_set)) all[k.number] = k.version;
        return all;
    }
    unsigned throw_dice(unsigned sides) { return static_cast<unsigned>(dice_()) % sides; }

  private:
    std::string stamp(const Kept& k) const { return date(k.stamp).substr(0, has_days_ ? 10 : 20); }
    static std::string date(std::int64_t at) {
        return fmt::format("2024-01-{:02}T{:02}:{:02}:{:02}Z", 1 + at / 86400, at / 3600 % 24,
                           at / 60 % 60, at % 60);
    }
    std::string header(const Kept& k) const {
        return fmt::format(
            "<header{}><identifier>r{}</identifier><datestamp>{}</datestamp>{}</header>",
            k.deleted ? " status=\"deleted\"" : "", k.number, stamp(k),
            k.in_set ? "<setSpec>s</setSpec>" : "<setSpec>other</setSpec>");
    }
    std::string record(const Kept& k) const {
        const std::string title = fmt::format("<dc:title>{}</dc:title>", k.version);
        return "<record>" + header(k) +
               (k.deleted ? "" : "<metadata>" + dc(title) + "</metadata>") + "</record>";
    }
    std::string record_of(const std::string& identifier) const {
        for (const Kept& k : records_)
            if ("r" + std::to_string(k.number) == identifier)
                return "<GetRecord>" + record(k) + "</GetRecord>";
        return "<error code=\"idDoesNotExist\"/>";
    }
    std::string list(const std::string& verb, const std::string& request) {
        std::string from = argument(request, "from"), set = argument(request, "set");
        std::size_t offset = 0;
        if (const std::string token = argument(request, "resumptionToken"); !token.empty()) {
            offset = std::stoul(token);
            const auto first = token.find('_'), second = token.find('_', first + 1);
            from = token.substr(first + 1, second - first - 1);
            set = token.substr(second + 1);
        }
        for (auto at = from.find("%3A"); at != from.npos; at = from.find("%3A"))
            from.replace(at, 3, ":");
        std::vector<Kept> all;
        for (const Kept& k : records_)
            if (stamp(k) >= from && (set.empty() || k.in_set)) all.push_back(k);
        std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) {
            return std::pair(a.stamp, a.order) < std::pair(b.stamp, b.order);
        });
        if (offset >= all.size() && offset > 0)
            return fmt::format("<{0}><resumptionToken/></{0}>", verb);
        if (all.empty()) return "<error code=\"noRecordsMatch\"/>";
        std::string out = "<" + verb + ">";
        const std::size_t end = std::min(all.size(), offset + 4);
        for (std::size_t i = offset; i < end; ++i)
            out += verb == "ListRecords" ? record(all[i]) : header(all[i]);
        const std::string size = sized_ ? fmt::format(" completeListSize=\"{}\"", all.size()) : "";
        out += fmt::format("<resumptionToken{}>{}</resumptionToken>", size,
                           end == all.size() ? "" : fmt::format("{}_{}_{}", end, from, set));
        return out + "</" + verb + ">";
    }

    std::mt19937 dice_;
    const bool tells_, sized_, has_days_;
    unsigned busy_ = 0;
    int next_number_ = 1;
    std::int64_t now_ = 1000, next_order_ = 1;
    std::vector<Kept> records_;
};

// One source through some harvests under writers, and one without. Returns what is wrong.
std::string live_with(World& world, unsigned seed) {
    MovingProvider provider(seed);
    const http::test::Server server(
        [&](const std::string& request) { return provider.answer(request); });
    Source source = source_named("s" + std::to_string(seed));
    source.base_url = server.url("/oai");
    source.delete_missing = true;
    const bool by_set = provider.throw_dice(4) == 0;
    if (by_set) source.sets = {"s"};
    source = world.add(source);
    const auto here = [&](bool deleted) {
        std::map<int, int> all;
        for (const std::string& row : world.db().column(fmt::format(
                 "select substr(r.identifier, 2) || ' ' || coalesce(i.title[1], '0') from "
                 "harvest.record r join library.item i on i.id = r.id_item where r.id_repository = "
                 "{} and {} i.deleted",
                 source.id, deleted ? "" : "not")))
            all[std::stoi(row)] = std::stoi(row.substr(row.find(' ')));
        return all;
    };
    // most: records of each list after which the run stops, and the next one goes on; 0: none.
    const auto harvest = [&](bool full, std::int64_t most) {
        http::Client client(http::ClientOptions{});
        harvest::HarvestRequest request;
        request.url = source.base_url;
        request.set_specs = source.sets;
        request.departures = by_set;
        request.full = full;
        request.max_records = most;
        world.run(source, [&](DatabaseSink& sink) {
            const auto outcome = harvest::harvest(client, request, sink, world.listener());
            sink.flush();
            REQUIRE((outcome.kind == harvest::HarvestResult::Kind::complete ||
                     (most > 0 && outcome.kind == harvest::HarvestResult::Kind::stopped)));
        });
    };
    const unsigned rounds = 1 + provider.throw_dice(3);  // a fourth is believed
    for (unsigned round = 0; round < rounds; ++round) {
        // Who leaves a set in mid-list leaves no sign in one without sizes, when all is new here.
        provider.set_busy(provider.tells_sizes() || round > 0 ? 4 : 3);
        harvest(provider.throw_dice(4) == 0,
                provider.throw_dice(4) == 0 ? 1 + provider.throw_dice(30) : 0);
        provider.set_busy(0);
        for (const auto& [number, version] : here(true))
            if (!by_set && provider.is_live(number))
                return fmt::format("seed {}: {} is deleted here and live there", seed, number);
        provider.pass(static_cast<int>(provider.throw_dice(12)));
    }
    harvest(!provider.tells_deletions(), 0);
    if (here(false) == provider.live(by_set)) return "";
    std::string out =
        fmt::format("seed {} (tells {}, by set {}):", seed, provider.tells_deletions(), by_set);
    for (const auto& [number, version] : provider.live(by_set))
        if (!here(false).contains(number) || here(false)[number] != version)
            out += fmt::format(" {} of version {} is missing;", number, version);
    for (const auto& [number, version] : here(false))
        if (!provider.live(by_set).contains(number)) out += fmt::format(" {} is left;", number);
    return out;
}

}  // namespace

TEST_CASE("a list that moves is known to be one") {
    World world;
    const char* const named = std::getenv("OAI_SEEDS");
    const bool in_full = std::getenv("OAI_TEST_LONG") != nullptr;
    unsigned first = 1, last = in_full ? 1000 : 24;
    if (named != nullptr) {
        first = static_cast<unsigned>(std::stoul(named));
        last = static_cast<unsigned>(
            std::stoul(std::string(named).substr(std::string(named).find('-') + 1)));
    }
    std::string wrong;
    for (unsigned seed = first; seed <= last; ++seed)
        if (const std::string is = live_with(world, seed); !is.empty()) wrong += is + "\n";
    CHECK(wrong == "");
}

TEST_CASE("a record that cannot be taken is one record, kept by name") {
    World world;
    world.db().run("alter table library.item add constraint odd check (title[1] <> 'Odd')");
    bool mended = false;
    Strings froms;
    const auto metadata = [](const std::string& title) {
        return "<metadata>" + dc("<dc:title>" + title + "</dc:title>") + "</metadata>";
    };
    const auto header = [](const std::string& identifier) {
        return "<header>" +
               (identifier.empty() ? "" : "<identifier>" + identifier + "</identifier>") +
               "<datestamp>2024-01-01</datestamp></header>";
    };
    const std::map<std::string, std::pair<std::string, std::string>> records{
        // what it is at first, and when it is mended
        {"good", {header("good") + metadata("G"), header("good") + metadata("G")}},
        {"broken",
         {header("broken") + "<metadata><dc></metadata>", header("broken") + metadata("B")}},
        {"nameless", {header("") + metadata("N"), header("named") + metadata("N")}},
        {std::string(700, 'x'), {header(std::string(700, 'x')) + metadata("L"), ""}},
        {"empty", {header("empty"), header("empty") + metadata("E")}},
        {"odd", {header("odd") + metadata("Odd"), header("odd") + metadata("Even")}}};
    const http::test::Server server([&](const std::string& request) {
        const std::string verb = argument(request, "verb");
        std::string body = "<responseDate>2024-02-01T00:00:00Z</responseDate>";
        const auto record = [&](const auto& one) {
            const std::string& text = mended ? one.second : one.first;
            return text.empty() ? "" : "<record>" + text + "</record>";
        };
        if (verb == "Identify") {
            body +=
                "<Identify><protocolVersion>2.0</protocolVersion>"
                "<granularity>YYYY-MM-DD</granularity></Identify>";
        } else if (verb == "GetRecord") {
            const auto one = records.find(argument(request, "identifier"));
            body += one == records.end() || record(one->second).empty()
                        ? "<error code=\"idDoesNotExist\"/>"
                        : "<GetRecord>" + record(one->second) + "</GetRecord>";
        } else if (verb == "ListRecords") {
            const bool one_day = !argument(request, "until").empty();
            if (!one_day) froms.push_back(argument(request, "from"));
            if (!froms.back().empty() && !mended && !one_day) {
                body += "<error code=\"noRecordsMatch\"/>";
            } else {
                body += "<ListRecords>";
                for (const auto& [name, one] : records) body += record(one);
                body += "</ListRecords>";
            }
        } else {
            body += "<error code=\"noSetHierarchy\"/>";
        }
        return http::test::answer("200 OK", "", "<OAI-PMH>" + body + "</OAI-PMH>");
    });
    Source source = source_named("s");
    source.base_url = server.url("/oai?key=secret");
    source = world.add(source);
    const auto harvest = [&] {
        http::Client client(http::ClientOptions{});
        harvest::HarvestRequest request;
        request.url = source.base_url;
        request.retry_limits.first_wait = 0s;
        harvest::HarvestResult outcome;
        world.run(
            source,
            [&](DatabaseSink& sink) {
                outcome = harvest::harvest(client, request, sink, world.listener());
                sink.flush();
                aggregate::note_run(world.connection(), source, {outcome});
            });
        return outcome.kind;
    };
    const auto status = [&] { return aggregate::read_status(world.connection(), "s").at(0); };
    for (int run = 1; run <= 2; ++run) {
        CHECK(harvest() == harvest::HarvestResult::Kind::complete);
        const aggregate::SourceStatus is = status();
        CHECK(is.state == "healthy");
        CHECK(is.items == 1);
        CHECK(is.refused_records == 5);
        std::string names;
        for (const auto& r : is.refused)
            names += r.identifier.substr(0, 20) + " " + std::to_string(r.tries) + "\n";
        CAPTURE(names);
        for (const char* const name : {"broken", "empty", "odd", "(no identifier) 2024", "xxx"})
            CHECK_THAT(names, Contains(name));
    }
    CHECK(froms.front().empty());
    CHECK(froms.back() == "2024-02-01");
    CHECK_THAT(world.item("s/good", "origin::text"), !Contains("secret"));
    mended = true;
    CHECK(harvest() == harvest::HarvestResult::Kind::complete);
    CHECK(status().items == 5);  // the one without an identifier has one now
    CHECK(world.item("s/named", "title[1]") == "N");
    std::string left;
    for (const auto& r : status().refused) left += r.identifier.substr(0, 3) + " ";
    CHECK(left == "xxx ");  // it is never asked for
    world.db().run("alter table library.item drop constraint odd");
}
