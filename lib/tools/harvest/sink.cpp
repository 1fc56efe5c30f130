// SPDX-License-Identifier: MIT
#include "tools/harvest/sink.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

namespace oai::harvest {
void HarvestListener::wait(std::chrono::seconds time, const std::string& why) {
    using namespace std::chrono;
    note(why + "; asking again in " + std::to_string(time.count()) + " s");
    const auto end = steady_clock::now() + time;
    for (auto now = steady_clock::now(); now < end && !should_stop(); now = steady_clock::now())
        std::this_thread::sleep_for(std::min<steady_clock::duration>(end - now, milliseconds{200}));
}

// The counts of a list as text, for whoever stores its position.
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
                             {"repeated", &ListCounts::repeated}};

}  // namespace

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

}  // namespace oai::harvest
