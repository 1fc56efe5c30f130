// SPDX-License-Identifier: MIT
#include "tools/static_repository/intermediation.h"

#include <algorithm>
#include <stdexcept>

#include "pg/binary.h"
#include "pg/text_format.h"
#include "tools/static_repository/queries.h"

namespace oai::static_repository {
namespace {

constexpr std::size_t kBatch = 1000;  // items in one transaction

std::string literal(const std::set<std::string>& values) {
    return pg::array_literal({values.begin(), values.end()});
}

}  // namespace

SourceState::SourceState(pg::Connection& connection) : connection_(connection) {
    if (!pg::read_bool(connection_.query(queries::kIsThere).bytes(0, 0)))
        throw std::runtime_error(
            "the database has no model library to take a static repository into: make it by `oai "
            "schema install`");
    if (!pg::read_bool(connection_.query(queries::kLock).bytes(0, 0)))
        throw std::runtime_error("another `oai import-static` is at work in this database");
}

std::optional<Intermediation> SourceState::read() {
    const pg::Result row = connection_.query(queries::kRead);
    if (row.rows() == 0) return std::nullopt;
    const auto text = [&](int column) { return std::string(row.bytes(0, column)); };
    return Intermediation{.url = text(0),
                          .base_url = text(1),
                          .collection = text(2),
                          .admin_emails = pg::read_texts(row.bytes(0, 3)),
                          .keep = pg::read_bool(row.bytes(0, 4)),
                          .validators = {text(5), text(6)},
                          .taken_at = text(7),
                          .failing_since = text(8)};
}

void SourceState::begin(const Intermediation& which, const std::set<std::string>& local_ids) {
    connection_.query(queries::kBegin, pg::Parameters()
                                           .add(which.url)
                                           .add(which.base_url)
                                           .add(which.collection)
                                           .add(pg::array_literal(which.admin_emails))
                                           .add(which.keep ? "true" : "false"));
    connection_.query(queries::kNoteItems, pg::Parameters().add(literal(local_ids)));
}

void SourceState::note_formats(const std::vector<StaticFormat>& formats) {
    std::vector<std::string> prefixes, schemas, name_spaces;
    for (const StaticFormat& format : formats) {
        prefixes.push_back(format.prefix);
        schemas.push_back(format.schema);
        name_spaces.push_back(format.name_space);
    }
    connection_.query(queries::kNoteFormats, pg::Parameters()
                                                 .add(pg::array_literal(prefixes))
                                                 .add(pg::array_literal(schemas))
                                                 .add(pg::array_literal(name_spaces)));
}

std::int64_t SourceState::delete_others(const std::set<std::string>& local_ids) {
    const pg::Result rows =
        connection_.query(queries::kGoneItems, pg::Parameters().add(literal(local_ids)));
    std::vector<std::string> gone;
    for (int i = 0; i < rows.rows(); ++i) gone.emplace_back(rows.bytes(i, 0));
    return delete_items(gone);
}

// Each batch is marked as deleted before it is forgotten: after a crash in between it is marked
// again.
std::int64_t SourceState::delete_items(const std::vector<std::string>& local_ids) {
    std::int64_t deleted = 0;
    for (std::size_t i = 0; i < local_ids.size(); i += kBatch) {
        const auto first = local_ids.begin() + static_cast<std::ptrdiff_t>(i);
        const std::vector<std::string> batch(
            first, first + static_cast<std::ptrdiff_t>(std::min(kBatch, local_ids.size() - i)));
        const std::string ids = pg::array_literal(batch);
        deleted += pg::read_integer(
            connection_.query(queries::kDelete, pg::Parameters().add(ids)).bytes(0, 0));
        connection_.query(queries::kForgetItems, pg::Parameters().add(ids));
    }
    return deleted;
}

void SourceState::finish(const Validators& validators) {
    connection_.query(queries::kTaken,
                      pg::Parameters().add(validators.etag).add(validators.last_modified));
}

void SourceState::note_unchanged() { connection_.query(queries::kUnchanged); }

void SourceState::note_failure(const std::string& problem) {
    connection_.query(queries::kFailed, pg::Parameters().add(problem));
}

std::int64_t SourceState::end() {
    const std::int64_t deleted = delete_others({});
    connection_.query(queries::kEnd);
    return deleted;
}

std::optional<StaticFormat> noted_format(pg::Connection& connection, const std::string& prefix) {
    const pg::Result row = connection.query(queries::kFormat, pg::Parameters().add(prefix));
    if (row.rows() == 0) return std::nullopt;
    return StaticFormat{std::string(row.bytes(0, 0)), std::string(row.bytes(0, 1)),
                        std::string(row.bytes(0, 2))};
}

}  // namespace oai::static_repository
