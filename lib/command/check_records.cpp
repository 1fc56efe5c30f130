// SPDX-License-Identifier: MIT
// oai check --records: finds the records that cannot be rendered in a format, and excludes them
// from its lists.
#include <fmt/format.h>

#include <map>

#include "command/check.h"
#include "command/queries.h"
#include "format/file.h"
#include "format/format.h"
#include "pg/binary.h"
#include "protocol/error.h"
#include "protocol/identifier.h"
#include "store/store.h"

namespace oai::command {
namespace {

constexpr int kSnapshotRecords = 10'000;  // read in one database snapshot
// Servers keep excluded records in memory. If more fail, the stylesheet itself is at fault.
constexpr std::size_t kMaxExcluded = 100'000;

struct RecordOrigin {
    std::string identifier_prefix, base_url;
};

struct FailedRecord {
    std::int64_t seq;
    std::string why;
};

// Returns why records of the batch fail, by their index in it. As in RecordWriter, a record fails
// too if its <about> does.
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

std::vector<FailedRecord> find_failed_records(Store& store, const FormatRegistry& registry,
                                              const Format& format,
                                              const RecordOrigin& repository) {
    const std::vector<const Format*> abouts = registry.abouts_of(format);
    std::vector<FailedRecord> all;
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
                all.push_back({header.seq, why});
            }
            query.after = batch.header(batch.size() - 1).seq;
        }
        more = cursor.more();
    }
    return all;
}

std::string seq_array(const std::vector<FailedRecord>& records) {
    std::string out = "{";
    for (const FailedRecord& failed : records)
        out += fmt::format("{}{}", out.size() > 1 ? "," : "", failed.seq);
    return out + "}";
}

void exclude(pg::Connection& publisher, const Format& format,
             const std::vector<FailedRecord>& records) {
    if (records.size() > kMaxExcluded)
        throw Fault(fmt::format(
            "{} records cannot be disseminated as {}: mend the stylesheet; at most {} are excluded",
            records.size(), format.prefix, kMaxExcluded));
    publisher.query(queries::kBegin);
    for (const FailedRecord& failed : records)
        publisher.query(queries::kExclude,
                        pg::Parameters().add(format.prefix).add(failed.seq).add(failed.why));
    const pg::Result ended = publisher.query(
        queries::kIncludeOthers, pg::Parameters().add(format.prefix).add(seq_array(records)));
    publisher.query(queries::kCommit);
    fmt::print("{}: {} records are excluded, {} no longer\n", format.prefix, records.size(),
               pg::read_integer(ended.bytes(0, 0)));
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

void check_records(const Config& config, const RecordChecks& checks, Findings& findings) {
    std::optional<pg::Connection> publisher;
    if (checks.exclude) {
        if (config.publisher.connection.empty())
            throw Fault("--exclude needs [publisher] connection");
        publisher.emplace(config.publisher.connection, "oai check");
    }
    const FormatRegistry registry =
        FormatRegistry::read(config.formats.directory, catalog_of(config.formats));
    Store store(store_options(config, "oai check"));
    const RecordOrigin repository{"oai:" + config.repository.identifier_namespace + ":",
                                  config.repository.base_url};
    for (const Format* format : select_formats(registry, checks.prefixes)) {
        const std::vector<FailedRecord> failed =
            find_failed_records(store, registry, *format, repository);
        if (publisher) {
            exclude(*publisher, *format, failed);
        } else if (!failed.empty()) {
            findings.problem("records", fmt::format("{} cannot be disseminated as {}; mend the "
                                                    "stylesheet or the records, or use --exclude",
                                                    failed.size(), format->prefix));
        }
    }
}

}  // namespace oai::command
