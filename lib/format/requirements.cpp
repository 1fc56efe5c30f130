// SPDX-License-Identifier: MIT
#include "format/requirements.h"

#include <optional>
#include <set>

#include "format/description.h"
#include "format/file.h"
#include "xml/document.h"

namespace oai {
namespace {

// nullopt: the file is no XML.
std::optional<std::vector<std::string>> columns_of(const std::string& path) try {
    const xml::DocumentHandle document = parse_format_file(path);
    Problems problems(path);
    const FormatDescription format = read_description(document.get(), path, problems).description;
    if (format.is_about) return std::vector<std::string>{};
    const std::set<std::string> names(format.requires_columns.begin(),
                                      format.requires_columns.end());
    return std::vector<std::string>(names.begin(), names.end());
} catch (const xml::Error&) {
    return std::nullopt;
}

}  // namespace

std::vector<std::vector<std::string>> FormatRequirements::read() {
    std::map<std::string, File> files;
    std::set<std::vector<std::string>> all;
    for (const std::string& path : format_files_of(directory_)) {
        File file = files_[path];
        if (const FileStamp stamp = FileStamp::of(path); stamp != file.stamp) {
            file.stamp = stamp;
            if (auto columns = columns_of(path)) file.columns = *std::move(columns);
        }
        if (!file.columns.empty()) all.insert(file.columns);
        files.emplace(path, std::move(file));
    }
    files_ = std::move(files);
    return {all.begin(), all.end()};
}

}  // namespace oai
