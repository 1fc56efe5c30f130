// SPDX-License-Identifier: MIT
#include "format/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "base/text.h"
#include "protocol/identifier.h"
#include "protocol/record.h"
#include "transform/stylesheet.h"
#include "xml/document.h"

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

constexpr std::string_view kSchemaFolder = "schema/";

// A schema in the formats directory, which the server itself serves.
bool is_own_schema(std::string_view v) {
    return v.starts_with(kSchemaFolder) && v.ends_with(".xsd") &&
           v.find_first_of("/ \t\r\n<>\"", kSchemaFolder.size()) == v.npos;
}

bool is_schema(std::string_view v) { return is_own_schema(v) || is_absolute_uri(v); }

using Names = std::vector<std::string>;

Names words(std::string_view v) {
    std::istringstream in{std::string(v)};
    return {std::istream_iterator<std::string>(in), {}};
}

bool is_column(const std::string& name) {
    return xmlValidateNCName(xml_chars(name.c_str()), 0) == 0;
}

bool are_prefixes(const Names& names) {
    return std::all_of(names.begin(), names.end(), is_metadata_prefix);
}

bool are_columns(const Names& names) { return std::all_of(names.begin(), names.end(), is_column); }

bool are_some_prefixes(const Names& names) { return !names.empty() && are_prefixes(names); }

// Whether it is a relative path that stays below the file's directory.
bool is_path(std::string_view v) {
    const std::filesystem::path path(v);
    return !v.empty() && path.is_relative() &&
           std::find(path.begin(), path.end(), "..") == path.end();
}

bool is_input(std::string_view v) {
    return v.ends_with(kStylesheetEnding) ? is_path(v) : is_column(std::string(v));
}

// Stores the value in the description; returns false if it is invalid.
using Read = bool (*)(FormatDescription&, std::string_view);

template <std::string FormatDescription::*kMember, bool (*is_valid)(std::string_view)>
bool read_text(FormatDescription& f, std::string_view v) {
    f.*kMember = v;
    return is_valid(v);
}

template <Names FormatDescription::*kMember, bool (*are_valid)(const Names&)>
bool read_names(FormatDescription& f, std::string_view v) {
    f.*kMember = words(v);
    return are_valid(f.*kMember);
}

template <bool FormatDescription::*kMember>
bool read_flag(FormatDescription& f, std::string_view v) {
    if (v == "yes" || v == "no") f.*kMember = v == "yes";
    return v == "yes" || v == "no";
}

bool read_since(FormatDescription& f, std::string_view v) {
    const auto stamp = parse_datestamp(v);
    if (stamp) f.since = stamp->first;
    return stamp || v.empty();
}

bool read_records(FormatDescription& f, std::string_view v) {
    const auto n = text::to_integer(v);
    if (n && *n >= 1 && *n <= kMaxRecords) f.records = static_cast<int>(*n);
    return f.records != 0;
}

// An attribute of <f:format>, <f:about> or both.
struct Attribute {
    const char* name;
    bool required, of_format, of_about;
    Read read;
    std::string_view expected;  // describes valid values
};

using F = FormatDescription;
constexpr Attribute kAttributes[] = {
    {"prefix", true, true, false, read_text<&F::prefix, is_metadata_prefix>,
     "one or more of A-Z a-z 0-9 - _ . ! ~ * ' ( )"},
    {"alias", false, true, false, read_names<&F::aliases, are_prefixes>,
     "prefixes separated by blanks"},
    {"schema", true, true, true, read_text<&F::schema, is_schema>,
     "the URL of the XML Schema, or schema/NAME.xsd beside this file"},
    {"namespace", true, true, true, read_text<&F::metadata_namespace, is_absolute_uri>,
     "the namespace URI of what the stylesheet makes"},
    {"root-namespace", false, true, true, read_text<&F::root_namespace, is_absolute_uri>,
     "the namespace URI of the root element, where it is another"},
    {"formats", false, false, true, read_names<&F::goes_with, are_some_prefixes>,
     "prefixes separated by blanks"},
    {"since", false, true, false, read_since, "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"},
    {"requires", false, true, true, read_names<&F::requires_columns, are_columns>,
     "names of columns of oai.record, separated by blanks"},
    {"records", false, true, false, read_records, "a number from 1 to 10000"},
    {"visible", false, true, false, read_flag<&F::visible>, "yes or no"},
    {"unchanged", false, true, true, read_flag<&F::unchanged>, "yes or no"},
    {"input", false, true, true, read_text<&F::input_name, is_input>,
     "a column of oai.record, or the path of an adapter, NAME.xsl"},
    {"stylesheet", false, true, true, read_text<&F::stylesheet_path, is_path>,
     "a path from this file, without .."},
};

bool is_of(const Attribute& attribute, const FormatDescription& format) {
    return format.is_about ? attribute.of_about : attribute.of_format;
}

void read_attribute(FormatDescription& format, const xmlAttr* attribute, Problems& problems) {
    const std::string_view element = view(attribute->parent->name);
    const std::string_view name = view(attribute->name);
    const long line = xmlGetLineNo(attribute->parent);
    const auto* found = std::ranges::find_if(kAttributes, [&](const Attribute& a) {
        return attribute->ns == nullptr && is_of(a, format) && a.name == name;
    });
    if (found == std::end(kAttributes))
        return problems.add(line, fmt::format("{}: unknown attribute {}", element, name));
    // Only predefined entities occur, so a value is at most one text node.
    const std::string_view value =
        attribute->children == nullptr ? "" : view(attribute->children->content);
    if (!found->read(format, value))
        problems.add(
            line, fmt::format("{}: {}=\"{}\": must be {}", element, name, value, found->expected));
}

void read_attributes(FormatDescription& format, const xmlNode* element, Problems& problems) {
    const long line = xmlGetLineNo(element);
    const std::string_view kind = view(element->name);
    if (kind != "format" && kind != kAbout)
        return problems.add(line, fmt::format("unknown element {} in {}", kind, kFormatNamespace));
    format.is_about = kind == kAbout;
    if (format.is_about)
        format.prefix =
            fmt::format("{}/{}", kAbout, std::filesystem::path(format.path).stem().string());
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next)
        read_attribute(format, a, problems);
    for (const Attribute& a : kAttributes)
        if (a.required && is_of(a, format) && !format.yields_many() &&
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

// A record without the input column cannot be disseminated, so the format requires it.
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

std::string schema_url(const FormatDescription& format, std::string_view base_url) {
    return is_own_schema(format.schema) ? fmt::format("{}/-/{}", base_url, format.schema)
                                        : format.schema;
}

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
    read_attributes(out.description, out.element, problems);
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
