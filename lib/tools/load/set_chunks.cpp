// SPDX-License-Identifier: MIT
#include "tools/load/set_chunks.h"

namespace oai::load {
namespace {

constexpr std::size_t kChunkNumbers = 128;  // numbers in a row of oai.set_chunk

std::int64_t base_of(std::int64_t seq) { return seq >> 31 << 31; }  // as oai.base_of()

}  // namespace

void SetChunks::add(std::int64_t seq, const std::vector<int>& leaves) {
    for (const int leaf : leaves)
        for (const int id : paths_.at(leaf)) add_to_set(seq, id);
}

void SetChunks::add_to_set(std::int64_t seq, int id) {
    OpenSet& set = open_[id];
    if (set.last_seq == seq) return;  // by way of another leaf
    SetChunk& chunk = set.chunk;
    if (chunk.differences.size() == kChunkNumbers || base_of(chunk.first_seq) != base_of(seq)) {
        if (!chunk.differences.empty()) full_.push_back(std::exchange(chunk, {}));
    }
    if (chunk.differences.empty()) {
        chunk.set_id = id;
        chunk.first_seq = seq;
    }
    chunk.differences.push_back(static_cast<int>(seq - base_of(seq)));
    set.last_seq = seq;
    ++set.size;
}

std::vector<SetChunk> SetChunks::take_rest() {
    std::vector<SetChunk> rest = take_full();
    for (auto& [id, set] : open_)
        if (!set.chunk.differences.empty()) rest.push_back(std::move(set.chunk));
    return rest;
}

std::vector<std::pair<int, std::int64_t>> SetChunks::sizes() const {
    std::vector<std::pair<int, std::int64_t>> sizes;
    for (const auto& [id, set] : open_) sizes.emplace_back(id, set.size);
    return sizes;
}

}  // namespace oai::load
