// SPDX-License-Identifier: MIT
// GetRecord (OAI-PMH 2.0, 4.1).
#include <utility>

#include "base/timing.h"
#include "protocol/identifier.h"
#include "verb/handler.h"
#include "verb/record_writer.h"

namespace oai {
namespace {

// The document of the record that was found.
VerbResult record_document(const Context& context, const ParsedArguments& parsed,
                           const Format& format, const Store::FoundRecord& found) {
    Envelope out(response_date(found.horizon), context.repository.facts.base_url, parsed.echo);
    out.open(Verb::get_record);
    RecordWriter writer(context, format, true);
    writer.begin(found.batch, since_of(format, found.horizon));
    if (writer.write(out, 0) != RecordWriter::Outcome::written)
        return {.errors = {{ErrorCode::cannot_disseminate_format,
                            "This record is not available as " + format.prefix + "."}},
                .horizon = found.horizon,
                .stats = writer.stats()};
    out.close(Verb::get_record);
    return {.horizon = found.horizon, .document = out.finish(), .stats = writer.stats()};
}

}  // namespace

VerbResult verb_get_record(const Context& context, const ParsedArguments& parsed) {
    const Format* format = context.formats->find(*parsed.arguments.metadata_prefix);
    const std::string local_id =
        local_id_in(context.repository.identifier_prefix, *parsed.arguments.identifier);
    std::chrono::nanoseconds database{0};
    const Store::FoundRecord found = measure(database, [&] {
        return !local_id.empty() ? context.store.get(local_id, format != nullptr)
                                 : Store::FoundRecord{context.last_horizon(), RecordBatch()};
    });
    if (!local_id.empty()) require_position(found.horizon, context.floor);
    VerbResult result{.horizon = found.horizon};
    if (found.batch.size() == 0 || !is_shown(context.repository, found.batch.header(0)))
        result.errors.push_back(
            {ErrorCode::id_does_not_exist, "There is no record of this identifier."});
    if (format == nullptr)
        result.errors.push_back(unknown_format(*parsed.arguments.metadata_prefix));
    if (result.errors.empty()) result = record_document(context, parsed, *format, found);
    result.stats.database = database;
    return result;
}

}  // namespace oai
