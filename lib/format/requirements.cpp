// SPDX-License-Identifier: MIT
#include "format/requirements.h"

#include <libxml/tree.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

#include "format/file.h"
#include "xml/document.h"
#include "xml/view.h"

namespace oai {
namespace {

using xml::view;
using xml::xml_chars;

std::vector<std::string> sorted_words(std::string_view text) {
    std::istringstream in{std::string(text)};
    const std::set<std::string> words{std::istream_iterator<std::string>(in), {}};
    return {words.begin(), words.end()};
}

// nullopt: the file is no XML.
std::optional<std::vector<std::string>> columns_of(const std::string& path) try {
    const xml::DocumentHandle document = xml::parse_file(path);
    for (const xmlNode* node = xmlDocGetRootElement(document.get())->children; node != nullptr;
         node = node->next) {
        if (node->type != XML_ELEMENT_NODE || node->ns == nullptr ||
            view(node->ns->href) != kFormatNamespace || view(node->name) != "format")
            continue;
        const xml::StringHandle value(xmlGetNoNsProp(node, xml_chars("requires")));
        return sorted_words(view(value.get()));
    }
    return std::vector<std::string>{};
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
