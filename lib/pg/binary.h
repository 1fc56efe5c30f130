// SPDX-License-Identifier: MIT
// Reads values in PostgreSQL's binary format, for the types that the schema uses. Each function
// REQUIRES that the column has the type in its name (callers check column_type() once for each
// Result) and throws Error if the length is wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oai::pg {

// OIDs of pg_type that are part of the server's stable interface.
enum TypeOid : unsigned {
    kBool = 16,
    kInt8 = 20,
    kInt2 = 21,
    kInt4 = 23,
    kText = 25,
    kXml = 142,
    kVarchar = 1043,
    kDate = 1082,
    kTimestamptz = 1184,
    kInt4Array = 1007,
    kTextArray = 1009,
    kVarcharArray = 1015,
    kXmlArray = 143,
};

bool read_bool(std::string_view b);
std::int64_t read_integer(std::string_view b);  // int2, int4 or int8, by length
// Drops microseconds. Throws Error for infinity and -infinity.
std::chrono::sys_seconds read_timestamptz(std::string_view b);
std::chrono::sys_days read_date(std::string_view b);
// Appends the elements to `out`, without NULL elements.
void read_int4_array(std::string_view b, std::vector<int>& out);
// Appends views into `b` to `out`, without NULL elements. For text[], varchar[] and xml[].
void read_text_array(std::string_view b, std::vector<std::string_view>& out);
std::vector<std::string> read_texts(std::string_view b);  // the same as copies
// The same, with nullopt for each NULL element.
void read_nullable_text_array(std::string_view b,
                              std::vector<std::optional<std::string_view>>& out);

// Arrays in PostgreSQL's text format, as parameters.

// "{"a","b\"c"}", for a parameter that the statement casts to an array.
std::string array_literal(const std::vector<std::string>& values);
// "{1,7}".
std::string int_array_literal(std::span<const int> values);

}  // namespace oai::pg
