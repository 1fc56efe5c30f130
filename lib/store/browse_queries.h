// SPDX-License-Identifier: MIT
// The questions of those who look at a repository rather than harvest it, as the tree of sets level
// by level. Each of bounded cost at any size (lib/store/queries.h). Every question takes a
// connection of the Store's pool and throws as Store's do. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/store.h"

namespace oai {

// A set in its tree.
struct SetNode {
    int id = 0;
    std::string spec;
    std::string name;
    std::int64_t items = 0;     // records in it and in its descendants
    std::string description;    // as Set::description; only of path()
    bool has_children = false;  // only of children() and with_prefix()
};

// A stretch of the whole list: numbers after < seq <= after + width.
struct Part {
    std::int64_t after = 0;
    Seconds latest{};  // the last datestamp in it
};

class BrowseQueries {
  public:
    explicit BrowseQueries(Store& store) : store_(store) {}

    // The set's ancestors from the root, and itself as the last; empty: no such set.
    std::vector<SetNode> path(std::string_view spec);
    // Sets below a set, or the roots, in the order of their specs from behind `after`; at most n.
    std::vector<SetNode> children(std::optional<int> parent, std::string_view after, int n);
    // Sets whose spec begins so, likewise.
    std::vector<SetNode> with_prefix(std::string_view prefix, std::string_view after, int n);
    // The paths of these sets as path() has them, by their specs; unknown ids are left out.
    std::vector<std::vector<SetNode>> paths(std::span<const int> ids);

    // The number behind which the n last records of the whole list begin that end with `upto`.
    std::int64_t page_before(std::int64_t upto, int n);

    // How many records there are in all.
    std::int64_t total();

    // All parts of so many numbers that have records, ascending.
    std::vector<Part> parts(std::int64_t width);

  private:
    Store& store_;
};

}  // namespace oai
