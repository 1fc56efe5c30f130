// SPDX-License-Identifier: MIT
#include "command/schema_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "command/queries.h"
#include "pg/binary.h"

namespace oai::command {
namespace {

struct Model {
    char first_digit;
    std::string_view name;
};
constexpr Model kModels[] = {{'0', ""}, {'1', "webarchiv"}, {'2', "library"}};

const SchemaFile* find_file(std::span<const SchemaFile> files, std::string_view name) {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const SchemaFile& f) { return f.name == name; });
    return found == files.end() ? nullptr : &*found;
}

bool is_installed(std::span<const InstalledFile> installed, std::string_view name) {
    return std::any_of(
        installed.begin(), installed.end(), [&](const InstalledFile& i) { return i.name == name; });
}

// Whether a file that was applied with this checksum had the statements of the file in this
// program.
bool has_same_statements(const SchemaFile& file, const std::string& checksum) {
    const auto earlier = text::split(file.earlier_checksums, ' ');
    return file.checksum == checksum ||
           (!checksum.empty() &&
            std::find(earlier.begin(), earlier.end(), checksum) != earlier.end());
}

// Returns what is wrong with an installed file, if anything.
std::optional<std::string> find_problem(std::span<const SchemaFile> files,
                                        const InstalledFile& installed) {
    const SchemaFile* file = find_file(files, installed.name);
    if (file == nullptr)
        return fmt::format(
            "the database has {}, which this program does not know: the database was upgraded by a "
            "newer oai-fcgi; install that version here",
            installed.name);
    if (!has_same_statements(*file, installed.checksum))
        return fmt::format(
            "{} in the database has checksum {:.12}, in this program {:.12}: a schema file was "
            "changed after it had been applied; install the release that applied it, and make the "
            "change in a new, higher numbered file",
            installed.name, installed.checksum, file->checksum);
    return std::nullopt;
}

std::string installed_model(std::span<const InstalledFile> installed) {
    for (const InstalledFile& file : installed)
        if (const auto model = model_of_file(file.name); model && !model->empty())
            return std::string(*model);
    return "";
}

}  // namespace

std::vector<InstalledFile> read_installed(pg::Connection& connection) {
    std::vector<InstalledFile> installed;
    if (!pg::read_bool(connection.query(queries::kSchemaExists).bytes(0, 0))) return installed;
    const pg::Result rows = connection.query(queries::kSchemaVersions);
    for (int i = 0; i < rows.rows(); ++i)
        installed.push_back({std::string(rows.bytes(i, 0)), std::string(rows.bytes(i, 1)),
                             pg::read_timestamptz(rows.bytes(i, 2))});
    return installed;
}

std::optional<std::string_view> model_of_file(std::string_view file_name) {
    for (const Model& model : kModels)
        if (file_name.starts_with(model.first_digit)) return model.name;
    return std::nullopt;
}

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const Model& model : kModels)
        if (!model.name.empty()) names.emplace_back(model.name);
    return names;
}

SchemaComparison compare_schema(std::span<const SchemaFile> files,
                                std::span<const InstalledFile> installed,
                                const std::string& wanted_model) {
    SchemaComparison result;
    for (const InstalledFile& file : installed)
        if (auto problem = find_problem(files, file))
            result.problems.push_back(std::move(*problem));

    const std::string present = installed_model(installed);
    result.model = present.empty() ? wanted_model : present;
    if (!wanted_model.empty() && wanted_model != result.model)
        result.problems.push_back(fmt::format(
            "the database has the model {}, not {}: a database has one model; use another database",
            present, wanted_model));

    bool has_model_files = result.model.empty();
    for (const SchemaFile& file : files) {
        const auto model = model_of_file(file.name);
        if (!model || (!model->empty() && *model != result.model)) continue;
        has_model_files = has_model_files || !model->empty();
        if (!is_installed(installed, file.name)) result.missing.push_back(&file);
    }
    if (!has_model_files)
        result.problems.push_back(
            fmt::format("this program has no schema files of the model {}", result.model));
    return result;
}

}  // namespace oai::command
