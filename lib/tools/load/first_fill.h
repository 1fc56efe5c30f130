// SPDX-License-Identifier: MIT
// What a first fill (capture_fill.h) needs of the model's core: one process at a time fills the
// repository, a thread of its own writes while the caller reads on, and the sets' chunks are
// written while items are numbered. Knows no model.
#pragma once

#include <cstdint>
#include <future>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pg/connection.h"
#include "tools/load/progress.h"

namespace oai::load {

struct SetChunk {
    int set_id = 0;
    std::int64_t first_seq = 0;
    std::vector<int> differences;
};

// The chunks of all sets (schema/core/tables.sql, core/chunks.sql) while items are numbered in
// ascending order: a chunk is given out when it is full. Holds one open chunk for each set that
// has items: 300,000 of them take 150 MB. Knows no database.
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

class FirstFill {
  public:
    FirstFill(const FirstFill&) = delete;
    FirstFill& operator=(const FirstFill&) = delete;

  protected:
    // Waits while another process fills the repository. Throws pg::Error.
    FirstFill(const std::string& conninfo, Progress& progress);
    ~FirstFill() = default;

    void leave();  // lets other processes fill it
    // Sets of which chunks_ will be told. rows: id, path.
    void add_sets(const pg::Result& rows);
    // statement: COPY of set, first number, differences.
    void write_chunks(const pg::Statement& statement, const std::vector<SetChunk>& chunks);
    // Adds two arrays: the sets that have items, and how many each has.
    void add_set_sizes(pg::Parameters& parameters) const;

    // Waits for what was begun before, and throws what that threw.
    template <class Write>
    void begin_writing(Write write) {
        wait();
        writing_ = std::async(std::launch::async, std::move(write));
    }
    void wait() {
        if (writing_.valid()) writing_.get();
    }
    void await_end() noexcept {  // drops what it threw
        if (writing_.valid()) writing_.wait();
        writing_ = {};
    }

    Progress& progress_;
    pg::Connection connection_, names_connection_;
    SetChunks chunks_;
    std::int64_t datestamp_ = 0, first_id_ = 0;  // of the fill, Unix seconds; of its records
    std::int64_t written_ = 0;                   // records that have a number
    // Has the connections, chunks_ and members of the derived class until it has ended, so that
    // class's destructor calls await_end().
    std::future<void> writing_;
};

}  // namespace oai::load
