// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "tools/load/html_head.h"

using namespace oai::load;

namespace {

// name{attribute=value ...}, quoted values in brackets; a slash behind it if it is empty.
std::string told(std::string_view in) {
    const Tag tag = read_tag(in, 0);
    std::string out = tag.name + "{";
    for (const TagAttribute& a : tag.attributes) {
        const std::string value(in.substr(a.begin, a.end - a.begin));
        out += a.name + "=" + (a.quoted ? "[" + value + "]" : value) + " ";
    }
    return out + "}" + (tag.empty ? "/" : "") + std::string(in.substr(tag.end));
}

}  // namespace

TEST_CASE("recover: reads tags, well-formed or not") {
    CHECK(told("<a>b") == "a{}b");
    CHECK(told("<A B=C D='e f' g=\"h'>\"/>i") == "a{b=C d=[e f] g=[h'>] }/i");
    CHECK(told("</a b=c>d") == "a{b=c }d");
    CHECK(told("<a/b=c/d=e>f") == "a{b=c/d=e }f");
    CHECK(told("<a b c = d =e>") == "a{c=d }");  // the second "=" has no name before it
    CHECK(told("<a b='c'd='e'>") == "a{b=[c] d=[e] }");
    CHECK(told("<a b=>c") == "a{b= }c");
    CHECK(told("<a b='c>") == "a{b=[c>] }");
    for (const char* cut : {"<a", "<a ", "<a b", "<a b=", "<a b =", "<a /"})
        CHECK(told(cut) == "a{}");
}
