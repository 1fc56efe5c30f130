// SPDX-License-Identifier: MIT
#include "format/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <span>
#include <sstream>

#include "base/text.h"
#include "protocol/identifier.h"
#include "protocol/record.h"
#include "transform/stylesheet.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai {
namespace {

// Whether the message begins with "file:line: ".
bool has_place(std::string_view message) {
    const std::size_t end = message.find(": ");
    const std::size_t colon = end == message.npos ? message.npos : message.rfind(':', end - 1);
    return colon != message.npos && text::to_integer(message.substr(colon + 1, end - colon - 1));
}

using xml::view;
using xml::xml_chars;

constexpr std::string_view kDescriptorEnding = ".format";
constexpr std::string_view kStylesheetEnding = ".xsl";
constexpr int kMaxRecords = 10'000;

bool is_absolute_uri(std::string_view s) {
    const std::size_t colon = s.find(':');
    return colon != std::string_view::npos && colon > 0 && colon + 1 < s.size() &&
           s.find_first_of(" \t\r\n<>\"") == std::string_view::npos;
}

// An attribute of <f:format> or <f:about>. `take` stores its value in the format and returns false
// if it is not valid; `expected` describes valid values.
struct Attribute {
    const char* name;
    bool required;
    bool (*take)(FormatDescription&, std::string_view);
    std::string_view expected;
};

bool take_prefix(FormatDescription& f, std::string_view v) {
    f.prefix = v;
    return is_metadata_prefix(v);
}

std::vector<std::string> words(std::string_view v) {
    std::istringstream in{std::string(v)};
    return {std::istream_iterator<std::string>(in), {}};
}

bool are_prefixes(const std::vector<std::string>& names) {
    return std::all_of(names.begin(), names.end(), is_metadata_prefix);
}

bool take_aliases(FormatDescription& f, std::string_view v) {
    f.aliases = words(v);
    return are_prefixes(f.aliases);
}

template <std::string FormatDescription::*kMember>
bool take_uri(FormatDescription& f, std::string_view v) {
    f.*kMember = v;
    return is_absolute_uri(v);
}

bool take_since(FormatDescription& f, std::string_view v) {
    const auto stamp = parse_datestamp(v);
    if (stamp) f.since = stamp->first;
    return stamp || v.empty();
}

bool is_column(const std::string& name) {
    return xmlValidateNCName(xml_chars(name.c_str()), 0) == 0;
}

bool take_requires(FormatDescription& f, std::string_view v) {
    f.requires_columns = words(v);
    return std::all_of(f.requires_columns.begin(), f.requires_columns.end(), is_column);
}

bool take_records(FormatDescription& f, std::string_view v) {
    const auto n = text::to_integer(v);
    if (n && *n >= 1 && *n <= kMaxRecords) f.records = static_cast<int>(*n);
    return f.records != 0;
}

bool take_visible(FormatDescription& f, std::string_view v) {
    f.visible = v != "no";
    return v == "yes" || v == "no";
}

bool take_unchanged(FormatDescription& f, std::string_view v) {
    f.unchanged = v == "yes";
    return v == "yes" || v == "no";
}

bool take_goes_with(FormatDescription& f, std::string_view v) {
    f.goes_with = words(v);
    return !f.goes_with.empty() && are_prefixes(f.goes_with);
}

// A path from the file, to one in the directory.
bool is_path(std::string_view v) {
    const std::filesystem::path path(v);
    return !v.empty() && path.is_relative() &&
           std::find(path.begin(), path.end(), "..") == path.end();
}

bool take_input(FormatDescription& f, std::string_view v) {
    f.input_name = v;
    return v.ends_with(kStylesheetEnding) ? is_path(v) : is_column(f.input_name);
}

bool take_stylesheet(FormatDescription& f, std::string_view v) {
    f.stylesheet_path = v;
    return is_path(v);
}

bool take_result(FormatDescription& f, std::string_view v) {
    f.result_path = v;
    return !v.empty();
}

constexpr Attribute kInput = {"input", false, take_input,
                              "a column of oai.record, or the path of an adapter, NAME.xsl"};
constexpr Attribute kStylesheet = {"stylesheet", false, take_stylesheet,
                                   "a path from this file, without .."};
constexpr Attribute kResult = {"result", false, take_result,
                               "names of elements, one in the other, separated by /"};

constexpr std::array<Attribute, 13> kFormatAttributes = {{
    {"prefix", true, take_prefix, "one or more of A-Z a-z 0-9 - _ . ! ~ * ' ( )"},
    {"alias", false, take_aliases, "prefixes separated by blanks"},
    {"schema", true, take_uri<&FormatDescription::schema>, "the URL of the XML Schema"},
    {"namespace", true, take_uri<&FormatDescription::metadata_namespace>,
     "the namespace URI of the format"},
    {"root-namespace", false, take_uri<&FormatDescription::root_namespace>,
     "the namespace URI of the root element, where it is another"},
    {"since", false, take_since, "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"},
    {"requires", false, take_requires, "names of columns of oai.record, separated by blanks"},
    {"records", false, take_records, "a number from 1 to 10000"},
    {"visible", false, take_visible, "yes or no"},
    {"unchanged", false, take_unchanged, "yes or no"},
    kInput,
    kStylesheet,
    kResult,
}};

constexpr std::array<Attribute, 9> kAboutAttributes = {{
    {"schema", true, take_uri<&FormatDescription::schema>, "the URL of the XML Schema"},
    {"namespace", true, take_uri<&FormatDescription::metadata_namespace>,
     "the namespace URI of the element"},
    {"root-namespace", false, take_uri<&FormatDescription::root_namespace>,
     "the namespace URI of the element, where it is another"},
    {"formats", false, take_goes_with, "prefixes separated by blanks"},
    {"requires", false, take_requires, "names of columns of oai.record, separated by blanks"},
    {"unchanged", false, take_unchanged, "yes or no"},
    kInput,
    kStylesheet,
    kResult,
}};

std::span<const Attribute> attributes_of(const FormatDescription& format) {
    return format.is_about ? std::span<const Attribute>(kAboutAttributes) : kFormatAttributes;
}

void take_attribute(FormatDescription& format, const xmlAttr* attribute, Problems& problems) {
    const std::string_view element = view(attribute->parent->name);
    const std::string_view name = view(attribute->name);
    const long line = xmlGetLineNo(attribute->parent);
    const auto attributes = attributes_of(format);
    const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const Attribute& a) {
        return attribute->ns == nullptr && a.name == name;
    });
    if (found == attributes.end())
        return problems.add(line, fmt::format("{}: unknown attribute {}", element, name));
    // Only predefined entities occur, so a value is at most one text node.
    const std::string_view value =
        attribute->children == nullptr ? "" : view(attribute->children->content);
    if (!found->take(format, value))
        problems.add(
            line, fmt::format("{}: {}=\"{}\": must be {}", element, name, value, found->expected));
}

