// SPDX-License-Identifier: MIT
// oai check --records: finds the records that cannot be rendered in a format.
#include <fmt/format.h>

#include <map>

#include "command/check.h"
#include "format/file.h"
#include "format/format.h"
#include "format/trial.h"
#include "protocol/error.h"
#include "protocol/identifier.h"
#include "store/store.h"

namespace oai::command {
namespace {

constexpr int kSnapshotRecords = 10'000;  // read in one database snapshot

struct RecordOrigin {
    std::string identifier_prefix, base_url;
};

// The failures by index in the batch. As in RecordWriter, a record fails if its <about> does.
std::map<int, std::string> failures(const RecordBatch& batch, const Format& format,
                                    const std::vector<const Format*>& abouts,
                                    const RecordOrigin& repository) {
    std::map<int, std::string> why;
    const TransformContext surroundings{format.metadata_namespace, repository.base_url};
    const auto& prefix = repository.identifier_prefix;
    for (RenderedRecords::Failure& failure :
         disseminate(format, batch, prefix, {}, {.base_url = repository.base_url}).failures)
        why.emplace(failure.index, std::move(failure.why));
    for (const Format* about : abouts) {
        for (const RenderedRecords::Failure& failure :
             disseminate(*about, batch, prefix, {}, surroundings).failures)
            if (has_format(*about, batch, failure.index))
                why.emplace(failure.index, about->prefix + ": " + failure.why);
    }
    std::erase_if(why,
                  [&](const auto& failure) { return !has_format(format, batch, failure.first); });
    return why;
}

// Prints a line for each, and returns how many there are.
std::int64_t print_failed_records(Store& store, const FormatRegistry& registry,
                                  const Format& format, const RecordOrigin& repository) {
    const std::vector<const Format*> abouts = registry.abouts_of(format);
    std::int64_t all = 0;
    ListQuery query;
    query.with_records = true;
    query.records = kSnapshotRecords;
    query.after = 0;
    for (bool more = true; more;) {
        RecordCursor cursor = store.list(query);
        for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next()) {
            for (const auto& [i, why] : failures(batch, format, abouts, repository)) {
                const Header& header = batch.header(i);
                fmt::print("{}\t{}\t{}\n",
                           identifier_text(repository.identifier_prefix, header.local_id),
                           format.prefix, why);
                ++all;
            }
            query.after = batch.header(batch.size() - 1).seq;
        }
        more = cursor.more();
    }
    return all;
}

std::vector<const Format*> select_formats(const FormatRegistry& registry,
                                          const std::vector<std::string>& prefixes) {
    std::vector<const Format*> formats;
    for (const std::string& prefix : prefixes) {
        formats.push_back(registry.find(prefix));
        if (formats.back() == nullptr) throw Fault("there is no format " + prefix);
    }
    if (prefixes.empty())
        for (const auto& format : registry.formats()) formats.push_back(format.get());
    return formats;
}

}  // namespace

void check_records(const Config& config, const std::vector<std::string>& prefixes,
                   Findings& findings) {
    const FormatRegistry registry =
        read_formats(config.formats.directory, catalog_of(config.formats));
    Store store(store_options(config, "oai check"));
    const RecordOrigin repository{"oai:" + config.repository.identifier_namespace + ":",
                                  config.repository.base_url};
    for (const Format* format : select_formats(registry, prefixes))
        if (const auto failed = print_failed_records(store, registry, *format, repository))
            findings.problem("records", fmt::format("{} cannot be disseminated as {}; mend the "
                                                    "stylesheet or the records",
                                                    failed, format->prefix));
}

}  // namespace oai::command
