// SPDX-License-Identifier: MIT
// GetRecord (OAI-PMH 2.0, 4.1).
#include <optional>

#include "verb/handler.h"
#include "verb/record_writer.h"

namespace oai {

VerbResult get_record(const Context& context, const ParsedArguments& parsed) {
    const std::string& prefix = *parsed.arguments.metadata_prefix;
    const Format* format = context.formats->find(prefix);
    VerbResult result;
    std::optional<RecordWriter> writer;
    if (format != nullptr) writer.emplace(context, *format, true);
    const RecordBatch record = find_record(context, parsed, format != nullptr,
                                           writer ? writer->columns() : std::nullopt, result);
    if (format == nullptr) result.errors.push_back(unknown_format(prefix));
    if (!result.errors.empty()) return result;

    Envelope out(response_date(result.horizon), context.repository.facts.base_url, parsed.echo);
    out.open(Verb::get_record);
    writer->begin(record, since_of(*format, result.horizon));
    const RecordWriter::Outcome outcome = writer->write(out, 0);
    result.stats.add(writer->stats());
    if (outcome != RecordWriter::Outcome::written) {
        result.errors.push_back({ErrorCode::cannot_disseminate_format,
                                 "This record is not available as " + format->prefix + "."});
        return result;
    }
    out.close(Verb::get_record);
    result.document = out.finish();
    return result;
}

}  // namespace oai
