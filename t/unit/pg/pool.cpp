// SPDX-License-Identifier: MIT
#include "pg/pool.h"

#include "pg/binary.h"
#include "t/lib/testdb.h"
#include "t/lib/unit_headers.h"
#include "t/lib/wait.h"

namespace {

constexpr pg::Statement kPid{"pid", "select pg_backend_pid()"};

std::int64_t pid(pg::Pool::Lease& lease) {
    return pg::read_integer(lease->query(kPid).bytes(0, 0));
}

pg::PoolOptions options(int connections, int max_waiters, std::chrono::milliseconds max_wait) {
    pg::PoolOptions o;
    o.conninfo = cluster_conninfo();
    o.application_name = "pool-test";
    o.connections = connections;
    o.max_waiters = max_waiters;
    o.max_wait = max_wait;
    return o;
}

// Waits until n threads wait for a connection. The tests wait for a state of the pool, not for a
// length of time.
void await_waiters(const pg::Pool& pool, int n) {
    REQUIRE(wait_until([&] { return pool.stats().waiting >= n; }));
}

void terminate(std::int64_t backend) {
    pg::Connection(cluster_conninfo(), "killer")
        .query({"kill", "select pg_terminate_backend($1::int, 5000)"},
               pg::Parameters().add(backend));
}

}  // namespace

TEST_CASE("a connection given back is the next one taken") {
    pg::Pool pool(options(2, 0, 0ms));
    CHECK(pool.stats().idle == 0);
    std::int64_t first = 0;
    {
        auto lease = pool.acquire();
        first = pid(lease);
        auto moved = std::move(lease);
        CHECK(pool.stats().in_use == 1);
    }
    CHECK(pool.stats().in_use == 0);
    CHECK(pool.stats().idle == 1);
    auto lease = pool.acquire();
    CHECK(pid(lease) == first);
    auto other = pool.acquire();
    CHECK(pid(other) != first);
}

TEST_CASE("Busy is thrown at once beyond max_waiters, else after max_wait") {
    {
        pg::Pool pool(options(1, 1, 1h));
        std::optional<pg::Pool::Lease> held(pool.acquire());
        std::thread waiter([&] { pool.acquire(); });
        await_waiters(pool, 1);
        CHECK_THROWS_AS(pool.acquire(), pg::Busy);  // an hour would be noticed
        held.reset();
        waiter.join();
        CHECK(pool.stats().waiting == 0);
    }
    pg::Pool pool(options(1, 1, 200ms));
    const auto held = pool.acquire();
    const auto began = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(pool.acquire(), pg::Busy);
    CHECK(std::chrono::steady_clock::now() - began >= 200ms);
    CHECK(pool.stats().waiting == 0);
}

TEST_CASE("waiting threads are served in the order in which they came") {
    pg::Pool pool(options(1, 4, 1h));
    std::vector<int> served;  // written only by the thread that holds the one connection
    std::vector<std::thread> threads;
    {
        const auto held = pool.acquire();
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                const auto lease = pool.acquire();
                served.push_back(i);
            });
            await_waiters(pool, i + 1);
        }
    }
    for (auto& thread : threads) thread.join();
    CHECK(served == std::vector{0, 1, 2, 3});
}

