// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/text.h"
#include "datestamp.h"
#include "error.h"
#include "format.h"
#include "xml/document.h"

namespace oai {
namespace {

constexpr std::string_view kNamespace = "urn:oai-fcgi:format";
constexpr std::chrono::milliseconds kTrialLimit{5000};
constexpr int kMaxRecords = 10'000;

std::string_view view(const xmlChar* s) {
    return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

// OAI-PMH.xsd, metadataPrefixType.
bool is_prefix(std::string_view s) {
    const auto allowed = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               std::string_view("-_.!~*'()").find(c) != std::string_view::npos;
    };
    return !s.empty() && std::all_of(s.begin(), s.end(), allowed);
}

bool is_absolute_uri(std::string_view s) {
    const std::size_t colon = s.find(':');
    return colon != std::string_view::npos && colon > 0 && colon + 1 < s.size() &&
           s.find_first_of(" \t\r\n<>\"") == std::string_view::npos;
}

// Each attribute of <f:format>: how its value is taken; false: `wanted` says what it should have been.
struct Attribute {
    std::string_view name;
    bool required;
    bool (*take)(Format&, std::string_view);
    std::string_view wanted;
};

bool take_prefix(Format& f, std::string_view v) {
    f.prefix = v;
    return is_prefix(v);
}

std::vector<std::string> words(std::string_view v) {
    std::vector<std::string> out;
    for (const std::string_view word : text::split(v, ' ')) {
        if (!word.empty()) {
            out.emplace_back(word);
        }
    }
    return out;
}

bool take_aliases(Format& f, std::string_view v) {
    f.aliases = words(v);
    return std::all_of(f.aliases.begin(), f.aliases.end(), is_prefix);
}

bool take_schema(Format& f, std::string_view v) {
    f.schema = v;
    return is_absolute_uri(v);
}

bool take_namespace(Format& f, std::string_view v) {
    f.metadata_namespace = v;
    return is_absolute_uri(v);
}

bool take_root_namespace(Format& f, std::string_view v) {
    f.root_namespace = v;
    return is_absolute_uri(v);
}

bool take_since(Format& f, std::string_view v) {
    const auto stamp = parse_datestamp(v);
    if (stamp) {
        f.since = stamp->first;
    }
    return stamp || v.empty();
}

bool take_requires(Format& f, std::string_view v) {
    f.requires_columns = words(v);
    return std::all_of(f.requires_columns.begin(), f.requires_columns.end(), [](const std::string& column) {
        return xmlValidateNCName(reinterpret_cast<const xmlChar*>(column.c_str()), 0) == 0;
    });
}

bool take_records(Format& f, std::string_view v) {
    const auto n = text::to_integer(v);
    if (n && *n >= 1 && *n <= kMaxRecords) {
        f.records = static_cast<int>(*n);
    }
    return f.records != 0;
}

bool take_visible(Format& f, std::string_view v) {
    f.visible = v != "no";
    return v == "yes" || v == "no";
}

constexpr std::array<Attribute, 9> kAttributes = {{
    {"prefix", true, take_prefix, "one or more of A-Z a-z 0-9 - _ . ! ~ * ' ( )"},
    {"alias", false, take_aliases, "prefixes separated by blanks"},
    {"schema", true, take_schema, "the URL of the XML Schema"},
    {"namespace", true, take_namespace, "the namespace URI of the format"},
    {"root-namespace", false, take_root_namespace, "the namespace URI of the root element, where it is another"},
    {"since", false, take_since, "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"},
    {"requires", false, take_requires, "names of columns of oai.record, separated by blanks"},
    {"records", false, take_records, "a number from 1 to 10000"},
    {"visible", false, take_visible, "yes or no"},
}};

// Collects what is wrong in all files, so that the admin sees everything at once.
class Problems {
  public:
    void add(const std::string& message) { text_ += (text_.empty() ? "" : "\n") + message; }
    void add(const std::string& path, long line, const std::string& message) {
        add(fmt::format("{}:{}: {}", path, line, message));
    }
    const std::string& text() const { return text_; }
    std::size_t mark() const { return text_.size(); }

