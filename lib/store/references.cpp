// SPDX-License-Identifier: MIT
#include "store/references.h"

#include "store/queries.h"
#include "store/rows.h"

namespace oai {

References::Unknown References::find_unknown(const RecordBatch& batch) const {
    Unknown unknown{
        .ids = batch.named_ids(), .names = {}, .sets = set_specs_.unknown(batch.set_ids())};
    make_distinct(unknown.sets);
    unknown.names = dictionary_.unknown(unknown.ids);
    return unknown;
}

void References::learn(pg::Connection& connection, const Unknown& unknown) {
    const auto ask = [&](const pg::Statement& statement, const std::vector<int>& ids) {
        if (!ids.empty()) connection.send(statement, pg::Parameters().add(rows::array_of(ids)));
    };
    ask(queries::kSetSpecs, unknown.sets);
    ask(queries::kNames, unknown.names);
    connection.flush();
    if (!unknown.sets.empty()) set_specs_.learn(rows::read_set_specs(connection.take()));
    if (!unknown.names.empty()) dictionary_.learn(rows::read_names(connection.take()));
}

}  // namespace oai
