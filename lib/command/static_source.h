// SPDX-License-Identifier: MIT
// A static repository's file that is imported into the model library, wherever it lies: its faults
// are printed on stderr, its records are written. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/config.h"
#include "pg/connection.h"
#include "tools/load/input.h"
#include "tools/static_repository/importer.h"

namespace oai::command {

class StaticSource {
  public:
    // name: FILE or URL, as the administrator knows it; path: where the bytes are. Reads all of it
    // and prints faults and notes as "NAME:LINE: what", the first 20 of each. Throws
    // std::runtime_error "NAME: why" if it cannot be read to its end.
    StaticSource(std::string name, const std::string& path, std::string name_space);

    const static_repository::RepositorySurvey& survey() const { return survey_; }
    void print_survey() const;

    // Writes the records, filed in the collection ("" none), and prints how many. Throws as
    // static_repository::import().
    void import(pg::Connection& connection, const Config& config, const std::string& collection);
    // Keeps the records of each format, and what they say in <about>, as they are beside their
    // items (harvest.keep, harvest.write_abouts), but for MARCXML and MODS, which import() has
    // kept; prints how to serve them. Throws as read().
    void keep(pg::Connection& connection);
    // Says on standard error how many records have an <about>, which only keep() keeps.
    void note_abouts() const;
    // Marks as deleted the items of the collection that are not in the file. Returns how many.
    // Throws pg::Error.
    std::int64_t delete_missing(pg::Connection& connection, const std::string& collection) const;

  private:
    static_repository::RepositorySurvey read_survey();
    const std::string name_, name_space_;
    load::Input input_;
    const static_repository::RepositorySurvey survey_;
};

}  // namespace oai::command
