// SPDX-License-Identifier: MIT
// Compares the schema that a database has with the files in this program: what oai schema install
// has to do, or why it must not.
#pragma once

#include <set>
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
    std::string release;
    Seconds applied_at;
};

// Something in one of our schemas: a relation, index, type, function, trigger or grant.
struct DatabaseObject {
    std::string kind;  // "table", "index", ...
    std::string name;  // as a person would write it: "library.item", "trigger t on library.item"
    std::string bare;  // "item": the name alone, by which the files may know it; "" if they cannot
};

struct InstalledSchema {
    std::vector<InstalledFile> files;  // what oai.schema_version says; empty if there is none
    std::vector<DatabaseObject> objects;
    bool is_test_version = false;  // made by the numbered files of 0.1's test versions
    bool has_horizon = true;       // its one row, if there is the table
    bool is_readable = true;  // if not, this role sees nothing of it, and nothing else is filled in
    // Why this role cannot install; "" if it can.
    std::string lacks_right;
};

// Throws pg::Error.
InstalledSchema read_installed(pg::Connection& connection);

struct SchemaComparison {
    std::string model;                        // "" if none is installed or wanted
    std::vector<std::string_view> rooms;      // "core", "library", "harvest": those of the model
    std::vector<std::string_view> new_rooms;  // of them, what the database has not
    std::vector<const SchemaFile*> upgrades;  // that are missing, in order
    // Files whose definitions are not those of this program, or of which one is missing.
    std::vector<std::string_view> differing;
    // Objects that no file makes: a site's own.
    std::vector<const DatabaseObject*> foreign;
    // Each says what to do. Nothing may be applied while there are any.
    std::vector<std::string> problems;

    bool is_current() const {
        return problems.empty() && new_rooms.empty() && upgrades.empty() && differing.empty();
    }
};

// "core" of core/tables.sql. Of an upgrade, the room whose tables it changes.
std::string_view room_of(const SchemaFile& file);
bool is_upgrade(const SchemaFile& file);
bool is_tables(const SchemaFile& file);
std::vector<std::string> model_names();

// wanted_model: "" for the installed one, if any. Pure; the result points into its arguments.
SchemaComparison compare_schema(std::span<const SchemaFile> files, std::string_view release,
                                const InstalledSchema& installed, const std::string& wanted_model);

// Parts of a file, in order: those that make a view or trigger, or comment on a table, would wait
// for whoever uses the table, so they are left out where nothing changes (oai.define).
struct Statement {
    std::string_view text;
    bool may_lock = false;
    int line = 1;
};
std::vector<Statement> split_definitions(std::string_view text);

// Names after `create table` and the like in a file, without their schemas; also within strings.
std::set<std::string, std::less<>> named_objects(std::string_view text);
// "oai.queue": the tables, types and indexes of a tables.sql, which must be there.
std::set<std::string, std::less<>> made_tables(std::string_view text);

}  // namespace oai::command
