// SPDX-License-Identifier: MIT
#include "transform/files.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "xml/document.h"
#include "xml/handle.h"

namespace oai::transform {

std::optional<std::string> path_of(const char* uri) {
    const xml::UriHandle parsed(xmlParseURI(uri));
    const bool local = parsed && parsed->path != nullptr && parsed->server == nullptr &&
                       (parsed->scheme == nullptr || std::string_view(parsed->scheme) == "file");
    return local ? std::optional<std::string>(parsed->path) : std::nullopt;
}

std::string canonical_directory_of(const std::string& path) {
    std::error_code error;
    const auto file = std::filesystem::canonical(path, error);
    if (error) throw xml::Error(fmt::format("{}: {}", path, error.message()));
    return file.parent_path().string();
}

std::optional<std::string> file_within(const std::string& directory, const std::string& path) {
    std::error_code error;
    const std::string file = std::filesystem::canonical(path, error).string();
    const bool within = !error && file.size() > directory.size() + 1 &&
                        file.starts_with(directory) && file[directory.size()] == '/';
    return within ? std::optional(file) : std::nullopt;
}

std::string first_directory(const std::string& directory, const std::string& path) {
    namespace fs = std::filesystem;
    const fs::path steps(path);
    const fs::path first =
        steps.has_parent_path() ? fs::path(directory) / *steps.begin() : fs::path(directory);
    std::error_code error;
    const fs::path found = fs::canonical(first.empty() ? "." : first, error);
    if (error) throw xml::Error(fmt::format("{}: {}", first.string(), error.message()));
    return found.string();
}

}  // namespace oai::transform
