// SPDX-License-Identifier: MIT
#include "store.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "error.h"
#include "pg/binary.h"
#include "queries.h"
#include "set_spec.h"

namespace oai {
namespace {

struct Column {
    std::string_view name;
    unsigned type;
    std::string_view type_name;
};

// The contract: oai.item, and oai.record begins with it (schema/001-contract.sql).
constexpr std::array kItem{
    Column{"id", pg::kInt8, "bigint"},
    Column{"seq", pg::kInt8, "bigint"},
    Column{"local_id", pg::kText, "text"},
    Column{"datestamp", pg::kTimestamptz, "timestamp with time zone"},
    Column{"deleted", pg::kBool, "boolean"},
    Column{"set_ids", pg::kInt4Array, "integer[]"},
};
constexpr int kItemColumns = static_cast<int>(kItem.size());
constexpr std::string_view kNamed = "_id", kLanguages = "_lang";
enum ItemColumn { kId, kSeq, kLocalId, kDatestamp, kDeleted, kSetIds };

// Where `id` stands: what comes before it is the store's own.
int check_contract(const pg::Result& rows) {
    int first = 0;
    while (first < rows.columns() && rows.column_name(first) != kItem[0].name) ++first;
    for (int i = 0; i < kItemColumns; ++i) {
        const Column& want = kItem[static_cast<std::size_t>(i)];
        const std::string expected = "oai.item and oai.record must have " + std::string(want.name) + " " +
                                     std::string(want.type_name) + " as column " + std::to_string(i + 1);
        if (first + i >= rows.columns()) throw Fault(expected + ", but there is none");
        if (rows.column_name(first + i) != want.name)
            throw Fault(expected + ", not " + std::string(rows.column_name(first + i)));
        if (rows.column_type(first + i) != want.type)
            throw Fault(expected + ", not of the type with OID " + std::to_string(rows.column_type(first + i)));
    }
    return first;
}

void check_not_null(const pg::Result& rows, int row, int first) {
    for (int i = 1; i < kItemColumns; ++i)
        if (rows.is_null(row, first + i))
            throw Fault("oai.item " + std::to_string(pg::read_integer(rows.bytes(row, first))) + ": " +
                        std::string(kItem[static_cast<std::size_t>(i)].name) + " of a published item is NULL");
}

pg::PoolOptions with_settings(StoreOptions options) {
    const std::string timeout = std::to_string(options.statement_timeout.count());
    // The server ends a statement by itself. Where it does not, it hangs.
    options.pool.patience = options.statement_timeout + std::max(options.statement_timeout / 6, std::chrono::milliseconds{1000});
    auto& settings = options.pool.settings;
    settings.insert(settings.begin(), {
        {"default_transaction_read_only", "on"},
        {"statement_timeout", timeout},
        {"idle_in_transaction_session_timeout", timeout},
        {"jit", "off"},  // compiling costs more than a page
        // Every question has one index that answers it. A planner whose statistics mislead it must not find another
        // way; sorting stays possible, for without it a page was once planned as a merge of two whole tables.
        {"random_page_cost", "1.1"},
        {"enable_seqscan", "off"},
        {"enable_bitmapscan", "off"},
    });
    return std::move(options.pool);
}

bool is_array(unsigned type) {
    return type == pg::kInt4Array || type == pg::kTextArray || type == pg::kVarcharArray || type == pg::kXmlArray;
}

bool is_text_array(unsigned type) { return type == pg::kTextArray || type == pg::kVarcharArray; }

void make_distinct(std::vector<int>& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// REQUIRES: ids are not empty
std::string array_of(const std::vector<int>& ids) {
    std::string out = "{";
    for (const int id : ids) (out += std::to_string(id)) += ',';
    out.back() = '}';
    return out;
}

}  // namespace

Slice::Slice(std::shared_ptr<const pg::Result> rows, int first_row, int stop_row) : rows_(std::move(rows)) {
    first_column_ = check_contract(*rows_);
    const auto column = [&](int row, ItemColumn c) { return rows_->bytes(row, first_column_ + c); };
    std::vector<std::size_t> sets_end;  // spans only when set_ids_ grows no more
    headers_.reserve(static_cast<std::size_t>(stop_row - first_row));
    for (int row = first_row; row < stop_row; ++row) {
        if (rows_->is_null(row, first_column_ + kId)) continue;
        check_not_null(*rows_, row, first_column_);
        row_of_.push_back(row);
        headers_.push_back({.id = pg::read_integer(column(row, kId)),
                            .seq = pg::read_integer(column(row, kSeq)),
                            .local_id = column(row, kLocalId),
                            .datestamp = pg::read_timestamptz(column(row, kDatestamp)),
                            .deleted = pg::read_bool(column(row, kDeleted)),
                            .set_ids = {}});
        pg::read_int4_array(column(row, kSetIds), set_ids_);
        sets_end.push_back(set_ids_.size());
    }
    std::size_t begin = 0;
    for (std::size_t i = 0; i < headers_.size(); ++i) {
        headers_[i].set_ids = std::span<const int>(set_ids_).subspan(begin, sets_end[i] - begin);
        begin = sets_end[i];
    }
}

void Slice::keep(int n) {
    if (n >= size()) return;
    headers_.resize(static_cast<std::size_t>(n));
    row_of_.resize(static_cast<std::size_t>(n));
}

int Slice::columns() const { return rows_ ? rows_->columns() - first_column_ - kItemColumns : 0; }

std::string_view Slice::column_name(int column) const {
    return rows_->column_name(first_column_ + kItemColumns + column);
}

unsigned Slice::column_type(int column) const {
    return rows_->column_type(first_column_ + kItemColumns + column);
}

bool Slice::is_null(int i, int column) const {
    return rows_->is_null(row_of_[static_cast<std::size_t>(i)], first_column_ + kItemColumns + column);
}

std::string_view Slice::bytes(int i, int column) const {
    return rows_->bytes(row_of_[static_cast<std::size_t>(i)], first_column_ + kItemColumns + column);
}

bool Slice::has_value(int i, int column) const {
    if (is_null(i, column)) return false;
    // array_send begins with the number of dimensions, and an array without entries has none.
    return !is_array(column_type(column)) || pg::read_integer(bytes(i, column).substr(0, 4)) != 0;
}

bool Slice::is_named(int column) const {
    const std::string_view name = column_name(column);
    const unsigned type = column_type(column);
    return (type == pg::kInt4 || type == pg::kInt4Array) && name.size() > kNamed.size() && name.ends_with(kNamed);
}

std::string_view Slice::shown_name(int column) const {
    std::string_view name = column_name(column);
    if (is_named(column)) name.remove_suffix(kNamed.size());
    return name;
}

int Slice::language_column(int column) const {
    const std::string wanted = std::string(column_name(column)) + std::string(kLanguages);
    if (!is_text_array(column_type(column))) return -1;
    for (int c = 0; c < columns(); ++c)
        if (column_name(c) == wanted && is_text_array(column_type(c))) return c;
    return -1;
}

bool Slice::is_language(int column) const {
    if (!column_name(column).ends_with(kLanguages)) return false;
    for (int c = 0; c < columns(); ++c)
        if (language_column(c) == column) return true;
    return false;
}

std::vector<int> Slice::named_ids() const {
    std::vector<int> ids;
    for (int column = 0; column < columns(); ++column) {
        if (!is_named(column)) continue;
        const bool array = column_type(column) == pg::kInt4Array;
        for (int i = 0; i < size(); ++i) {
            if (is_null(i, column)) continue;
            if (array) pg::read_int4_array(bytes(i, column), ids);
            else ids.push_back(static_cast<int>(pg::read_integer(bytes(i, column))));
        }
    }
    make_distinct(ids);
    return ids;
}

Store::Store(StoreOptions options)
    : replica_lag_(options.replica_lag), pool_(with_settings(std::move(options))) {}

Horizon Store::read_horizon(const pg::Result& row) const {
    if (row.rows() == 0) throw Fault("oai.horizon has no row: install the schema");
    if (row.is_null(0, 0))
        throw Unavailable("the repository is being numbered for the first time: lists begin when oai publish is through");
    Horizon horizon{.h = pg::read_timestamptz(row.bytes(0, 0)),
                    .last_seq = pg::read_integer(row.bytes(0, 1)),
                    .epoch = static_cast<std::uint64_t>(pg::read_integer(row.bytes(0, 2)))};
    horizon.lag = replica_lag_;
    horizon.earliest = row.is_null(0, 3) ? horizon.h : pg::read_timestamptz(row.bytes(0, 3));
    return horizon;
}

Horizon Store::horizon() {
    const auto connection = pool_.take();
    pg::Parameters none;
    for (int i = 0; i < 8; ++i) none.add_null();
    return read_horizon(connection->query(queries::kPosition, none));
}

Store::Found Store::get(std::string_view local_id, bool with_record) {
    const auto connection = pool_.take();
    auto row = std::make_shared<const pg::Result>(connection->query(
        with_record ? queries::kGetRecord : queries::kGetHeader, pg::Parameters().add(local_id)));
    Found found{.horizon = read_horizon(*row), .slice = Slice(row, 0, row->rows())};
    const Referred referred = this->referred(found.slice);
    if (referred.has_unknown()) learn(*connection, referred);
    name(found.slice, referred);
    return found;
}

void Store::add_seen(pg::Parameters& p, const std::optional<Seen>& seen) {
    if (seen) p.add(seen->seq).add(std::int64_t{seen->h.time_since_epoch().count()});
    else p.add_null().add_null();
}

Store::Sets Store::sets(int after_id, int limit, const std::optional<Seen>& seen) {
    const auto connection = pool_.take();
    pg::Parameters p;
    p.add(std::int64_t{after_id}).add(std::int64_t{limit});
    add_seen(p, seen);
    const pg::Result rows = connection->query(queries::kSets, p);
    Sets out{.horizon = read_horizon(rows), .lost = pg::read_bool(rows.bytes(0, 4)), .sets = {}};
    out.sets.reserve(static_cast<std::size_t>(rows.rows()));
    for (int i = 0; i < rows.rows() && !rows.is_null(i, 5); ++i)
        out.sets.push_back({.id = static_cast<int>(pg::read_integer(rows.bytes(i, 5))),
                            .spec = std::string(rows.bytes(i, 6)),
                            .name = std::string(rows.bytes(i, 7)),
                            .description = std::string(rows.bytes(i, 8))});
    // The statement promises no order: to ask for one would have the planner sort what an index has given in order.
    std::sort(out.sets.begin(), out.sets.end(), [](const Set& a, const Set& b) { return a.id < b.id; });
    return out;
}

std::int64_t Store::queued() {
    const auto connection = pool_.take();
    return pg::read_integer(connection->query(queries::kQueued, pg::Parameters()).bytes(0, 0));
}

std::int64_t Store::exclusions_version() {
    const auto connection = pool_.take();
    const pg::Result row = connection->query(queries::kExclusionsVersion, pg::Parameters());
    if (row.rows() == 0) throw Fault("oai.exclusions has no row: install the schema");
    return pg::read_integer(row.bytes(0, 0));
}

std::vector<Exclusion> Store::exclusions() {
    const auto connection = pool_.take();
    const pg::Result rows = connection->query(queries::kExclusions, pg::Parameters());
    std::vector<Exclusion> out;
    for (int i = 0; i < rows.rows(); ++i)
        out.push_back({std::string(rows.bytes(i, 0)), pg::read_integer(rows.bytes(i, 1))});
    return out;
}

std::vector<int> Store::unknown_sets(const Slice& slice) const {
    std::vector<int> unknown;
    const std::shared_lock lock(sets_mutex_);
    for (int i = 0; i < slice.size(); ++i)
        for (const int id : slice.header(i).set_ids)
            if (!set_specs_.contains(id)) unknown.push_back(id);
    make_distinct(unknown);
    return unknown;
}

Store::Referred Store::referred(const Slice& slice) const {
    Referred out{.ids = slice.named_ids(), .unknown_sets = unknown_sets(slice)};
    out.unknown_names = dictionary_.unknown(out.ids);
    return out;
}

// Both questions in one round trip.
void Store::learn(pg::Connection& connection, const Referred& referred) {
    const auto& [ids, sets, names] = referred;
    if (!sets.empty()) connection.send(queries::kSetSpecs, pg::Parameters().add(array_of(sets)));
    if (!names.empty()) connection.send(queries::kNames, pg::Parameters().add(array_of(names)));
    connection.flush();
    if (!sets.empty()) {
        const pg::Result rows = connection.take();
        const std::lock_guard lock(sets_mutex_);
        for (int i = 0; i < rows.rows(); ++i) {
            if (!is_set_spec(rows.bytes(i, 1))) throw Fault("oai.set: no setSpec: " + std::string(rows.bytes(i, 1)));
            set_specs_.try_emplace(static_cast<int>(pg::read_integer(rows.bytes(i, 0))), rows.bytes(i, 1));
        }
    }
    if (!names.empty()) dictionary_.learn(connection.take());
}

void Store::name(Slice& slice, const Referred& referred) const { slice.set_names(dictionary_.names(referred.ids)); }

void Store::set_specs(std::span<const int> ids, std::vector<std::string_view>& out) const {
    const std::shared_lock lock(sets_mutex_);
    for (const int id : ids) {
        const auto found = set_specs_.find(id);
        if (found == set_specs_.end()) throw Fault("no row of oai.set has the id " + std::to_string(id));
        out.push_back(found->second);  // a node of the map stays where it is
    }
}

}  // namespace oai
