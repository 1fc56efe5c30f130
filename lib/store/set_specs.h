// SPDX-License-Identifier: MIT
// The setSpecs of all sets met so far, by their numbers: a header then needs no join. A set's spec
// never changes, so what is known need never be asked again. Thread-safe.
#pragma once

#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace oai {

class SetSpecs {
  public:
    struct Row {
        int id;
        std::string spec;
    };

    // Those of the ids that are not known yet, each as often as it is given.
    std::vector<int> unknown(std::span<const int> ids) const;
    void learn(const std::vector<Row>& rows);
    // Appends the specs of the ids; the views live as long as this. Throws Fault for an id that is
    // not known.
    void find(std::span<const int> ids, std::vector<std::string_view>& out) const;

  private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<int, std::string> specs_;  // a node stays where it is
};

}  // namespace oai
