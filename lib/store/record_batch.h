// SPDX-License-Identifier: MIT
// The rows of one fetch, decoded into headers and, for records, the model's columns; and the
// statements that read them. A RecordBatch owns the result that its views point to, so it can be
// moved but not copied. One thread at a time may change it; several may read it.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pg/connection.h"
#include "protocol/record.h"

namespace oai {

// A name that records refer to by number: a row of the view oai.dictionary (schema/core/roles.sql),
// which never changes, or the spec of a set.
struct Name {
    std::string_view kind;  // the column that refers to it, without "_id"; "" for a set
    std::string text;       // as XML text (base/text.h)
    bool is_plain = false;  // needs no escaping (xml/escape.h)
};

// The names that one batch needs, for look-ups without a lock. The Dictionary must outlive it.
class Names {
  public:
    Names() = default;
    explicit Names(const std::vector<std::pair<int, const Name*>>& names);
    const Name* find(int id) const {  // nullptr: there is no such number
        if (places_.empty()) return nullptr;
        std::size_t at = first_place(id);
        while (places_[at].second != nullptr && places_[at].first != id)
            at = (at + 1) & (places_.size() - 1);
        return places_[at].second;
    }

  private:
    // Multiplicative hashing, whose upper bits are the well mixed ones.
    std::size_t first_place(int id) const {
        return (static_cast<unsigned>(id) * 2654435769U) >> shift_;
    }

    // A hash table with open addressing. The size is a power of two; at least half of the places
    // are free (nullptr).
    std::vector<std::pair<int, const Name*>> places_;
    int shift_ = 0;
};

// A cache of names; grows up to the size of oai.dictionary or oai.set. Thread-safe.
class Dictionary {
  public:
    // REQUIRES, for both: ids ascend and are distinct.
    std::vector<int> unknown(std::span<const int> ids) const;
    Names names(std::span<const int> ids) const;  // without unknown ids
    struct Row {
        int id;
        std::string kind;
        std::string text;
    };
    // Adds names. Known ids keep theirs.
    void learn(const std::vector<Row>& rows);

  private:
    mutable std::shared_mutex mutex_;
    std::set<std::string, std::less<>> kinds_;  // Name::kind points here
    std::unordered_map<int, Name> names_;       // a node stays where it is
};

// The columns of a result with records: the index of the item's columns, and the names and types of
// the model's. Immutable.
class RecordSchema {
  public:
    // The columns of oai.item, with which oai.record begins (schema/core/roles.sql).
    enum ItemColumn { kId, kSeq, kLocalId, kDatestamp, kDeleted, kSetIds, kItemColumns };
    static std::string_view item_column_name(int column);

    // A column of oai.record that the model adds.
    struct Column {
        std::string name;
        unsigned type;  // pg::TypeOid
        bool is_array;
        // Its numbers refer to names of oai.dictionary. True for a column of type integer or
        // integer[] whose name ends in "_id".
        bool is_named;
        // The name in the internal XML and in format files: without "_id" if is_named.
        std::string xml_name;
        // The index of the column NAME_lang beside this column NAME, both text[], with the language
        // of each entry. -1: there is none.
        int language_column = -1;
        bool is_language = false;  // this is a column NAME_lang
    };

    // `rows` has any number of the store's own columns, then the six of oai.item, then the model's.
    // Throws Fault if the six do not match the contract.
    explicit RecordSchema(const pg::Result& rows);
    // Whether a result has the same columns.
    bool matches(const pg::Result& rows) const;

    int item_column() const { return item_column_; }  // the first of the six
    int model_column() const { return item_column_ + kItemColumns; }
    const std::vector<Column>& columns() const { return columns_; }

  private:
    int item_column_ = 0;
    std::vector<Column> columns_;
    std::vector<std::pair<std::string, unsigned>> shape_;  // name and type of every column
};

// Names of columns as in RecordSchema::Column::xml_name; nullopt: all columns.
using ColumnNames = std::optional<std::vector<std::string>>;

// A cache of schemas: one for each statement that reads records, and further ones when an
// administrator changes the columns of oai.record. Thread-safe.
class RecordSchemas {
  public:
    // Returns the schema of the result, valid for the lifetime of this object. Throws Fault as the
    // constructor of RecordSchema does.
    const RecordSchema& of(const pg::Result& rows);

