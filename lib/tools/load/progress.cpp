// SPDX-License-Identifier: MIT
#include "tools/load/progress.h"

#include <fmt/core.h>

#include <algorithm>

#include "tools/harvest/sink.h"

namespace oai::load {
namespace {

using harvest::time_text;

constexpr std::chrono::milliseconds kInterval{200};
constexpr std::size_t kTerminalColumns = 78;

std::string size_text(double bytes) {
    const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
    return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

constexpr std::int64_t kMaxPrintedDamages = 20;
constexpr std::size_t kMaxKinds = 100;

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

std::string count_text(const std::string& what, std::int64_t done, std::int64_t all,
                       double seconds) {
    std::string text = fmt::format("{}: {} of {}", what, done, all);
    if (done > 0 && all > 0)
        text += fmt::format(
            ", {:.0f} %, {} left", 100.0 * static_cast<double>(done) / static_cast<double>(all),
            time_text(seconds * static_cast<double>(std::max<std::int64_t>(all - done, 0)) /
                      static_cast<double>(done)));
    return text;
}

void Progress::begin(std::string file, std::uint64_t size_bytes, Time now) {
    file_ = std::move(file);
    size_ = size_bytes;
    begun_ = now;
    next_ = now + kInterval;
}

bool Progress::is_due(Time now) {
    if (!terminal_ || now < next_) return false;
    next_ = now + kInterval;
    return true;
}

void Progress::show(const std::string& text) {
    std::fputs(("\r\x1b[K" + text).c_str(), to_);
    std::fflush(to_);
    shown_ = true;
}

void Progress::step(std::int64_t records, std::uint64_t bytes_read, Time now) {
    if (!is_due(now)) return;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    show(progress_text(file_, records, bytes_read, size_, seconds));
}

void Progress::begin_count(std::string what, std::int64_t all, Time now) {
    begin(std::move(what), static_cast<std::uint64_t>(all), now);
}

void Progress::count(std::int64_t done, Time now) {
    if (!is_due(now)) return;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    show(count_text(file_, done, static_cast<std::int64_t>(size_), seconds));
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

std::int64_t LoadReport::all_passed_over() const {
    std::int64_t sum = 0;
    for (const auto& [kind, n] : passed_over) sum += n;
    return sum;
}

void LoadReport::pass_over(const std::string& kind, std::int64_t n) {
    const bool room = passed_over.size() < kMaxKinds || passed_over.contains(kind);
    passed_over[room && !kind.empty() ? kind : "other"] += n;
}

LoadReport& LoadReport::operator+=(const LoadReport& other) {
    records += other.records;
    inserted += other.inserted;
    updated += other.updated;
    damaged += other.damaged;
    for (const auto& [kind, n] : other.passed_over) pass_over(kind, n);
    return *this;
}

void LoadReport::add(const SliceCounts& counts) {
    inserted += counts.inserted;
    updated += counts.updated;
    refused.insert(refused.end(), counts.refused.begin(), counts.refused.end());
    records -= counts.left_deleted + static_cast<std::int64_t>(counts.refused.size());
    if (counts.left_deleted > 0) pass_over("deleted here", counts.left_deleted);
}

void DamageReport::add(std::string_view place, const std::string& what) {
    if (++damages_ <= kMaxPrintedDamages)
        progress_.line(fmt::format("{}:{}: {}", path_, place, what));
}

std::int64_t DamageReport::finish() {
    if (damages_ > kMaxPrintedDamages)
        progress_.line(fmt::format("{}: {} more damages", path_, damages_ - kMaxPrintedDamages));
    return damages_;
}

std::string summary(const std::string& path, const LoadReport& report, bool in_detail) {
    std::string kinds;
    if (in_detail)
        for (const auto& [kind, n] : report.passed_over)
            kinds += fmt::format("{}{} {}", kinds.empty() ? " (" : ", ", n, kind);
    if (!kinds.empty()) kinds += ")";
    return fmt::format(
        "loaded {}: {} records ({} inserted, {} updated, {} unchanged), {} passed over{}, {} "
        "damaged",
        path, report.records, report.inserted, report.updated, report.unchanged(),
        report.all_passed_over(), kinds, report.damaged);
}

}  // namespace oai::load
