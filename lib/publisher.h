// SPDX-License-Identifier: MIT
// The one publisher of a repository, beside its servers: calls oai.publish() about once a second, so that what
// writers changed gets its number and its honest datestamp, and the horizon moves on when nothing did. Any number may
// be started: they take turns at the horizon row. Knows no OAI-PMH and no model.
#pragma once

#include <cstdint>
#include <memory>

#include "base/config.h"
#include "pg/connection.h"

namespace oai {

class Publisher {
  public:
    // Does not connect yet. Throws ConfigError without [publisher] connection.
    explicit Publisher(const Config& config);

    // Publishes all that is queued now, waiting for the clock where needed; how many items that were.
    // Throws pg::Error.
    std::int64_t run_until_idle();

    // Until SIGTERM or SIGINT, which must be blocked in every thread of the process. A database that goes away is
    // logged and tried again; a publisher that falls behind says so.
    void run_until_stopped();

  private:
    struct Round {
        int published;
        bool waiting;             // the clock has not passed the horizon
        std::int64_t lag_seconds; // from the horizon to the clock
        bool started;             // the first numbering has ended
    };
    Round publish_once();
    void adapt_slice(int published, std::int64_t milliseconds);
    void report(const Round& round, std::int64_t milliseconds);

    std::string conninfo_;
    bool keep_deleted_;
    int most_records_;
    int slice_records_;
    std::unique_ptr<pg::Connection> connection_;
    bool behind_ = false;
};

}  // namespace oai