void take_all(FormatDescription& format, const xmlNode* element, Problems& problems) {
    const long line = xmlGetLineNo(element);
    const std::string_view kind = view(element->name);
    if (kind != "format" && kind != kAbout)
        return problems.add(line, fmt::format("unknown element {} in {}", kind, kFormatNamespace));
    format.is_about = kind == kAbout;
    if (format.is_about) {
        const std::filesystem::path path = format.path;
        format.prefix = fmt::format("{}/{}", kAbout, path.stem().string());
    }
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next)
        take_attribute(format, a, problems);
    for (const Attribute& a : attributes_of(format))
        if (a.required && !format.yields_many() &&
            xmlHasNsProp(element, xml_chars(a.name), nullptr) == nullptr)
            problems.add(line, fmt::format("{}: {} is missing: {}", kind, a.name, a.expected));
}

void check_stylesheet(const FormatDescription& format, Problems& problems) {
    if (is_descriptor(format.path) && format.stylesheet_path.empty())
        problems.add(format.line, "stylesheet is missing: the path of the one that is described");
    if (!is_descriptor(format.path) && !format.stylesheet_path.empty())
        problems.add(format.line, fmt::format("stylesheet: the file is one itself; another is "
                                              "described in a file NAME{}",
                                              kDescriptorEnding));
}

// What the stylesheet is given must be there.
void require_input(FormatDescription& format) {
    auto& columns = format.requires_columns;
    if (format.input_name.empty() || format.input_name.ends_with(kStylesheetEnding) ||
        std::find(columns.begin(), columns.end(), format.input_name) != columns.end())
        return;
    columns.push_back(format.input_name);
}

bool describes(const xmlNode* node) {
    return node->type == XML_ELEMENT_NODE && node->ns != nullptr &&
           view(node->ns->href) == kFormatNamespace;
}

}  // namespace

void Problems::add(long line, std::string_view message) {
    lines_.push_back(fmt::format("{}:{}: {}", path_, line, message));
}

void Problems::add_all(long line, std::string_view messages) {
    const std::string directory = std::filesystem::path(path_).parent_path().string();
    for (const std::string_view message : text::split(messages, '\n'))
        if (message.starts_with(directory) && has_place(message))
            lines_.emplace_back(message);
        else
            add(line, message);
}

std::string Problems::text() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

bool is_descriptor(std::string_view path) { return path.ends_with(kDescriptorEnding); }

ReadDescription read_description(const xmlDoc* document, const std::string& path,
                                 Problems& problems) {
    const xmlNode* root = xmlDocGetRootElement(document);
    ReadDescription out;
    out.description.path = path;
    if (describes(root)) out.element = root;
    for (const xmlNode* node = root->children; node != nullptr && out.element != root;
         node = node->next) {
        if (!describes(node)) continue;
        if (out.element != nullptr)
            problems.add(xmlGetLineNo(node), "a second description; a file is one format");
        else
            out.element = node;
    }
    if (out.element == nullptr) {
        problems.add(xmlGetLineNo(root),
                     fmt::format("no <format> or <about> in the namespace {}", kFormatNamespace));
        return out;
    }
    out.description.line = xmlGetLineNo(out.element);
    take_all(out.description, out.element, problems);
    check_stylesheet(out.description, problems);
    require_input(out.description);
    if (out.description.root_namespace.empty())
        out.description.root_namespace = out.description.metadata_namespace;
    return out;
}

xml::DocumentHandle parse_format_file(const std::string& path) {
    return is_descriptor(path) ? xml::parse_file(path) : transform::parse_stylesheet(path, path);
}

}  // namespace oai
