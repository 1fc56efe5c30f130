// SPDX-License-Identifier: MIT
#include "pg/cursor.h"

#include <string>

namespace oai::pg {
namespace {

constexpr Statement kBegin{"begin", "begin isolation level repeatable read read only"};
constexpr Statement kCommit{"commit", "commit"};
constexpr Statement kClose{"close_page", "close page"};

}  // namespace

Snapshot::~Snapshot() {
    if (begun_ && !done_) connection_.reset_quietly();
}

int Snapshot::send_begin() {
    if (begun_) return 0;
    begun_ = true;
    connection_.send(kBegin);
    return 1;
}

Result Snapshot::query(const Statement& statement, const Parameters& parameters) {
    const int preceding = send_begin();
    connection_.send(statement, parameters);
    connection_.flush();
    for (int i = 0; i < preceding; ++i) connection_.take();
    return connection_.take();
}

void Snapshot::commit() {
    if (!begun_ || done_) return;
    connection_.query(kCommit);
    done_ = true;
}

Cursor::Cursor(Snapshot& snapshot, const Statement& statement, Parameters parameters)
    : snapshot_(snapshot), statement_(statement), parameters_(std::move(parameters)) {}

void Cursor::request(int n, After after) {
    Connection& connection = snapshot_.connection_;
    preceding_ = snapshot_.send_begin();
    after_ = after;
    if (!declared_) {
        connection.send(statement_, parameters_);
        ++preceding_;
        declared_ = true;
    }
    // FETCH takes no parameters, so its count is the only value that is written into the text of a
    // statement.
    const std::string fetch = "fetch forward " + std::to_string(n) + " from page";
    connection.send({statement_.name, fetch.c_str()});
    if (after == After::commit) connection.send(kCommit);
    connection.flush();
}

Result Cursor::receive() {
    if (!buffered_) return read_result();
    Result rows = std::move(*buffered_);
    buffered_.reset();
    return rows;
}

Result Cursor::read_result() {
    Connection& connection = snapshot_.connection_;
    for (int i = 0; i < preceding_; ++i) connection.take();
    Result rows = connection.take();
    if (after_ == After::commit) {
        connection.take();
        snapshot_.done_ = true;
    }
    return rows;
}

void Cursor::close() {
    if (!declared_ || snapshot_.done_) return;
    snapshot_.connection_.query(kClose);
    declared_ = false;
}

}  // namespace oai::pg
