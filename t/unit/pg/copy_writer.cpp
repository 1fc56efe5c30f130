// SPDX-License-Identifier: MIT
#include "pg/copy_writer.h"

#include "pg/binary.h"
#include "t/lib/testdb.h"
#include "t/lib/unit_headers.h"

namespace {

constexpr pg::Statement kCopy{"copy_a", "copy a (t, n, b, ints, texts) from stdin"};
constexpr pg::Statement kRows{"rows", "select a::text from a order by n nulls last, t"};

struct Fixture {
    TestDb db{"copy_writer"};
    pg::Connection connection{db.conninfo(), "test"};
    Fixture() { db.run("create table a (t text, n int, b boolean, ints int[], texts text[])"); }

    Strings rows() {
        const pg::Result result = connection.query(kRows);
        Strings all;
        for (int i = 0; i < result.rows(); ++i) all.emplace_back(result.bytes(i, 0));
        return all;
    }
};

constexpr char kColumns[] = "a, b";
constexpr auto kText = oai::pg::joined("copy t (", kColumns, ", c) from stdin");
constexpr auto kEmpty = oai::pg::joined("", "");

std::string copied(std::string_view value) {
    std::string out;
    pg::append_copy_text(out, value);
    return out;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "copy writer: columns of every type arrive as they were added") {
    pg::CopyWriter writer(connection, kCopy);
    writer.add("a\tb\n\\N");
    writer.add(std::optional(7));
    writer.add(true);
    writer.add(std::vector<int>{1, 2});
    writer.add_or_null(Strings{"x\ty", "\"q\\"});
    writer.end_row();
    writer.add_or_null("");
    writer.add(std::optional<int>{});
    writer.add_null();
    writer.add(std::vector<int>{});
    writer.add_or_null(Strings{});
    writer.end_row();
    CHECK(writer.finish() == 2);
    CHECK(rows() ==
          Strings{"(\"a\tb\n\\\\N\",7,t,\"{1,2}\",\"{\"\"x\ty\"\",\"\"\\\\\"\"q\\\\\\\\\"\"}\")",
                  "(,,,{},)"});
}

TEST_CASE_METHOD(Fixture, "copy writer: more rows than one piece holds, and no rows") {
    pg::CopyWriter many(connection, kCopy);
    for (int i = 0; i < 5000; ++i) {
        many.add(std::string(200, 'x'));
        many.add(std::optional(i));
        many.add(false);
        many.add(std::vector<int>{});
        many.add_null();
        many.end_row();
    }
    CHECK(many.finish() == 5000);
    CHECK(rows().size() == 5000);
    CHECK(pg::CopyWriter(connection, kCopy).finish() == 0);
}

TEST_CASE_METHOD(Fixture, "copy writer: a reset ends an abandoned COPY") {
    connection.query({"begin", "begin"});
    {
        pg::CopyWriter writer(connection, kCopy);
        writer.add("lost");
    }
    connection.reset_quietly();
    CHECK_FALSE(connection.broken());
    CHECK(rows().empty());
}

TEST_CASE_METHOD(Fixture, "copy writer: a row that does not fit the table makes the end fail") {
    pg::CopyWriter writer(connection, kCopy);
    writer.add("a column is missing");
    writer.end_row();
    CHECK_THROWS_AS(writer.finish(), pg::Error);
    CHECK(rows().empty());
}

TEST_CASE_METHOD(Fixture, "copy writer: an error ends the COPY, and the connection goes on") {
    const auto error_of = [](auto&& work) {
        try {
            work();
        } catch (const pg::Error& e) {
            return e;
        }
        throw std::logic_error("no error");
    };
    constexpr pg::Statement kNumbers{"copy_n", "copy a (n) from stdin"};
    {
        pg::CopyWriter writer(connection, kNumbers);
        writer.add("four");
        writer.end_row();
        const pg::Error e = error_of([&] { writer.finish(); });
        CHECK(e.statement() == "copy_n");
        CHECK(e.sqlstate() == "22P02");
    }
    CHECK(error_of([&] {
              pg::CopyWriter(connection, {"copy_b", "copy b from stdin"});
          }).sqlstate() == "42P01");
    {
        pg::CopyWriter writer(connection, kNumbers);
        // Several pieces of a megabyte, and too long for a column of type int.
        writer.add(std::string(3'000'000, '5'));
        CHECK_THROWS_AS(writer.finish(), pg::Error);
    }
    CHECK(rows().empty());
}

// What copy_writer.h has besides the writer, without a database.

TEST_CASE("joined: string literals are concatenated and end with NUL") {
    CHECK(std::string(kText.data()) == "copy t (a, b, c) from stdin");
    CHECK(kText.size() == std::string(kText.data()).size() + 1);
    CHECK(std::string(kEmpty.data()).empty());
}

TEST_CASE(
    "text format: separators and backslashes are escaped for COPY, everything else is unchanged") {
    CHECK(copied("") == "");
    CHECK(copied("a\tb\nc\rd\\e") == R"(a\tb\nc\rd\\e)");
    CHECK(copied("\\N") == R"(\\N)");
    CHECK(copied("č \"x\" {1,2}") == "č \"x\" {1,2}");
    CHECK(copied("\n") == "\\n");
}
