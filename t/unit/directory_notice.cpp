// SPDX-License-Identifier: MIT
#include "base/directory_notice.h"

#include <catch2/catch.hpp>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/settled_files.h"

using namespace oai;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct Directory {
    Directory() {
        std::string pattern = fs::temp_directory_path() / "oai-notice-XXXXXX";
        path = mkdtemp(pattern.data());
    }
    ~Directory() { fs::remove_all(path); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    fs::path path;
};

// Whether it was woken before its time.
bool woken(DirectoryNotice& notice, std::chrono::milliseconds longest) {
    const auto began = std::chrono::steady_clock::now();
    notice.sleep(longest);
    return std::chrono::steady_clock::now() - began < longest;
}

}  // namespace

TEST_CASE("notice: a file that is written is open until it is closed") {
    const Directory d;
    DirectoryNotice notice(d.path, true);
    REQUIRE(notice.by_inotify());
    CHECK_FALSE(woken(notice, 10ms));
    std::ofstream file(d.path / "a");
    file << "x" << std::flush;
    CHECK(woken(notice, 20s));
    CHECK(notice.is_open(d.path / "a"));
    CHECK_FALSE(notice.is_open(d.path / "b"));
    file.close();
    CHECK(woken(notice, 20s));
    CHECK_FALSE(notice.is_open(d.path / "a"));
    fs::rename(d.path / "a", d.path / "b");
    CHECK(woken(notice, 20s));
}

TEST_CASE("notice: directories below, made later too") {
    const Directory d;
    DirectoryNotice notice(d.path, true);
    fs::create_directory(d.path / "lib");
    CHECK(woken(notice, 20s));
    notice.sleep(1ms);
    std::ofstream(d.path / "lib/a") << "x";
    CHECK(woken(notice, 20s));
}

TEST_CASE("notice: without inotify, time and wake() alone") {
    const Directory d;
    DirectoryNotice notice(d.path, false);
    CHECK_FALSE(notice.by_inotify());
    std::ofstream(d.path / "a") << "x";
    CHECK_FALSE(woken(notice, 10ms));
    std::thread other([&] { notice.wake(); });
    CHECK(woken(notice, 20s));
    other.join();
    CHECK_FALSE(woken(notice, 10ms));
    const DirectoryNotice nowhere(d.path / "none", true);
    CHECK_FALSE(nowhere.by_inotify());
}

TEST_CASE("settled files: the same at looks some time apart, absence too") {
    const Directory d;
    const std::string path = d.path / "a";
    SettledFiles files(100ms);
    SettledFiles::Time now{1h};
    const auto look = [&](std::chrono::milliseconds later, bool busy = false) {
        files.begin(now += later);
        files.look_at(path, busy);
        return files.settled(path);
    };
    CHECK_FALSE(files.settled(path));
    CHECK_FALSE(look(0ms));
    CHECK(look(100ms));
    CHECK(files.stamp(path) == FileStamp{});
    std::ofstream(path) << "x";
    CHECK_FALSE(look(100ms));
    CHECK_FALSE(look(99ms));
    CHECK(look(1ms));
    CHECK(files.stamp(path) == FileStamp::of(path));
    std::ofstream(path, std::ios::app) << "y";
    CHECK_FALSE(look(100ms));
    CHECK_FALSE(look(100ms, true));
    CHECK(look(100ms));
    std::ofstream(d.path / "new") << "xy";
    fs::last_write_time(d.path / "new", fs::last_write_time(path));
    fs::rename(d.path / "new", path);
    CHECK_FALSE(look(100ms));  // the same size and time, another file
    files.begin(now);
    files.begin(now);
    CHECK_FALSE(files.looked_at(path));
}
