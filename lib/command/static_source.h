// SPDX-License-Identifier: MIT
// A static repository on its way into the model library, wherever its file lies: what is wrong with it is said on stderr,
// its records are moved. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/config.h"
#include "load/input.h"
#include "pg/connection.h"
#include "static_repository/importer.h"

namespace oai::command {

class StaticSource {
  public:
    // name: FILE or URL, as the administrator knows it; path: where the bytes are. Reads all of it; says faults and notes as
    // "NAME:LINE: what", the first 20 of each. Throws std::runtime_error "NAME: why" where it cannot be read to its end.
    StaticSource(std::string name, const std::string& path, std::string name_space);

    const static_repository::Survey& survey() const { return survey_; }
    void print_survey() const;

    // Moves the records, filed in the collection ("" none), and says how many. Throws as static_repository::import().
    void import(pg::Connection& connection, const Config& config, const std::string& collection);
    // Keeps the records of each format as they are beside their items (harvest.keep), but for MARCXML and MODS, which import()
    // has kept; says what gives them out. Throws as read().
    void keep(pg::Connection& connection);
    // Marks as deleted what is in the collection and not in the file. Returns how many. Throws pg::Error.
    std::int64_t delete_missing(pg::Connection& connection, const std::string& collection) const;

  private:
    static_repository::Survey look();
    const std::string name_, name_space_;
    load::Input input_;
    const static_repository::Survey survey_;
};

}  // namespace oai::command
