// SPDX-License-Identifier: MIT
#include "pg/copy_writer.h"

#include <algorithm>

#include "pg/binary.h"

namespace oai::pg {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

char copy_escape(char c) {
    switch (c) {
        case '\n': return 'n';
        case '\r': return 'r';
        case '\t': return 't';
        default: return c;
    }
}

}  // namespace

void append_copy_text(std::string& out, std::string_view value) {
    std::size_t plain = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const char c = value[i];
        if (c != '\\' && c != '\n' && c != '\r' && c != '\t') continue;
        out.append(value, plain, i - plain) += '\\';
        out += copy_escape(c);
        plain = i + 1;
    }
    out.append(value, plain);
}

CopyWriter::CopyWriter(Connection& connection, const Statement& copy)
    : connection_(connection), name_(copy.name) {
    const ResultHandle result(PQexec(connection_.handle_.get(), copy.text));
    if (PQresultStatus(result.get()) != PGRES_COPY_IN) connection_.fail(name_, result.get());
}

void CopyWriter::next_column() {
    if (row_begun_) buffer_ += '\t';
    row_begun_ = true;
}

void CopyWriter::add(std::string_view value) {
    next_column();
    append_copy_text(buffer_, value);
}

void CopyWriter::add(const std::vector<int>& values) {
    next_column();
    buffer_ += int_array_literal(values);
}

void CopyWriter::add_null() {
    next_column();
    buffer_ += "\\N";
}

void CopyWriter::add_or_null(std::string_view value) { value.empty() ? add_null() : add(value); }

void CopyWriter::add_or_null(const std::vector<std::string>& values) {
    values.empty() ? add_null() : add(std::string_view(array_literal(values)));
}

void CopyWriter::end_row() {
    buffer_ += '\n';
    row_begun_ = false;
    if (buffer_.size() < kPieceBytes) return;
    send();
}

void CopyWriter::send() {
    constexpr std::size_t kPiece = 1U << 20U;  // libpq takes an int as length, and copies the data
    for (std::string_view bytes = buffer_; !bytes.empty();
         bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
        const int piece = static_cast<int>(std::min(kPiece, bytes.size()));
        if (PQputCopyData(connection_.handle_.get(), bytes.data(), piece) != 1)
            connection_.fail(name_, nullptr);
    }
    buffer_.clear();
}

std::int64_t CopyWriter::finish() {
    send();
    PGconn* const database = connection_.handle_.get();
    if (PQputCopyEnd(database, nullptr) != 1) connection_.fail(name_, nullptr);
    const ResultHandle result(PQgetResult(database));
    while (ResultHandle(PQgetResult(database))) continue;
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) connection_.fail(name_, result.get());
    return std::atoll(PQcmdTuples(result.get()));
}

}  // namespace oai::pg
