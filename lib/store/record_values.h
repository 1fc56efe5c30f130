// SPDX-License-Identifier: MIT
// The values of a batch's records as every format sees them, printed once for the internal XML
// (record_xml.h, which says how columns are called and shown) and for compiled stylesheets alike.
// Knows no tree.
#pragma once

#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/text_buffer.h"
#include "store/record_batch.h"
#include "transform/record_view.h"

namespace oai {

// What is wrong with one value: its record fails, no other.
class BadValue : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

class RecordValues {
  public:
    enum class Shape { scalar, array, tree, tree_array };

    struct Column {
        std::string name;  // as shown
        Shape shape = Shape::scalar;
        // Of the record read last, none if it is NULL there; of scalars at most one, of trees as
        // the database has them. Views into the batch, the dictionary or strings of the
        // RecordValues.
        transform::Nodes nodes{};

      private:
        friend class RecordValues;
        unsigned type = 0;      // pg::TypeOid, or what it is of the record's own columns
        int index = -1;         // in the batch
        bool was_null = false;  // in the record read before; then it has no nodes
        int languages = -1;     // index of the column of its entries' languages; -1: there is none
        std::string_view kind{};   // of the names that its numbers stand for; "" a plain value
        transform::Entry value{};  // what a scalar shows
        std::vector<transform::Entry> entries{};  // what others show
        TextBuffer own{};                         // where a scalar's text had to be made
        bool is_kind_of(const Name& shown);
        void show(const transform::Entry& entry);
        void show_number(std::int64_t n);
        void show_time(Seconds t, std::size_t bytes = kUtcBytes);
    };

    // `needed`: the columns to be read, by their shown names; nullptr: all of them. Throws Fault
    // naming a column that breaks the contract, needed or not. The batch must outlive it.
    RecordValues(const RecordBatch& batch, std::string_view identifier_prefix,
                 const std::vector<std::string>* needed);

    RecordValues(const RecordValues&) = delete;

    // id, identifier, datestamp, then the model's: those that are needed.
    const std::vector<Column>& columns() const { return columns_; }
    // Reads record i of the batch; throws BadValue naming the column.
    void read(int i);
    // Whether the record read last has the column, as an attribute or an element.
    bool has(std::string_view name) const;

  private:
    static Shape shape_of(const RecordSchema::Column& column);
    static void check_name(const std::string& name, Shape shape,
                           const std::vector<std::string_view>& scalars);

    // `bytes`: of the column, in record i.
    void print(Column& column, int i, std::string_view bytes);
    void print_entries(Column& column, int i, std::string_view bytes);
    void print_texts_with_languages(Column& column, int i, std::string_view bytes);
    const Name& name_of(int id, const Column& column) const;
    transform::Entry clean(std::string_view value);  // as XML text
    std::string_view hold(std::string value);        // until the next record is read

    const RecordBatch& batch_;
    const std::string_view identifier_prefix_;
    std::vector<Column> columns_;
    std::deque<std::string> kept_;  // values that had to be made, of one record
    std::vector<std::string_view> texts_;
    std::vector<std::optional<std::string_view>> nullable_texts_, languages_;
    std::vector<int> numbers_;
};

}  // namespace oai
