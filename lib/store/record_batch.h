// SPDX-License-Identifier: MIT
// The rows of one fetch, decoded: headers, and for lists of records the model's columns. Owns what
// its views point to; so it moves but does not copy. Belongs to one thread; several may read it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "pg/connection.h"
#include "protocol/record.h"
#include "store/dictionary.h"
#include "store/record_schema.h"

namespace oai {

class RecordBatch {
  public:
    RecordBatch() = default;
    // `schema`: that of the rows; it must outlive the batch. A row whose id is NULL is a number
    // that no item has any more: left out. Throws Fault if another of the item's columns is NULL.
    RecordBatch(pg::Result rows, const RecordSchema& schema);
    RecordBatch(RecordBatch&&) noexcept = default;
    RecordBatch& operator=(RecordBatch&&) noexcept = default;

    // Forgets all but the first n records.
    void keep(int n);

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
    // What these stand for, in the batches that the Store gives; the views live as long as the
    // Store.
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

}  // namespace oai