  private:
    std::shared_mutex mutex_;
    std::list<RecordSchema> schemas_;  // a list, since callers hold references to its elements
};

class RecordBatch {
  public:
    RecordBatch() = default;
    // `schema`: that of the rows; it must outlive the batch. Leaves out rows whose id is NULL,
    // numbers that no item has any more. Throws Fault if another column of the item is NULL.
    RecordBatch(pg::Result rows, const RecordSchema& schema);
    RecordBatch(RecordBatch&&) noexcept = default;
    RecordBatch& operator=(RecordBatch&&) noexcept = default;

    // Removes all records after the first n.
    void truncate(int n);

    int size() const { return static_cast<int>(headers_.size()); }
    const Header& header(int i) const { return headers_[static_cast<std::size_t>(i)]; }

    // The number of the model's columns, after the six of oai.item; 0 if only headers were read.
    int columns() const { return schema_ ? static_cast<int>(schema_->columns().size()) : 0; }
    const RecordSchema::Column& column(int c) const {
        return schema_->columns()[static_cast<std::size_t>(c)];
    }
    bool is_null(int i, int c) const { return rows_->is_null(row(i), schema_->model_column() + c); }
    bool has_value(int i, int c) const;           // neither NULL nor an array without entries
    std::string_view bytes(int i, int c) const {  // PostgreSQL's binary format
        return rows_->bytes(row(i), schema_->model_column() + c);
    }

    // The distinct numbers in columns with is_named, and those of the headers' sets; ascending.
    std::vector<int> named_ids() const;
    std::vector<int> distinct_set_ids() const;
    // The names and setSpecs for these numbers. Set in batches that the Store returns; the views
    // are valid for the lifetime of the Store.
    const Names& names() const { return names_; }
    std::string_view set_spec(int id) const;  // throws Fault if there is no such set
    void set_names(Names names, Names set_specs = {}) {
        names_ = std::move(names);
        set_specs_ = std::move(set_specs);
    }

  private:
    int row(int i) const { return row_of_[static_cast<std::size_t>(i)]; }

    std::optional<pg::Result> rows_;
    const RecordSchema* schema_ = nullptr;
    std::vector<int> row_of_;
    std::vector<Header> headers_;
    std::vector<int> set_ids_;  // of all headers, in order
    Names names_;
    Names set_specs_;
};

// Resolves the numbers by which records refer to sets and names. Queries the database for unknown
// numbers only. Thread-safe.
class References {
  public:
    // Sets the batch's setSpecs and names. Without a connection, returns false if some are unknown.
    // Throws Fault if oai.set has an invalid setSpec.
    bool resolve(RecordBatch& batch, pg::Connection* connection = nullptr);

  private:
    Dictionary set_specs_;
    Dictionary names_;
};

// The statements that read items and their records. Each reads only the columns that its caller
// needs, since printing columns is half of PostgreSQL's work for a record.

// Which rows a statement reads, and its parameters.
enum class RecordRows {
    // $1 local_id. One row: the horizon and the item, or nulls if it is not published.
    one,
    // $1 after, $2 upto, $3 rows.
    of_list,
    // $1 set id, $2 after, $3 upto, $4 rows, $5 null or another set that the items must belong to
    // (Position::required_id). Adjacent numbers of a set are read together as a run (oai.set_runs).
    // A run whose numbers all belong to no item any more gives a row of nulls with its position, so
    // that the caller knows how far the list was read; `numbers` counts what was read.
    of_set,
};

class RecordStatements {
  public:
    // Sets the current columns of oai.record, which an administrator may change at any time.
    // Without a schema, or if an unknown column is requested, all columns are read.
    void set_schema(const RecordSchema& schema);
    void clear_schema();

    // Returns the statement for headers, or for records with these columns and their languages.
    // at_once 0: it declares the cursor `page`, which PostgreSQL plans each time. Otherwise it
    // returns at_once rows itself; for a whole list that number is part of the text in place of $3,
    // since one plan for every number of rows would be a bad one for few, so callers should use few
    // different numbers. The result is valid for the lifetime of this object.
    const pg::Statement& of(RecordRows rows, bool with_records, const ColumnNames& columns,
                            int at_once = 0);

  private:
    std::string text(RecordRows rows, bool with_records, const ColumnNames& columns,
                     int at_once) const;

    std::shared_mutex mutex_;
    std::optional<std::vector<RecordSchema::Column>> known_;
    std::unordered_map<std::string, const pg::Statement*> by_key_;
    // Text -> statement. Never erased, since connections refer to the texts of prepared statements.
    std::map<std::string, pg::Statement, std::less<>> texts_;
};

}  // namespace oai
