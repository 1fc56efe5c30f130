// SPDX-License-Identifier: MIT
// The queries of the pages for people: the tree of sets, and positions in the whole list. Each has
// a bounded cost at any size (lib/store/queries.h), uses a connection of the Store's pool and
// throws as Store does. Thread-safe.
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

// A set and its place in the tree of sets.
struct SetNode {
    int id = 0;
    std::string spec;
    std::string name;
    std::int64_t items = 0;     // records in it and in its descendants
    std::string description;    // as Set::description; set by path() alone
    bool has_children = false;  // set by children() and with_prefix() alone
};

// A part of the whole list: the records with after < seq <= after + width.
struct Part {
    std::int64_t after = 0;
    Seconds latest{};  // its last datestamp
};

class BrowseQueries {
  public:
    explicit BrowseQueries(Store& store) : store_(store) {}

    // The set's ancestors from the root, followed by the set itself; empty if there is no such set.
    std::vector<SetNode> path(std::string_view spec);
    // The children of a set, or the roots, ordered by spec, from after `after` on; at most n.
    std::vector<SetNode> children(std::optional<int> parent, std::string_view after, int n);
    // The sets whose spec begins with the prefix, in the same order.
    std::vector<SetNode> with_prefix(std::string_view prefix, std::string_view after, int n);
    // The paths of several sets as path() returns them, ordered by spec; unknown ids are left out.
    std::vector<std::vector<SetNode>> paths(std::span<const int> ids);

    // The seq before the n records of the whole list that end with `upto`; 0 if there are no more.
    std::int64_t page_before(std::int64_t upto, int n);

    // The number of records in the whole list.
    std::int64_t total();

    // All parts of the given width that have records, ascending.
    std::vector<Part> parts(std::int64_t width);

  private:
    Store& store_;
};

}  // namespace oai
