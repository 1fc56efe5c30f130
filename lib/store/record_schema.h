// SPDX-License-Identifier: MIT
// The columns of a result that holds records: where the item's own are, what the model's are called
// and how they are shown. Worked out once for each shape of result, not for each batch.
#pragma once

#include <list>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pg/connection.h"

namespace oai {

// Immutable.
class RecordSchema {
  public:
    // The columns of oai.item, with which oai.record begins (schema/001-contract.sql).
    enum ItemColumn { kId, kSeq, kLocalId, kDatestamp, kDeleted, kSetIds, kItemColumns };
    static std::string_view item_column_name(int column);

    // A column of the model's in oai.record.
    struct Column {
        std::string name;
        unsigned type;  // pg::TypeOid
        bool is_array;
        // Its numbers stand for names of oai.dictionary: integer or integer[], and its name ends in
        // "_id".
        bool is_named;
        // What the internal XML and formats call it: its name, without "_id" where is_named.
        std::string shown_name;
        // The column NAME_lang beside this NAME, both text[]: the languages of its entries, one for
        // one. -1: there is none.
        int language_column = -1;
        bool is_language = false;  // it is such a NAME_lang
    };

    // `rows`: any columns of the store's own, then the six of oai.item, then the model's. Throws
    // Fault if the six are not what the contract says.
    explicit RecordSchema(const pg::Result& rows);
    // Whether that result has the same columns.
    bool matches(const pg::Result& rows) const;

    int item_column() const { return item_column_; }  // where the six begin
    int model_column() const { return item_column_ + kItemColumns; }
    const std::vector<Column>& columns() const { return columns_; }

  private:
    int item_column_ = 0;
    std::vector<Column> columns_;
    std::vector<std::pair<std::string, unsigned>> shape_;  // name and type of every column
};

// The schemas of all results met so far: as many as there are statements that read records, and one
// more whenever an administrator changes the columns of oai.record. Thread-safe.
class RecordSchemas {
  public:
    // The schema lives as long as this. Throws Fault as the schema's constructor.
    const RecordSchema& of(const pg::Result& rows);

  private:
    std::shared_mutex mutex_;
    std::list<RecordSchema> schemas_;  // an element stays where it is
};

}  // namespace oai
