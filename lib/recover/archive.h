// SPDX-License-Identifier: MIT
// Archive files by their names: in a directory, however deep, or below a URL, by range requests. Records that are neighbours are
// read at once where it is said what comes next. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/retry.h"
#include "load/capture.h"
#include "recover/stored.h"

namespace oai::recover {

// Nothing more can be had, of any file: asking for the next one would be vain.
class Unreachable : public std::exception {
  public:
    explicit Unreachable(std::string what) : what_(std::move(what)) {}
    const char* what() const noexcept override { return what_.c_str(); }

  private:
    std::string what_;
};

// Where a record is.
struct Where {
    std::string file;                    // as the repository names it; "" unknown
    std::optional<std::int64_t> offset;  // bytes, of the file
    std::optional<std::int64_t> length;  // bytes, of the file
};
inline Where where_of(const load::Capture& c) { return {c.file, c.offset, c.length}; }

class Archive {
  public:
    static constexpr std::int64_t kWindowBytes = std::int64_t{8} << 20;  // of neighbours, held at a time
    static constexpr std::int64_t kGapBytes = std::int64_t{64} << 10;    // of others between two: cheaper than to ask again

    // where: a directory, or http(s)://.../. Throws std::runtime_error if it is neither.
    Archive(const std::string& where, http::Retry& http);

    // These are read next, in whatever order. Those whose length is known are read together with their neighbours; in the
    // order of the file, that is once each.
    void expect(const std::vector<Where>& records);

    // The record there. Throws std::runtime_error in words: no place is known, no such file or several, not so long, not given
    // out, no sound record (stored.h); Unreachable.
    Stored read(const Where& where);

  private:
    // Bytes of a file that hold records. One alone is read as if it were not expected.
    struct Window {
        std::string file;
        std::int64_t begin, end;
        int records = 1;
        bool tried = false;
    };
    std::optional<Stored> in_window(const Where& where);
    bool holds(const Where& where) const;
    void open(Window& window);
    Stored in_directory(const Where& where) const;
    Stored by_range(const Where& where);
    const std::string& path_of(const std::string& file) const;
    std::string range(const std::string& file, http::Range range);
    http::Answer ask(const http::Request& request);
    http::Retry& http_;
    std::string base_url_;                                        // "": a directory
    std::multimap<std::string, std::string, std::less<>> paths_;  // of files, by name without directories
    std::set<std::string> not_there_;                             // names that were asked for in vain
    std::vector<Window> windows_;                                 // by file and begin, without overlaps
    std::string held_file_, held_;                                // of one of them, its bytes
    std::int64_t held_begin_ = 0;
};

// What follows the last '/', of names as loaders note them; "" of names that end in one, "." and "..".
std::string base_name(const std::string& file);

}  // namespace oai::recover
