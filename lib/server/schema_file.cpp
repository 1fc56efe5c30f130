// SPDX-License-Identifier: MIT
#include "server/schema_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "web/response.h"

namespace oai {
namespace {

constexpr std::string_view kAdminPath = "/-/";  // below it are no requests of OAI-PMH
constexpr std::string_view kSchemaPath = "/-/schema/";
constexpr std::string_view kExtension = ".xsd";
constexpr const char* kCaching = "public, max-age=3600";

bool is_safe_name(std::string_view name) {
    const auto allowed = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    };
    return name.size() > kExtension.size() && name.ends_with(kExtension) && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), allowed);
}

// Returns nullopt if there is no such regular file or it cannot be read to its end.
std::optional<std::string> content_of(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    return in ? std::optional(std::move(content)) : std::nullopt;
}

}  // namespace

std::optional<std::string_view> schema_file_name(std::string_view path) {
    path.remove_prefix(std::min(path.find(kAdminPath), path.size()));
    if (!path.starts_with(kSchemaPath)) return std::nullopt;
    path.remove_prefix(kSchemaPath.size());
    return is_safe_name(path) ? path : std::string_view();
}

Response schema_file_response(const std::string& folder, std::string_view name,
                              const Request& request) {
    if (request.method == "POST") return only_by_get("A schema is asked for by GET.");
    const auto content =
        name.empty() ? std::nullopt : content_of(std::filesystem::path(folder) / name);
    if (!content) return plain_response(404, "There is no schema of this name.");
    const std::string tag = entity_tag(*content);
    Response response;
    if (names_tag(request.if_none_match, tag)) {
        response.status = 304;
    } else {
        response.headers.emplace_back("Content-Type", "application/xml");
        response.body = *content;
    }
    response.headers.emplace_back("ETag", tag);
    response.headers.emplace_back("Cache-Control", kCaching);
    return response;
}

}  // namespace oai
