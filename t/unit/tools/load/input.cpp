// SPDX-License-Identifier: MIT
#include "tools/load/input.h"

#include "t/unit/tools/load/support.h"

using namespace oai::load;
using oai::load::test::gzip;

namespace {

std::string all(Input& input) {
    std::string out;
    for (std::string_view s = input.peek(1); !s.empty(); s = input.peek(1)) {
        out += s;
        input.consume(s.size());
    }
    return out;
}

// Bytes that deflate can hardly compress.
std::string noise(std::size_t n) {
    std::string out;
    unsigned x = 12345;
    while (out.size() < n) out += static_cast<char>((x = x * 1103515245u + 12345u) >> 16);
    return out;
}

}  // namespace

TEST_CASE("uncompressed input is read with byte offsets") {
    Input input = Input::of_bytes("one\ntwo\nthree");
    CHECK_FALSE(input.compressed());
    CHECK(input.peek_line(100) == "one\n");
    input.consume(4);
    CHECK(input.offset() == 4);
    input.skip_line();
    CHECK(input.peek_line(100) == "three");
    CHECK(input.peek_line(3) == "thr");
    CHECK(input.surely_less_than(6));
    CHECK_FALSE(input.surely_less_than(5));
    CHECK(input.skip(100) == 5);
    CHECK(input.offset() == 13);
    CHECK(input.broken().empty());
    CHECK_FALSE(input.resume());
}

TEST_CASE("each byte of gzip input has the offset of its member") {
    const std::string a = gzip("first\n"), b = gzip(""), c = gzip("third\n");
    Input input = Input::of_bytes(a + b + c + std::string(700, '\0'));
    CHECK(input.compressed());
    CHECK(input.offset() == 0);
    CHECK(input.at_member_start());
    input.peek(1);
    input.consume(2);
    CHECK_FALSE(input.at_member_start());
    CHECK(input.offset() == 0);
    CHECK(input.skip(4) == 4);
    CHECK(input.at_member_start());
    CHECK(input.offset() == a.size() + b.size());
    CHECK(all(input) == "third\n");
    CHECK(input.broken().empty());  // zeros pad the end
    CHECK(input.offset() == a.size() + b.size() + c.size());
}

