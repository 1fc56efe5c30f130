// SPDX-License-Identifier: MIT
#include "tools/load/progress.h"

#include <catch2/catch.hpp>
#include <memory>

using namespace oai::load;
using namespace std::chrono_literals;

namespace {

struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
};

std::string shown(bool terminal) {
    const std::unique_ptr<std::FILE, Close> file(std::tmpfile());
    {
        Progress progress(file.get(), terminal);
        const Progress::Time start{};
        progress.begin("x.cdx", 2000, start);
        progress.step(1, 500, start + 10ms);
        progress.step(2, 1000, start + 1s);
        progress.step(3, 1001, start + 1001ms);
        progress.line("a line");
    }
    std::string out(1000, '\0');
    std::rewind(file.get());
    out.resize(std::fread(out.data(), 1, out.size(), file.get()));
    return out;
}

}  // namespace

TEST_CASE("progress shows records, percentage, speed and remaining time") {
    CHECK(progress_text("x.cdx", 12, 40'000'000, 100'000'000, 2.0) ==
          "x.cdx: 12 records, 40 % of 100.0 MB, 20.0 MB/s, 0:03 left");
    CHECK(progress_text("x", 0, 0, 5, 1.0) == "x: 0 records, 0 % of 5 B");
    CHECK(progress_text("x", 1, 1'000'000, 8'000'000'000'000, 1.0).find("h left") !=
          std::string::npos);
    CHECK(progress_text(std::string(300, 'a'), 1, 1, 2, 1.0).size() <= 78);
}

TEST_CASE("the progress line is rewritten on a terminal only") {
    CHECK(shown(false) == "a line\n");
    CHECK(shown(true) ==
          "\r\x1b[K" + progress_text("x.cdx", 2, 1000, 2000, 1.0) + "\r\x1b[Ka line\n");
}

TEST_CASE("a phase that counts") {
    CHECK(count_text("writing", 0, 100, 1) == "writing: 0 of 100");
    CHECK(count_text("writing", 25, 100, 7) == "writing: 25 of 100, 25 %, 0:21 left");
    CHECK(count_text("writing", 120, 100, 7) == "writing: 120 of 100, 120 %, 0:00 left");
}
