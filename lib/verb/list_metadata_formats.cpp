// SPDX-License-Identifier: MIT
// ListMetadataFormats (OAI-PMH 2.0, 4.4). Without an identifier it never waits for the database.
#include "format/format.h"
#include "verb/handler.h"

namespace oai {

VerbResult list_metadata_formats(const Context& context, const ParsedArguments& parsed) {
    VerbResult result;
    std::optional<RecordBatch> record;
    if (parsed.arguments.identifier) {
        std::vector<std::string> columns;
        for (const auto& format : context.formats->formats())
            columns.insert(columns.end(), format->requires_columns.begin(),
                           format->requires_columns.end());
        record = find_record(context, parsed, true, columns, result);
        if (!result.errors.empty()) return result;
    } else {
        result.horizon = context.last_horizon();
    }
    Envelope out(response_date(result.horizon), context.repository.facts.base_url, parsed.echo);
    out.open(Verb::list_metadata_formats);
    bool any = false;
    for (const auto& format : context.formats->formats()) {
        if (!format->visible || (record && !has_format(*format, *record, 0))) continue;
        any = true;
        out.body() += "<metadataFormat>\n";
        out.element("metadataPrefix", format->prefix);
        out.element("schema", schema_url(*format, context.repository.facts.base_url));
        out.element("metadataNamespace", format->metadata_namespace);
        out.body() += "</metadataFormat>\n";
    }
    out.close(Verb::list_metadata_formats);
    if (any)
        result.document = out.finish();
    else
        result.errors.push_back(
            {ErrorCode::no_metadata_formats, "This record is available in no metadata format."});
    return result;
}

}  // namespace oai
