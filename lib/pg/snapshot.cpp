// SPDX-License-Identifier: MIT
#include "pg/snapshot.h"

#include <string>
#include <utility>

namespace oai::pg {
namespace {

constexpr Statement kBegin{"begin", "begin isolation level repeatable read read only"};
constexpr Statement kCommit{"commit", "commit"};
constexpr Statement kClose{"close_page", "close page"};

}  // namespace

Snapshot::~Snapshot() {
    if (begun_ && !committed_) connection_.reset_quietly();
}

int Snapshot::send_begin() {
    if (begun_) return 0;
    begun_ = true;
    connection_.send(kBegin);
    return 1;
}

Result Snapshot::query(const Statement& statement, const Parameters& parameters) {
    ask(statement, parameters);
    connection_.flush();
    return answer();
}

void Snapshot::ask(const Statement& statement, const Parameters& parameters) {
    before_answer_ = send_begin();
    connection_.send(statement, parameters);
}

Result Snapshot::answer() {
    for (; before_answer_ > 0; --before_answer_) connection_.take();
    return connection_.take();
}

void Snapshot::open(const Statement& statement, Parameters parameters) {
    if (declared_) connection_.query(kClose);
    declared_ = false;
    declaration_ = statement;
    parameters_ = std::move(parameters);
}

void Snapshot::request(int n, After after) {
    int preceding = send_begin();
    if (!std::exchange(declared_, true)) {
        connection_.send(declaration_, parameters_);
        ++preceding;
    }
    // FETCH takes no parameters, so its count is written into the text.
    const std::string fetch = "fetch forward " + std::to_string(n) + " from page";
    connection_.send({declaration_.name, fetch.c_str()});
    if (after == After::commit) connection_.send(kCommit);
    connection_.flush();
    under_way_ = {preceding, after};
}

void Snapshot::request_all(const Statement& statement, const Parameters& parameters) {
    const int preceding = send_begin();
    connection_.send(statement, parameters);
    connection_.send(kCommit);
    connection_.flush();
    under_way_ = {preceding, After::commit};
}

Result Snapshot::receive() {
    Result rows = buffered_ ? *std::exchange(buffered_, std::nullopt) : read_rows();
    under_way_.reset();
    return rows;
}

Result Snapshot::read_rows() {
    for (int i = 0; i < under_way_->preceding; ++i) connection_.take();
    Result rows = connection_.take();
    if (under_way_->after == After::commit) {
        connection_.take();
        committed_ = true;
    }
    return rows;
}

Connection& Snapshot::connection() {
    if (under_way_ && !buffered_) buffered_ = read_rows();
    return connection_;
}

void Snapshot::commit() {
    if (under_way_) receive();
    if (!begun_ || committed_) return;
    connection_.query(kCommit);
    committed_ = true;
}

}  // namespace oai::pg
