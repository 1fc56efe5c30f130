// SPDX-License-Identifier: MIT
#include "tools/load/report.h"

#include <fmt/core.h>

namespace oai::load {
namespace {

constexpr std::int64_t kMaxPrintedDamages = 20;
constexpr std::size_t kMaxKinds = 100;

}  // namespace

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
    if (counts.left_deleted == 0) return;
    pass_over("deleted here", counts.left_deleted);
    records -= counts.left_deleted;
}

void DamageReport::add(std::uint64_t place, const std::string& what) {
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
