// SPDX-License-Identifier: MIT
// The rows of a COPY ... FROM STDIN in text format, column by column, sent in pieces. Knows no
// table: the caller adds as many columns as its statement names, in that order. One that is
// destroyed before finish() leaves the COPY open, to be ended by Connection::reset_quietly(); an
// Error that is thrown has ended it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
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
    void send();
    Connection& connection_;
    const char* const name_;  // of the statement
    std::string buffer_;
    bool row_begun_ = false;
};

// One column's value as it is sent: backslash, tab and line ends are escaped.
void append_copy_text(std::string& out, std::string_view value);

// A statement's text put together of literals when the program is compiled, so that what several
// statements have in common, a list of columns, stands once: the pieces, literals or arrays that
// end by NUL, one behind the other, ended by NUL.
// constexpr auto kText = joined("a", kColumns, "b");
consteval auto joined(const auto&... pieces) {
    std::array<char, (sizeof(pieces) + ...) - sizeof...(pieces) + 1> text{};
    std::size_t end = 0;
    const auto append = [&](const auto& piece) {
        for (std::size_t i = 0; piece[i] != '\0'; ++i) text[end++] = piece[i];
    };
    (append(pieces), ...);
    return text;
}

}  // namespace oai::pg
