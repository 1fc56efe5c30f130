// SPDX-License-Identifier: MIT
// The counts of a list as text, for whoever stores its position.
#include <nlohmann/json.hpp>

#include "tools/harvest/sink.h"

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
