// SPDX-License-Identifier: MIT
// A request's way through the house, in one line: arguments -> verb -> document -> response. The only place that
// catches and logs. Used by the FastCGI server and by `oai get` alike. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "base/config.h"
#include "format.h"
#include "repository.h"
#include "request.h"
#include "response.h"
#include "store.h"
#include "token.h"
#include "verb.h"

namespace oai {

class Service {
  public:
    // Reads the token keys, description files and formats; does not need the database yet. Throws ConfigError, Fault
    // or std::runtime_error with words for the admin.
    Service(const Config& config, const Clock& clock);
    ~Service();

    // Never throws, never half an answer.
    Response answer(const Request& request) noexcept;
    Response refuse(const Refusal& refusal, const Request& seen) noexcept;

    // Keeps the horizon fresh (once a second, by a thread of its own and a connection of its own), so that Identify
    // and errors never wait for the database. `oai get` uses read_horizon() instead.
    void start_watching_horizon();
    void read_horizon();  // throws as Store::horizon

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace oai
