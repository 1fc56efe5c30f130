// SPDX-License-Identifier: MIT
// Compares the schema files that a database has with the files in this program. File numbers: 0NN
// the core, 1NN the model webarchiv, 2NN the model library. A database has at most one model.
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

// Returns nothing if no schema is installed. Throws pg::Error.
std::vector<InstalledFile> read_installed(pg::Connection& connection);

struct SchemaComparison {
    std::string model;  // "" if none is installed or wanted
    // Files of the core and the model that the database lacks, in order; they point into `files`.
    std::vector<const SchemaFile*> missing;
    // Each says what to do. No file may be applied while there are any.
    std::vector<std::string> problems;
};

// Returns "" for the core, nullopt for an unknown number.
std::optional<std::string_view> model_of_file(std::string_view file_name);
std::vector<std::string> model_names();

// wanted_model: "" for the installed one, if any. Pure.
SchemaComparison compare_schema(std::span<const SchemaFile> files,
                                std::span<const InstalledFile> installed,
                                const std::string& wanted_model);

}  // namespace oai::command
