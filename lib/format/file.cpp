// SPDX-License-Identifier: MIT
#include "format/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <span>
#include <sstream>

#include "base/text.h"
#include "protocol/datestamp.h"
#include "protocol/error.h"
#include "protocol/set_spec.h"
#include "xml/document.h"
#include "xml/view.h"

namespace oai {
namespace {

using xml::view;
using xml::xml_chars;

constexpr std::string_view kEnding = ".xsl";
constexpr const char* kAbout = "about";  // the directory and the element
constexpr std::chrono::milliseconds kRunLimit{2000};
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
    bool (*take)(Format&, std::string_view);
    std::string_view expected;
};

bool take_prefix(Format& f, std::string_view v) {
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

bool take_aliases(Format& f, std::string_view v) {
    f.aliases = words(v);
    return are_prefixes(f.aliases);
}

template <std::string Format::*kMember>
bool take_uri(Format& f, std::string_view v) {
    f.*kMember = v;
    return is_absolute_uri(v);
}

bool take_since(Format& f, std::string_view v) {
    const auto stamp = parse_datestamp(v);
    if (stamp) f.since = stamp->first;
    return stamp || v.empty();
}

bool take_requires(Format& f, std::string_view v) {
    f.requires_columns = words(v);
    return std::all_of(f.requires_columns.begin(), f.requires_columns.end(),
                       [](const std::string& column) {
                           return xmlValidateNCName(xml_chars(column.c_str()), 0) == 0;
                       });
}

bool take_records(Format& f, std::string_view v) {
    const auto n = text::to_integer(v);
    if (n && *n >= 1 && *n <= kMaxRecords) f.records = static_cast<int>(*n);
    return f.records != 0;
}

bool take_visible(Format& f, std::string_view v) {
    f.visible = v != "no";
    return v == "yes" || v == "no";
}

bool take_unchanged(Format& f, std::string_view v) {
    f.unchanged = v == "yes";
    return v == "yes" || v == "no";
}

bool take_goes_with(Format& f, std::string_view v) {
    f.goes_with = words(v);
    return !f.goes_with.empty() && are_prefixes(f.goes_with);
}

constexpr std::array<Attribute, 10> kFormatAttributes = {{
    {"prefix", true, take_prefix, "one or more of A-Z a-z 0-9 - _ . ! ~ * ' ( )"},
    {"alias", false, take_aliases, "prefixes separated by blanks"},
    {"schema", true, take_uri<&Format::schema>, "the URL of the XML Schema"},
    {"namespace", true, take_uri<&Format::metadata_namespace>, "the namespace URI of the format"},
    {"root-namespace", false, take_uri<&Format::root_namespace>,
     "the namespace URI of the root element, where it is another"},
    {"since", false, take_since, "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"},
    {"requires", false, take_requires, "names of columns of oai.record, separated by blanks"},
    {"records", false, take_records, "a number from 1 to 10000"},
    {"visible", false, take_visible, "yes or no"},
    {"unchanged", false, take_unchanged, "yes or no"},
}};

constexpr std::array<Attribute, 5> kAboutAttributes = {{
    {"schema", true, take_uri<&Format::schema>, "the URL of the XML Schema"},
    {"namespace", true, take_uri<&Format::metadata_namespace>, "the namespace URI of the element"},
    {"root-namespace", false, take_uri<&Format::root_namespace>,
     "the namespace URI of the element, where it is another"},
    {"formats", false, take_goes_with, "prefixes separated by blanks"},
    {"requires", false, take_requires, "names of columns of oai.record, separated by blanks"},
}};

std::span<const Attribute> attributes_of(const Format& format) {
    return format.is_about ? std::span<const Attribute>(kAboutAttributes) : kFormatAttributes;
}

// Collects all problems of a file, so that the administrator sees them at once.
class Problems {
  public:
    explicit Problems(const std::string& path) : path_(path) {}

    void add(long line, std::string_view message) {
        lines_.push_back(fmt::format("{}:{}: {}", path_, line, message));
    }
    // Adds the messages of libxslt, one per line. Some begin with a place in this file or an
    // imported one; the others (an exceeded limit, a cycle of attribute sets) are attributed to the
    // stylesheet as a whole.
    void add_all(long line, std::string_view messages) {
        const std::string directory = std::filesystem::path(path_).parent_path().string();
        for (const std::string_view message : text::split(messages, '\n'))
            if (message.starts_with(directory))
                lines_.emplace_back(message);
            else
                add(line, message);
    }
    bool empty() const { return lines_.empty(); }
    std::string text() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

  private:
    const std::string& path_;
    std::vector<std::string> lines_;
};

void take_attribute(Format& format, const xmlAttr* attribute, Problems& problems) {
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

void read_description(Format& format, const xmlNode* element, Problems& problems) {
    const long line = xmlGetLineNo(element);
    const std::string_view kind = view(element->name);
    if (kind != "format" && kind != kAbout)
        return problems.add(line, fmt::format("unknown element {} in {}", kind, kFormatNamespace));
    format.is_about = kind == kAbout;
    if (format.is_about) {
        const std::filesystem::path path = format.stylesheet.path();
        format.prefix = fmt::format("{}/{}", kAbout, path.stem().string());
    }
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next)
        take_attribute(format, a, problems);
    for (const Attribute& a : attributes_of(format))
        if (a.required && xmlHasNsProp(element, xml_chars(a.name), nullptr) == nullptr)
            problems.add(line, fmt::format("{}: {} is missing: {}", kind, a.name, a.expected));
}

std::shared_ptr<const Format> read_format(const std::string& path, Problems& problems) {
    auto format =
        std::make_shared<Format>(Format{.stylesheet = transform::Stylesheet::compile(path)});
    const xmlNode* root = xmlDocGetRootElement(format->stylesheet.document());
    const xmlNode* description = nullptr;
    for (const xmlNode* node = root->children; node != nullptr; node = node->next) {
        if (node->type != XML_ELEMENT_NODE || node->ns == nullptr ||
            view(node->ns->href) != kFormatNamespace)
            continue;
        if (description != nullptr)
            problems.add(xmlGetLineNo(node), "a second description; a file is one format");
        description = node;
        read_description(*format, node, problems);
    }
    if (description == nullptr)
        problems.add(xmlGetLineNo(root),
                     fmt::format("no <format> or <about> in the namespace {}", kFormatNamespace));
    if (format->root_namespace.empty()) format->root_namespace = format->metadata_namespace;
    if (!problems.empty()) return nullptr;
    format->line = xmlGetLineNo(description);
    format->compiled = std::make_unique<CompiledFormat>(format->stylesheet, format->root_namespace,
                                                        format->requires_columns);
    return format;
}

// Temporary files of editors and copying programs have another ending (x.xsl~, x.xsl.part,
// .x.xsl.swp, .x.xsl.Ab12Cd) or begin with one of these characters.
bool is_format_file_name(std::string_view name) {
    return name.size() > kEnding.size() && name.ends_with(kEnding) && name.front() != '.' &&
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
    const std::string& path = format.stylesheet.path();
    const bool in_about =
        std::filesystem::path(path).parent_path() == about_directory_of(directory);
    if (in_about == format.is_about) return "";
    return fmt::format("{}:{}: {}", path, format.line,
                       in_about
                           ? "a format: in about/ a stylesheet describes itself by <about>"
                           : "an about stylesheet belongs into about/ of the formats directory");
}

std::vector<std::string> format_files_of(const std::string& directory) {
    std::vector<std::string> paths;
    append_stylesheets(paths, directory);
    const std::string about = about_directory_of(directory);
    std::error_code ignored;
    if (std::filesystem::is_directory(about, ignored)) append_stylesheets(paths, about);
    return paths;
}

std::shared_ptr<const Format> compile_format_file(const std::string& path) {
    Problems problems(path);
    try {
        auto format = read_format(path, problems);
        if (problems.empty()) return format;
    } catch (const xml::Error& e) {
        problems.add_all(1, e.what());
    }
    throw Fault(problems.text());
}

void run_format_once(const Format& format) {
    Problems problems(format.stylesheet.path());
    const xml::DocumentHandle source = xml::parse_memory(
        "<records><record id=\"1\" identifier=\"oai:example.org:1\" "
        "datestamp=\"2002-06-01T00:00:00Z\"/></records>",
        "sample record");
    try {
        const xml::DocumentHandle result = format.stylesheet.apply(source.get(), kRunLimit);
        const std::string root = xml::root_namespace(result.get());
        if (xmlDocGetRootElement(result.get()) == nullptr || root == format.root_namespace) return;
        problems.add(format.line,
                     fmt::format("yields {{{}}}{}, which is not in the namespace {}", root,
                                 xml::root_name(result.get()), format.root_namespace));
    } catch (const xml::Error& e) {
        problems.add_all(format.line, e.what());
    }
    throw Fault(problems.text());
}

std::shared_ptr<const Format> read_format_file(const std::string& path) {
    auto format = compile_format_file(path);
    run_format_once(*format);
    return format;
}

}  // namespace oai
