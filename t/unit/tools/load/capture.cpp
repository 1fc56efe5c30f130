// SPDX-License-Identifier: MIT
#include "tools/load/capture.h"

#include <ctime>

#include "base/text.h"
#include "t/unit/tools/load/support.h"

using namespace oai::load;

namespace {

DocumentDescription page(const std::string& html, const std::string& type = "text/html",
                         const std::string& fields = "") {
    return describe_document(
        "text/html", "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n" + fields + "\r\n", html);
}
std::string title(const std::string& html, const std::string& type = "text/html") {
    return page(html, type).title;
}

// "Příliš žluťoučký kůň" and "škoda ťukat" in three encodings.
const std::string kHorse = "Příliš žluťoučký kůň";
const std::string kHorse1250 = "P\xF8\xEDli\x9A \x9Elu\x9Dou\xE8k\xFD k\xF9\xF2";
const std::string kHorseLatin2 = "P\xF8\xEDli\xB9 \xBElu\xBBou\xE8k\xFD k\xF9\xF2";

std::string utf16(const std::string& ascii, bool big) {
    std::string out;
    for (const char c : ascii) {
        if (big) out += '\0';
        out += c;
        if (!big) out += '\0';
    }
    return out;
}

}  // namespace

TEST_CASE("load: the title, the language and the description of a page") {
    const DocumentDescription d = page(
        "<!DOCTYPE html>\n<html lang=cs-CZ><head><meta charset=utf-8>"
        "<META NAME=Description CONTENT='O koni &amp; jezdci'>"
        "<title>\n  Příliš\tžluťoučký \n kůň </title></head><body>...");
    CHECK(d.title == kHorse);
    CHECK(d.language == "cs-cz");
    CHECK(d.description == "O koni & jezdci");
    CHECK(page("<p>nothing").title.empty());
    CHECK(describe_document("image/png", "", "<title>x</title>").title.empty());
    CHECK(describe_document("application/xhtml+xml", "", "<title>x</title>").title == "x");
    CHECK(describe_document("text/html", "", "").title.empty());
}

TEST_CASE("load: a redirect or an error describes nothing that was at the address") {
    const auto title_with = [](const std::string& status_line) {
        return describe_document("text/html", status_line + "\r\nContent-Type: text/html\r\n\r\n",
                                 "<title>302 Found</title>")
            .title;
    };
    for (const char* line : {"HTTP/1.1 302 Found", "HTTP/1.0 301 Moved Permanently", "HTTP/2 404",
                             "HTTP/1.1 500 Internal Server Error", "HTTP/1.1  403 Forbidden"}) {
        INFO(line);
        CHECK(title_with(line).empty());
    }
    // What is no answer of 300 or more, or says nothing that can be read, is described.
    for (const char* line :
         {"HTTP/1.1 200 OK", "HTTP/1.1 203", "ICY 200 OK", "HTTP/1.1", "HTTP/1.1 x", ""}) {
        INFO(line);
        CHECK(title_with(line) == "302 Found");
    }
}

TEST_CASE("load: a title in its encoding, wherever the page says it") {
    CHECK(title("<title>" + kHorse1250 + "</title>", "text/html; charset=windows-1250") == kHorse);
    CHECK(title("<title>" + kHorse1250 + "</title>", "text/html;CharSet = \"CP1250\" ;x=y") ==
          kHorse);
    CHECK(title("<meta charset='Windows-1250'><title>" + kHorse1250 + "</title>") == kHorse);
    CHECK(title("<title>" + kHorseLatin2 +
                "</title><meta http-equiv=Content-Type content='text/"
                "html; charset=iso-8859-2'>") == kHorse);
    CHECK(title("<?xml version='1.0' encoding='iso-8859-2'?><title>" + kHorseLatin2) == kHorse);
    // The header counts more than the page, and both less than a byte order mark.
    CHECK(title("<meta charset=koi8-r><title>" + kHorseLatin2, "text/html; charset=latin2") ==
          kHorse);
    CHECK(title("\xEF\xBB\xBF<title>" + kHorse, "text/html; charset=latin2") == kHorse);
    CHECK(title("<title>\xE9t\xE9 \x96 \x80", "text/html; charset=iso-8859-1") == "été – €");
    CHECK(title("<title>\x93\xFA\x96{\x8C\xEA", "text/html; charset=Shift_JIS") == "日本語");
    CHECK(title("<title>\xC8\xD5\xB1\xBE\xD3\xEF", "text/html; charset=gb2312") == "日本语");
    CHECK(title("<title>\x1B$BF|K\\8l\x1B(B</title>", "text/html; charset=iso-2022-jp") ==
          "日本語");
    CHECK(title("<title>\xF0\xD2\xC9\xD7\xC5\xD4", "text/html; charset=koi8-r") == "Привет");
    for (const bool big : {false, true}) {
        const std::string html = utf16("<title>Wide</title>", big);
        CHECK(title(html) == "Wide");
        CHECK(title((big ? "\xFE\xFF" : "\xFF\xFE") + html, "text/html; charset=latin1") == "Wide");
    }
    CHECK(title("<title>a</title>", "text/html; charset=utf-16") == "a");
    CHECK(title("<title>a</title>", "text/html; charset=none-such") == "a");
}

