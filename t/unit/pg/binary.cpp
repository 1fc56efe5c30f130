// SPDX-License-Identifier: MIT
// Reads what the server sends for every type of TypeOid, and malformed values.
#include "pg/binary.h"

#include "pg/connection.h"
#include "t/lib/testdb.h"
#include "t/lib/unit_headers.h"

using namespace std::chrono;

namespace {

// One value as the server sends it.
class Value {
  public:
    Value(pg::Connection& connection, const std::string& expression)
        : text_("select " + expression), row_(connection.query({"value", text_.c_str()})) {}
    std::string_view bytes() const { return row_.bytes(0, 0); }
    unsigned type() const { return row_.column_type(0); }

  private:
    std::string text_;
    pg::Result row_;
};

std::vector<int> ints(std::string_view b) {
    std::vector<int> out;
    pg::read_int4_array(b, out);
    return out;
}

std::vector<std::string_view> texts(std::string_view b) {
    std::vector<std::string_view> out;
    pg::read_text_array(b, out);
    return out;
}

struct Connected {
    pg::Connection c{cluster_conninfo(), "test"};
};

}  // namespace

TEST_CASE_METHOD(Connected, "numbers are read as the server sends them") {
    struct Integer {
        const char* expression;
        unsigned type;
        std::int64_t value;
    };
    const auto integer = GENERATE(
        Integer{"32767::int2", pg::kInt2, 32767}, Integer{"(-32768)::int2", pg::kInt2, -32768},
        Integer{"0::int4", pg::kInt4, 0}, Integer{"(-2147483648)::int4", pg::kInt4, -2147483648LL},
        Integer{"2147483647::int4", pg::kInt4, 2147483647}, Integer{"(-1)::int8", pg::kInt8, -1},
        Integer{"9223372036854775807::int8", pg::kInt8, std::numeric_limits<std::int64_t>::max()},
        Integer{"(-9223372036854775808)::int8", pg::kInt8,
                std::numeric_limits<std::int64_t>::min()});
    const Value v(c, integer.expression);
    CHECK(v.type() == integer.type);
    CHECK(pg::read_integer(v.bytes()) == integer.value);
}

TEST_CASE_METHOD(Connected, "booleans, text and xml are read as the server sends them") {
    const Value yes(c, "true"), no(c, "false");
    CHECK(yes.type() == pg::kBool);
    CHECK(pg::read_bool(yes.bytes()));
    CHECK_FALSE(pg::read_bool(no.bytes()));
    const Value text(c, "'\xC3\xB5'::text"), varchar(c, "'ab'::varchar"),
        xml(c, "'<a>\xC3\xB5</a>'::xml");
    CHECK(text.type() == pg::kText);
    CHECK(text.bytes() == "\xC3\xB5");
    CHECK(varchar.type() == pg::kVarchar);
    CHECK(varchar.bytes() == "ab");
    CHECK(xml.type() == pg::kXml);
    CHECK(xml.bytes() == "<a>\xC3\xB5</a>");
}

TEST_CASE_METHOD(Connected, "timestamps are read as the server sends them") {
    struct Time {
        const char* expression;
        sys_seconds value;
    };
    const auto t = GENERATE(
        Time{"'2000-01-01T00:00:00Z'", sys_days(2000y / 1 / 1)},
        Time{"'1970-01-01T00:00:00Z'", sys_seconds{}},
        Time{"'1969-12-31T23:59:59Z'", sys_seconds{-1s}},
        Time{"'1901-02-03T04:05:06Z'", sys_days(1901y / 2 / 3) + 4h + 5min + 6s},
        Time{"'0001-01-01T00:00:00Z'", sys_days(1y / 1 / 1)},
        Time{"'9999-12-31T23:59:59Z'", sys_days(9999y / 12 / 31) + 23h + 59min + 59s},
        Time{"'2026-11-21T23:28:23.999999Z'", sys_days(2026y / 11 / 21) + 23h + 28min + 23s},
        Time{"'1999-12-31T23:59:59.5Z'", sys_days(1999y / 12 / 31) + 23h + 59min + 59s},
        Time{"'2026-11-21T01:00:00+02'", sys_days(2026y / 11 / 20) + 23h});
    const Value v(c, t.expression + "::timestamptz"s);
    CHECK(v.type() == pg::kTimestamptz);
    CHECK(pg::read_timestamptz(v.bytes()) == t.value);
}

