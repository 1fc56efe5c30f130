// SPDX-License-Identifier: MIT
// How a capture was recovered, as the lists of recovered captures keep it, so that a run that goes
// on counts it as the run that recovered it did.
#pragma once

#include <string>
#include <string_view>

namespace oai::recover {

struct RecoveredHow {
    bool by_another = false;  // by the capture that it repeats
    bool unverified = false;  // without a digest to compare
};

// The last column of a line of these lists, with the tab before it; "" for neither, as in the lists
// of earlier versions.
inline std::string how_column(RecoveredHow how) {
    const std::string marks = std::string(how.by_another ? "r" : "") + (how.unverified ? "u" : "");
    return marks.empty() ? "" : "\t" + marks;
}
inline RecoveredHow read_how(std::string_view column) {
    return {.by_another = column.find('r') != column.npos,
            .unverified = column.find('u') != column.npos};
}

}  // namespace oai::recover
