// SPDX-License-Identifier: MIT
#include "tools/load/name_ids.h"

#include <thread>

#include "pg/binary.h"

namespace oai::load {
namespace {

constexpr std::size_t kMaxNames = 300'000;

// Publisher and loaders take turns, so more than this means that the clock was turned back, or that
// somebody holds the row of oai.horizon.
constexpr std::chrono::seconds kTurnLimit{15};
constexpr std::chrono::milliseconds kTurnPoll{5};

}  // namespace

void NameIds::request(const std::string& name) {
    if (!name.empty()) requested_.insert(name);
}

std::vector<int> NameIds::ids(const std::vector<std::string>& names) const {
    std::set<int> ids;
    for (const std::string& name : names) ids.insert(id(name));
    return {ids.begin(), ids.end()};
}

std::vector<std::string> NameIds::unknown() const {
    std::vector<std::string> names;
    for (const std::string& name : requested_)
        if (!ids_.contains(name)) names.push_back(name);
    return names;
}

void NameIds::find(pg::Connection& connection, const std::vector<std::string>& names) {
    const pg::Result rows = connection.query(table_.find, parameters(pg::array_literal(names)));
    for (int i = 0; i < rows.rows(); ++i)
        ids_.emplace(rows.bytes(i, 0), static_cast<int>(pg::read_integer(rows.bytes(i, 1))));
}

void NameIds::resolve(pg::Connection& connection) {
    if (ids_.size() + requested_.size() > kMaxNames) ids_.clear();
    if (const auto names = unknown(); !names.empty()) find(connection, names);
    if (const auto names = unknown(); !names.empty()) {
        connection.query(table_.add, parameters(pg::array_literal(names)));
        find(connection, names);
    }
    requested_.clear();
}

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
