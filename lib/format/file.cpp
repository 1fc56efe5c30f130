// SPDX-License-Identifier: MIT
#include "format/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "format/description.h"
#include "protocol/error.h"
#include "transform/files.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai {
namespace {

using xml::view;
using xml::xml_chars;
using Catalog = std::shared_ptr<const transform::Catalog>;

Catalog read_catalog(const std::string& path, std::string& fault) try {
    if (path.empty()) return nullptr;
    return std::make_shared<const transform::Catalog>(transform::Catalog::read(path));
} catch (const xml::Error& e) {
    fault = e.what();
    return nullptr;
}

// A stylesheet made elsewhere may only read files within the first directory of its path, which may
// be a symbolic link to the directory of its authors.
transform::Stylesheet compile_foreign(const std::filesystem::path& directory,
                                      const std::string& path, const Catalog& catalog) {
    return transform::Stylesheet::compile(
        (directory / path).string(), transform::first_directory(directory.string(), path), catalog);
}

std::vector<Input::Param> read_params(const xmlNode* element, Problems& problems) {
    std::vector<Input::Param> params;
    for (const xmlNode* node = element->children; node != nullptr; node = node->next) {
        if (node->type != XML_ELEMENT_NODE) continue;
        const xml::StringHandle name(xmlGetNoNsProp(node, xml_chars("name"))),
            select(xmlGetNoNsProp(node, xml_chars("select")));
        const bool is_param = view(node->name) == "param" && node->ns != nullptr &&
                              view(node->ns->href) == kFormatNamespace && name && select;
        const std::string expression(view(select.get()));
        if (!is_param)
            problems.add(xmlGetLineNo(node), fmt::format("{}: only <param name=\"\" select=\"\"/> "
                                                         "may stand here",
                                                         view(node->name)));
        else if (const std::string why = Input::why_not_xpath(expression); !why.empty())
            problems.add(xmlGetLineNo(node), fmt::format("select=\"{}\": {}", expression, why));
        params.push_back({std::string(view(name.get())), expression, node});
    }
    return params;
}

// For a format with input or parameters, which always runs by libxslt.
std::unique_ptr<CompiledFormat> uncompiled(const Input& input, const FormatDescription& format) {
    const std::string what =
        !format.input_name.empty() ? "input=\"" + format.input_name + '"' : "param";
    const bool reads_only_required = input.params.empty() && !input.column.empty();
    return std::make_unique<CompiledFormat>(
        fmt::format("{}:{}: {}", format.path, format.line, what),
        reads_only_required ? format.requires_columns : std::vector<std::string>());
}

void read_input(Format& format, const xmlNode* element, xml::DocumentHandle document,
                const Catalog& catalog, Problems& problems) {
    auto input = std::make_unique<Input>();
    input->params = read_params(element, problems);
    const std::filesystem::path directory = std::filesystem::path(format.path).parent_path();
    if (format.input_name.ends_with(".xsl"))
        input->adapter = compile_foreign(directory, format.input_name, catalog);
    else
        input->column = format.input_name;
    if (format.input_name.empty() && input->params.empty()) return;
    input->document = std::move(document);
    format.compiled = uncompiled(*input, format);
    format.input = std::move(input);
}

std::shared_ptr<Format> read_format(const std::string& path, const Catalog& catalog,
                                    Problems& problems) {
    xml::DocumentHandle document = parse_format_file(path);
    auto [element, description] = read_description(document.get(), path, problems);
    if (element == nullptr) return nullptr;
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    if (is_descriptor(path) && description.stylesheet_path.empty()) return nullptr;
    auto stylesheet = is_descriptor(path)
                          ? compile_foreign(directory, description.stylesheet_path, catalog)
                          : transform::Stylesheet::compile(path, "", catalog);
    auto format =
        std::make_shared<Format>(Format{std::move(description), std::move(stylesheet), {}, {}});
    read_input(*format, element, std::move(document), catalog, problems);
    if (!format->compiled)
        format->compiled = std::make_unique<CompiledFormat>(
            format->stylesheet, format->root_namespace, format->requires_columns);
    return format;
}

// Temporary files of editors and copying programs have another ending (x.xsl~, x.xsl.part,
// .x.xsl.swp, .x.xsl.Ab12Cd) or begin with one of these characters.
bool is_format_file_name(std::string_view name) {
    return (name.ends_with(".xsl") || is_descriptor(name)) && name.find('.') > 0 &&
           name.front() != '#';
}

// Appends the paths of the format files in the directory, sorted by name.
void append_stylesheets(std::vector<std::string>& paths, const std::string& directory) {
    const auto begin = static_cast<std::ptrdiff_t>(paths.size());
    std::error_code error, ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
        if (is_format_file_name(entry.path().filename().string()) && !entry.is_directory(ignored))
            paths.push_back(entry.path().string());
    if (error) throw Fault(fmt::format("{}: {}", directory, error.message()));
    std::sort(paths.begin() + begin, paths.end());
}

std::string about_directory_of(const std::string& directory) {
    return (std::filesystem::path(directory) / kAbout).string();
}

}  // namespace

