// SPDX-License-Identifier: MIT
// What the administrator sees while files are loaded: on a terminal one line that is rewritten,
// elsewhere nothing until a file is done. Other lines are printed through it, so that they do not
// run into that line.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace oai::load {

class Progress {
  public:
    using Time = std::chrono::steady_clock::time_point;

    Progress(std::FILE* to, bool terminal) : to_(to), terminal_(terminal) {}
    ~Progress() { wipe(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void begin(std::string file, std::uint64_t size_bytes, Time now);
    // Cheap enough to be called for every record: prints at most five times a second.
    void step(std::int64_t records, std::uint64_t bytes_read, Time now);
    // The same for a phase that counts: "writing: 12345 of 50000, 25 %, 0:21 left".
    void begin_count(std::string what, std::int64_t all, Time now);
    void count(std::int64_t done, Time now);
    void line(const std::string& text);  // prints a whole line, after wipe()
    void wipe();                         // clears the rewritten line

  private:
    bool is_due(Time now);
    void show(const std::string& text);

    std::FILE* to_;
    bool terminal_;
    bool shown_ = false;
    std::string file_;
    std::uint64_t size_ = 0;
    Time begun_{}, next_{};
};

// "writing: 12345 of 50000, 25 %, 0:21 left".
std::string count_text(const std::string& what, std::int64_t done, std::int64_t all,
                       double seconds);
// "x.warc.gz: 12345 records, 40 % of 1.2 GB, 35.1 MB/s, 0:21 left", at most 78 characters.
std::string progress_text(const std::string& file, std::int64_t records, std::uint64_t read,
                          std::uint64_t size, double seconds);

}  // namespace oai::load
