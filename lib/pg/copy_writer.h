// SPDX-License-Identifier: MIT
// The rows of a COPY ... FROM STDIN, column by column, sent in pieces. Knows no table: the caller
// adds as many columns as its statement names, in that order. One that is destroyed before
// finish() leaves the COPY open, to be ended by Connection::reset_quietly().
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pg/connection.h"

namespace oai::pg {

class CopyWriter {
  public:
    // Begins the COPY. The connection must outlive the writer. All of them throw Error.
    CopyWriter(Connection& connection, const Statement& copy);

    void add(std::string_view value);  // REQUIRES: UTF-8 without NUL
    void add(bool value) { add(value ? std::string_view("t") : std::string_view("f")); }
    void add(const char* value) { add(std::string_view(value)); }
    void add(const std::vector<int>& values);  // an array, empty if there are no values
    template <std::integral T>
    void add(const std::optional<T>& value) {
        value ? add(std::string_view(std::to_string(*value))) : add_null();
    }
    void add_null();
    void add_or_null(std::string_view value);                  // NULL if it is empty
    void add_or_null(const std::vector<std::string>& values);  // NULL, or an array

    void end_row();
    std::int64_t finish();  // ends the COPY; returns the number of rows

  private:
    void next_column();
    Connection& connection_;
    std::string buffer_;
    bool row_begun_ = false;
};

}  // namespace oai::pg
