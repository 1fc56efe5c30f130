// SPDX-License-Identifier: MIT
// The rows of one fetch, decoded: headers, and for lists of records the model's columns. Owns what
// its views point to; so it moves but does not copy. Belongs to one thread; several may read it.
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
// which says what each number means once and for ever, or the spec of a set.
struct Name {
    std::string_view kind;  // the column that shows it, without "_id"; "" of a set
    std::string text;       // as XML text (base/text.h)
    bool is_plain = false;  // nothing in it has to be escaped (xml/escape.h)
};

// The names that one batch needs. The Dictionary must outlive it; finding locks nothing.
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
    // By multiplication; the upper bits are the well mixed ones.
    std::size_t first_place(int id) const {
        return (static_cast<unsigned>(id) * 2654435769U) >> shift_;
    }

    // Open addressing: at least half of the places, a power of two of them, are free (nullptr).
    std::vector<std::pair<int, const Name*>> places_;
    int shift_ = 0;
};

// All names met so far; grows up to the size of oai.dictionary or oai.set. Thread-safe.
class Dictionary {
  public:
    // REQUIRES of both: ids ascend, without repetition.
    std::vector<int> unknown(std::span<const int> ids) const;
    Names names(std::span<const int> ids) const;  // those that are known
    struct Row {
        int id;
        std::string kind;
        std::string text;
    };
    // What is known already stays as it is.
    void learn(const std::vector<Row>& rows);

  private:
    mutable std::shared_mutex mutex_;
    std::set<std::string, std::less<>> kinds_;  // few; a name's `kind` points here
    std::unordered_map<int, Name> names_;       // a node stays where it is
};

// The columns of a result that holds records: where the item's own are, what the model's are called
// and how they are shown. Immutable.
class RecordSchema {
  public:
    // The columns of oai.item, with which oai.record begins (schema/core/roles.sql).
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

// Columns by their shown names; nullopt: all.
using ColumnNames = std::optional<std::vector<std::string>>;

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

class RecordBatch {
  public:
    RecordBatch() = default;
    // `schema`: that of the rows; it must outlive the batch. A row whose id is NULL is a number
    // that no item has any more: left out. Throws Fault if another of the item's columns is NULL.
    RecordBatch(pg::Result rows, const RecordSchema& schema);
    RecordBatch(RecordBatch&&) noexcept = default;
    RecordBatch& operator=(RecordBatch&&) noexcept = default;

    // Forgets all but the first n records.
    void truncate(int n);

    int size() const { return static_cast<int>(headers_.size()); }
    const Header& header(int i) const { return headers_[static_cast<std::size_t>(i)]; }

    // The model's columns of oai.record: what follows the six columns of oai.item. 0 for header
    // lists.
    int columns() const { return schema_ ? static_cast<int>(schema_->columns().size()) : 0; }
    const RecordSchema::Column& column(int c) const {
        return schema_->columns()[static_cast<std::size_t>(c)];
    }
    bool is_null(int i, int c) const { return rows_->is_null(row(i), schema_->model_column() + c); }
    bool has_value(int i, int c) const;           // neither NULL nor an array without entries
    std::string_view bytes(int i, int c) const {  // PostgreSQL's binary format
        return rows_->bytes(row(i), schema_->model_column() + c);
    }

    // The numbers in all columns that are named, and those of the headers' sets; both ascending,
    // without repetition.
    std::vector<int> named_ids() const;
    std::vector<int> distinct_set_ids() const;
    // What these stand for, in batches of the Store; the views live as long as the Store.
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
    std::vector<int> set_ids_;  // of all headers, one after the other
    Names names_;
    Names set_specs_;
};

// What records refer to by number, asked of the database when a number is met for the first time.
// Thread-safe.
class References {
  public:
    // Gives the batch its setSpecs and names. Asks for what is new over what `connection` returns.
    // Throws Fault if oai.set has a spec that is no setSpec.
    void resolve(RecordBatch& batch, const std::function<pg::Connection&()>& connection);

  private:
    Dictionary set_specs_;
    Dictionary names_;
};

// The statements that read items and their records, each for the columns that its reader needs:
// half of what PostgreSQL does for a record is to print columns. Knows no format. Thread-safe.

// Which rows a statement reads, and its parameters.
enum class RecordRows {
    // $1 local_id. One row: the horizon, and beside it the item, or nulls if none is published.
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
    void set_schema(const RecordSchema& schema);
    void clear_schema();

    // Reads headers, or records with these columns and the languages of their entries. The rows of
    // a list come by the cursor `page`, which PostgreSQL plans anew each time, or, where at_once is
    // not 0, all by the statement itself. Then the number of rows stands in the text of a whole
    // list in place of $3, since one plan for all numbers of rows would be made for too many; so it
    // should be one of few. The result lives as long as this.
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
