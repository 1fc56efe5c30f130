// SPDX-License-Identifier: MIT
#include "command/static_source.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "command/queries.h"
#include "command/static_payloads.h"
#include "pg/binary.h"
#include "tools/load/item_staging.h"
#include "xml/document.h"

namespace oai::command {
namespace {

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
                "{}: {} <about> kept or let go; `oai repository format --about {}` gives "
                "them out\n",
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
