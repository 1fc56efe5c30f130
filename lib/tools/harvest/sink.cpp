// SPDX-License-Identifier: MIT
#include "tools/harvest/sink.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/text.h"
#include "protocol/record.h"

namespace oai::harvest {
namespace {

struct Named {
    const char* name;
    std::int64_t ListCounts::*count;
};
constexpr Named kCounts[] = {{"deleted", &ListCounts::deleted},
                             {"in_set", &ListCounts::in_set},
                             {"in_other_sets", &ListCounts::in_other_sets},
                             {"without_sets", &ListCounts::without_sets},
                             {"outside_dates", &ListCounts::outside_dates},
                             {"repeated", &ListCounts::repeated},
                             {"moved", &ListCounts::moved},
                             {"again", &ListCounts::again},
                             {"unquiet", &ListCounts::unquiet}};

constexpr std::chrono::milliseconds kRewriteInterval{200};
constexpr std::chrono::seconds kLineInterval{30};

std::string time_text(double seconds) {
    const auto s = static_cast<std::int64_t>(std::min(seconds, 359'999.0));
    return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                    : fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

// Makes one printable line of text from an untrusted source.
std::string one_line(std::string_view what) {
    std::string line = text::to_terminal_text(what);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return line;
}

}  // namespace

void HarvestListener::wait(std::chrono::seconds time, const std::string& why) {
    using namespace std::chrono;
    note(why + "; asking again in " + std::to_string(time.count()) + " s");
    const auto end = steady_clock::now() + time;
    for (auto now = steady_clock::now(); now < end && !should_stop(); now = steady_clock::now())
        std::this_thread::sleep_for(std::min<steady_clock::duration>(end - now, milliseconds{200}));
}

// The counts of a list as text, for whoever stores its position.

std::string counts_text(const ListCounts& counts) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, count] : kCounts) json[name] = counts.*count;
    return json.dump();
}

ListCounts read_counts(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    ListCounts counts;
    for (const auto& [name, count] : kCounts) counts.*count = json.value(name, std::int64_t{0});
    return counts;
}

std::string progress_text(const ListPosition& position, std::int64_t taken, double seconds) {
    std::string out = fmt::format("{} records", position.records);
    const bool sized = position.list_size && *position.list_size >= position.records;
    if (sized) out = fmt::format("{} of {} records", position.records, *position.list_size);
    if (taken <= 0 || seconds <= 0) return out;
    const double speed = static_cast<double>(taken) / seconds;
    out += fmt::format(", {:.0f}/s", speed);
    if (sized)
        out += fmt::format(
            ", {} left",
            time_text(static_cast<double>(*position.list_size - position.records) / speed));
    return out;
}

void HarvestProgress::print(const ListPosition& position, Time now) {
    if (style_ == Style::notes) return;
    const bool rewritten = style_ == Style::rewritten;
    if (!list_ || *list_ != position.list) {
        list_ = position.list;
        records_before_ =
            position.records;  // includes this first page, whose time was not measured
        begun_ = now;
        next_ =
            now + (rewritten ? Time::duration(kRewriteInterval) : Time::duration(kLineInterval));
        return;
    }
    if (now < next_) return;
    next_ = now + (rewritten ? Time::duration(kRewriteInterval) : Time::duration(kLineInterval));
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const std::string text = name_ + ": " + position.list.prefix +
                             (position.list.set_spec.empty() ? "" : " " + position.list.set_spec) +
                             ": " +
                             progress_text(position, position.records - records_before_, seconds);
    fmt::print(to_, "{}{}{}", rewritten ? "\r\x1b[K" : "", one_line(text), rewritten ? "" : "\n");
    std::fflush(to_);
    on_screen_ = rewritten;
}

void HarvestProgress::note(const std::string& what) {
    erase_line();
    fmt::print(to_, "{}: {}\n", name_, one_line(what));
    std::fflush(to_);
}

void HarvestProgress::erase_line() {
    if (on_screen_) std::fputs("\r\x1b[K", to_);
    on_screen_ = false;
}

namespace {

std::string print_in_granularity(Seconds t, bool has_seconds) {
    return print_datestamp(t).substr(0, has_seconds ? 20 : 10);
}

}  // namespace

std::optional<Seconds> parse_foreign_datestamp(std::string_view s) {
    static const RE2 kForm(
        R"((\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d*)?(?:[Zz]?|([+-])(\d\d):?(\d\d)))");
    if (s.size() == 10) {
        const auto day = parse_datestamp(s);
        return day ? std::optional(day->first) : std::nullopt;
    }
    std::string day, time, sign, hours, minutes;
    if (!RE2::FullMatch(s, kForm, &day, &time, &sign, &hours, &minutes)) return std::nullopt;
    const auto stamp = parse_datestamp(day + "T" + time + "Z");
    if (!stamp || sign.empty()) return stamp ? std::optional(stamp->first) : std::nullopt;
    const auto ahead =
        std::chrono::hours{std::stoi(hours)} + std::chrono::minutes{std::stoi(minutes)};
    return sign == "+" ? stamp->first - ahead : stamp->first + ahead;
}

std::string from_argument(const std::string& datestamp, bool has_seconds) {
    const auto stamp = parse_datestamp(datestamp);
    return stamp ? print_in_granularity(stamp->first, has_seconds) : datestamp;
}

std::string until_argument(const std::string& datestamp, bool has_seconds) {
    const auto stamp = parse_datestamp(datestamp);
    return stamp ? print_in_granularity(stamp->last(), has_seconds) : datestamp;
}

std::string from_after(const std::string& response_date, std::chrono::seconds overlap,
                       bool has_seconds) {
    const auto time = parse_foreign_datestamp(response_date);
    return time ? print_in_granularity(*time - overlap, has_seconds) : "";
}

std::optional<std::chrono::seconds> seconds_between(const std::string& first,
                                                    const std::string& second) {
    const auto a = parse_foreign_datestamp(first), b = parse_foreign_datestamp(second);
    if (!a || !b) return std::nullopt;
    return *b - *a;
}

}  // namespace oai::harvest
