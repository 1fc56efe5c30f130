// SPDX-License-Identifier: MIT
#include "tools/load/progress.h"

#include <fmt/core.h>

#include <algorithm>

namespace oai::load {
namespace {

constexpr std::chrono::milliseconds kInterval{200};
constexpr std::size_t kTerminalColumns = 78;

std::string size_text(double bytes) {
    const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
    return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string time_text(double seconds) {
    const auto s = static_cast<std::int64_t>(std::min(seconds, 359'999.0));
    return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                    : fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

}  // namespace

std::string progress_text(const std::string& file, std::int64_t records, std::uint64_t read,
                          std::uint64_t size, double seconds) {
    const auto done = static_cast<double>(read);
    const auto whole = static_cast<double>(size);
    std::string facts = fmt::format(": {} records", records);
    if (size > 0)
        facts +=
            fmt::format(", {:.0f} % of {}", std::min(100.0, 100 * done / whole), size_text(whole));
    if (seconds > 0 && read > 0) {
        const double speed = done / seconds;
        facts += fmt::format(", {}/s, {} left", size_text(speed),
                             time_text(std::max(0.0, whole - done) / speed));
    }
    const std::size_t room = facts.size() < kTerminalColumns ? kTerminalColumns - facts.size() : 0;
    return (file.size() <= room ? file : file.substr(file.size() - room)) + facts;
}

void Progress::begin(std::string file, std::uint64_t size_bytes, Time now) {
    file_ = std::move(file);
    size_ = size_bytes;
    begun_ = now;
    next_ = now + kInterval;
}

void Progress::step(std::int64_t records, std::uint64_t bytes_read, Time now) {
    if (!terminal_ || now < next_) return;
    next_ = now + kInterval;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    std::fputs(("\r\x1b[K" + progress_text(file_, records, bytes_read, size_, seconds)).c_str(),
               to_);
    std::fflush(to_);
    shown_ = true;
}

void Progress::wipe() {
    if (shown_) std::fputs("\r\x1b[K", to_);
    shown_ = false;
}

void Progress::line(const std::string& text) {
    wipe();
    std::fputs((text + "\n").c_str(), to_);
    std::fflush(to_);
}

}  // namespace oai::load
