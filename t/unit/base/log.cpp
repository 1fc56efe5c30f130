// SPDX-License-Identifier: MIT
#include "base/log.h"

#include "t/lib/unit_headers.h"

namespace log_ = oai::log;
using log_::Level;

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;  // values as they are written

// The end of the value that begins at `at`; for a quoted one, the position after its closing quote.
std::size_t value_end(const std::string& line, std::size_t at) {
    if (line[at] != '"') return std::min(line.find_first_of(" =\"\\", at), line.size());
    for (std::size_t i = at + 1; i < line.size(); ++i) {
        if (line[i] == '"') return i + 1;
        if (line[i] == '\\') ++i;
    }
    return std::string::npos;
}

// An independent parser of key=value lines. Returns nullopt if the line is not one.
std::optional<Fields> read_line(const std::string& line) {
    Fields fields;
    std::size_t at = 0;
    while (at < line.size()) {
        const std::size_t equals = line.find('=', at);
        if (equals == std::string::npos || equals + 1 == line.size()) return std::nullopt;
        std::size_t end = value_end(line, equals + 1);
        if (end == std::string::npos) return std::nullopt;
        fields.emplace_back(line.substr(at, equals - at),
                            line.substr(equals + 1, end - equals - 1));
        if (line.compare(end, 3, "...") == 0)
            end = std::min(line.find(' ', end), line.size());  // "...9_more_bytes"
        if (end < line.size() && line[end] != ' ') return std::nullopt;
        at = end + 1;
    }
    return fields;
}

// "time=2026-11-21T23:28:23.042Z "
bool begins_with_time(const std::string& line) {
    std::string form = line.substr(0, 30);
    for (char& c : form) c = c >= '0' && c <= '9' ? '9' : c;
    return form == "time=9999-99-99T99:99:99.999Z ";
}

std::string value_of(const std::string& value) {
    const std::string line = log_::format(Level::info, "e", {{"k", value}});
    REQUIRE(line.starts_with("level=info event=e k="));
    return line.substr(std::string("level=info event=e k=").size());
}

// Redirects standard error to a file during its lifetime.
class CapturedStderr {
  public:
    CapturedStderr() : path_("/tmp/oai-unit-log-XXXXXX"), saved_(::dup(2)) {
        const int fd = ::mkstemp(path_.data());
        ::dup2(fd, 2);
        ::close(fd);
    }
    ~CapturedStderr() {
        restore();
        ::unlink(path_.c_str());
    }
    CapturedStderr(const CapturedStderr&) = delete;
    CapturedStderr& operator=(const CapturedStderr&) = delete;
    Strings lines() {
        restore();
        std::ifstream in(path_);
        Strings out;
        for (std::string line; std::getline(in, line);) out.push_back(line);
        return out;
    }

  private:
    void restore() {
        if (saved_ < 0) return;
        ::dup2(saved_, 2);
        ::close(saved_);
        saved_ = -1;
    }
    std::string path_;
    int saved_;
};

}  // namespace

TEST_CASE("log: plain values are written unchanged") {
    CHECK(log_::format(Level::info, "request",
                       {{"verb", "Identify"}, {"ms", 12}, {"n", std::int64_t{-3}}}) ==
          "level=info event=request verb=Identify ms=12 n=-3");
    CHECK(log_::format(Level::warning, "w", {}) == "level=warning event=w");
    CHECK(log_::format(Level::debug, "d", {}) == "level=debug event=d");
    CHECK(log_::format(Level::error, "two words", {}) == "level=error event=\"two words\"");
    CHECK(value_of("/oai?verb") == "/oai?verb");
    CHECK(value_of("2026-11-21T23:28:23Z") == "2026-11-21T23:28:23Z");
}

