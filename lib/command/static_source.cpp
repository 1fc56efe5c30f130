// SPDX-License-Identifier: MIT
#include "command/static_source.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "command/queries.h"
#include "pg/binary.h"
#include "pg/connection.h"
#include "tools/aggregate/queries.h"
#include "tools/aggregate/sources.h"
#include "tools/load/input.h"
#include "tools/load/item_staging.h"
#include "tools/load/queries.h"
#include "tools/static_repository/importer.h"
#include "tools/static_repository/reader.h"
#include "xml/document.h"

namespace oai::command {
namespace {

// Keeps the records of a static repository, and what they say in <about>, as they are beside the
// items that were made of them: a gateway must not change the metadata (specification, 4), and an
// item has columns only for a part of it.

// How many items got another payload or another <about> in a format, or lost theirs. payloads:
// nullopt where the importer keeps them (MARCXML, MODS); abouts: where there has never been one.
struct KeptChanges {
    std::optional<std::int64_t> payloads, abouts;
};

using static_repository::first_element;
using static_repository::next_element;

constexpr std::size_t kPayloadsInBatch = 1000;  // records in one transaction
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

enum class Content { payloads, abouts };

// Writes one column of items, batch by batch.
class ColumnWriter {
  public:
    ColumnWriter(pg::Connection& connection, Content content, std::string prefix)
        : connection_(connection), content_(content), prefix_(std::move(prefix)) {}

    // text: "" for an item that has nothing in the column.
    void add(const std::string& local_id, std::string text) {
        ids_.push_back(local_id);
        bytes_ += text.size();
        texts_.push_back(std::move(text));
        if (ids_.size() >= kPayloadsInBatch || bytes_ >= kBatchBytes) flush();
    }

    // Writes what is left. Returns how many items were changed.
    std::int64_t finish() {
        flush();
        return changed_;
    }

  private:
    void flush() {
        if (ids_.empty()) return;
        pg::Parameters parameters;
        parameters.add(prefix_).add(pg::array_literal(ids_)).add(pg::array_literal(texts_));
        if (content_ == Content::payloads) {  // without namespaces and origins
            const std::string nothing = pg::array_literal(std::vector<std::string>(ids_.size()));
            parameters.add(nothing).add(nothing);
        }
        const pg::Statement& statement = content_ == Content::payloads
                                             ? aggregate::queries::kKeep
                                             : aggregate::queries::kWriteAbouts;
        connection_.query(load::queries::kBegin);
        connection_.query(load::queries::kOneLoader);
        changed_ += pg::read_integer(connection_.query(statement, parameters).bytes(0, 0));
        connection_.query(load::queries::kCommit);
        ids_.clear();
        texts_.clear();
        bytes_ = 0;
    }

    pg::Connection& connection_;
    const Content content_;
    const std::string prefix_;
    std::vector<std::string> ids_, texts_;
    std::size_t bytes_ = 0;
    std::int64_t changed_ = 0;
};

std::string payload_of(const xmlNode* record) {
    for (const xmlNode* n = first_element(record->children); n != nullptr; n = next_element(n))
        if (static_repository::is_oai(n, "metadata"))
            return xml::document_text(first_element(n->children));
    return "";
}

// <abouts> with the content of each <about>, in order; "" if there is none.
std::string abouts_of(const xmlNode* record) {
    std::string out;
    for (const xmlNode* n = first_element(record->children); n != nullptr; n = next_element(n))
        if (static_repository::is_oai(n, "about"))
            out += xml::document_text(first_element(n->children));
    return out.empty() ? "" : "<abouts>" + out + "</abouts>";
}

class PayloadWriter final : public static_repository::RepositoryHandler {
  public:
    PayloadWriter(pg::Connection& connection, const static_repository::RepositorySurvey& survey,
                  const std::string& name_space)
        : survey_(survey), name_space_(name_space) {
        for (const auto& [prefix, records] : survey.abouts)
            aggregate::keep_abouts(connection, prefix);
        const std::set<std::string> with_abouts = aggregate::kept_abouts(connection);
        for (const static_repository::StaticFormat& format : survey.formats) {
            List& list = lists_[format.prefix];
            if (aggregate::keep_format(connection, format.prefix).starts_with("kept_"))
                list.payloads.emplace(connection, Content::payloads, format.prefix);
            if (with_abouts.contains(format.prefix))
                list.abouts.emplace(connection, Content::abouts, format.prefix);
        }
    }

    void record(const std::string& prefix, const xmlNode* record) override {
        const auto list = lists_.find(prefix);
        const std::string id = static_repository::local_id_of(record, name_space_);
        if (list == lists_.end() || !survey_.local_ids.contains(id) ||
            !list->second.local_ids.insert(id).second)
            return;
        if (list->second.payloads) list->second.payloads->add(id, payload_of(record));
        if (list->second.abouts) list->second.abouts->add(id, abouts_of(record));
    }

