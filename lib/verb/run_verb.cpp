// SPDX-License-Identifier: MIT
#include <utility>

#include "base/clock.h"
#include "format/format.h"
#include "protocol/identifier.h"
#include "verb/handler.h"

namespace oai {
namespace {

VerbResult run(const Context& context, const ParsedArguments& parsed) {
    if (!parsed.errors.empty()) return {.errors = parsed.errors, .horizon = context.last_horizon()};
    switch (*parsed.verb) {
        case Verb::identify: return identify(context, parsed);
        case Verb::list_metadata_formats: return list_metadata_formats(context, parsed);
        case Verb::list_sets: return list_sets(context, parsed);
        case Verb::get_record: return get_record(context, parsed);
        case Verb::list_identifiers:
        case Verb::list_records: return list_records(context, parsed);
    }
    return {};
}

}  // namespace

void RequestStats::add(const RequestStats& other) {
    records += other.records;
    database += other.database;
    transform += other.transform;
    bad_records.insert(bad_records.end(), other.bad_records.begin(), other.bad_records.end());
    if (other.difference) difference = other.difference;
}

RecordBatch find_record(const Context& context, const ParsedArguments& parsed, bool with_record,
                        const ColumnNames& columns, VerbResult& result) {
    const std::string local_id =
        local_id_in(context.repository.identifier_prefix, *parsed.arguments.identifier);
    Store::FoundRecord found;
    if (local_id.empty()) {
        found.horizon = context.last_horizon();
    } else {
        found = measure(result.stats.database,
                        [&] { return context.store.get(local_id, with_record, columns); });
        require_position(found.horizon, context.floor);
    }
    result.horizon = found.horizon;
    if (found.batch.size() == 0 || !is_visible(context.repository, found.batch.header(0))) {
        result.errors.push_back(
            {ErrorCode::id_does_not_exist, "There is no record of this identifier."});
        return {};
    }
    return std::move(found.batch);
}

VerbResult run_verb(const Context& context, const ParsedArguments& parsed) {
    VerbResult result = run(context, parsed);
    if (!result.errors.empty())
        result.document =
            error_document(response_date(result.horizon), context.repository.facts.base_url,
                           parsed.echo, result.errors);
    return result;
}

}  // namespace oai
