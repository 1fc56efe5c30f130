// SPDX-License-Identifier: MIT
// ListMetadataFormats (OAI-PMH 2.0, 4.4). Without an identifier it never waits for the database.
#include "base/timing.h"
#include "protocol/identifier.h"
#include "verb/handler.h"
#include "verb/record_writer.h"

namespace oai {

namespace {

void append_format(Envelope& out, const Format& format) {
    out.body() += "<metadataFormat>\n";
    out.element("metadataPrefix", format.prefix);
    out.element("schema", format.schema);
    out.element("metadataNamespace", format.metadata_namespace);
    out.body() += "</metadataFormat>\n";
}

VerbResult document_of(const Context& context, const ParsedArguments& parsed,
                       const Horizon& horizon, const std::vector<const Format*>& formats) {
    if (formats.empty()) {
        return {.errors = {{ErrorCode::no_metadata_formats,
                            "This record is available in no metadata format."}},
                .horizon = horizon};
    }
    Envelope out(response_date(horizon), context.repository.facts.base_url, parsed.echo);
    out.open(Verb::list_metadata_formats);
    for (const Format* format : formats) append_format(out, *format);
    out.close(Verb::list_metadata_formats);
    return {.horizon = horizon, .document = out.finish()};
}

// The visible formats: all of them, or those that the one record of the batch has.
std::vector<const Format*> formats_of(const Context& context, const RecordBatch* record) {
    const auto excluded = record == nullptr ? nullptr : context.excluded();
    std::vector<const Format*> formats;
    for (const auto& format : context.formats->formats()) {
        const bool has =
            record == nullptr || (has_format(*format, *record, 0) &&
                                  !excluded->has(format->prefix, record->header(0).seq));
        if (format->visible && has) formats.push_back(format.get());
    }
    return formats;
}

}  // namespace

VerbResult verb_formats(const Context& context, const ParsedArguments& parsed) {
    if (!parsed.arguments.identifier) {
        return document_of(context, parsed, context.last_horizon(), formats_of(context, nullptr));
    }
    RequestStats stats;
    const std::string local_id =
        local_id_in(context.repository.identifier_prefix, *parsed.arguments.identifier);
    const Store::FoundRecord found = measure(stats.database, [&] {
        return !local_id.empty() ? context.store.get(local_id)
                                 : Store::FoundRecord{context.last_horizon(), RecordBatch()};
    });
    if (!local_id.empty()) require_position(found.horizon, context.floor);
    if (found.batch.size() == 0 || !is_shown(context.repository, found.batch.header(0))) {
        return {
            .errors = {{ErrorCode::id_does_not_exist, "There is no record of this identifier."}},
            .horizon = found.horizon,
            .stats = std::move(stats)};
    }
    VerbResult result =
        document_of(context, parsed, found.horizon, formats_of(context, &found.batch));
    result.stats = std::move(stats);
    return result;
}

}  // namespace oai
