// SPDX-License-Identifier: MIT
#include "transform/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "transform/files.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai::transform {
namespace {

using xml::view;
using xml::xml_chars;

constexpr std::string_view kNamespace = "urn:oasis:names:tc:entity:xmlns:xml:catalog";

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

class Catalog::Reader {
  public:
    explicit Reader(Catalog& catalog) : catalog_(catalog) {}

    void read(const xmlNode* parent) {
        for (const xmlNode* node = parent->children; node != nullptr; node = node->next) {
            if (node->type != XML_ELEMENT_NODE || node->ns == nullptr ||
                view(node->ns->href) != kNamespace)
                continue;
            if (view(node->name) == "group")
                read(node);
            else
                add(node);
        }
    }

  private:
    [[noreturn]] void refuse(const xmlNode* node, const std::string& what) const {
        throw xml::Error(fmt::format("{}:{}: {}", catalog_.path_, xmlGetLineNo(node), what));
    }

    std::string attribute(const xmlNode* node, const char* name) const {
        const xml::StringHandle value(xmlGetNoNsProp(node, xml_chars(name)));
        if (!value) refuse(node, fmt::format("{} without {}", view(node->name), name));
        return std::string(view(value.get()));
    }

    void add(const xmlNode* node) {
        const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) {
            return k.element == view(node->name);
        });
        if (kind == kKinds.end())
            refuse(node, fmt::format("{}: only uri, system, rewriteURI, rewriteSystem and group "
                                     "are read in this catalog",
                                     view(node->name)));
        // Relative to xml:base, or else to the catalog (5.2 of the standard).
        const xml::StringHandle base(xmlNodeGetBase(node->doc, const_cast<xmlNode*>(node)));
        const xml::StringHandle file(
            xmlBuildURI(xml_chars(attribute(node, kind->file).c_str()), base.get()));
        if (!file) refuse(node, fmt::format("{}: no address", kind->file));
        catalog_.entries_.push_back(
            {attribute(node, kind->address), std::string(view(file.get())), kind->rewrites});
    }

    Catalog& catalog_;
};

Catalog::Catalog(const std::string& path)
    : path_(std::filesystem::absolute(path).lexically_normal().string()),
      directory_(std::filesystem::path(path_).parent_path().string()) {}

Catalog Catalog::read(const std::string& given) {
    Catalog catalog(given);
    const std::string& path = catalog.path_;
    const xml::DocumentHandle document = xml::parse_file(path);
    if (xml::root_namespace(document.get()) != kNamespace ||
        xml::root_name(document.get()) != "catalog")
        throw xml::Error(fmt::format("{}:1: no catalog of the namespace {}", path, kNamespace));
    Reader(catalog).read(xmlDocGetRootElement(document.get()));
    return catalog;
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
        std::filesystem::path(*file).lexically_normal().lexically_relative(directory_).string();
    if (path.empty() || path.starts_with("..")) return std::nullopt;
    try {
        return file_within(first_directory(directory_, path), *file);
    } catch (const xml::Error&) {  // there is no such directory
        return std::nullopt;
    }
}

}  // namespace oai::transform
