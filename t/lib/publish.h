// SPDX-License-Identifier: MIT
// Publishing in a test's database (testdb.h).
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "t/lib/testdb.h"
#include "t/lib/wait.h"

namespace oai::test {

// Publishes `slice` items at a time until the queue is empty. Fails the test if that does not end.
inline void publish_all(TestDb& db, int batch) {
    REQUIRE(wait_until([&] {  // the publisher waits for its second to close
        db.value("select published from oai.publish(" + std::to_string(batch) + ", true)");
        return db.value(
                   "select (h is not null and not exists (select from oai.queue))::text from "
                   "oai.horizon") == "true";
    }));
}

}  // namespace oai::test
