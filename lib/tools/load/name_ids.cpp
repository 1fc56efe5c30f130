// SPDX-License-Identifier: MIT
#include "tools/load/name_ids.h"

#include "pg/binary.h"
#include "pg/text_format.h"

namespace oai::load {
namespace {

constexpr std::size_t kMaxNames = 300'000;

}  // namespace

void NameIds::request(const std::string& name) {
    if (!name.empty()) requested_.insert(name);
}

std::vector<std::string> NameIds::unknown() const {
    std::vector<std::string> names;
    for (const std::string& name : requested_)
        if (!ids_.contains(name)) names.push_back(name);
    return names;
}

void NameIds::find(pg::Connection& connection, const std::vector<std::string>& names) {
    const pg::Result rows =
        connection.query(table_.find, pg::Parameters().add(pg::array_literal(names)));
    for (int i = 0; i < rows.rows(); ++i)
        ids_.emplace(rows.bytes(i, 0), static_cast<int>(pg::read_integer(rows.bytes(i, 1))));
}

void NameIds::resolve(pg::Connection& connection) {
    if (ids_.size() + requested_.size() > kMaxNames) ids_.clear();
    if (const auto names = unknown(); !names.empty()) find(connection, names);
    if (const auto names = unknown(); !names.empty()) {
        connection.query(table_.add, pg::Parameters().add(pg::array_literal(names)));
        find(connection, names);
    }
    requested_.clear();
}

}  // namespace oai::load
