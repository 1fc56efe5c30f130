// SPDX-License-Identifier: MIT
// The publisher of a repository, a process beside its servers: calls oai.publish() about once a
// second, so that changed records get their publication number and datestamp, and the horizon moves
// on when nothing has changed. Several publishers may run at the same time: the lock on the horizon
// row makes them take turns. Independent of OAI-PMH and of the model.
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

    // Publishes all that is queued now, waiting for the clock where needed. Returns the number of
    // items. Throws pg::Error.
    std::int64_t run_until_idle();

    // Publishes until SIGTERM or SIGINT, which must be blocked in every thread of the process. If
    // the database fails, logs that and tries again; also logs when the publisher falls behind and
    // when it has caught up.
    void run_until_stopped();

  private:
    struct Round {
        int published;
        bool waiting;              // the clock has not passed the horizon
        std::int64_t lag_seconds;  // from the horizon to the clock
        bool started;              // the first numbering has ended
    };
    Round publish_once();
    void adapt_slice(int published, std::int64_t milliseconds);
    void report(const Round& round, std::int64_t milliseconds);

    std::string conninfo_;
    bool keep_deleted_;
    int max_slice_records_;
    int slice_records_;
    std::unique_ptr<pg::Connection> connection_;
    bool is_behind_ = false;
};

}  // namespace oai
