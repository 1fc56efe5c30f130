// SPDX-License-Identifier: MIT
// Writes recovered records to a new WARC 1.1 file (ISO 28500), each in a gzip member of its own,
// with a list of them in a second file, so that an interrupted recovery resumes after the last
// complete record. Not thread-safe.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "tools/recover/archived_record.h"
#include "tools/recover/recovered_how.h"

namespace oai::recover {

class WarcFile {
  public:
    // Begins with a warcinfo record, or resumes with what is there. Throws std::runtime_error: it
    // cannot be written, another recovery has locked it, or it is not empty and has no list.
    explicit WarcFile(const std::string& path);

    bool has(const std::string& identifier) const { return done_.contains(identifier); }
    // REQUIRES: has(identifier).
    RecoveredHow how(const std::string& identifier) const { return done_.at(identifier); }
    // Writes the record unchanged, its block byte for byte; a record of an ARC file becomes a
    // response (a resource if it is no HTTP). Throws std::runtime_error if it cannot be written;
    // the next run removes what was written of it.
    void put(const std::string& identifier, const ArchivedRecord& stored, RecoveredHow how = {});

  private:
    void resume();
    void write(const std::string& identifier, const std::string& record, RecoveredHow how);
    const std::string path_;
    Fd lock_;
    std::map<std::string, RecoveredHow> done_;  // by identifier
    std::ofstream out_, list_;
};

}  // namespace oai::recover