TEST_CASE("load: a title in another encoding than the page says") {
    // UTF-8 from end to end.
    CHECK(title("<title>" + kHorse, "text/html; charset=iso-8859-1") == kHorse);
    CHECK(title("<meta charset=windows-1250><title>" + kHorse) == kHorse);
    // A title in UTF-8 of a page that is declared so and has other bytes, too.
    CHECK(title("<title>" + kHorse + "</title>\xF8\xED", "text/html; charset=utf-8") == kHorse);
    // Undeclared, or not UTF-8 as declared: guessed from the whole page.
    const std::string text =
        "<p>Vl\xE1"
        "da v pond\xEC"
        "l\xED schv\xE1lila n\xE1vrh z\xE1kona, kter\xFD p\xF8in\xE1\x9A\xED "
        "zm\xECny v \x9Akolstv\xED. U\x9E p\xF8\xED\x9Atí rok se \xF8"
        "editel\xF9m \x9Akol zm\xECn\xED "
        "pravidla, kter\xE1 ur\xE8uj\xED, kolik \x9E\xE1k\xF9 mohou p\xF8ijmout.";
    CHECK(title("<title>" + kHorse1250 + "</title>" + text) == kHorse);
    CHECK(title("<title>" + kHorse1250 + "</title>" + text, "text/html; charset=utf-8") == kHorse);
    CHECK(title("<title>caf\xE9 cr\xE8me</title>") == "café crème");
    // The encoding was not found out: no title is better than a wrong one.
    CHECK(title("<title>\x81\x82\xFF</title>", "text/html; charset=gb2312").empty());
}

TEST_CASE("load: character references in titles") {
    CHECK(title("<title>Tom &amp; Jerry &lt;b&gt; &quot;x&quot;") == "Tom & Jerry <b> \"x\"");
    CHECK(title("<title>&#268;esk&yacute; &#x161;kol&aacute;k &copy &hellip;</title>") ==
          "Český školák © …");
    CHECK(title("<title>&#150;&#128;&#129;&#0;&#xD800;&#1114112;&#99999999999;&bogus;&") ==
          "–€ &#0;&#xD800;&#1114112;&#99999999999;&bogus;&");
    CHECK(title("<title>&nbsp;&#10; &#8203;</title>").empty());
    // Only once: what a reference stands for is no reference.
    CHECK(title("<title>&amp;lt;") == "&lt;");
}

TEST_CASE("load: what is no title of the page") {
    CHECK(title("<!-- <title>comment</title> --><title>real</title>") == "real");
    CHECK(title("<!--><title>real</title> -->") == "real");
    CHECK(title("<!-- x --!><title>real</title>") == "real");
    CHECK(title("<script>document.write('<title>script</title>')</script><title>real</title>") ==
          "real");
    CHECK(
        title("<style><title>style</title></style><textarea><title>t</title></textarea>").empty());
    CHECK(title("<svg><title>a</title><svg/><svg></svg><title>b</title></svg><title>real") ==
          "real");
    CHECK(title("<svg/><title>real</title><svg><title>a</title>") == "real");
    CHECK(title("<svg><!-- </svg> --><title>a</title></svg>").empty());
    CHECK(title("<math><title>a</title>").empty());
    CHECK(title("<p title='<title>a</title>'><title >real</title >") == "real");
    CHECK(title("<titles>a</titles><title/>real</title>") == "real");
    CHECK(title("<title></title><title> </title><title>third") == "third");
    CHECK(title("<title>first</title><title>second</title>") == "first");
    CHECK(title("<head></head><body><title>in the body</title>") == "in the body");
    CHECK(title("<plaintext><title>a</title>").empty());
    CHECK(title("<?php echo '<title>a' ?><title>real") == "real");
}

