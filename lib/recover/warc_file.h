// SPDX-License-Identifier: MIT
// A new WARC 1.1 file (ISO 28500) of recovered records, each in a gzip member of its own, and beside it the
// list of what is in it, so that a recovery that was broken off goes on behind the last record that is whole.
// Not thread-safe.
#pragma once

#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "recover/stored.h"

namespace oai::recover {

class WarcFile {
  public:
    // Begins with a warcinfo record, or goes on with what is there. Throws std::runtime_error: it cannot be written, another recovery
    // is at work there, or it holds something and has no list.
    explicit WarcFile(const std::string& path);

    bool has(const std::string& identifier) const { return done_.contains(identifier); }
    // The record as it was, block byte for byte; one of an ARC file becomes a response (a resource where it
    // holds no HTTP). Throws std::runtime_error: it cannot be written, and what there is of it is cut off by the next run.
    void put(const std::string& identifier, const Stored& stored);

  private:
    void go_on();
    void write(const std::string& identifier, const std::string& record);
    const std::string path_;
    Fd lock_;
    std::set<std::string> done_;
    std::ofstream out_, list_;
};

}  // namespace oai::recover
