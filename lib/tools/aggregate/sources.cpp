// SPDX-License-Identifier: MIT
#include "tools/aggregate/sources.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "pg/binary.h"
#include "pg/retry.h"
#include "tools/aggregate/queries.h"
#include "tools/load/queries.h"

namespace oai::aggregate {
namespace {

constexpr pg::RetryPolicy kRetryLocks{pg::is_lock_timeout, 40, std::chrono::milliseconds{500}};

ScheduledSource source_of(const pg::Result& rows, int i) {
    Source s;
    s.id = static_cast<int>(pg::read_integer(rows.bytes(i, 0)));
    s.name = rows.bytes(i, 1);
    s.base_url = rows.bytes(i, 2);
    s.formats = pg::read_texts(rows.bytes(i, 3));
    s.sets = pg::read_texts(rows.bytes(i, 4));
    s.their_identifiers = pg::read_bool(rows.bytes(i, 5));
    s.normalise = pg::read_texts(rows.bytes(i, 6));
    s.overlap = std::chrono::seconds(pg::read_integer(rows.bytes(i, 7)));
    s.every = std::chrono::seconds(pg::read_integer(rows.bytes(i, 8)));
    s.delete_missing = pg::read_bool(rows.bytes(i, 9));
    s.full_every = std::chrono::seconds(pg::read_integer(rows.bytes(i, 10)));
    s.label = rows.bytes(i, 13);
    return {std::move(s), pg::read_bool(rows.bytes(i, 11)), pg::read_bool(rows.bytes(i, 12))};
}

}  // namespace

void require_library(pg::Connection& connection) {
    if (!pg::read_bool(connection.query(queries::kModel).bytes(0, 0)))
        throw std::runtime_error(
            "the database has no model library to harvest into: make it by `oai schema install`");
}

std::vector<ScheduledSource> read_sources(pg::Connection& connection,
                                          const std::vector<std::string>& names) {
    pg::Parameters parameters;
    if (names.empty())
        parameters.add_null();
    else
        parameters.add(pg::array_literal(names));
    const pg::Result rows = connection.query(queries::kSources, parameters);
    std::vector<ScheduledSource> sources;
    for (int i = 0; i < rows.rows(); ++i) sources.push_back(source_of(rows, i));
    return sources;
}

// A new column locks the whole table for a moment, so the statement has a short lock_timeout and
// waits for current users of the table by being run again.
void keep_format(pg::Connection& connection, const std::string& prefix) {
    pg::retry(
        kRetryLocks, [&] { connection.query(queries::kKeepFormat, load::parameters(prefix)); },
        [] {});
}

bool add_source(pg::Connection& connection, const Source& source) {
    for (const std::string& prefix : source.formats) keep_format(connection, prefix);
    return connection
               .query(queries::kAddSource,
                      load::parameters(
                          source.name, source.base_url, pg::array_literal(source.formats),
                          pg::array_literal(source.sets), source.their_identifiers ? "t" : "f",
                          pg::array_literal(source.normalise), source.overlap.count(),
                          source.every.count(), source.delete_missing ? "t" : "f",
                          source.full_every.count()))
               .rows() == 1;
}

void change_source(pg::Connection& connection, const Source& source) {
    connection.query(queries::kChangeSource,
                     load::parameters(source.id, source.base_url, pg::array_literal(source.sets),
                                      source.overlap.count(), source.every.count(),
                                      source.delete_missing ? "t" : "f", source.full_every.count(),
                                      source.name));
}

bool is_own_collection(pg::Connection& connection, const std::string& label) {
    return pg::read_bool(
        connection.query(queries::kOwnCollection, load::parameters(label)).bytes(0, 0));
}

std::string public_url(const std::string& url) {
    const auto scheme = url.find("://");
    const std::string lower = text::lower_ascii(url.substr(0, scheme));
    if (scheme == url.npos || (lower != "http" && lower != "https")) return "";
    const auto begin = scheme + 3, end = std::min(url.find_first_of("/?#", begin), url.size());
    const auto at = url.rfind('@', end);
    const auto host = at != url.npos && at >= begin && at < end ? at + 1 : begin;
    return url.substr(0, begin) + url.substr(host, url.find_first_of("?#", host) - host);
}

std::int64_t remove_source(pg::Connection& connection, const Source& source, RecordsFate fate) {
    connection.query(load::queries::kBegin);
    connection.query(load::queries::kOneLoader);
    std::int64_t deleted = 0;
    if (fate == RecordsFate::deleted)
        deleted = std::atoll(
            connection.query(queries::kDeleteRecords, load::parameters(source.id)).affected());
    connection.query(queries::kRemoveSource, load::parameters(source.id));
    connection.query(load::queries::kCommit);
    return deleted;
}

std::pair<std::int64_t, std::int64_t> count_outside(pg::Connection& connection,
                                                    const Source& source) {
    std::vector<std::string> names;
    for (const std::string& set : source.sets)
        names.push_back(source.label + ":" + load::set_path(set));
    const pg::Result counts = connection.query(
        queries::kCountOutside, load::parameters(source.id, pg::array_literal(names)));
    return {pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1))};
}