std::string wrong_place(const std::string& directory, const Format& format) {
    const std::string& path = format.path;
    const bool in_about =
        std::filesystem::path(path).parent_path() == about_directory_of(directory);
    if (in_about == format.is_about) return "";
    return fmt::format("{}:{}: {}", path, format.line,
                       in_about ? "a format: in about/ a stylesheet describes itself by <about>"
                                : "an about stylesheet belongs in about/ of the formats directory");
}

std::vector<std::string> format_files_of(const std::string& directory) {
    std::vector<std::string> paths;
    append_stylesheets(paths, directory);
    const std::string about = about_directory_of(directory);
    std::error_code ignored;
    if (std::filesystem::is_directory(about, ignored)) append_stylesheets(paths, about);
    return paths;
}

std::string catalog_of(const Config::Formats& formats) {
    if (!formats.catalog.empty()) return formats.catalog;
    const auto shipped = std::filesystem::path(formats.directory) / "catalog.xml";
    std::error_code ignored;
    return std::filesystem::exists(shipped, ignored) ? shipped.string() : "";
}

std::shared_ptr<Format> compile_format_file(const std::string& path, const std::string& catalog) {
    Problems problems(path);
    std::string catalog_fault;
    const auto entries = read_catalog(catalog, catalog_fault);
    try {
        auto format = read_format(path, entries, problems);
        if (problems.empty()) return format;
    } catch (const xml::Error& e) {
        problems.add_all(1, e.what());
        if (!catalog_fault.empty()) problems.add_all(1, catalog_fault);
    }
    throw Fault(problems.text());
}

std::vector<std::string> Format::files() const {
    std::vector<std::string> all{path};
    const auto add = [&](const transform::Stylesheet& made_from) {
        for (std::string& file : made_from.files())
            if (std::find(all.begin(), all.end(), file) == all.end())
                all.push_back(std::move(file));
    };
    add(stylesheet);
    if (input && input->adapter) add(*input->adapter);
    return all;
}

bool is_named(const FormatDescription& format, std::string_view name) {
    return format.prefix == name ||
           std::find(format.aliases.begin(), format.aliases.end(), name) != format.aliases.end();
}

const std::string* name_in_common(const Format& a, const Format& b) {
    if (is_named(b, a.prefix)) return &a.prefix;
    const auto alias = std::find_if(a.aliases.begin(), a.aliases.end(),
                                    [&](const auto& n) { return is_named(b, n); });
    return alias == a.aliases.end() ? nullptr : &*alias;
}

FormatRegistry::FormatRegistry(std::vector<std::shared_ptr<const Format>> formats)
    : formats_(std::move(formats)) {
    std::sort(
        formats_.begin(), formats_.end(),
        [](const auto& a, const auto& b) {
            return std::pair(a->prefix != "oai_dc", a->prefix) <
                   std::pair(b->prefix != "oai_dc", b->prefix);
        });
    const auto abouts = std::stable_partition(formats_.begin(), formats_.end(),
                                              [](const auto& f) { return !f->is_about; });
    abouts_.assign(abouts, formats_.end());
    formats_.erase(abouts, formats_.end());
}

std::vector<const Format*> FormatRegistry::abouts_of(const Format& format) const {
    std::vector<const Format*> out;
    for (const auto& about : abouts_) {
        const auto& names = about->goes_with;
        if (names.empty() || std::any_of(names.begin(), names.end(),
                                         [&](const auto& n) { return is_named(format, n); }))
            out.push_back(about.get());
    }
    return out;
}

const Format* FormatRegistry::find(std::string_view name) const {
    const auto found = std::find_if(formats_.begin(), formats_.end(),
                                    [&](const auto& f) { return is_named(*f, name); });
    return found == formats_.end() ? nullptr : found->get();
}

}  // namespace oai
