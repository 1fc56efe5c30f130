// SPDX-License-Identifier: MIT
#include "pg/binary.h"

#include <bit>
#include <cstring>
#include <limits>

#include "pg/error.h"

namespace oai::pg {
namespace {

using namespace std::chrono;

constexpr sys_days kEpoch = 2000y / January / 1;  // the origin of PostgreSQL's times
constexpr std::size_t kMaxDimensions = 6;         // MAXDIM of PostgreSQL

[[noreturn]] void fail(const char* type, const std::string& why) {
    throw Error(std::string("binary ") + type + ": " + why, "decode", "", false);
}

[[noreturn]] void fail_by_length(const char* type, std::size_t bytes, std::size_t expected) {
    fail(type,
         std::to_string(bytes) + " bytes where " + std::to_string(expected) + " were expected");
}

inline void require_length(const char* type, std::string_view b, std::size_t length) {
    if (b.size() != length) fail_by_length(type, b.size(), length);
}

// Big-endian two's complement of 2, 4 or 8 bytes.
template <class T>
T big_endian(std::string_view b) {
    std::make_unsigned_t<T> v = 0;
    std::memcpy(&v, b.data(), sizeof v);
    if constexpr (std::endian::native == std::endian::little) {
        if constexpr (sizeof v == 2) v = __builtin_bswap16(v);
        if constexpr (sizeof v == 4) v = __builtin_bswap32(v);
        if constexpr (sizeof v == 8) v = __builtin_bswap64(v);
    }
    return static_cast<T>(v);
}

[[noreturn]] void fail_within_number(const char* type) {
    fail(type, "ends in the middle of a number");
}

// Removes a number from the front of b and returns it.
template <class T>
inline T shift(const char* type, std::string_view& b) {
    if (b.size() < sizeof(T)) fail_within_number(type);
    const T v = big_endian<T>(b);
    b.remove_prefix(sizeof(T));
    return v;
}

// Reads the format of array_send(): the number of dimensions, a flag for NULLs, the element type,
// length and lower bound of each dimension, then the elements in row order, each a length (-1:
// NULL) and its bytes. An array of several dimensions is read as if it had one.
template <class ElementTypeFits, class Element, class Null>
void read_array(const char* type, std::string_view b, ElementTypeFits&& fits, Element&& element,
                Null&& null) {
    const auto dimensions = shift<std::int32_t>(type, b);
    shift<std::int32_t>(type, b);
    const auto element_type = shift<std::uint32_t>(type, b);
    if (!fits(element_type))
        fail(type, "unexpected elements of type " + std::to_string(element_type));
    if (dimensions < 0 || static_cast<std::size_t>(dimensions) > kMaxDimensions)
        fail(type, "too many dimensions");
    for (std::int32_t i = 0; i < dimensions; ++i) {
        shift<std::int32_t>(type, b);
        shift<std::int32_t>(type, b);
    }
    while (!b.empty()) {
        const auto length = shift<std::int32_t>(type, b);
        if (length == -1) {
            null();
            continue;
        }
        if (length < 0 || static_cast<std::size_t>(length) > b.size())
            fail(type, "ends in the middle of an element");
        element(b.substr(0, static_cast<std::size_t>(length)));
        b.remove_prefix(static_cast<std::size_t>(length));
    }
}

bool is_text(unsigned type) { return type == kText || type == kVarchar || type == kXml; }

}  // namespace

bool read_bool(std::string_view b) {
    require_length("bool", b, 1);
    return b.front() != 0;
}

std::int64_t read_integer(std::string_view b) {
    switch (b.size()) {
        case 2: return big_endian<std::int16_t>(b);
        case 4: return big_endian<std::int32_t>(b);
        case 8: return big_endian<std::int64_t>(b);
        default: fail("integer", std::to_string(b.size()) + " bytes where 2, 4 or 8 were expected");
    }
}

sys_seconds read_timestamptz(std::string_view b) {
    require_length("timestamptz", b, 8);
    const auto v = big_endian<std::int64_t>(b);
    if (v == std::numeric_limits<std::int64_t>::max() ||
        v == std::numeric_limits<std::int64_t>::min())
        fail("timestamptz", "infinity is not a point in time");
    return kEpoch + floor<seconds>(microseconds{v});
}

sys_days read_date(std::string_view b) {
    require_length("date", b, 4);
    const auto v = big_endian<std::int32_t>(b);
    if (v == std::numeric_limits<std::int32_t>::max() ||
        v == std::numeric_limits<std::int32_t>::min())
        fail("date", "infinity is not a day");
    return kEpoch + days{v};
}

void read_int4_array(std::string_view b, std::vector<int>& out) {
    read_array(
        "int4[]", b, [](unsigned type) { return type == kInt4; },
        [&](std::string_view e) {
            require_length("int4", e, 4);
            out.push_back(big_endian<std::int32_t>(e));
        },
        [] {});
}

void read_text_array(std::string_view b, std::vector<std::string_view>& out) {
    read_array(
        "text[]", b, is_text, [&](std::string_view e) { out.push_back(e); }, [] {});
}

std::vector<std::string> read_texts(std::string_view b) {
    std::vector<std::string_view> views;
    read_text_array(b, views);
    return {views.begin(), views.end()};
}

void read_nullable_text_array(std::string_view b,
                              std::vector<std::optional<std::string_view>>& out) {
    read_array(
        "text[]", b, is_text, [&](std::string_view e) { out.push_back(e); },
        [&] { out.push_back(std::nullopt); });
}

std::string array_literal(const std::vector<std::string>& values) {
    std::size_t n = 2;
    for (const std::string& value : values) n += value.size() + 3;
    std::string out;
    out.reserve(n);
    out += '{';
    for (const std::string& value : values) {
        out += out.size() > 1 ? ",\"" : "\"";
        std::size_t plain = 0;
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (value[i] != '"' && value[i] != '\\') continue;
            out.append(value, plain, i - plain) += '\\';
            plain = i;
        }
        out.append(value, plain) += '"';
    }
    return out += '}';
}

std::string int_array_literal(std::span<const int> values) {
    std::string out = "{";
    for (const int value : values) {
        if (out.size() > 1) out += ',';
        out += std::to_string(value);
    }
    return out += '}';
}

}  // namespace oai::pg
