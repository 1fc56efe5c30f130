// SPDX-License-Identifier: MIT
// The values of a batch's records as text, for the internal XML (record_xml.h, which defines the
// names and forms of columns) and for compiled stylesheets. Knows no XML tree.
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

// An invalid value: its record fails, no other does.
class BadValue : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

class RecordValues {
  public:
    enum class Shape { scalar, array, tree, tree_array };

    struct Column {
        std::string name;  // RecordSchema::Column::xml_name
        Shape shape = Shape::scalar;
        // The values in the current record, none if NULL; at most one of a scalar; trees as
        // unparsed text. Views into the batch, the dictionary or strings of the RecordValues.
        transform::Nodes nodes{};

      private:
        friend class RecordValues;
        unsigned type = 0;        // pg::TypeOid, or BuiltIn
        int index = -1;           // in the batch
        bool was_null = false;    // in the previous record; `nodes` is then empty
        int languages = -1;       // index of the column with the languages of its entries; -1: none
        std::string_view kind{};  // Name::kind of its numbers; "": plain values
        transform::Entry value{};                 // of a scalar
        std::vector<transform::Entry> entries{};  // of other shapes
        TextBuffer own{};                         // the text of a scalar that is not in the batch
        bool is_kind_of(const Name& shown);
        void show(const transform::Entry& entry);
        void show_number(std::int64_t n);
        void show_time(Seconds t, std::size_t bytes = kUtcBytes);
    };

    // `needed`: names of the columns to be read; nullptr: all. Throws Fault naming a column that
    // breaks the contract, needed or not. The batch must outlive this object.
    RecordValues(const RecordBatch& batch, std::string_view identifier_prefix,
                 const std::vector<std::string>* needed);

    RecordValues(const RecordValues&) = delete;

    // id, identifier, datestamp, then the model's columns, as far as needed.
    const std::vector<Column>& columns() const { return columns_; }
    // Reads record i of the batch; throws BadValue naming the column.
    void read(int i);
    // Whether the current record has a value in the column.
    bool has(std::string_view name) const;

  private:
    static Shape shape_of(const RecordSchema::Column& column);
    static void check_name(const std::string& name, Shape shape,
                           const std::vector<std::string_view>& scalars);

    // `bytes`: the column's value in record i.
    void print(Column& column, int i, std::string_view bytes);
    void print_entries(Column& column, int i, std::string_view bytes);
    void print_texts_with_languages(Column& column, int i, std::string_view bytes);
    const Name& name_of(int id, const Column& column) const;
    transform::Entry clean(std::string_view value);  // as XML text
    std::string_view hold(std::string value);        // keeps it until the next record is read

    const RecordBatch& batch_;
    const std::string_view identifier_prefix_;
    std::vector<Column> columns_;
    std::deque<std::string> kept_;  // see hold()
    std::vector<std::string_view> texts_;
    std::vector<std::optional<std::string_view>> nullable_texts_, languages_;
    std::vector<int> numbers_;
};

}  // namespace oai
