// SPDX-License-Identifier: MIT
#include "store/references.h"

#include "pg/binary.h"
#include "protocol/error.h"
#include "protocol/identifier.h"
#include "store/queries.h"

namespace oai {
namespace {

int read_id(const pg::Result& rows, int row) {
    return static_cast<int>(pg::read_integer(rows.bytes(row, 0)));
}

std::vector<Dictionary::Row> read_set_specs(const pg::Result& rows) {
    std::vector<Dictionary::Row> out;
    for (int i = 0; i < rows.rows(); ++i) {
        const std::string spec(rows.bytes(i, 1));
        if (!is_set_spec(spec)) throw Fault("oai.set: no setSpec: " + spec);
        out.push_back({read_id(rows, i), "", spec});
    }
    return out;
}

std::vector<Dictionary::Row> read_names(const pg::Result& rows) {
    std::vector<Dictionary::Row> out;
    for (int i = 0; i < rows.rows(); ++i)
        out.push_back(
            {read_id(rows, i), std::string(rows.bytes(i, 1)), std::string(rows.bytes(i, 2))});
    return out;
}

}  // namespace

void References::resolve(RecordBatch& batch, const std::function<pg::Connection&()>& connection) {
    const std::vector<int> sets = batch.distinct_set_ids(), named = batch.named_ids();
    const std::vector<int> new_sets = set_specs_.unknown(sets), new_names = names_.unknown(named);
    if (!new_sets.empty() || !new_names.empty()) {
        pg::Connection& database = connection();
        const auto ask = [&](const pg::Statement& statement, const std::vector<int>& ids) {
            if (ids.empty()) return;
            database.send(statement, pg::Parameters().add(pg::int_array_literal(ids)));
        };
        ask(queries::kSetSpecs, new_sets);
        ask(queries::kNames, new_names);
        database.flush();
        if (!new_sets.empty()) set_specs_.learn(read_set_specs(database.take()));
        if (!new_names.empty()) names_.learn(read_names(database.take()));
    }
    batch.set_names(names_.names(named), set_specs_.names(sets));
}

}  // namespace oai
