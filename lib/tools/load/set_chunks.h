// SPDX-License-Identifier: MIT
// The chunks of all sets (schema/001-contract.sql, 014-numbers.sql) while items are numbered in
// ascending order: a chunk is given out when it is full. Holds one open chunk for each set that
// has items: 300,000 of them take 150 MB. Knows no database.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace oai::load {

struct SetChunk {
    int set_id = 0;
    std::int64_t first_seq = 0;
    std::vector<int> differences;
};

class SetChunks {
  public:
    // The ids of a set and of all above it.
    void add_set(int id, std::vector<int> path) { paths_[id] = std::move(path); }
    // REQUIRES: seq is greater than in the last call; each leaf is a set that was added.
    void add(std::int64_t seq, const std::vector<int>& leaves);

    std::vector<SetChunk> take_full() { return std::exchange(full_, {}); }
    std::vector<SetChunk> take_rest();                        // at the end: those that are not full
    std::vector<std::pair<int, std::int64_t>> sizes() const;  // of sets with items

  private:
    struct OpenSet {
        SetChunk chunk;
        std::int64_t size = 0, last_seq = 0;
    };
    void add_to_set(std::int64_t seq, int id);

    std::unordered_map<int, std::vector<int>> paths_;
    std::unordered_map<int, OpenSet> open_;
    std::vector<SetChunk> full_;
};

}  // namespace oai::load
