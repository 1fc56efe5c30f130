// SPDX-License-Identifier: MIT
// PostgreSQL's binary formats of the types that the contract schema uses. Each REQUIRES that the column has the
// type named (callers check column_type once per Result); a wrong length throws Error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace oai::pg {

// OIDs of pg_type that are part of the server's stable interface.
enum TypeOid : unsigned {
    kBool = 16, kInt8 = 20, kInt2 = 21, kInt4 = 23, kText = 25, kXml = 142, kVarchar = 1043, kDate = 1082,
    kTimestamptz = 1184, kInt4Array = 1007, kTextArray = 1009, kVarcharArray = 1015, kXmlArray = 143,
};

bool read_bool(std::string_view b);
std::int64_t read_integer(std::string_view b);  // int2, int4 or int8, by length
// Microseconds are cut off. infinity and -infinity throw Error.
std::chrono::sys_seconds read_timestamptz(std::string_view b);
std::chrono::sys_days read_date(std::string_view b);
void read_int4_array(std::string_view b, std::vector<int>& out);  // appends; NULL elements are left out
// Appends views into b; NULL elements are left out. For text[], varchar[] and xml[].
void read_text_array(std::string_view b, std::vector<std::string_view>& out);
// The same with NULL elements in their places.
void read_nullable_text_array(std::string_view b, std::vector<std::optional<std::string_view>>& out);

}  // namespace oai::pg
