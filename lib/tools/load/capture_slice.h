// SPDX-License-Identifier: MIT
// Captures gathered for one transaction.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tools/load/capture.h"
#include "tools/load/surt.h"

namespace oai::load {

struct CanonicalCapture {
    Capture capture;
    CanonicalUrl canonical;  // of its URL
};

// Each once: what a file says twice of one capture is merged.
class CaptureSlice {
  public:
    // Captures are told apart as queries::kMatch and the indexes of webarchiv.doc do, by the
    // canonical form of their URLs.
    void add(Capture capture);
    // May be moved from before clear().
    std::vector<CanonicalCapture>& records() { return records_; }
    const std::vector<CanonicalCapture>& records() const { return records_; }
    std::size_t size() const { return records_.size(); }
    std::size_t bytes() const { return bytes_; }  // about what it takes in memory
    void clear();

  private:
    std::vector<CanonicalCapture> records_;
    std::unordered_map<std::string, std::size_t> by_digest_, by_place_;
    std::size_t bytes_ = 0;
};

// Captures gathered with all their repetitions, for who finds these out later.
class CaptureList {
  public:
    void add(Capture capture);
    std::vector<CanonicalCapture>& records() { return records_; }
    std::size_t size() const { return records_.size(); }
    std::size_t bytes() const { return bytes_; }  // about what it takes in memory
    void clear();

  private:
    std::vector<CanonicalCapture> records_;
    std::size_t bytes_ = 0;
};

}  // namespace oai::load
