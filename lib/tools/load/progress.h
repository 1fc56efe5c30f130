// SPDX-License-Identifier: MIT
// What the administrator sees while files are loaded: on a terminal one line that is rewritten,
// elsewhere nothing until a file is done. Other lines are printed through it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

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

// What became of one slice.
struct SliceCounts {
    std::int64_t inserted = 0;
    std::int64_t updated = 0;  // records that were there and got other values, sets or a deletion
    // Deleted in this repository and left so, since the file does not say that they exist.
    std::int64_t left_deleted = 0;
    // Names of items that follow a table of the repository's own, which alone changes them.
    std::vector<std::string> refused{};

    SliceCounts& operator+=(const SliceCounts& other) {
        inserted += other.inserted;
        updated += other.updated;
        left_deleted += other.left_deleted;
        refused.insert(refused.end(), other.refused.begin(), other.refused.end());
        return *this;
    }
};

// What became of a slice of which all that could be was published by the loader.
struct PublishedSlice {
    SliceCounts counts;                   // of the whole slice
    std::size_t published = 0;            // records; 0: all are left to the publisher
    std::chrono::milliseconds locked{0};  // how long the row of oai.horizon was locked
};

// What became of one file, whatever the model.
struct LoadReport {
    std::int64_t records = 0;  // of the model: captures, items
    std::int64_t inserted = 0, updated = 0;
    std::int64_t damaged = 0;  // places where something was lost
    std::map<std::string, std::int64_t, std::less<>> passed_over;  // by kind
    std::vector<std::string> refused{};                            // see SliceCounts
    std::int64_t unchanged() const { return records - inserted - updated; }
    std::int64_t all_passed_over() const;
    // Beyond 100 kinds the others are counted together.
    void pass_over(const std::string& kind, std::int64_t n = 1);
    LoadReport& operator+=(const LoadReport& other);
    // The slice's records are counted already; those left deleted are passed over instead, those
    // refused are damage.
    void add(const SliceCounts& counts);
};

// Prints damage as it is met: "FILE:PLACE: what", at most 20 lines for a file.
class DamageReport {
  public:
    DamageReport(const std::string& path, Progress& progress) : path_(path), progress_(progress) {}
    void add(std::string_view place, const std::string& what);
    std::int64_t finish();  // prints how many more there were; returns how many in all

  private:
    const std::string& path_;
    Progress& progress_;
    std::int64_t damages_ = 0;
};

// "loaded FILE: 5 records (3 inserted, 1 updated, 1 unchanged), 2 passed over, 0 damaged"; in
// detail: what was passed over, by kind.
std::string summary(const std::string& path, const LoadReport& report, bool in_detail);

}  // namespace oai::load
