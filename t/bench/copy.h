// SPDX-License-Identifier: MIT
// Writes PostgreSQL's COPY text format to standard output.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace oai::bench {

// Lines of tab-separated columns.
class Copy {
  public:
    Copy() { out_.reserve(kFlush + 4096); }
    ~Copy() { flush(); }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    Copy& text(std::string_view s) {
        tab();
        out_ += s;
        return *this;
    }
    Copy& number(std::int64_t v) {
        tab();
        plain(v);
        return *this;
    }
    template <class T>
    Copy& array(const std::vector<T>& values) {
        tab();
        out_ += '{';
        for (const T v : values) {
            plain(v);
            out_ += ',';
        }
        if (values.empty())
            out_ += '}';
        else
            out_.back() = '}';
        return *this;
    }
    Copy& time(std::time_t t);
    void end() {
        out_ += '\n';
        first_ = true;
        if (out_.size() >= kFlush) flush();
    }

  private:
    static constexpr std::size_t kFlush = std::size_t{256} << 10;
    void tab() {
        if (!first_) out_ += '\t';
        first_ = false;
    }
    void plain(std::int64_t v) {
        char digits[24];
        char* at = digits + sizeof digits;
        std::uint64_t u = static_cast<std::uint64_t>(v < 0 ? -v : v);
        do {
            *--at = static_cast<char>('0' + u % 10);
        } while ((u /= 10) != 0);
        if (v < 0) *--at = '-';
        out_.append(at, static_cast<std::size_t>(digits + sizeof digits - at));
    }
    void flush() {
        if (std::fwrite(out_.data(), 1, out_.size(), stdout) != out_.size()) {
            std::perror("generate");
            std::exit(1);
        }
        out_.clear();
    }
    std::string out_;
    bool first_ = true;
    std::time_t day_ = -1;
    char date_[16] = "";
};

inline Copy& Copy::time(std::time_t t) {
    if (t / 86'400 != day_) {
        day_ = t / 86'400;
        std::tm parts{};
        gmtime_r(&t, &parts);
        std::strftime(date_, sizeof date_, "%Y-%m-%d ", &parts);
    }
    const auto second = static_cast<int>(t % 86'400);
    char clock[16];
    std::snprintf(clock, sizeof clock, "%02d:%02d:%02dZ", second / 3600, second / 60 % 60,
                  second % 60);
    return text(std::string(date_) + clock);
}

}  // namespace oai::bench
