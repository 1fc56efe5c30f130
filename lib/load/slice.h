// SPDX-License-Identifier: MIT
// Captures gathered for one transaction, each once: what the same file says twice of one capture is put together.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "load/capture.h"
#include "load/surt.h"

namespace oai::load {

struct Entry {
    Capture capture;
    Canonical canonical;  // of its URL
};

class CaptureSlice {
  public:
    // The identity is that of queries::kMatch, by the URL's canonical form.
    void add(Capture capture);
    const std::vector<Entry>& entries() const { return entries_; }
    std::size_t bytes() const { return bytes_; }  // about what it takes in memory
    void clear();

  private:
    std::vector<Entry> entries_;
    std::unordered_map<std::string, std::size_t> by_digest_, by_place_;
    std::size_t bytes_ = 0;
};

}  // namespace oai::load
