// SPDX-License-Identifier: MIT
// ListMetadataFormats (OAI-PMH 2.0, 4.4). Without an identifier it never waits for the database.
#include "base/timing.h"
#include "identifier.h"
#include "record_writer.h"
#include "verb.h"

namespace oai {

namespace {

void append_format(Envelope& out, const Format& format) {
    out.body() += "<metadataFormat>\n";
    out.element("metadataPrefix", format.prefix);
    out.element("schema", format.schema);
    out.element("metadataNamespace", format.metadata_namespace);
    out.body() += "</metadataFormat>\n";
}

VerbResult document_of(const Context& context, const ParsedArguments& parsed, const Horizon& horizon,
                       const std::vector<const Format*>& formats) {
    if (formats.empty()) {
        return {
            .errors = {{ErrorCode::no_metadata_formats, "This record is available in no metadata format."}},
            .horizon = horizon};
    }
    Envelope out(response_date(horizon), context.repository.facts.base_url, parsed.echo);
    out.open(Verb::list_metadata_formats);
    for (const Format* format : formats) append_format(out, *format);
    out.close(Verb::list_metadata_formats);
    return {.errors = {}, .horizon = horizon, .document = out.finish()};
}

// The visible formats: all of them, or those that the one record of the slice has.
std::vector<const Format*> formats_of(const Context& context, const Slice* record) {
    const auto excluded = record == nullptr ? nullptr : context.excluded();
    std::vector<const Format*> formats;
    for (const auto& format : context.formats->formats()) {
        const bool has = record == nullptr || (has_format(*format, *record, 0) &&
                                               !excluded->has(format->prefix, record->header(0).seq));
        if (format->visible && has) formats.push_back(format.get());
    }
    return formats;
}

}  // namespace

VerbResult verb_formats(const Context& context, const ParsedArguments& parsed, Account& account) {
    if (!parsed.arguments.identifier) {
        return document_of(context, parsed, context.last_horizon(), formats_of(context, nullptr));
    }
    const std::string local_id = local_id_in(context.repository.identifier_prefix, *parsed.arguments.identifier);
    const Store::Found found = timed(account.database, [&] {
        return !local_id.empty() ? context.store.get(local_id) : Store::Found{context.last_horizon(), Slice()};
    });
    if (!local_id.empty()) require_reach(found.horizon, context.floor);
    if (found.slice.size() == 0 || !is_shown(context.repository, found.slice.header(0))) {
        return {.errors = {{ErrorCode::id_does_not_exist, "There is no record of this identifier."}},
                .horizon = found.horizon};
    }
    return document_of(context, parsed, found.horizon, formats_of(context, &found.slice));
}

}  // namespace oai