TEST_CASE("load: titles that are broken") {
    CHECK(title("<title>never closed\n<meta name=x><p>body") == "never closed");
    CHECK(title("<title>with <b>tags</b></title>") == "with <b>tags</b>");
    CHECK(title("<title>cut of") == "cut of");
    CHECK(title("<titl").empty());
    CHECK(title("<title").empty());
    CHECK(title("<title>a</title foo='>'>b") == "a");
    CHECK(title("<TITLE>A</tItLe>") == "A");
    CHECK(title(std::string("<title>n\0u\x01l\x1F\x7Fl\xC2\x85s</title>", 25)) == "n u l l s");
    CHECK(title("<title>\u202Eevil\u202C \u2066x\u2069 \uFEFF\u200By</title>") == "evil x y");
    CHECK(title("<title>\u05E9\u05DC\u05D5\u05DD \u200Fa</title>") ==
          "\u05E9\u05DC\u05D5\u05DD \u200Fa");
    CHECK(title("<title>\uFFFE</title>").empty());
    CHECK(title("<title>one in many is lost: \xFF, is it not?", "text/html; charset=euc-jp") ==
          "one in many is lost: \uFFFD, is it not?");
}

TEST_CASE("load: languages") {
    const auto language = [](const std::string& html, const std::string& fields = "") {
        return page(html, "text/html", fields).language;
    };
    CHECK(language("<html lang='pt_BR'>") == "pt-br");
    CHECK(language("<html xml:lang=sk>") == "sk");
    CHECK(language("<html lang='' xml:lang='zh-Hant-TW'>") == "zh-hant-tw");
    CHECK(language("<meta http-equiv=Content-Language content=de>", "Content-Language: en\r\n") ==
          "de");
    CHECK(language("<p>", "Content-Language: en-GB \r\n") == "en-gb");
    CHECK(language("<html lang=czech>", "Content-Language: cs, en\r\n").empty());
    for (const char* none : {"c", "1a", "cs-", "-cs", "cs--x", "cs-žž", "x-y", "cs cz",
                             "en-toolongsubtag", "en-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r"})
        CHECK(language(std::string("<html lang='") + none + "'>").empty());
}

TEST_CASE("load: descriptions") {
    CHECK(page("<meta property='og:description' content='og'>").description == "og");
    CHECK(page("<meta property='og:description' content='og'><meta name=description content=d>")
              .description == "d");
    CHECK(page("<meta name=description content=''>").description.empty());
    CHECK(page("<meta name=description content=\"a\n\n b &eacute;\">").description == "a b é");
    CHECK(page("<meta name=description content=" + kHorse1250 + ">", "text/html; charset=cp1250")
              .description == "Příliš");
}

TEST_CASE("load: texts are bounded in characters") {
    const auto of = [](int n, const std::string& end = "") {
        std::string s;
        for (int i = 0; i < n; ++i) s += "ř";
        return s + end;
    };
    CHECK(title("<title>" + of(500)) == of(500));
    CHECK(title("<title>" + of(501)) == of(499, "…"));
    CHECK(title("<title>" + of(498) + " ab") == of(498, "…"));
    CHECK(title("<title>" + of(499) + " " + of(9)) == of(499, "…"));
    CHECK(title("<title>" + of(500) + " \n ") == of(500));
    CHECK(page("<meta name=description content='" + of(3000) + "'>").description == of(1999, "…"));
    CHECK(plain_text("abc", 3) == "abc");
    CHECK(plain_text("abcd", 3) == "ab…");
    CHECK(plain_text("a cd", 3) == "a…");
}

