// SPDX-License-Identifier: MIT
// The arguments from and until of a harvest, in the granularity of its repository (OAI-PMH 2.0,
// 2.7.1, 3.3). Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace oai::harvest {

// A datestamp in the repository's granularity: seconds are cut to days; a day becomes its first
// second (for `until` its last). Anything that is no datestamp is returned unchanged, for the
// repository to reject.
std::string from_argument(const std::string& datestamp, bool has_seconds);
std::string until_argument(const std::string& datestamp, bool has_seconds);

// The `from` of a harvest that follows one with this responseDate: earlier by the overlap, and
// never later than the responseDate. Also accepts responseDates with fractions of seconds and UTC
// offsets. Returns "" if it is no date: then everything is to be requested.
std::string from_after(const std::string& response_date, std::chrono::seconds overlap,
                       bool has_seconds);

// How much later the second responseDate is; nullopt if one of them is no date.
std::optional<std::chrono::seconds> seconds_between(const std::string& first,
                                                    const std::string& second);

}  // namespace oai::harvest
