// SPDX-License-Identifier: MIT
#include "protocol/resumption_token.h"

#include "base/text.h"
#include "protocol/arguments.h"
#include "t/lib/unit_headers.h"

using std::chrono::seconds;

namespace {

TokenKey key_of(unsigned char byte) {
    TokenKey key;
    key.fill(byte);
    return key;
}

ResumptionToken sample() {
    ResumptionToken token{};
    token.verb = Verb::list_records;
    token.epoch = 7;
    token.after = 123'456;
    token.upto = 0;
    token.reach = 4000;
    token.horizon = Seconds{seconds{1'794'999'998}};
    token.cursor = 200;
    token.size = 3500;
    token.issued = Seconds{seconds{1'795'000'000}};
    token.from = Seconds{seconds{1'700'000'000}};
    token.metadata_prefix = "oai_dc";
    token.set = "dom:ee:etv24";
    return token;
}

bool is_token_text(const std::string& s) {
    return !s.empty() && std::all_of(
                             s.begin(), s.end(),
                             [](char c) {
                                 return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                                        (c >= '0' && c <= '9') || c == '_' || c == '-';
                             });
}

// A file that is removed at the end of the test.
class KeyFile {
  public:
    explicit KeyFile(const std::string& content, unsigned mode = 0600)
        : path_("/tmp/oai-unit-key-XXXXXX") {
        ::close(::mkstemp(path_.data()));
        std::ofstream(path_) << content;
        ::chmod(path_.c_str(), mode);
    }
    ~KeyFile() { ::unlink(path_.c_str()); }
    KeyFile(const KeyFile&) = delete;
    KeyFile& operator=(const KeyFile&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

const std::string kDigits = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F";

std::string refusal(const std::string& path) {
    try {
        read_token_key(path);
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("token: opening returns what was sealed") {
    const TokenSealer sealer(key_of(1));
    const std::string sealed = sealer.seal(sample());
    CHECK(is_token_text(sealed));
    CHECK(sealer.open(sealed) == sample());
    CHECK(sealer.seal(sample()) == sealed);  // sealing is deterministic
}

TEST_CASE("token: extreme values survive sealing and opening") {
    const TokenSealer sealer(key_of(2));
    const std::int64_t numbers[] = {
        std::numeric_limits<std::int64_t>::min(), -1, 0, 1, 255, 256, 1LL << 32,
        std::numeric_limits<std::int64_t>::max()};
    for (const std::int64_t n : numbers) {
        for (int verb = 0; verb <= 5; ++verb) {
            for (int presence = 0; presence < 4; ++presence) {
                ResumptionToken token{};
                token.verb = static_cast<Verb>(verb);
                token.epoch = static_cast<std::uint64_t>(n);
                token.after = token.upto = token.reach = token.cursor = token.size = n;
                token.horizon = Seconds{seconds{n}};
                token.issued = Seconds{seconds{n}};
                if (presence & 1) token.from = Seconds{seconds{n}};
                if (presence & 2) token.until = Seconds{seconds{n}};
                token.metadata_prefix = std::string(presence == 0 ? 0 : 255, 'p');
                token.set = std::string(presence == 3 ? 65'535 : 0, '\0');
                const std::string sealed = sealer.seal(token);
                REQUIRE(is_token_text(sealed));
                REQUIRE(sealer.open(sealed) == token);
            }
        }
    }
}

TEST_CASE("token: version 2 of the format, byte for byte") {
    const auto bytes = text::base64url_decode(TokenSealer(key_of(1)).seal(sample()));
    REQUIRE(bytes);
    using namespace std::string_literals;
    const std::string message =
        "\x02\x05\x01"s              // version, ListRecords, has from
        "\0\0\0\0\0\0\0\x07"s        // epoch
        "\0\0\0\0\0\x01\xE2\x40"s    // after 123456
        "\0\0\0\0\0\0\0\0"s          // upto
        "\0\0\0\0\0\0\x0F\xA0"s      // reach 4000
        "\0\0\0\0\x6A\xFD\x86\xBE"s  // horizon 1794999998
        "\0\0\0\0\0\0\0\xC8"s        // cursor 200
        "\0\0\0\0\0\0\x0D\xAC"s      // size 3500
        "\0\0\0\0\x6A\xFD\x86\xC0"s  // issued 1795000000
        "\0\0\0\0\x65\x53\xF1\x00"s  // from 1700000000
        "\0\0\0\0\0\0\0\0"s          // no until
        "\x06oai_dc"s                // prefix
        "\0\x0C"
        "dom:ee:etv24"s;  // set
    CHECK(bytes->size() == message.size() + 16);
    CHECK(bytes->substr(0, message.size()) == message);
}

TEST_CASE("token: any character replaced by any other byte is detected") {
    const TokenSealer sealer(key_of(3));
    // One token for each length modulo 3, since base64 has unused bits in two of the cases.
    for (const std::string set : {"a", "ab", "abc"}) {
        ResumptionToken token = sample();
        token.set = set;
        const std::string sealed = sealer.seal(token);
        for (std::size_t i = 0; i < sealed.size(); ++i) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string altered = sealed;
                altered[i] = static_cast<char>(byte);
                REQUIRE(sealer.open(altered).has_value() == (altered == sealed));
            }
        }
    }
}

TEST_CASE("token: truncated, extended, combined and foreign tokens are refused") {
    const TokenSealer sealer(key_of(5));
    const std::string sealed = sealer.seal(sample());
    for (std::size_t length = 0; length < sealed.size(); ++length) {
        REQUIRE_FALSE(sealer.open(sealed.substr(0, length)));
        REQUIRE_FALSE(sealer.open(sealed.substr(sealed.size() - length)));
    }
    for (int byte = 0; byte < 256; ++byte) {
        REQUIRE_FALSE(sealer.open(sealed + static_cast<char>(byte)));
        REQUIRE_FALSE(sealer.open(static_cast<char>(byte) + sealed));
        auto bytes = *text::base64url_decode(sealed) + static_cast<char>(byte);
        REQUIRE_FALSE(sealer.open(text::base64url_encode(bytes)));
    }
    CHECK_FALSE(sealer.open(sealed + sealed));
    CHECK_FALSE(sealer.open(" " + sealed));
    CHECK_FALSE(sealer.open(sealed + "="));
    CHECK_FALSE(TokenSealer(key_of(6)).open(sealed));
    ResumptionToken other = sample();
    other.after += 1;
    const auto mine = *text::base64url_decode(sealed);
    const auto theirs = *text::base64url_decode(sealer.seal(other));
    CHECK_FALSE(sealer.open(text::base64url_encode(mine.substr(0, mine.size() - 16) +
                                                   theirs.substr(theirs.size() - 16))));
    CHECK_FALSE(sealer.open(std::string(1'000'000, 'A')));
}

TEST_CASE("token: the previous key opens tokens, but does not seal them") {
    const TokenSealer before(key_of(1));
    const TokenSealer during(key_of(2), key_of(1));
    const TokenSealer after(key_of(2));
    CHECK(during.open(before.seal(sample())) == sample());
    CHECK(during.open(during.seal(sample())) == sample());
    CHECK(after.open(during.seal(sample())) == sample());
    CHECK_FALSE(before.open(during.seal(sample())));
    CHECK_FALSE(after.open(before.seal(sample())));
    CHECK(during.seal(sample()) == after.seal(sample()));
}

TEST_CASE("token: the generation depends on the current key and the epoch") {
    const TokenSealer sealer(key_of(2));
    CHECK(sealer.generation(1) == TokenSealer(key_of(2), key_of(1)).generation(1));
    CHECK(sealer.generation(1) != TokenSealer(key_of(1), key_of(2)).generation(1));
    CHECK(sealer.generation(1) != sealer.generation(2));
}

TEST_CASE("token: values beyond the format's range are not sealed") {
    const TokenSealer sealer(key_of(1));
    ResumptionToken token = sample();
    token.metadata_prefix = std::string(256, 'p');
    CHECK_THROWS_AS(sealer.seal(token), std::length_error);
    token = sample();
    token.set = std::string(65'536, 's');
    CHECK_THROWS_AS(sealer.seal(token), std::length_error);
}

TEST_CASE("token: a key file is read") {
    TokenKey right;
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = static_cast<unsigned char>(i);
    for (const std::string end : {"", "\n", "\r\n"})
        for (const unsigned mode : {0400U, 0440U, 0600U, 0640U})
            CHECK(read_token_key(KeyFile(kDigits + end, mode).path()) == right);
}

TEST_CASE("token: an invalid key file is refused with a message for the admin") {
    const Strings contents{"",
                           "\n",
                           kDigits.substr(1),
                           kDigits + "0",
                           kDigits + "00",
                           kDigits + "\n\n",
                           " " + kDigits,
                           kDigits + " ",
                           kDigits.substr(2) + "0g",
                           std::string(64, '\0'),
                           kDigits + kDigits,
                           kDigits.substr(0, 32) + ":" + kDigits.substr(32),
                           kDigits + "\n" + kDigits,
                           std::string(5000, '0')};
    for (const std::string& content : contents) {
        CAPTURE(content);
        const KeyFile file(content);
        const std::string message = refusal(file.path());
        CHECK_THAT(message, Contains(file.path()));
        CHECK_THAT(message, Contains("64 hexadecimal digits"));
        CHECK_THAT(message, Contains("openssl rand -hex 32"));
    }
    for (const unsigned mode : {0604U, 0644U, 0620U, 0660U, 0602U, 0601U, 0666U}) {
        const KeyFile file(kDigits, mode);
        CAPTURE(mode);
        CHECK_THAT(refusal(file.path()), Contains("may be read by others"));
    }
    const std::string missing = refusal("/nonexistent/key");
    CHECK_THAT(missing, Contains("No such file"));
    CHECK_THAT(missing, Contains("(umask 077; openssl rand -hex 32 > /nonexistent/key)"));
    const KeyFile loop(kDigits, 0644);  // is there, so nothing tells how to overwrite it
    CHECK_THAT(refusal(loop.path()), !Contains(">"));
    CHECK_THAT(refusal("/tmp"), Contains("is not a regular file"));
}
