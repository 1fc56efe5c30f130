// SPDX-License-Identifier: MIT
// Which schema files a database has, and how that compares with the files in this program. Numbers of files:
// 0NN the core, 1NN the model webarchiv, 2NN the model library. A database has at most one model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "command/schema_files.h"
#include "pg/connection.h"

namespace oai::command {

struct InstalledFile {
    std::string name;
    std::string checksum;
    Seconds applied_at;
};

// Empty: no schema is installed. Throws pg::Error.
std::vector<InstalledFile> read_installed(pg::Connection& connection);

struct SchemaComparison {
    std::string model;                       // "" none: neither installed nor wanted
    std::vector<const SchemaFile*> missing;  // of the core and the model, in order; they point into `files`
    std::vector<std::string> problems;  // each says what to do; nothing may be applied while there are any
};

// "" for the core. nullopt: a number that belongs to nothing we know.
std::optional<std::string_view> model_of_file(std::string_view file_name);
std::vector<std::string> model_names();

// wanted_model "": the one installed, if any. Pure.
SchemaComparison compare_schema(std::span<const SchemaFile> files, std::span<const InstalledFile> installed,
                                const std::string& wanted_model);

}  // namespace oai::command
