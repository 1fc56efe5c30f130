// SPDX-License-Identifier: MIT
#include "publish/publisher.h"
#include "t/lib/unit_headers.h"

using std::chrono::seconds;

TEST_CASE("a jump of the clock is believed after a while, and forgotten if it is undone") {
    ClockGuard guard;
    const Seconds begin{seconds{1'800'000'000}};
    CHECK(guard.jump(begin, seconds{10}) == 0);
    CHECK(guard.jump(begin + seconds{62}, seconds{12}) == 0);  // within the tolerance
    const Seconds day = begin + seconds{62 + 86'400};
    CHECK(guard.jump(day + seconds{1}, seconds{13}) == 86'400);
    CHECK(guard.jump(begin + seconds{64}, seconds{14}) == 0);  // it was set back
    CHECK(guard.jump(day + seconds{3}, seconds{15}) == 86'400);
    CHECK(guard.jump(day + seconds{122}, seconds{134}) == 86'400);
    CHECK(guard.jump(day + seconds{123}, seconds{135}) == 0);  // it lasts
    CHECK(guard.jump(day + seconds{124}, seconds{136}) == 0);
    CHECK(guard.jump(begin, seconds{137}) == 0);  // a clock that is set back holds up by itself
    CHECK(guard.jump(begin + seconds{86'400}, seconds{86'537}) == 0);  // a host that has slept
}