    // Writes what is left. Items that are not in a list lose what they had from it.
    std::map<std::string, KeptChanges> finish() {
        std::map<std::string, KeptChanges> changes;
        for (auto& [prefix, list] : lists_) {
            for (const std::string& id : survey_.local_ids) {
                if (list.local_ids.contains(id)) continue;
                if (list.payloads) list.payloads->add(id, "");
                if (list.abouts) list.abouts->add(id, "");
            }
            KeptChanges& changed = changes[prefix];
            if (list.payloads) changed.payloads = list.payloads->finish();
            if (list.abouts) changed.abouts = list.abouts->finish();
        }
        return changes;
    }

  private:
    struct List {
        std::set<std::string> local_ids;
        std::optional<ColumnWriter> payloads, abouts;
    };
    const static_repository::RepositorySurvey& survey_;
    const std::string& name_space_;
    std::map<std::string, List> lists_;  // by prefix
};

// By prefix. REQUIRES: the survey is of the same input, and its items have been imported. Throws
// pg::Error, and as static_repository::read().
std::map<std::string, KeptChanges> keep_payloads(pg::Connection& connection, load::Input& input,
                                                 const static_repository::RepositorySurvey& survey,
                                                 const std::string& name_space) {
    PayloadWriter writer(connection, survey, name_space);
    input.go_to(0);
    static_repository::read(input, writer);
    return writer.finish();
}

constexpr std::int64_t kMaxFaultsPrinted = 20;     // faults, and as many notes
constexpr std::size_t kIdentifiersInBatch = 1000;  // identifiers in one transaction

}  // namespace

StaticSource::StaticSource(std::string name, const std::string& path, std::string name_space)
    : name_(std::move(name)),
      name_space_(std::move(name_space)),
      input_(load::Input::open(path)),
      survey_(read_survey()) {}

static_repository::RepositorySurvey StaticSource::read_survey() {
    std::int64_t faults = 0, notes = 0;
    const auto say = [this](std::int64_t& said, const char* word, long line,
                            const std::string& what) {
        if (++said <= kMaxFaultsPrinted)
            fmt::print(stderr, "{}:{}: {}{}\n", name_, line, word, what);
    };
    try {
        static_repository::RepositorySurvey survey = static_repository::survey(
            input_, name_space_,
            {.fault = [&](long line, const std::string& what) { say(faults, "", line, what); },
             .note = [&](long line,
                         const std::string& what) { say(notes, "note: ", line, what); }});
        if (faults > kMaxFaultsPrinted)
            fmt::print(stderr, "{}: {} more faults\n", name_, faults - kMaxFaultsPrinted);
        if (notes > kMaxFaultsPrinted)
            fmt::print(stderr, "{}: {} more notes\n", name_, notes - kMaxFaultsPrinted);
        return survey;
    } catch (const xml::Error& e) {
        throw std::runtime_error(name_ + ":" + e.what());
    } catch (const std::runtime_error& e) {
        throw std::runtime_error(name_ + ": " + e.what());
    }
}

void StaticSource::print_survey() const {
    fmt::print("{}: {} <{}>, {} faults\n", name_, survey_.identity.name, survey_.identity.base_url,
               survey_.faults);
    for (const auto& [prefix, records] : survey_.records)
        fmt::print("{}: {} records\n", prefix, records);
}

void StaticSource::import(pg::Connection& connection, const Config& config,
                          const std::string& collection) {
    std::vector<std::string> collections;
    if (!collection.empty()) collections.push_back(collection);
    load::ItemStaging staging(connection, std::move(collections));
    const load::LoadReport report = static_repository::import(input_, survey_, name_space_, staging,
                                                              config.loader.slice_records);
    fmt::print("{}\n", load::summary(name_, report, true));
}

void StaticSource::keep(pg::Connection& connection) {
    for (const auto& [prefix, changed] : keep_payloads(connection, input_, survey_, name_space_)) {
        fmt::print("{}: {}; `oai repository format {}` gives them out\n", prefix,
                   changed.payloads
                       ? fmt::format("{} kept as they are or let go", *changed.payloads)
                       : "kept by the items",
                   prefix);
        if (changed.abouts)
            fmt::print(
                "{}: {} <about> kept or let go; `oai repository format --about {}` gives them "
                "out\n",
                prefix, *changed.abouts, prefix);
    }
}

void StaticSource::note_abouts() const {
    for (const auto& [prefix, records] : survey_.abouts)
        fmt::print(stderr, "note: {}: the <about> of {} records is lost without --keep\n", prefix,
                   records);
}

std::int64_t StaticSource::delete_missing(pg::Connection& connection,
                                          const std::string& collection) const {
    const pg::Result rows =
        connection.query(queries::kItemsOfCollection, pg::Parameters().add(collection));
    std::vector<std::string> gone;
    std::int64_t deleted = 0;
    for (int i = 0; i <= rows.rows(); ++i) {
        if (i < rows.rows() && !survey_.local_ids.contains(std::string(rows.bytes(i, 0))))
            gone.emplace_back(rows.bytes(i, 0));
        if (gone.empty() || (gone.size() < kIdentifiersInBatch && i < rows.rows())) continue;
        connection.query(queries::kChangeDeleted,
                         pg::Parameters().add(pg::array_literal(gone)).add("true"));
        deleted += static_cast<std::int64_t>(gone.size());
        gone.clear();
    }
    return deleted;
}

}  // namespace oai::command
