// SPDX-License-Identifier: MIT
#include "tools/validate/demand.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace oai::validate {
namespace {

std::ptrdiff_t rank(std::string_view document) {
    constexpr std::array kDocuments{kProtocolDocument, kHttpDocument, kRegistration, kAdvice};
    return std::find(kDocuments.begin(), kDocuments.end(), document) - kDocuments.begin();
}

// The numbers of a section: {3, 1, 2} of "3.1.2".
std::vector<std::int64_t> numbers(std::string_view section) {
    std::vector<std::int64_t> out;
    for (const std::string_view number : text::split(section, '.'))
        out.push_back(text::to_integer(number).value_or(0));
    return out;
}

auto key_of(const Demand& d) {
    return std::tuple(rank(d.document), numbers(d.section), d.place, d.severity, d.words);
}

}  // namespace

const Demand& demand(std::string_view name) {
    for (const Demand& demand : demands())
        if (demand.name == name) return demand;
    std::abort();
}

std::string print_place(const Demand& demand) {
    std::string out(demand.document);
    for (const std::string_view part : {demand.section, demand.place})
        if (!part.empty()) out.append(", ").append(part);
    return out;
}

bool comes_before(const Demand& a, const Demand& b) { return key_of(a) < key_of(b); }

}  // namespace oai::validate