TEST_CASE("log: everything else is quoted and escaped") {
    CHECK(value_of("") == R"("")");
    CHECK(value_of("a b") == R"("a b")");
    CHECK(value_of("a=b") == R"("a=b")");
    CHECK(value_of(R"(a"b)") == R"("a\"b")");
    CHECK(value_of(R"(a\b)") == R"("a\\b")");
    CHECK(value_of("a\nlevel=error") == R"("a\nlevel=error")");
    CHECK(value_of("\r\t") == R"("\r\t")");
    CHECK(value_of("\0\x1B[2J\x7F"s) == R"("\x00\x1b[2J\x7f")");
    CHECK(value_of("caf\xC3\xA9") == "\"caf\xC3\xA9\"");
    CHECK(value_of("caf\xE9") == R"("caf\xe9")");
    CHECK(value_of("\xED\xA0\x80") == R"("\xed\xa0\x80")");
    CHECK(value_of("\xC2\x9B"
                   "31m") == R"("\x9b31m")");               // C1: a terminal's CSI
    CHECK(value_of("\xE2\x80\xA8x") == R"("\u2028x")");     // line separator
    CHECK(value_of("\xE2\x80\xAEx") == R"("\u202ex")");     // right-to-left override
    CHECK(value_of("\xE2\x81\xA9x") == R"("\u2069x")");     // isolate
    CHECK(value_of("\xE2\x82\xAC") == "\"\xE2\x82\xAC\"");  // the euro sign is harmless
}

TEST_CASE("log: no value can look like another key or line") {
    Strings hostile{"x level=error",
                    "\"",
                    "\" level=error event=\"",
                    "\\",
                    "\\\"",
                    "x\\",
                    "\\\" level=error x=\"",
                    "\n",
                    "\r\n",
                    "\xC2\x85",
                    "\xE2\x80\xA9",
                    "=",
                    "",
                    " ",
                    "\0 k=v"s,
                    "\xFF\" k=v",
                    "\xC3\" k=v",
                    "{} %s %v"};
    for (const char c : {'"', 'a', '\n'}) hostile.emplace_back(5000, c);
    for (const std::string& value : hostile) {
        for (const std::string& other : hostile) {
            const std::string line =
                log_::format(Level::info, value, {{"one", other}, {"two", value}});
            const auto fields = read_line(line);
            CAPTURE(line);
            REQUIRE(fields);
            REQUIRE(fields->size() == 4);
            CHECK((*fields)[0] == std::pair("level"s, "info"s));
            CHECK((*fields)[1].first == "event");
            CHECK((*fields)[2].first == "one");
            CHECK((*fields)[3].first == "two");
            CHECK_THAT(line, !Contains("\n"));
            CHECK_THAT(line, !Contains("\r"));
        }
    }
}

TEST_CASE("log: no single byte breaks the line") {
    for (int byte = 0; byte < 256; ++byte) {
        const auto fields = read_line(
            log_::format(Level::info, "e", {{"k", std::string(1, static_cast<char>(byte))}}));
        CAPTURE(byte);
        REQUIRE(fields);
        CHECK(fields->size() == 3);
    }
}

TEST_CASE("log: other characters in keys are replaced") {
    CHECK(log_::format(Level::info, "e", {{"a b=\n\"", "v"}}) == "level=info event=e a_b___=v");
}

TEST_CASE("log: a long value is truncated, with the number of omitted bytes") {
    CHECK(value_of(std::string(1024, 'a')) == std::string(1024, 'a'));
    CHECK(value_of(std::string(1026, 'a')) == std::string(1024, 'a') + "...2_more_bytes");
    CHECK(value_of(std::string(1'000'000, '\n')).size() < 2200);
    // A character that is split by the cut is escaped, so the line stays valid UTF-8.
    CHECK(value_of(std::string(1023, 'a') + "\xC3\xA9") ==
          '"' + std::string(1023, 'a') + R"(\xc3"...1_more_bytes)");
}

TEST_CASE("log: complete lines with the time, from the configured level on, from many threads") {
    CapturedStderr captured;
    log_::set_level(Level::warning);
    log_::info("unseen", {});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            for (int i = 0; i < 250; ++i)
                log_::warning("seen", {{"thread", t}, {"i", i}, {"hostile", "{}%v\n x=y"}});
        });
    }
    for (std::thread& thread : threads) thread.join();
    log_::set_level(Level::debug);
    log_::debug("seen_too", {});
    log_::set_level(Level::info);
    log_::debug("unseen", {});
    const auto lines = captured.lines();
    REQUIRE(lines.size() == 1001);
    std::map<std::string, int> next;
    for (std::size_t i = 0; i < 1000; ++i) {
        CAPTURE(lines[i]);
        REQUIRE(begins_with_time(lines[i]));
        const auto fields = read_line(lines[i]);
        REQUIRE(fields);
        REQUIRE(fields->size() == 6);
        REQUIRE((*fields)[4].second == std::to_string(next[(*fields)[3].second]++));
        REQUIRE((*fields)[5].second == R"("{}%v\n x=y")");
    }
    CHECK_THAT(lines[1000], Contains("level=debug event=seen_too"));
}

TEST_CASE("log: each level has its name, in the order of the levels") {
    for (const auto& [level, name] :
         {std::pair(Level::debug, "debug"), std::pair(Level::info, "info"),
          std::pair(Level::warning, "warning"), std::pair(Level::error, "error")}) {
        CHECK(log_::kLevelNames[static_cast<std::size_t>(level)] == name);
        CHECK(log_::format(level, "e", {}) == "level=" + std::string(name) + " event=e");
    }
}
