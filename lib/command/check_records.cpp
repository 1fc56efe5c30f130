// SPDX-License-Identifier: MIT
// oai check --records: the records that a format cannot have, one by one, and their exclusion from its lists.
#include <fmt/format.h>

#include <map>

#include "command/check.h"
#include "command/queries.h"
#include "error.h"
#include "format.h"
#include "identifier.h"
#include "pg/binary.h"
#include "record_writer.h"

namespace oai::command {
namespace {

constexpr int kAtOnce = 10'000;  // of one snapshot
// Servers keep them in memory. A format that cannot have more than these has a fault of its own.
constexpr std::size_t kMostExcluded = 100'000;

struct Bad {
    std::int64_t seq;
    std::string why;
};

// Why records of the slice cannot be given out, by their place in it: a failure of what goes into <about> is one of the
// record, as in RecordWriter.
std::map<int, std::string> failures(const Slice& slice, const Format& format, const std::vector<const Format*>& abouts,
                                    const std::string& identifier_prefix) {
    std::map<int, std::string> why;
    for (Dissemination::Failure& failure : disseminate(format, slice, identifier_prefix).failures)
        why.emplace(failure.index, std::move(failure.why));
    for (const Format* about : abouts) {
        for (const Dissemination::Failure& failure : disseminate(*about, slice, identifier_prefix, {}, format.metadata_namespace).failures)
            if (has_format(*about, slice, failure.index)) why.emplace(failure.index, about->prefix + ": " + failure.why);
    }
    std::erase_if(why, [&](const auto& failure) { return !has_format(format, slice, failure.first); });
    return why;
}

std::vector<Bad> bad_records(Store& store, const FormatRegistry& registry, const Format& format,
                             const std::string& identifier_prefix) {
    const std::vector<const Format*> abouts = registry.abouts_of(format);
    std::vector<Bad> all;
    ListQuery query;
    query.with_records = true;
    query.records = kAtOnce;
    query.after = 0;
    for (bool more = true; more;) {
        Listing listing = store.list(query);
        for (Slice slice = listing.next(); slice.size() > 0; slice = listing.next()) {
            for (const auto& [i, why] : failures(slice, format, abouts, identifier_prefix)) {
                const Header& header = slice.header(i);
                fmt::print("{}\t{}\t{}\n", identifier_text(identifier_prefix, header.local_id), format.prefix, why);
                all.push_back({header.seq, why});
            }
            query.after = slice.header(slice.size() - 1).seq;
        }
        more = listing.more();
    }
    return all;
}

std::string array_of(const std::vector<Bad>& records) {
    std::string out = "{";
    for (const Bad& bad : records) out += fmt::format("{}{}", out.size() > 1 ? "," : "", bad.seq);
    return out + "}";
}

void exclude(pg::Connection& publisher, const Format& format, const std::vector<Bad>& records) {
    if (records.size() > kMostExcluded)
        throw Fault(fmt::format("{} records cannot be disseminated as {}: mend the stylesheet; at most {} are excluded",
                                records.size(), format.prefix, kMostExcluded));
    publisher.query(queries::kBegin);
    for (const Bad& bad : records)
        publisher.query(queries::kExclude, pg::Parameters().add(format.prefix).add(bad.seq).add(bad.why));
    const pg::Result ended =
        publisher.query(queries::kIncludeOthers, pg::Parameters().add(format.prefix).add(array_of(records)));
    publisher.query(queries::kCommit);
    fmt::print("{}: {} records are excluded, {} no longer\n", format.prefix, records.size(),
               pg::read_integer(ended.bytes(0, 0)));
}

std::vector<const Format*> wanted_formats(const FormatRegistry& registry, const std::vector<std::string>& prefixes) {
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
        if (config.publisher.connection.empty()) throw Fault("--exclude needs [publisher] connection");
        publisher.emplace(config.publisher.connection, "oai check");
    }
    const FormatRegistry registry = FormatRegistry::read(config.formats.directory);
    Store store(store_options(config));
    const std::string identifier_prefix = "oai:" + config.repository.identifier_namespace + ":";
    for (const Format* format : wanted_formats(registry, checks.prefixes)) {
        const std::vector<Bad> bad = bad_records(store, registry, *format, identifier_prefix);
        if (publisher) {
            exclude(*publisher, *format, bad);
        } else if (!bad.empty()) {
            findings.problem("records", fmt::format("{} cannot be disseminated as {}; mend the stylesheet or the "
                                                    "records, or use --exclude", bad.size(), format->prefix));
        }
    }
}

}  // namespace oai::command