Departures depart(pg::Connection& connection, const Source& source, bool believe) {
    connection.query(load::queries::kBegin);
    connection.query(load::queries::kOneLoader);
    const pg::Result counts =
        connection.query(queries::kDepart, load::parameters(source.id, believe ? "t" : "f"));
    connection.query(load::queries::kCommit);
    return {pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1))};
}

void note_run(pg::Connection& connection, const Source& source, const SourceRun& run) {
    const harvest::HarvestResult& outcome = run.outcome;
    const bool is_whole = outcome.whole && outcome.kind == harvest::HarvestResult::Kind::complete &&
                          outcome.moved == 0;
    const auto said = [](const std::string& text) {
        return text.empty() ? std::nullopt : std::optional(text);
    };
    const std::string faults = mismatches_text(outcome);
    connection.query(
        queries::kNoteRun,
        load::parameters(source.id, harvest::word_of(outcome.kind),
                         said(outcome.why.empty() ? faults : outcome.why), run.seconds.count(),
                         outcome.refused ? "t" : "f", said(faults), is_whole ? "t" : "f",
                         run.deleted_missing ? "t" : "f", said(run.set_back), run.changed));
    connection.query(queries::kForgetLostSets, load::parameters(source.id));
}

std::vector<SourceStatus> read_status(pg::Connection& connection,
                                      const std::optional<std::string>& name) {
    const pg::Result rows = connection.query(queries::kStatus, load::parameters(name));
    std::vector<SourceStatus> all;
    for (int i = 0; i < rows.rows(); ++i) {
        SourceStatus s;
        int column = 0;
        for (std::string* const text :
             {&s.name, &s.base_url, &s.title, &s.outcome, &s.problem, &s.ran_at, &s.deleted_record,
              &s.granularity, &s.admin_emails, &s.state, &s.since, &s.succeeded_at, &s.set_back,
              &s.faults})
            *text = rows.bytes(i, column++);
        for (std::int64_t* const number : {&s.id, &s.items, &s.deleted, &s.held})
            *number = pg::read_integer(rows.bytes(i, column++));
        s.lost_sets = pg::read_texts(rows.bytes(i, column++));
        s.is_harvested_anew = pg::read_bool(rows.bytes(i, column));
        all.push_back(std::move(s));
    }
    for (SourceStatus& s : all) {
        const pg::Result lists = connection.query(queries::kLists, load::parameters(s.id));
        for (int k = 0; k < lists.rows(); ++k) s.lists.emplace_back(lists.bytes(k, 0));
        const pg::Result refused = connection.query(queries::kSomeRefused, load::parameters(s.id));
        for (int k = 0; k < refused.rows(); ++k) {
            s.refused.push_back({std::string(refused.bytes(k, 0)), std::string(refused.bytes(k, 1)),
                                 std::string(refused.bytes(k, 2)),
                                 pg::read_integer(refused.bytes(k, 3))});
            s.refused_records = pg::read_integer(refused.bytes(k, 4));
        }
    }
    return all;
}

}  // namespace oai::aggregate
