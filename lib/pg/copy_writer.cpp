// SPDX-License-Identifier: MIT
#include "pg/copy_writer.h"

#include "pg/binary.h"

namespace oai::pg {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

}  // namespace

CopyWriter::CopyWriter(Connection& connection, const Statement& copy) : connection_(connection) {
    connection_.copy_begin(copy);
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
    connection_.copy_data(buffer_);
    buffer_.clear();
}

std::int64_t CopyWriter::finish() {
    connection_.copy_data(buffer_);
    return connection_.copy_end();
}

}  // namespace oai::pg