  private:
    std::string text_;
};

bool is_description(const xmlNode* node) {
    return node->type == XML_ELEMENT_NODE && node->ns != nullptr && view(node->ns->href) == kNamespace;
}

void take_attribute(Format& format, const std::string& path, const xmlAttr* attribute, Problems& problems) {
    const std::string_view name = view(attribute->name);
    const long line = xmlGetLineNo(attribute->parent);
    const auto known = std::find_if(kAttributes.begin(), kAttributes.end(), [&](const Attribute& a) {
        return attribute->ns == nullptr && a.name == name;
    });
    if (known == kAttributes.end()) {
        problems.add(path, line, fmt::format("format: unknown attribute {}", name));
        return;
    }
    // No entities but the predefined: a value is one text node, or none.
    const std::string_view value = attribute->children == nullptr ? "" : view(attribute->children->content);
    if (!known->take(format, value)) {
        problems.add(path, line, fmt::format("format: {}=\"{}\": must be {}", name, value, known->wanted));
    }
}

void read_description(Format& format, const xmlNode* element, Problems& problems) {
    const std::string& path = format.stylesheet.path();
    const long line = xmlGetLineNo(element);
    if (view(element->name) != "format") {
        problems.add(path, line, fmt::format("unknown element {} in {}", view(element->name), kNamespace));
        return;
    }
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next) {
        take_attribute(format, path, a, problems);
    }
    for (const Attribute& a : kAttributes) {
        const std::string name(a.name);
        if (a.required && xmlHasNsProp(element, reinterpret_cast<const xmlChar*>(name.c_str()), nullptr) == nullptr) {
            problems.add(path, line, fmt::format("format: {} is missing: {}", name, a.wanted));
        }
    }
}

// A record without columns. Formats may yield nothing for it, but must not fail, nor yield a foreign element.
void try_out(const Format& format, long line, Problems& problems) {
    const xml::DocumentHandle source = xml::parse_memory(
        "<records><record id=\"1\" identifier=\"oai:example.org:1\" datestamp=\"2002-06-01T00:00:00Z\"/></records>",
        "sample record");
    try {
        const xml::DocumentHandle result = format.stylesheet.apply(source.get(), kTrialLimit);
        const std::string root = xml::root_namespace(result.get());
        if (xmlDocGetRootElement(result.get()) != nullptr && root != format.root_namespace) {
            problems.add(format.stylesheet.path(), line,
                         fmt::format("yields {{{}}}{}, which is not in the namespace {}", root,
                                     xml::root_name(result.get()), format.root_namespace));
        }
    } catch (const xml::Error& e) {
        problems.add(e.what());
    }
}

std::unique_ptr<const Format> read_format(const std::string& path, CompiledOptions compiled, Problems& problems) {
    const std::size_t before = problems.mark();
    auto format = std::make_unique<Format>(Format{.prefix = {},
                                                   .aliases = {},
                                                   .schema = {},
                                                   .metadata_namespace = {},
                                                   .root_namespace = {},
                                                   .since = {},
                                                   .requires_columns = {},
                                                   .stylesheet = xml::Stylesheet::compile(path)});
    const xmlNode* root = xmlDocGetRootElement(format->stylesheet.document());
    const xmlNode* description = nullptr;
    for (const xmlNode* node = root->children; node != nullptr; node = node->next) {
        if (!is_description(node)) {
            continue;
        }
        if (description != nullptr) {
            problems.add(path, xmlGetLineNo(node), "a second description; a file is one format");
        }
        description = node;
        read_description(*format, node, problems);
    }
    if (description == nullptr) {
        problems.add(path, xmlGetLineNo(root), fmt::format("no <format> in the namespace {}", kNamespace));
    }
    if (format->root_namespace.empty()) {
        format->root_namespace = format->metadata_namespace;
    }
    if (problems.mark() == before) {
        try_out(*format, xmlGetLineNo(description), problems);
    }
    if (problems.mark() == before) {
        format->compiled = std::make_unique<CompiledFormat>(format->stylesheet, format->root_namespace,
                                                            format->requires_columns, compiled);
    }
    return problems.mark() == before ? std::move(format) : nullptr;
}

std::vector<std::string> stylesheets_of(const std::string& directory, Problems& problems) {
    std::vector<std::string> paths;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
        if (entry.path().extension() == ".xsl") {
            paths.push_back(entry.path().string());
        }
    }
    if (error) {
        problems.add(fmt::format("{}: {}", directory, error.message()));
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

const std::string* name_in_common(const Format& a, const Format& b) {
    const auto has = [](const Format& f, const std::string& name) {
        return f.prefix == name || std::find(f.aliases.begin(), f.aliases.end(), name) != f.aliases.end();
    };
    if (has(b, a.prefix)) {
        return &a.prefix;
    }
    const auto alias = std::find_if(a.aliases.begin(), a.aliases.end(), [&](const auto& n) { return has(b, n); });
    return alias == a.aliases.end() ? nullptr : &*alias;
}

void check_names(const std::vector<std::unique_ptr<const Format>>& formats, Problems& problems) {
    for (std::size_t i = 0; i < formats.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (const std::string* name = name_in_common(*formats[i], *formats[j])) {
                problems.add(formats[i]->stylesheet.path(), 1,
                             fmt::format("{} is taken by {}", *name, formats[j]->stylesheet.path()));
            }
        }
    }
}

}  // namespace

FormatRegistry FormatRegistry::read(const std::string& directory, CompiledOptions compiled) {
    FormatRegistry registry;
    Problems problems;
    for (const std::string& path : stylesheets_of(directory, problems)) {
        try {
            if (auto format = read_format(path, compiled, problems)) {
                registry.formats_.push_back(std::move(format));
            }
        } catch (const xml::Error& e) {
            problems.add(e.what());
        }
    }
    check_names(registry.formats_, problems);
    if (problems.text().empty() && registry.find("oai_dc") == nullptr) {
        problems.add(fmt::format("{}: no format with the prefix oai_dc, which OAI-PMH demands", directory));
    }
    if (!problems.text().empty()) {
        throw Fault(problems.text());
    }
    std::sort(registry.formats_.begin(), registry.formats_.end(), [](const auto& a, const auto& b) {
        return std::pair(a->prefix != "oai_dc", a->prefix) < std::pair(b->prefix != "oai_dc", b->prefix);
    });
    return registry;
}

const Format* FormatRegistry::find(std::string_view name) const {
    const auto found = std::find_if(formats_.begin(), formats_.end(), [&](const auto& f) {
        return f->prefix == name || std::find(f->aliases.begin(), f->aliases.end(), name) != f->aliases.end();
    });
    return found == formats_.end() ? nullptr : found->get();
}

}  // namespace oai
