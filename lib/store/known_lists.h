// SPDX-License-Identifier: MIT
// By which sets the lists of queries have been read, so that a page that goes on with a list can be
// asked for before the database has said what its set is called there. What is remembered may be
// out of date: the page's own snapshot says what holds. Thread-safe.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "store/list_query.h"

namespace oai {

struct ListSets {
    std::optional<std::int64_t> set_id{}, required_id{};  // as in Position
    bool operator==(const ListSets&) const = default;
};

class KnownLists {
  public:
    // nullopt: no page of such a list has been read yet. A list of everything is always known.
    std::optional<ListSets> find(const ListQuery& query) const;
    void note(const ListQuery& query, const ListSets& sets);

  private:
    mutable std::mutex mutex_;
    std::unordered_map<std::string, ListSets> lists_;  // at most 1,000
};

}  // namespace oai
