// SPDX-License-Identifier: MIT
// Text that grows by small pieces, with appends inlined: std::string calls two functions for each.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace oai {

class TextBuffer {
  public:
    std::size_t size() const { return size_; }
    std::string_view view() const { return {bytes_.get(), size_}; }
    void clear() { size_ = 0; }

    // REQUIRES: the piece is not of this text.
    void append(std::string_view piece) {
        if (capacity_ - size_ < piece.size()) grow(piece.size());
        copy(bytes_.get() + size_, piece.data(), piece.size());
        size_ += piece.size();
    }
    // REQUIRES: there is a last character.
    void replace_last(std::string_view by) {
        --size_;
        append(by);
    }

  private:
    [[gnu::noinline]] void grow(std::size_t more) {
        constexpr std::size_t kFirst = 256;
        const std::size_t capacity = std::max(2 * capacity_, size_ + more + kFirst);
        auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
        if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
        bytes_ = std::move(bytes);
        capacity_ = capacity;
    }
    // Short pieces by two moves that may overlap.
    template <std::size_t kBytes>
    static void copy_ends(char* to, const char* from, std::size_t n) {
        std::memcpy(to, from, kBytes);
        std::memcpy(to + n - kBytes, from + n - kBytes, kBytes);
    }
    static void copy(char* to, const char* from, std::size_t n) {
        if (n > 32)
            std::memcpy(to, from, n);
        else if (n >= 16)
            copy_ends<16>(to, from, n);
        else if (n >= 8)
            copy_ends<8>(to, from, n);
        else if (n >= 4)
            copy_ends<4>(to, from, n);
        else
            for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    }

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace oai
