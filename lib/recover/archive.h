// SPDX-License-Identifier: MIT
// Archive files by their names: in a directory, however deep, or below a URL, by range requests. Not
// thread-safe.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

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

class Archive {
  public:
    // where: a directory, or http(s)://.../. Throws std::runtime_error if it is neither.
    Archive(const std::string& where, http::Retry& http);

    // The record at the capture's place. Throws std::runtime_error in words: no place is known, no such file,
    // not so long, not given out, no sound record (stored.h); Unreachable.
    Stored read(const load::Capture& capture);

  private:
    Stored in_directory(const load::Capture& capture) const;
    Stored by_range(const load::Capture& capture);
    std::string range(const std::string& name, http::Range range);
    http::Answer ask(const http::Request& request);
    http::Retry& http_;
    std::string base_url_;                                   // "": a directory
    std::map<std::string, std::string, std::less<>> paths_;  // of files, by name without directories
    std::set<std::string> not_there_;                        // names that were asked for in vain
};

// What follows the last '/', of names as loaders note them; "" of names that end in one, "." and "..".
std::string base_name(const std::string& file);

}  // namespace oai::recover