TEST_CASE("load: a page in any coding that HTTP knows") {
    const std::string html = "<title>packed</title>" + std::string(200'000, 'x');
    const auto sent = [](const std::string& fields, const std::string& body) {
        return page(body, "text/html", fields).title;
    };
    CHECK(sent("Content-Encoding: gzip\r\n", load::test::gzip(html)) == "packed");
    CHECK(sent("Content-Encoding: gzip\r\n", load::test::gzip(html).substr(0, 60)) == "packed");
    CHECK(sent("Content-Encoding: gzip\r\n", html) == "packed");  // the archive has decoded it
    CHECK(sent("Content-Encoding: br\r\n", "rubbish").empty());
    CHECK(sent("Content-Encoding: sdch\r\n", html).empty());
    CHECK(sent("Transfer-Encoding: chunked\r\n",
               "c\r\n<title>packe\r\n9\r\nd</title>\r\n0\r\n\r\n") == "packed");
    const std::string gzip = load::test::gzip("<title>both</title>");
    REQUIRE(gzip.size() < 256);
    constexpr const char* kHex = "0123456789abcdef";
    const std::string size = {kHex[gzip.size() / 16], kHex[gzip.size() % 16]};
    CHECK(sent("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n",
               size + "\r\n" + gzip + "\r\n0\r\n\r\n") == "both");
}

TEST_CASE("load: the first 64 KB of a page, and no more") {
    CHECK(title(std::string(65'000, ' ') + "<title>near</title>") == "near");
    CHECK(title(std::string(70'000, ' ') + "<title>far</title>").empty());
    CHECK(title("<title>" + std::string(70'000, 'a') + "</title>").size() == 499 + 3);
}

TEST_CASE("load: every encoding that browsers know is known") {
    for (const char* label :
         {"utf-8",        "UTF8",         "ibm866",       "iso-8859-2",     "iso-8859-3",
          "iso-8859-4",   "iso-8859-5",   "iso-8859-6",   "iso-8859-7",     "iso-8859-8",
          "iso-8859-8-i", "iso-8859-10",  "iso-8859-13",  "iso-8859-14",    "iso-8859-15",
          "koi8-r",       "koi8-u",       "macintosh",    "windows-874",    "windows-1250",
          "windows-1251", "windows-1252", "windows-1253", "windows-1254",   "windows-1255",
          "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "gbk",
          "gb18030",      "big5",         "euc-jp",       "iso-2022-jp",    "shift_jis",
          "euc-kr",       "x-mac-ce",     "cp852",        "ks_c_5601-1987", "x-sjis",
          "tis-620",      "gb2312",       "us-ascii",     "latin5"}) {
        INFO(label);
        const char* const encoding = encoding_of_label(label);
        REQUIRE(encoding != nullptr);
        CHECK(to_utf8("plain", encoding) == "plain");
        CHECK(text::is_utf8(to_utf8("\x80\xFF\xE1\xB9\x1B$\x81", encoding)));
    }
    CHECK(to_utf8(std::string("a\0\x3D\xD8\0\xDE", 6), "UTF-16LE") == "a😀");
    for (const char* label : {"", "utf-7", "x-user-defined", "hz-gb-2312", "../../etc/passwd",
                              "ISO-2022-KR", "SCSU", "windows-1250,locale=cs"})
        CHECK(encoding_of_label(label) == nullptr);
}

TEST_CASE("load: a hostile page takes no longer than others") {
    // The least processor time of three rounds, in seconds.
    const auto seconds = [](const std::string& html, const char* type) {
        double least = 1e9;
        for (int round = 0; round < 3; ++round) {
            timespec before{}, after{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
            const DocumentDescription d = page(html, type);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
            CHECK(text::is_xml_text(d.title + d.description + d.language));
            least = std::min(least, static_cast<double>(after.tv_sec - before.tv_sec) +
                                        static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e9);
        }
        return least;
    };
    const auto filled_with = [](std::string_view unit) {
        std::string html;
        while (html.size() < kDescribedBytes) html += unit;
        return html;
    };
    const double usual = seconds(filled_with("<p>A page of <b>words</b></p>"), "text/html");
    for (const std::string_view unit :
         text::split("<|<!--|<!-- --|<title>|<title|</title|<svg>|<svg|<script>|<script></|"
                     "<meta name=description content=|<a b='|<a b=c d|&|&a|&#|<title>&amp|<?|<!|"
                     "\xFF|\xC4\x8D|<html lang=|<meta charset=utf-16>",
                     '|')) {
        INFO(unit);
        const std::string html = filled_with(unit);
        for (const char* type : {"text/html", "text/html; charset=utf-8"})
            CHECK(seconds(html, type) < 200 * usual);  // one that is quadratic takes thousands
    }
}
