// SPDX-License-Identifier: MIT
#include "xml/guard.h"

#include "t/lib/unit_headers.h"
#include "xml/document.h"
#include "xml/push_parser.h"
#include "xml/reader.h"

using namespace oai::xml;

namespace {

std::string many(int n, const std::string& before, const std::string& after) {
    std::string out;
    for (int i = 0; i < n; ++i) out += before + std::to_string(i) + after;
    return out;
}

// The same in UTF-16 or UTF-32, of ASCII.
std::string widened(const std::string& text, std::size_t width, bool high_first) {
    std::string out;
    for (const char c : text) {
        const std::string zeros(width - 1, '\0');
        out += high_first ? zeros + c : c + zeros;
    }
    return out;
}

// "" or what each of the three parsers says of the document.
std::string refusal(const std::string& document) {
    Strings said(3);
    const auto note = [&](std::size_t i, const auto& parse) {
        try {
            parse();
        } catch (const Error& e) {
            said[i] = e.what();
        }
    };
    note(0, [&] { parse_memory(document, "d"); });
    note(1, [&] {
        PushParser parser;
        parser.feed(document.substr(0, 5), false);
        parser.feed(document.substr(5), true);
    });
    note(2, [&] {
        Reader reader(document);
        while (reader.next()) reader.whole();
    });
    const bool all = !said[0].empty() && !said[1].empty() && !said[2].empty();
    const bool none = said[0].empty() && said[1].empty() && said[2].empty();
    CHECK((all || none));
    return said[0];
}

}  // namespace

TEST_CASE("XML guard: what is beyond a bound is refused by each parser, what is at it is not") {
    const auto element = [](const std::string& inside) { return "<a>\n<b" + inside + "/></a>"; };
    struct Row {
        std::string at, beyond, why;
    };
    const std::string text(9'999'999, 'x');
    const Row rows[] = {
        {element(many(256, " a", "='1'")), element(many(257, " a", " = \"1\"")),
         "d:2: the attributes of an element are more than 256"},
        {element(many(64, " xmlns:a", "='u'")), element(many(65, " xmlns:a", "='u'")),
         "d:2: the namespace declarations of an element are more than 64"},
        {element(" a='>/>'"), element(many(60'000, " a", "='>/>'")), "the attributes of"},
        {element(" xmlns='u'"), element(many(60'000, "\txmlns:n", "='u'")), "the namespace decl"},
        {"<a></a>", many(200, "<a xmlns='u", "' xmlns:b='u'>"), "the namespaces that hold"},
        {element(" " + std::string(1000, 'n') + "=''"), element(std::string(1001, 'n')),
         "the bytes of a name are more than 1000"},
        {"<a>" + text + "</a>", "<a>" + text + "xx</a>", "the bytes of a text are"},
        {"<a b='1'/>", "<a><b><c>" + many(500'000, "<d>", "</d>") + "</c></b></a>",
         "the elements and attributes of it are more than 500000"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        CHECK(refusal(row.at) == "");
        CHECK_THAT(refusal(row.beyond), Contains(row.why));
    }
}

TEST_CASE("XML guard: nothing hides attributes from it, and nothing else counts as attributes") {
    const std::string bad = "<b" + many(300, " a", "='1'") + "/>";
    for (const char* before :
         {"<!-- <b c=' -->", "<![CDATA[<b c=']]]>", "<?p <b c='?>", "<c d='<!--' e=\"?>\"/>",
          "<!---->", "<c\n>]]&gt;</c\t>", "&#60;!--", "'\"", "<c/><c x=''></c>", "<!-- - -> -->"}) {
        CAPTURE(before);
        std::string whole = "<a>";
        whole.append(before).append(bad).append("</a>");
        const bool is_broken = std::string_view(before).find("='<") != std::string_view::npos;
        CHECK_THAT(refusal(whole), Contains(is_broken ? "Unescaped '<'" : "the attributes of"));
    }
    CHECK(refusal("<a><!--" + bad + "--><![CDATA[" + bad + "]]><?p " + bad + "?></a>") == "");
    // What is broken ends the parse before anything beyond a bound comes.
    for (const char* broken : {"<>", "<?>", "<!x", "<b", "<b c=<", "<b c", "</", "<1>", "<b/ "}) {
        CAPTURE(broken);
        CHECK(refusal("<a>" + std::string(broken) + many(100, "", " ") + bad + "</a>") != "");
    }
}

TEST_CASE("XML guard: a document in any pieces and encodings is judged alike") {
    const std::string bad =
        "<?xml version='1.0'?><!--\n--><a>\n<b" + many(300, " a", "='1'") + "/></a>";
    for (std::size_t piece = 1; piece < 40; ++piece) {
        Guard guard;
        bool refused = false;
        try {
            for (std::size_t at = 0; at < bad.size(); at += piece)
                guard.pass(std::string_view(bad).substr(at, piece));
        } catch (const Error&) {
            refused = true;
        }
        CHECK(refused);
        CHECK(guard.line() == 3);
    }
    for (const std::size_t width : {std::size_t{2}, std::size_t{4}}) {
        for (const bool high_first : {false, true}) {
            CAPTURE(width, high_first);
            CHECK_THROWS_WITH(Guard().pass(widened(bad, width, high_first)),
                              Contains("the attributes of an element are more than 256"));
            const std::string good = widened("<a b='1'>text</a>", width, high_first);
            CHECK(Guard().pass(good) == good);
        }
    }
    for (const char* unread : {"ISO-2022-JP", "UTF-7", "csISO2022KR", "IBM037"})
        CHECK_THROWS_WITH(
            Guard().pass("<?xml version='1.0' encoding='" + std::string(unread) + "'?><a/>"),
            Contains("is not read here"));
    CHECK_THROWS_WITH(Guard().pass("<?xml " + std::string(1000, ' ') + "encoding='UTF-7'?><a/>"),
                      Contains("the first instruction"));
    CHECK(refusal("<?xml version='1.0' encoding='windows-1250'?><a b='\xE8'/>") == "");
}