TEST_CASE("there are never more connections than the limit, and every thread gets one") {
    pg::Pool pool(options(3, 16, 1h));
    std::atomic<int> now{0}, most{0}, served{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 12; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                auto lease = pool.acquire();
                const int mine = ++now;
                for (int seen = most; seen < mine && !most.compare_exchange_weak(seen, mine);)
                    continue;
                pid(lease);
                --now;
                ++served;
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(served == 240);
    CHECK(most <= 3);
    CHECK(pool.stats().idle <= 3);
    CHECK(pool.stats().in_use == 0);
}

TEST_CASE("a connection is not used beyond max_age") {
    auto o = options(1, 0, 0ms);
    SECTION("young") {
        pg::Pool pool(o);
        const auto first = [&] {
            auto lease = pool.acquire();
            return pid(lease);
        };
        CHECK(first() == first());
    }
    SECTION("old") {
        o.max_age = 0s;
        pg::Pool pool(o);
        const auto first = [&] {
            auto lease = pool.acquire();
            return pid(lease);
        };
        CHECK(first() != first());
    }
}

TEST_CASE("prefer_primary() replaces all connections, by ones to the primary if there is one") {
    auto o = options(2, 0, 0ms);
    // The only server is a primary: it is not found while conninfo asks for a standby, but
    // prefer_primary() finds it.
    const bool wants_standby = GENERATE(false, true);
    if (wants_standby) o.conninfo += " target_session_attrs=standby";
    pg::Pool pool(o);
    if (wants_standby) {
        CHECK_THROWS_AS(pool.acquire(), pg::Error);
        pool.prefer_primary(60s);
        auto lease = pool.acquire();
        CHECK(pid(lease) > 0);
        return;
    }
    std::int64_t idle = 0, used = 0;
    {
        auto a = pool.acquire();
        {
            auto b = pool.acquire();
            idle = pid(b);
        }
        used = pid(a);
        pool.prefer_primary(0s);
    }
    auto a = pool.acquire(), b = pool.acquire();
    for (const auto now : {pid(a), pid(b)}) {
        CHECK(now != idle);
        CHECK(now != used);
    }
}

TEST_CASE("an open transaction is rolled back before the connection is taken again") {
    pg::Pool pool(options(1, 0, 0ms));
    {
        auto lease = pool.acquire();
        lease->query({"begin", "begin"});
        CHECK_THROWS_AS(lease->query({"bad", "select 1/0"}), pg::Error);
    }
    auto lease = pool.acquire();
    CHECK_FALSE(lease->in_transaction());
    CHECK(pid(lease) > 0);
}

TEST_CASE("a connection that broke while in use is replaced") {
    pg::Pool pool(options(1, 0, 0ms));
    {
        auto lease = pool.acquire();
        terminate(pid(lease));
        CHECK_THROWS_AS(pid(lease), pg::Error);
    }
    CHECK(pool.stats().idle == 0);
    auto lease = pool.acquire();
    CHECK(pid(lease) > 0);
}

TEST_CASE("a connection lost while idle makes no request fail") {
    pg::Pool pool(options(2, 0, 0ms));
    std::int64_t first = 0, second = 0;
    {
        auto a = pool.acquire(), b = pool.acquire();
        first = pid(a);
        second = pid(b);
    }
    terminate(first);
    terminate(second);
    auto a = pool.acquire(), b = pool.acquire();
    CHECK(pid(a) != first);
    CHECK(pid(b) != second);
}

TEST_CASE("settings are applied to every connection and override those of the role") {
    auto o = options(1, 0, 0ms);
    o.conninfo += " options='-c statement_timeout=5'";
    o.settings = {{"statement_timeout", "4711ms"}, {"jit", "off"}};
    o.on_connect = "set work_mem = '777kB'";
    pg::Pool pool(o);
    auto lease = pool.acquire();
    const auto setting = [&](const char* name) {
        return std::string(lease
                               ->query({"show", "select current_setting($1)"},
                                       pg::Parameters().add(std::string_view(name)))
                               .bytes(0, 0));
    };
    CHECK(setting("statement_timeout") == "4711ms");
    CHECK(setting("jit") == "off");
    CHECK(setting("work_mem") == "777kB");
}

TEST_CASE("a failed connection attempt does not count towards the limit") {
    auto o = options(1, 0, 0ms);
    SECTION("no server") { o.conninfo = "host=/nonexistent dbname=x"; }
    SECTION("an unknown setting") { o.settings = {{"no_such_setting", "1"}}; }
    pg::Pool pool(o);
    for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(pool.acquire(), pg::Error);
    CHECK(pool.stats().in_use == 0);
}
