// SPDX-License-Identifier: MIT
#include "transform/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "xml/document.h"
#include "xml/handle.h"

namespace oai::transform {
namespace {

namespace fs = std::filesystem;
using xml::view;
using xml::xml_chars;

constexpr std::string_view kCatalog = "urn:oasis:names:tc:entity:xmlns:xml:catalog";

struct Kind {
    std::string_view element;
    const char *address, *file;  // attributes
    bool rewrites;
};
constexpr std::array<Kind, 4> kKinds = {{
    {"uri", "name", "uri", false},
    {"system", "systemId", "uri", false},
    {"rewriteURI", "uriStartString", "rewritePrefix", true},
    {"rewriteSystem", "systemIdStartString", "rewritePrefix", true},
}};

}  // namespace

std::optional<std::string> path_of(const char* uri) {
    const xml::UriHandle parsed(xmlParseURI(uri));
    const bool local = parsed && parsed->path != nullptr && parsed->server == nullptr &&
                       (parsed->scheme == nullptr || std::string_view(parsed->scheme) == "file");
    return local ? std::optional<std::string>(parsed->path) : std::nullopt;
}

std::string canonical_directory_of(const std::string& path) {
    std::error_code error;
    const auto file = fs::canonical(path, error);
    if (error) throw xml::Error(fmt::format("{}: {}", path, error.message()));
    return file.parent_path().string();
}

std::optional<std::string> file_within(const std::string& directory, const std::string& path) {
    std::error_code error;
    const std::string file = fs::canonical(path, error).string();
    const bool within = !error && file.size() > directory.size() + 1 &&
                        file.starts_with(directory) && file[directory.size()] == '/';
    return within ? std::optional(file) : std::nullopt;
}

std::string first_directory(const std::string& directory, const std::string& path) {
    const fs::path steps(path);
    const fs::path first =
        steps.has_parent_path() ? fs::path(directory) / *steps.begin() : fs::path(directory);
    std::error_code error;
    const fs::path found = fs::canonical(first.empty() ? "." : first, error);
    if (error) throw xml::Error(fmt::format("{}: {}", first.string(), error.message()));
    return found.string();
}

Catalog::Catalog(const std::string& path)
    : path_(fs::absolute(path).lexically_normal().string()),
      directory_(fs::path(path_).parent_path().string()) {}

Catalog Catalog::read(const std::string& given) {
    Catalog catalog(given);
    const xml::DocumentHandle document = xml::parse_file(catalog.path_);
    if (xml::root_namespace(document.get()) != kCatalog ||
        xml::root_name(document.get()) != "catalog")
        throw xml::Error(
            fmt::format("{}:1: no catalog of the namespace {}", catalog.path_, kCatalog));
    catalog.read_entries(xmlDocGetRootElement(document.get()));
    return catalog;
}

void Catalog::read_entries(const xmlNode* parent) {
    for (const xmlNode* node = parent->children; node != nullptr; node = node->next) {
        if (node->type != XML_ELEMENT_NODE || node->ns == nullptr ||
            view(node->ns->href) != kCatalog)
            continue;
        view(node->name) == "group" ? read_entries(node) : add(node);
    }
}

void Catalog::add(const xmlNode* node) {
    const auto refuse = [&](const std::string& what) {
        throw xml::Error(
            fmt::format("{}:{}: {}{}", path_, xmlGetLineNo(node), view(node->name), what));
    };
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const Kind& k) { return k.element == view(node->name); });
    if (kind == kKinds.end())
        return refuse(
            ": only uri, system, rewriteURI, rewriteSystem and group are read in this catalog");
    const xml::StringHandle address(xmlGetNoNsProp(node, xml_chars(kind->address))),
        name(xmlGetNoNsProp(node, xml_chars(kind->file)));
    if (!address || !name)
        return refuse(fmt::format(" without {}", address ? kind->file : kind->address));
    // Relative to xml:base, or else to the catalog (5.2 of the standard).
    const xml::StringHandle base(xmlNodeGetBase(node->doc, const_cast<xmlNode*>(node)));
    const xml::StringHandle file(xmlBuildURI(name.get(), base.get()));
    if (!file) return refuse(fmt::format(": no address in {}", kind->file));
    entries_.push_back(
        {std::string(view(address.get())), std::string(view(file.get())), kind->rewrites});
}

std::optional<std::string> Catalog::find(std::string_view address) const {
    const Entry* found = nullptr;
    for (const Entry& entry : entries_) {
        if (entry.rewrites ? !address.starts_with(entry.address) : address != entry.address)
            continue;
        const auto rank = [](const Entry& e) { return std::pair(!e.rewrites, e.address.size()); };
        if (found == nullptr || rank(entry) > rank(*found)) found = &entry;
    }
    if (found == nullptr) return std::nullopt;
    const std::string_view rest =
        found->rewrites ? address.substr(found->address.size()) : std::string_view();
    const auto file = path_of((found->file + std::string(rest)).c_str());
    if (!file) return std::nullopt;
    const std::string path =
        fs::path(*file).lexically_normal().lexically_relative(directory_).string();
    if (path.empty() || path.starts_with("..")) return std::nullopt;
    try {
        return file_within(first_directory(directory_, path), *file);
    } catch (const xml::Error&) {  // there is no such directory
        return std::nullopt;
    }
}

}  // namespace oai::transform
