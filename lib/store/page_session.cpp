// SPDX-License-Identifier: MIT
#include "store/page_session.h"

#include <utility>

namespace oai {

pg::Result PageSession::begin(const pg::Statement& statement, const pg::Parameters& parameters) {
    cursor_.reset();
    snapshot_.reset();
    under_way_.reset();
    snapshot_.emplace(**lease_);
    return snapshot_->query(statement, parameters);
}

void PageSession::open(const pg::Statement& statement, pg::Parameters parameters) {
    if (cursor_) cursor_->close();
    cursor_.emplace(*snapshot_, statement, std::move(parameters));
}

void PageSession::fetch(const Fetch& fetch) {
    cursor_->request(fetch.rows,
                     fetch.commit ? pg::Cursor::After::commit : pg::Cursor::After::keep_open);
    under_way_ = fetch;
}

pg::Result PageSession::take() {
    under_way_.reset();
    return cursor_->receive();
}

pg::Connection& PageSession::connection() {
    if (under_way_) cursor_->buffer();
    return **lease_;
}

void PageSession::end() {
    if (!lease_) return;
    if (under_way_) take();
    snapshot_->commit();
    cursor_.reset();
    snapshot_.reset();
    lease_.reset();
}

}  // namespace oai
