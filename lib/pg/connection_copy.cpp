// SPDX-License-Identifier: MIT
// The part of Connection that loaders use, and no server.
#include <algorithm>
#include <charconv>

#include "pg/connection.h"

namespace oai::pg {

void Connection::copy_begin(const Statement& statement) {
    const ResultHandle result(PQexec(handle_.get(), statement.text));
    if (PQresultStatus(result.get()) != PGRES_COPY_IN) fail(statement.name, result.get());
    copy_ = statement.name;
}

void Connection::copy_data(std::string_view bytes) {
    constexpr std::size_t kPiece = 1U << 20U;  // libpq takes an int as length, and copies the data
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
        const int piece = static_cast<int>(std::min(kPiece, bytes.size()));
        if (PQputCopyData(handle_.get(), bytes.data(), piece) != 1) fail(copy_, nullptr);
    }
}

std::int64_t Connection::copy_end() {
    if (PQputCopyEnd(handle_.get(), nullptr) != 1) fail(copy_, nullptr);
    ResultHandle result(PQgetResult(handle_.get()));
    while (ResultHandle(PQgetResult(handle_.get()))) continue;
    const Result done = finish_command(copy_, std::move(result));
    const std::string_view rows = done.affected();
    std::int64_t count = 0;
    std::from_chars(rows.data(), rows.data() + rows.size(), count);
    return count;
}

}  // namespace oai::pg
