// SPDX-License-Identifier: MIT
#include "xml/schema.h"

#include <fmt/format.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlschemastypes.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <utility>

#include "xml/guard.h"

namespace oai::xml {
namespace {

namespace fs = std::filesystem;

// The loader callback of libxml2 takes no user data, so the folder of the schema that this thread
// is compiling is kept here.
constinit thread_local const std::string* current_folder = nullptr;

class CurrentFolder {
  public:
    explicit CurrentFolder(const std::string& directory) { current_folder = &directory; }
    ~CurrentFolder() { current_folder = nullptr; }
    CurrentFolder(const CurrentFolder&) = delete;
    CurrentFolder& operator=(const CurrentFolder&) = delete;
};

std::string_view file_name(std::string_view address) {
    return address.substr(address.rfind('/') + 1);
}

// The one way by which libxml2 itself opens anything: what a schema imports while it is compiled.
xmlParserInput* load_entity(const char* address, const char*, xmlParserCtxt* parser) noexcept {
    try {
        const auto file = SchemaFolder::find_local_file(address);
        if (!file) return nullptr;
        std::string bytes = read_file(*file);
        bytes.resize(Guard().pass(bytes).size());
        xmlParserInputBuffer* buffer = xmlParserInputBufferCreateMem(
            bytes.data(), static_cast<int>(bytes.size()), XML_CHAR_ENCODING_NONE);
        if (buffer == nullptr) return nullptr;
        xmlParserInput* input =
            xmlNewIOInputStream(parser, buffer, XML_CHAR_ENCODING_NONE);  // owns the buffer
        // Of xmlFree()'s memory, as the input's own; what it includes is looked for beside it.
        if (input != nullptr) input->filename = xmlMemStrdup(file->c_str());
        return input;
    } catch (...) {  // unreadable, or out of memory: libxml2 reports that it could not be loaded
        return nullptr;
    }
}

struct FirstError {
    std::string place;  // "file:line: ", "" where the document is no file
    int line = 0;
    std::string message;
};

// libxml2 reports errors to this. The first is the closest to the cause; others follow from it.
void keep_first(void* context, xmlErrorPtr error) noexcept {
    auto& first = *static_cast<FirstError*>(context);
    if (!first.message.empty() || error->message == nullptr || error->level == XML_ERR_WARNING)
        return;
    try {
        std::string_view message(error->message);
        while (!message.empty() && message.back() == '\n') message.remove_suffix(1);
        if (error->file != nullptr) first.place = fmt::format("{}:{}: ", error->file, error->line);
        first.line = error->line;
        first.message = message;
    } catch (...) {  // out of memory: only the message is lost, not the failure
    }
}

// libxml2 fills its tables of data types at their first use, without a lock between threads. This
// is not done by initialise() (document.h), since the server is linked without RELAX NG.
void fill_type_tables() {
    [[maybe_unused]] static const int filled = (xmlSchemaInitTypes(), xmlRelaxNGInitTypes());
}

}  // namespace

Schema::Schema(const std::string& path, const std::string& folder)
    : path_(path), document_(parse_file(path)) {
    fill_type_tables();
    const CurrentFolder current(folder);
    const SchemaParserHandle parser(xmlSchemaNewDocParserCtxt(document_.get()));
    if (!parser) throw std::bad_alloc();
    FirstError why;
    xmlSchemaSetParserStructuredErrors(parser.get(), keep_first, &why);
    schema_.reset(xmlSchemaParse(parser.get()));
    if (!schema_)
        throw Error(why.message.empty() ? path + ":1: not an XML Schema" : why.place + why.message);
}

std::string Schema::why_invalid(xmlDoc* document) const {
    const SchemaValidatorHandle validator(xmlSchemaNewValidCtxt(schema_.get()));
    if (!validator) throw std::bad_alloc();
    FirstError first;
    xmlSchemaSetValidStructuredErrors(validator.get(), keep_first, &first);
    if (xmlSchemaValidateDoc(validator.get(), document) == 0) return "";
    // Without the place: the document is no file, and its line is nearly always 1.
    std::string why = first.place + first.message;
    if (const std::size_t at = why.find(": Element "); at != std::string::npos)
        why.erase(0, at + 2);
    return why.empty() ? "libxml2 does not say why" : why;
}

SchemaFolder::SchemaFolder(std::string directory) : directory_(std::move(directory)) {
    [[maybe_unused]] static const bool set = (xmlSetExternalEntityLoader(load_entity), true);
}

void SchemaFolder::read_names() {
    read_ = true;
    std::vector<std::string> files;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(directory_, missing)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".xsd") && name.front() != '.') files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) try {
            const DocumentHandle document = parse_file(file);
            const StringHandle target(
                xmlGetNoNsProp(xmlDocGetRootElement(document.get()),
                               reinterpret_cast<const xmlChar*>("targetNamespace")));
            if (target) paths_.emplace(reinterpret_cast<const char*>(target.get()), file);
        } catch (const Error& e) {
            problems_.emplace_back(e.what());
        }
}

std::string SchemaFolder::path_of(std::string_view name_space, std::string_view address) {
    if (!read_) read_names();
    const auto [first, last] = paths_.equal_range(name_space);
    if (first == last) return "";
    const auto named = std::find_if(first, last, [&](const auto& entry) {
        return file_name(entry.second) == file_name(address);
    });
    return named == last ? first->second : named->second;
}

const Schema* SchemaFolder::find(std::string_view name_space, std::string_view address) {
    const std::string path = path_of(name_space, address);
    if (path.empty()) return nullptr;
    auto& schema = compiled_[path];
    if (!schema) schema = std::make_unique<const Schema>(Schema(path, directory_));
    return schema.get();
}

std::optional<std::string> SchemaFolder::find_local_file(const char* address) {
    if (current_folder == nullptr || address == nullptr) return std::nullopt;
    const UriHandle uri(xmlParseURI(address));
    if (!uri || uri->path == nullptr) return std::nullopt;
    std::error_code error;
    const std::string folder = fs::canonical(*current_folder, error).string() + "/";
    for (const fs::path& candidate :
         {fs::path(uri->path), fs::path(folder) / file_name(uri->path)}) {
        const std::string file = fs::canonical(candidate, error).string();
        if (!error && file.starts_with(folder)) return file;
    }
    return std::nullopt;
}

Grammar::Grammar(std::string_view text, const std::string& name) {
    fill_type_tables();
    const RelaxNgParserHandle parser(
        xmlRelaxNGNewMemParserCtxt(text.data(), static_cast<int>(text.size())));
    if (!parser) throw std::bad_alloc();
    FirstError why;
    xmlRelaxNGSetParserStructuredErrors(parser.get(), keep_first, &why);
    grammar_.reset(xmlRelaxNGParse(parser.get()));
    if (!grammar_)
        throw Error(fmt::format("{}:{}: {}", name, why.line,
                                why.message.empty() ? "not RELAX NG" : why.message));
}

std::string Grammar::why_invalid(xmlDoc* document) const {
    const RelaxNgValidatorHandle validator(xmlRelaxNGNewValidCtxt(grammar_.get()));
    if (!validator) throw std::bad_alloc();
    FirstError why;
    xmlRelaxNGSetValidStructuredErrors(validator.get(), keep_first, &why);
    if (xmlRelaxNGValidateDoc(validator.get(), document) == 0) return "";
    return why.message.empty() ? "libxml2 does not say why"
                               : fmt::format("line {}: {}", why.line, why.message);
}

}  // namespace oai::xml
