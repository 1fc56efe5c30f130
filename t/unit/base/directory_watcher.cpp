// SPDX-License-Identifier: MIT
#include "base/directory_watcher.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace oai;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct Directory {
    Directory() {
        std::string pattern = fs::temp_directory_path() / "oai-watcher-XXXXXX";
        path = mkdtemp(pattern.data());
    }
    ~Directory() { fs::remove_all(path); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    fs::path path;
};

// Whether wait() returned before the timeout.
bool wakes(DirectoryWatcher& watcher, std::chrono::milliseconds timeout) {
    const auto began = std::chrono::steady_clock::now();
    watcher.wait(timeout);
    return std::chrono::steady_clock::now() - began < timeout;
}

}  // namespace

TEST_CASE("directory watcher: a file is being written until it is closed") {
    const Directory d;
    DirectoryWatcher watcher(d.path, true);
    REQUIRE(watcher.uses_inotify());
    CHECK_FALSE(wakes(watcher, 10ms));
    std::ofstream file(d.path / "a");
    file << "x" << std::flush;
    CHECK(wakes(watcher, 5min));
    CHECK(watcher.is_open(d.path / "a"));
    CHECK_FALSE(watcher.is_open(d.path / "b"));
    file.close();
    CHECK(wakes(watcher, 5min));
    CHECK_FALSE(watcher.is_open(d.path / "a"));
    fs::rename(d.path / "a", d.path / "b");
    CHECK(wakes(watcher, 5min));
}

TEST_CASE("directory watcher: subdirectories are watched, also those created later") {
    const Directory d;
    DirectoryWatcher watcher(d.path, true);
    fs::create_directory(d.path / "lib");
    CHECK(wakes(watcher, 5min));
    watcher.wait(1ms);
    std::ofstream(d.path / "lib/a") << "x";
    CHECK(wakes(watcher, 5min));
}

TEST_CASE("directory watcher: without inotify it wakes by timeout and wake() only") {
    const Directory d;
    DirectoryWatcher watcher(d.path, false);
    CHECK_FALSE(watcher.uses_inotify());
    std::ofstream(d.path / "a") << "x";
    CHECK_FALSE(wakes(watcher, 10ms));
    std::thread other([&] { watcher.wake(); });
    CHECK(wakes(watcher, 5min));
    other.join();
    CHECK_FALSE(wakes(watcher, 10ms));
    const DirectoryWatcher nowhere(d.path / "none", true);
    CHECK_FALSE(nowhere.uses_inotify());
}

TEST_CASE("stable files: unchanged or missing in two scans some time apart") {
    const Directory d;
    const std::string path = d.path / "a";
    StableFiles files(100ms);
    StableFiles::Time now{1h};
    const auto is_stable_after = [&](std::chrono::milliseconds later, bool busy = false) {
        files.begin_scan(now += later);
        files.observe(path, busy);
        return files.is_stable(path);
    };
    CHECK_FALSE(files.is_stable(path));
    CHECK_FALSE(is_stable_after(0ms));
    CHECK(is_stable_after(100ms));
    CHECK(files.stamp(path) == FileStamp{});
    std::ofstream(path) << "x";
    CHECK_FALSE(is_stable_after(100ms));
    CHECK_FALSE(is_stable_after(99ms));
    CHECK(is_stable_after(1ms));
    CHECK(files.stamp(path) == FileStamp::of(path));
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
    CHECK(files.stamp(path) != FileStamp::of(path));  // what could not be read may be read now
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::ofstream(path, std::ios::app) << "y";
    CHECK_FALSE(is_stable_after(100ms));
    CHECK_FALSE(is_stable_after(100ms, true));
    CHECK(is_stable_after(100ms));
    std::ofstream(d.path / "new") << "xy";
    fs::last_write_time(d.path / "new", fs::last_write_time(path));
    fs::rename(d.path / "new", path);
    CHECK_FALSE(is_stable_after(100ms));  // the same size and time, another file
    files.begin_scan(now);
    files.begin_scan(now);
    CHECK_FALSE(files.is_observed(path));
}
