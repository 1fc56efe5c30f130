// SPDX-License-Identifier: MIT
// Publishing in a test's database (testdb.h).
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "t/lib/testdb.h"

namespace oai::test {

// Publishes `slice` items at a time until the queue is empty. Fails the test if that does not end.
inline void publish_all(TestDb& db, int batch) {
    for (int i = 0; i < 500; ++i) {
        db.value("select published from oai.publish(" + std::to_string(batch) + ", true)");
        if (db.value("select (h is not null and not exists (select from oai.queue))::text from "
                     "oai.horizon") == "true")
            return;
        std::this_thread::sleep_for(
            std::chrono::milliseconds{20});  // the publisher waits for its second to close
    }
    FAIL("nothing is published");
}

}  // namespace oai::test
