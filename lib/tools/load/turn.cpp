// SPDX-License-Identifier: MIT
#include "tools/load/turn.h"

#include <thread>

#include "pg/binary.h"

namespace oai::load {
namespace {

// Publisher and loaders take turns, so more than this means that the clock was turned back, or that
// somebody holds the row of oai.horizon.
constexpr std::chrono::seconds kTurnLimit{15};
constexpr std::chrono::milliseconds kTurnPoll{5};

}  // namespace

std::optional<std::chrono::milliseconds> take_turn(pg::Connection& connection,
                                                   const pg::Statement& publish) {
    const auto give_up = std::chrono::steady_clock::now() + kTurnLimit;
    while (std::chrono::steady_clock::now() < give_up) {
        const pg::Result row = connection.query(publish);
        if (row.is_null(0, 0)) return std::chrono::milliseconds{pg::read_integer(row.bytes(0, 1))};
        if (row.bytes(0, 0) != "wait") return {};
        std::this_thread::sleep_for(kTurnPoll);
    }
    return {};
}

}  // namespace oai::load
