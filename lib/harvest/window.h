// SPDX-License-Identifier: MIT
// From when to when a harvest asks, in the granularity of its repository (OAI-PMH 2.0, 2.7.1, 3.3). Pure.
#pragma once

#include <chrono>
#include <string>

namespace oai::harvest {

// As this repository takes it: a day instead of a second, or the first (of `until`: the last) second of a day. What is
// neither is returned as it is, for the repository to judge.
std::string from_argument(const std::string& given, bool seconds);
std::string until_argument(const std::string& given, bool seconds);

// What to harvest from, everything up to this responseDate being here: so much earlier, and never a second later. Takes
// responseDates with fractions and offsets, too. "" if it is no date: then everything is asked for.
std::string from_after(const std::string& response_date, std::chrono::seconds overlap, bool seconds);

}  // namespace oai::harvest
