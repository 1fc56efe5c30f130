// SPDX-License-Identifier: MIT
#include "tools/static_repository/importer.h"

#include <algorithm>
#include <stdexcept>

#include "pg/binary.h"
#include "tools/load/items.h"
#include "tools/load/parallel_writers.h"
#include "tools/static_repository/queries.h"
#include "tools/static_repository/reader.h"
#include "xml/push_parser.h"

namespace oai::static_repository {
namespace {

// Identifiers stay as they are when the items are served: of one in this repository's own namespace
// the local part is kept, of others the whole. Returns what is wrong with the record, or "".
std::string read_item(const xmlNode* record, const std::string& name_space, load::Item& item) {
    std::string fault = load::read_oai_item(record, item);
    const std::string identifier = load::identifier_of(record);
    if (!identifier.starts_with("oai:" + name_space + ":"))
        item.local_id = load::local_id_from_elsewhere(identifier);
    if (fault.empty() && item.local_id.empty()) fault = "an identifier that is too long";
    return fault;
}

// A record in another format than oai_dc becomes an item if the library has a column for it.
bool makes_item(const std::string& prefix, const load::Item& item) {
    return prefix == "oai_dc" || !item.marc.empty() || !item.mods.empty();
}

bool has_about(const xmlNode* record) {
    const xmlNode* n = first_element(record->children);
    while (n != nullptr && !is_oai(n, "about")) n = next_element(n);
    return n != nullptr;
}

class Surveyor final : public RepositoryHandler {
  public:
    Surveyor(const std::string& name_space, const FaultListener& listener)
        : name_space_(name_space), listener_(listener) {}

    void identity(const StaticIdentity& identity) override { survey_.identity = identity; }
    void format(const StaticFormat& format) override { survey_.formats.push_back(format); }

    void record(const std::string& prefix, const xmlNode* record) override {
        ++survey_.records[prefix];
        if (has_about(record)) ++survey_.abouts[prefix];
        load::Item item;
        const std::string what = read_item(record, name_space_, item);
        const bool is_reported = survey_.faults > faults_before_;
        if (what.empty() && makes_item(prefix, item)) survey_.local_ids.insert(item.local_id);
        if (what.empty() && prefix == "oai_dc") survey_.dublin_core_ids.insert(item.local_id);
        if (prefix != "oai_dc" && what.empty()) keep(std::move(item));
        if (prefix == "oai_dc" && !what.empty() && !is_reported) fault(xml::line_of(record), what);
        faults_before_ = survey_.faults;
    }

    void fault(long line, const std::string& what) override {
        ++survey_.faults;
        listener_.fault(line, what);
    }

    void note(long line, const std::string& what) override {
        ++survey_.notes;
        listener_.note(line, what);
    }

    RepositorySurvey take() { return std::move(survey_); }

  private:
    void keep(load::Item item) {
        bytes_ += item.marc.size() + item.mods.size();
        if (bytes_ > kMaxPayloadBytes)
            throw std::runtime_error("its MARCXML and MODS are more than " +
                                     std::to_string(kMaxPayloadBytes) + " bytes");
        if (!item.marc.empty()) survey_.marc[item.local_id] = std::move(item.marc);
        if (!item.mods.empty()) survey_.mods[item.local_id] = std::move(item.mods);
    }

    const std::string& name_space_;
    const FaultListener& listener_;
    RepositorySurvey survey_;
    std::int64_t faults_before_ = 0;  // up to the record read last
    std::size_t bytes_ = 0;
};

// Imports oai_dc, and records that are there in other formats alone.
class Importer final : public RepositoryHandler {
  public:
    Importer(const RepositorySurvey& survey, const std::string& name_space,
             load::ItemStaging& staging, int slice_records)
        : survey_(survey), name_space_(name_space), writer_(staging, slice_records, report_) {}

    void record(const std::string& prefix, const xmlNode* record) override {
        load::Item item;
        const bool sound = read_item(record, name_space_, item).empty();
        if (prefix != "oai_dc" && !(sound && makes_item(prefix, item)))
            return report_.pass_over("records in " + prefix);
        if (prefix != "oai_dc" && survey_.dublin_core_ids.contains(item.local_id)) return;
        if (imported_ids_.insert(item.local_id).second) add(std::move(item));
    }

    load::LoadReport finish() {
        writer_.finish();
        return report_;
    }

  private:
    void add(load::Item item) {
        if (const auto marc = survey_.marc.find(item.local_id); marc != survey_.marc.end())
            item.marc = marc->second;
        if (const auto mods = survey_.mods.find(item.local_id); mods != survey_.mods.end())
            item.mods = mods->second;
        writer_.add(std::move(item));
    }

    const RepositorySurvey& survey_;
    const std::string& name_space_;
    std::set<std::string> imported_ids_;
    load::LoadReport report_;
    load::SliceWriter<load::ItemSlice, load::ItemStaging> writer_;
};

}  // namespace

RepositorySurvey survey(load::Input& input, const std::string& name_space,
                        const FaultListener& listener) {
    Surveyor surveyor(name_space, listener);
    read(input, surveyor);
    return surveyor.take();
}

std::string local_id_of(const xmlNode* record, const std::string& name_space) {
    load::Item item;
    read_item(record, name_space, item);
    return item.local_id;
}

load::LoadReport import(load::Input& input, const RepositorySurvey& survey,
                        const std::string& name_space, load::ItemStaging& staging,
                        int slice_records) {
    Importer importer(survey, name_space, staging, slice_records);
    input.go_to(0);
    read(input, importer);
    return importer.finish();
}

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
