// SPDX-License-Identifier: MIT
// What random tests decide by.
#pragma once

#include <cstddef>
#include <iterator>
#include <random>
#include <string>

namespace oai::test {

// Decisions, from a seed or from the bytes of a fuzzer; at the end of these bytes always the first
// possibility.
class Choice {
  public:
    explicit Choice(unsigned seed) : random_(seed) {}
    Choice(const unsigned char* bytes, std::size_t size)
        : bytes_(bytes), left_(size), from_bytes_(true) {}

    std::size_t below(std::size_t n) {
        if (!from_bytes_) return random_() % n;
        if (left_ == 0) return 0;
        --left_;
        return *bytes_++ % n;
    }
    bool one_in(std::size_t n) { return below(n) == n - 1; }
    template <class List>
    std::string pick(const List& list) {
        return std::string(list[below(std::size(list))]);
    }

  private:
    std::mt19937 random_{0};
    const unsigned char* bytes_ = nullptr;
    std::size_t left_ = 0;
    bool from_bytes_ = false;
};

}  // namespace oai::test
