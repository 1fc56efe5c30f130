// SPDX-License-Identifier: MIT
#include "store/record_batch.h"

#include <algorithm>
#include <bit>

#include "pg/binary.h"
#include "protocol/error.h"

namespace oai {
namespace {

using Item = RecordSchema::ItemColumn;

std::string_view not_null(const pg::Result& rows, int row, int first, Item column) {
    const std::string_view bytes = rows.bytes(row, first + column);
    if (bytes.empty() && rows.is_null(row, first + column))
        throw Fault("oai.item " + std::to_string(pg::read_integer(rows.bytes(row, first))) + ": " +
                    std::string(RecordSchema::item_column_name(column)) +
                    " of a published item is NULL");
    return bytes;
}

// Ascending. Most are repetitions: those are left out before what remains is sorted.
std::vector<int> distinct(const std::vector<int>& ids) {
    std::vector<int> out;
    if (ids.empty()) return out;
    // Open addressing; `out` has the ids, and a place one more than an index into it, or 0.
    std::vector<int> places(std::bit_ceil(2 * ids.size()));
    const int shift = 32 - std::countr_zero(places.size());
    for (const int id : ids) {
        std::size_t at = (static_cast<unsigned>(id) * 2654435769U) >> shift;
        while (places[at] != 0 && out[static_cast<std::size_t>(places[at] - 1)] != id)
            at = (at + 1) & (places.size() - 1);
        if (places[at] != 0) continue;
        out.push_back(id);
        places[at] = static_cast<int>(out.size());
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

RecordBatch::RecordBatch(pg::Result rows, const RecordSchema& schema)
    : rows_(std::move(rows)), schema_(&schema) {
    const int first = schema.item_column();
    const auto value = [&](int row, Item column) { return not_null(*rows_, row, first, column); };
    const int count = rows_->rows();
    std::vector<std::size_t> sets_end;  // spans only when set_ids_ grows no more
    headers_.reserve(static_cast<std::size_t>(count));
    row_of_.reserve(static_cast<std::size_t>(count));
    sets_end.reserve(static_cast<std::size_t>(count));
    for (int row = 0; row < count; ++row) {
        if (rows_->is_null(row, first + Item::kId)) continue;
        row_of_.push_back(row);
        headers_.push_back({.id = pg::read_integer(value(row, Item::kId)),
                            .seq = pg::read_integer(value(row, Item::kSeq)),
                            .local_id = value(row, Item::kLocalId),
                            .datestamp = pg::read_timestamptz(value(row, Item::kDatestamp)),
                            .deleted = pg::read_bool(value(row, Item::kDeleted)),
                            .set_ids = {}});
        pg::read_int4_array(value(row, Item::kSetIds), set_ids_);
        sets_end.push_back(set_ids_.size());
    }
    std::size_t begin = 0;
    for (std::size_t i = 0; i < headers_.size(); ++i) {
        headers_[i].set_ids = std::span<const int>(set_ids_).subspan(begin, sets_end[i] - begin);
        begin = sets_end[i];
    }
}

void RecordBatch::keep(int n) {
    if (n >= size()) return;
    headers_.resize(static_cast<std::size_t>(n));
    row_of_.resize(static_cast<std::size_t>(n));
    std::size_t sets = 0;
    for (const Header& header : headers_) sets += header.set_ids.size();
    set_ids_.resize(sets);  // what is left stays where it is
}

bool RecordBatch::has_value(int i, int c) const {
    if (is_null(i, c)) return false;
    // array_send begins with the number of dimensions, and an array without entries has none.
    return !column(c).is_array || pg::read_integer(bytes(i, c).substr(0, 4)) != 0;
}

std::vector<int> RecordBatch::named_ids() const {
    std::vector<int> ids;
    for (int c = 0; c < columns(); ++c) {
        if (!column(c).is_named) continue;
        for (int i = 0; i < size(); ++i) {
            if (is_null(i, c)) continue;
            if (column(c).is_array)
                pg::read_int4_array(bytes(i, c), ids);
            else
                ids.push_back(static_cast<int>(pg::read_integer(bytes(i, c))));
        }
    }
    return distinct(ids);
}

std::vector<int> RecordBatch::distinct_set_ids() const { return distinct(set_ids_); }

std::string_view RecordBatch::set_spec(int id) const {
    const Name* name = set_specs_.find(id);
    if (name == nullptr) throw Fault("no row of oai.set has the id " + std::to_string(id));
    return name->text;
}

}  // namespace oai
