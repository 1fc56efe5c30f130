// SPDX-License-Identifier: MIT
#include "base/ini.h"

#include "t/lib/unit_headers.h"

namespace {

std::string only_problem(std::string_view text) {
    const ini::File file = ini::parse(text);
    CHECK(file.entries.empty());
    REQUIRE(file.problems.size() == 1);
    return std::to_string(file.problems[0].line) + ": " + file.problems[0].what;
}

}  // namespace

TEST_CASE("ini: entries come in order with section and line") {
    const ini::File file =
        ini::parse("# c\n\n[a]\nx = 1\n ; c\n[b]\r\ny:  two words \r\nx=\n[a]\nz = a;b=c");
    REQUIRE(file.problems.empty());
    REQUIRE(file.entries.size() == 4);
    CHECK(file.entries[0].section == "a");
    CHECK(file.entries[0].key == "x");
    CHECK(file.entries[0].value == "1");
    CHECK(file.entries[0].line == 4);
    CHECK(file.entries[1].section == "b");
    CHECK(file.entries[1].value == "two words");
    CHECK(file.entries[1].line == 7);
    CHECK(file.entries[2].value == "");
    CHECK(file.entries[3].section == "a");
    CHECK(file.entries[3].value == "a;b=c");
    CHECK(file.entries[3].line == 10);
}

TEST_CASE("ini: an empty file is valid") {
    CHECK(ini::parse("").problems.empty());
    CHECK(ini::parse("").entries.empty());
    CHECK(ini::parse("\n\n").problems.empty());
}

TEST_CASE("ini: a line of 198 bytes is read completely, one of 199 is refused") {
    const std::string key = "k = ";
    const std::string longest(198 - key.size(), 'v');
    for (const char* end : {"", "\n", "\r\n", "\nz = 1\n"}) {
        const ini::File file = ini::parse("[s]\n" + key + longest + end);
        REQUIRE(file.problems.empty());
        CHECK(file.entries[0].value == longest);
        CHECK(file.entries[0].line == 2);
        if (file.entries.size() > 1) CHECK(file.entries[1].line == 3);
    }
    CHECK(only_problem("[s]\n" + key + longest + "v\n") ==
          "2: the line has 199 bytes; the maximum is 198");
    CHECK(only_problem("# " + std::string(197, 'c') + "\n[s]\nk = 1\n") ==
          "1: the line has 199 bytes; the maximum is 198");
}

TEST_CASE("ini: what inih would accept or skip silently is refused with its line") {
    using namespace std::string_literals;
    CHECK(only_problem("\xEF\xBB\xBF[s]\n") ==
          "1: begins with a byte order mark; save it as UTF-8 without one");
    CHECK(only_problem("[s]\nk = a\0b\n"s) == "2: the line contains a NUL byte");
    CHECK(only_problem("[s]\nk = \xFF\n") == "2: the line is not UTF-8");
    CHECK(only_problem("[s]\nk = a\x01\n") == "2: the line contains a control character");
    CHECK(only_problem("[s]\nk = 1\n  more\n").starts_with("3: the line is indented"));
    CHECK(only_problem("[s]\n\tk = 1\n").starts_with("2: the line is indented"));
    CHECK(only_problem("[s]\n [t]\n").starts_with("2: the line is indented"));
    CHECK(only_problem("k = 1\n[s]\n") == "1: a key before the first [section]");
    CHECK(only_problem("[s]\nword\n") == "2: neither a comment, a [section] nor key = value");
    CHECK(only_problem("[s]\n= 1\n") == "2: no key before '='");
    CHECK(only_problem("[s]\n: 1\n") == "2: no key before ':'");
    CHECK(only_problem("[s\nk = 1\n").starts_with("1: a section heading"));
    CHECK(only_problem("[s] # c\n").starts_with("1: a section heading"));
    CHECK(only_problem("[s]]\n").starts_with("1: a section heading"));
    CHECK(only_problem("[s]\nk = 1 ; c\n").starts_with("2: ';' after a blank"));
    CHECK(only_problem("[s]\nk = ;\n").starts_with("2: ';' after a blank"));
}

TEST_CASE("ini: every faulty line is reported, not only the first") {
    const ini::File file = ini::parse("k\n[s]\nword\n  x = 1\nk = 1\n");
    REQUIRE(file.problems.size() == 3);
    CHECK(file.problems[0].line == 1);
    CHECK(file.problems[1].line == 3);
    CHECK(file.problems[2].line == 4);
    CHECK(file.entries.empty());
}
