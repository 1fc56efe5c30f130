// SPDX-License-Identifier: MIT
#include "tools/load/first_fill.h"

#include <optional>

#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "tools/load/queries.h"

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

FirstFill::FirstFill(const std::string& conninfo, Progress& progress)
    : progress_(progress),
      connection_(conninfo, "oai load"),
      names_connection_(conninfo, "oai load") {
    if (pg::read_bool(connection_.query(queries::kFillTry).bytes(0, 0))) return;
    progress_.line("another oai load fills the repository: waiting for its end");
    connection_.query(queries::kFillWait);
}

void FirstFill::leave() { connection_.query(queries::kFillLeave); }

void FirstFill::add_sets(const pg::Result& rows) {
    for (int i = 0; i < rows.rows(); ++i) {
        std::vector<int> path;
        pg::read_int4_array(rows.bytes(i, 1), path);
        chunks_.add_set(static_cast<int>(pg::read_integer(rows.bytes(i, 0))), std::move(path));
    }
}

void FirstFill::write_chunks(const pg::Statement& statement, const std::vector<SetChunk>& chunks) {
    if (chunks.empty()) return;
    pg::CopyWriter out(connection_, statement);
    for (const SetChunk& chunk : chunks) {
        out.add(std::optional(chunk.set_id));
        out.add(std::optional(chunk.first_seq));
        out.add(chunk.differences);
        out.end_row();
    }
    out.finish();
}

void FirstFill::add_set_sizes(pg::Parameters& parameters) const {
    std::string sets = "{", sizes = "{";
    for (const auto& [id, size] : chunks_.sizes()) {
        const char* const comma = sets.size() > 1 ? "," : "";
        sets += comma + std::to_string(id);
        sizes += comma + std::to_string(size);
    }
    parameters.add(sets + '}').add(sizes + '}');
}

}  // namespace oai::load
