// SPDX-License-Identifier: MIT
// The statements that read records, each for the columns that its reader needs: half of what
// PostgreSQL does for a record is to print columns. Knows no format. Thread-safe.
#pragma once

#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pg/connection.h"
#include "store/record_batch.h"

namespace oai {

// By their shown names (RecordSchema::Column); nullopt: all.
using ColumnNames = std::optional<std::vector<std::string>>;

class RecordStatements {
  public:
    // What oai.record has, by now: an administrator may change it at any time. Before that it is
    // not known.
    void know(const RecordSchema& schema);
    void forget();

    // The statement, which reads "select * from oai.record", for these columns and the languages of
    // their entries only. The statement as it is where one of them is not known. The result lives
    // as long as this.
    const pg::Statement& of(const pg::Statement& statement, const ColumnNames& columns);

    // What a list's cursor of so many rows would give, by a statement of its own. PostgreSQL plans
    // a cursor each time that it is declared, which takes as long as reading 100 rows. The number
    // stands in the text, since one plan for all numbers of rows would be made for too many; so it
    // should be one of few. The statement has the parameters of the cursor, but not "limit $3".
    const pg::Statement& at_once(const pg::Statement& cursor, int rows);

  private:
    const pg::Statement& keep(const pg::Statement& statement, std::string text);
    const pg::Statement& narrowed(const pg::Statement& statement,
                                  const std::vector<std::string>& columns);

    std::shared_mutex mutex_;
    std::optional<std::vector<RecordSchema::Column>> known_;
    std::unordered_map<std::string, const pg::Statement*> by_columns_;
    std::map<std::pair<const char*, int>, const pg::Statement*> at_once_;
    // Text -> statement. Connections keep the texts of what they have prepared.
    std::map<std::string, pg::Statement, std::less<>> texts_;
};

}  // namespace oai