TEST_CASE("a long file is read with a buffer of bounded size") {
    const std::string content = noise(3'000'000);
    Input plain = Input::of_bytes(content);
    CHECK(all(plain) == content);
    Input packed = Input::of_bytes(gzip(content));
    CHECK(all(packed) == content);
    Input again = Input::of_bytes(gzip(content));
    CHECK(again.peek(Input::kWindowBytes).size() < Input::kWindowBytes + 600'000);
    CHECK(again.peek_line(1000).size() <= 1000);
}

TEST_CASE("reading resumes at the member after a damaged one") {
    const std::string a = gzip("first\n"), c = gzip("third\n");
    std::string b = gzip(noise(5000));
    b[b.size() / 2] = static_cast<char>(b[b.size() / 2] ^ 0x55);
    Input input = Input::of_bytes(a + b + c);
    const std::string before = all(input);
    CHECK(before.substr(0, 6) == "first\n");
    CHECK_THAT(input.broken(), StartsWith("damaged gzip member"));
    REQUIRE(input.resume());
    CHECK(input.offset() == a.size() + b.size());
    CHECK(all(input) == "third\n");
    CHECK(input.broken().empty());
}

TEST_CASE("a wrong checksum is reported as damage") {
    std::string a = gzip("first\n");
    a[a.size() - 6] = static_cast<char>(a[a.size() - 6] ^ 1);
    Input input = Input::of_bytes(a);
    all(input);
    CHECK_THAT(input.broken(), StartsWith("damaged gzip member"));
    CHECK_FALSE(input.resume());
    CHECK(input.peek(1).empty());
}

TEST_CASE("a truncated gzip file is reported") {
    const std::string a = gzip("first\n"), b = gzip(noise(5000));
    Input input = Input::of_bytes(a + b.substr(0, 1000));
    CHECK(all(input).substr(0, 6) == "first\n");
    CHECK(input.broken() == "the file ends within a gzip member");
    CHECK_FALSE(input.resume());
}

TEST_CASE("magic bytes that occur by chance do not begin a member") {
    const std::string a = gzip("first\n"), b = gzip("second\n");
    Input input = Input::of_bytes(a + "junk \x1f\x8b\x08 junk that does not inflate" + b);
    CHECK(all(input) == "first\n");
    CHECK_FALSE(input.broken().empty());
    REQUIRE(input.resume());
    CHECK(all(input) == "second\n");
}

TEST_CASE("go_to can go back") {
    const std::string a = gzip("first\n"), b = gzip("second\n");
    Input input = Input::of_bytes(a + b);
    all(input);
    input.go_to(a.size());
    CHECK(all(input) == "second\n");
    Input plain = Input::of_bytes("0123456789");
    all(plain);
    plain.go_to(7);
    CHECK(plain.offset() == 7);
    CHECK(all(plain) == "789");
}

TEST_CASE("a gzip member may begin within a line") {
    Input input = Input::of_bytes(gzip("ab") + gzip("cd\nef"));
    const auto line = input.peek_line(100);
    CHECK(line == "abcd\n");
    CHECK(input.member_starts(line.size()) == std::vector<std::size_t>{2});
}

TEST_CASE("a path that is no file is refused with a message") {
    CHECK_THROWS_WITH(Input::open("/nonexistent/x.warc"), StartsWith("cannot be opened: "));
    CHECK_THROWS_WITH(Input::open("/"), "is a directory: name the files in it");
    CHECK_THROWS_WITH(Input::open("/dev/null"), StartsWith("is no regular file: "));
}

TEST_CASE("zstd frames are read as gzip members are, with a dictionary or without") {
    const std::string dictionary = noise(5000);
    const auto frame = [&](const std::string& content, bool by_dictionary) {
        std::string out(ZSTD_compressBound(content.size()), '\0');
        ZSTD_CCtx* const context = ZSTD_createCCtx();
        out.resize(ZSTD_compress_usingDict(context, out.data(), out.size(), content.data(),
                                           content.size(), dictionary.data(),
                                           by_dictionary ? dictionary.size() : 0, 3));
        ZSTD_freeCCtx(context);
        return out;
    };
    const auto skippable = [](const std::string& content) {
        std::string out("\x5D\x2A\x4D\x18");
        for (std::size_t n = content.size(), i = 0; i < 4; ++i, n >>= 8)
            out += static_cast<char>(n & 255);
        return out + content;
    };
    const std::string one = dictionary.substr(1000, 3000) + "\n", two = "two\n" + noise(40'000);
    const std::string a = frame(one, false), b = frame(two, false);
    for (const std::size_t block : {std::size_t{16}, std::size_t{100'000}}) {
        INFO(block);
        Input input = Input::of_bytes(a + b, block);
        CHECK(input.compressed());
        CHECK(input.at_member_start());
        CHECK(input.skip(one.size()) == one.size());
        CHECK(input.offset() == a.size());
        CHECK(input.at_member_start());
        CHECK(all(input) == two);
        CHECK(input.broken().empty());
        for (const std::string& words : {dictionary, frame(dictionary, false)}) {
            const std::string head = skippable(words), c = frame(one, true);
            CHECK(c.size() < 500);
            Input known = Input::of_bytes(head + c + c, block);
            CHECK(known.offset() == head.size());
            CHECK(all(known) == one + one);
            known.go_to(head.size() + c.size());
            CHECK(all(known) == one);
        }
        Input cut = Input::of_bytes(a + b.substr(0, b.size() - 9), block);
        all(cut);
        CHECK(cut.broken() == "the file ends within a zstd frame");
        Input bad = Input::of_bytes(a + "\x28\xB5\x2F\xFDxxxxxxxxxxxx" + a, block);
        CHECK(all(bad) == one);
        CHECK(bad.broken().starts_with("damaged zstd frame"));
        CHECK(bad.resume());
        CHECK(all(bad) == one);
    }
}
