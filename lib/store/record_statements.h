// SPDX-License-Identifier: MIT
// The statements that read items and their records, each for the columns that its reader needs:
// half of what PostgreSQL does for a record is to print columns. Knows no format. Thread-safe.
#pragma once

#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "pg/connection.h"
#include "store/record_batch.h"

namespace oai {

// Which rows a statement reads, and its parameters.
enum class RecordRows {
    // $1 local_id. One row: the horizon, and beside it the item, or nulls where none is published
    // under this name.
    one,
    // $1 after, $2 upto, $3 rows.
    of_list,
    // $1 set id, $2 after, $3 upto, $4 rows, $5 null or what else the items belong to
    // (Position::required_id). Neighbours among the numbers of a set are read together
    // (oai.set_runs). A run that no item has a number of any more gives a row of nulls beside its
    // position, so that the reader knows how far it came, and `numbers` says how many of the set's
    // numbers that were.
    of_set,
};

class RecordStatements {
  public:
    // What oai.record has, by now: an administrator may change it at any time. Before that, or
    // where a column is asked for that is not known, all columns are read.
    void know(const RecordSchema& schema);
    void forget();

    // Reads headers, or records with these columns and the languages of their entries. The rows of
    // a list come by the cursor `page`, or, where at_once is not 0, all by the statement itself.
    // PostgreSQL plans a cursor each time that it is declared, which takes as long as reading 100
    // rows. Then the number of rows stands in the text of a whole list in place of $3, since one
    // plan for all numbers of rows would be made for too many; so it should be one of few. The
    // result lives as long as this.
    const pg::Statement& of(RecordRows rows, bool with_records, const ColumnNames& columns,
                            int at_once = 0);

  private:
    std::string text(RecordRows rows, bool with_records, const ColumnNames& columns,
                     int at_once) const;

    std::shared_mutex mutex_;
    std::optional<std::vector<RecordSchema::Column>> known_;
    std::unordered_map<std::string, const pg::Statement*> by_key_;
    // Text -> statement. Connections keep the texts of what they have prepared.
    std::map<std::string, pg::Statement, std::less<>> texts_;
};

}  // namespace oai