TEST_CASE_METHOD(Connected, "dates and infinity are read as the server sends them") {
    const Value day(c, "date '1969-07-20'"), late(c, "date '2026-11-21'");
    CHECK(day.type() == pg::kDate);
    CHECK(pg::read_date(day.bytes()) == sys_days(1969y / 7 / 20));
    CHECK(pg::read_date(late.bytes()) == sys_days(2026y / 11 / 21));
    for (const char* infinity : {"'infinity'", "'-infinity'"}) {
        CHECK_THROWS_AS(pg::read_timestamptz(Value(c, infinity + "::timestamptz"s).bytes()),
                        pg::Error);
        CHECK_THROWS_AS(pg::read_date(Value(c, infinity + "::date"s).bytes()), pg::Error);
    }
}

TEST_CASE_METHOD(Connected, "arrays are read as the server sends them") {
    const Value numbers(c, "'{3,NULL,-1,2147483647}'::int[]"), none(c, "'{}'::int[]"),
        shifted(c, "'[5:6]={8,9}'::int[]"), table(c, "'{{1,2},{3,4}}'::int[]");
    CHECK(numbers.type() == pg::kInt4Array);
    CHECK(ints(numbers.bytes()) == std::vector{3, -1, 2147483647});
    CHECK(ints(none.bytes()).empty());
    CHECK(ints(shifted.bytes()) == std::vector{8, 9});
    CHECK(ints(table.bytes()) == std::vector{1, 2, 3, 4});
    std::vector<int> more{7};
    pg::read_int4_array(shifted.bytes(), more);
    CHECK(more == std::vector{7, 8, 9});

    const Value words(c, "array['a', null, '', '\xC3\xB5']"),
        varchars(c, "array['x','y']::varchar[]"), xmls(c, "array['<a/>', null]::xml[]");
    CHECK(words.type() == pg::kTextArray);
    CHECK(texts(words.bytes()) == std::vector<std::string_view>{"a", "", "\xC3\xB5"});
    std::vector<std::optional<std::string_view>> nullable;
    pg::read_nullable_text_array(words.bytes(), nullable);
    CHECK(nullable ==
          std::vector<std::optional<std::string_view>>{"a", std::nullopt, "", "\xC3\xB5"});
    CHECK(varchars.type() == pg::kVarcharArray);
    CHECK(texts(varchars.bytes()) == std::vector<std::string_view>{"x", "y"});
    CHECK(xmls.type() == pg::kXmlArray);
    CHECK(texts(xmls.bytes()) == std::vector<std::string_view>{"<a/>"});
    CHECK_THROWS_AS(ints(words.bytes()), pg::Error);
    CHECK_THROWS_AS(texts(numbers.bytes()), pg::Error);
}

TEST_CASE("a wrong length is an error, not a read beyond the end") {
    CHECK_THROWS_AS(pg::read_bool(""), pg::Error);
    CHECK_THROWS_AS(pg::read_bool("\1\1"s), pg::Error);
    for (const std::size_t n : {0U, 1U, 3U, 5U, 7U, 9U}) {
        CHECK_THROWS_AS(pg::read_integer(std::string(n, '\1')), pg::Error);
        CHECK_THROWS_AS(pg::read_timestamptz(std::string(n, '\1')), pg::Error);
        CHECK_THROWS_AS(pg::read_date(std::string(n, '\1')), pg::Error);
    }
}

TEST_CASE_METHOD(Connected, "an array truncated anywhere is an error") {
    const Value numbers(c, "'{3,4}'::int[]"), words(c, "array['abc','de']");
    const std::size_t header =
        20;  // one dimension; what remains then is whole elements or a cut one
    for (std::size_t n = 0; n < numbers.bytes().size(); ++n) {
        if (n >= header && (n - header) % 8 == 0) continue;
        INFO(n);
        CHECK_THROWS_AS(ints(numbers.bytes().substr(0, n)), pg::Error);
    }
    for (std::size_t n = header + 1; n < words.bytes().size(); ++n) {
        if (n == header + 7) continue;
        INFO(n);
        CHECK_THROWS_AS(texts(words.bytes().substr(0, n)), pg::Error);
    }
    std::string negative(numbers.bytes());
    negative.replace(header, 4, "\xFF\xFF\xFF\xFE"s);
    CHECK_THROWS_AS(ints(negative), pg::Error);
    std::string deep(numbers.bytes());
    deep[3] = 7;
    CHECK_THROWS_AS(ints(deep), pg::Error);
}
