// SPDX-License-Identifier: MIT
// What libxml2 and libxslt keep once per process: set here, before any thread starts, and never
// changed again. Each hook asks the Sandbox of its thread.
#include <libexslt/exslt.h>
#include <libxml/catalog.h>
#include <libxml/parserInternals.h>
#include <libxslt/documents.h>
#include <libxslt/xslt.h>
#include <libxslt/xsltutils.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "transform/files.h"
#include "transform/sandbox.h"
#include "transform/stylesheet.h"
#include "xml/document.h"

namespace oai::transform {
namespace {

void* allocate(std::size_t bytes) noexcept {
    return Sandbox::charge(bytes) ? std::malloc(bytes) : nullptr;
}

void* reallocate(void* block, std::size_t bytes) noexcept {
    return Sandbox::charge(bytes) ? std::realloc(block, bytes) : nullptr;
}

char* copy_text(const char* text) noexcept {
    const std::size_t bytes = std::strlen(text) + 1;
    void* block = allocate(bytes);
    return block == nullptr ? nullptr : static_cast<char*>(std::memcpy(block, text, bytes));
}

// Messages come in pieces, by printf's rules. Longer ones are cut.
[[gnu::format(printf, 2, 3)]] void report_message(void*, const char* format, ...) noexcept {
    Sandbox* box = Sandbox::current();
    if (box == nullptr) return;
    std::array<char, 2048> text{};
    va_list values;
    va_start(values, format);
    const int wanted = std::vsnprintf(text.data(), text.size(), format, values);
    va_end(values);
    if (wanted >= static_cast<int>(text.size()))
        text[text.size() - 2] = '\n';  // so that the line ends
    try {
        box->report(text.data());
    } catch (...) {  // out of memory: the message is lost, the failure itself is seen by its caller
    }
}

// A stylesheet, or a document that document() reads. A file that stands for an address of the
// network is called by its own name, so that what it imports is looked for beside it.
xml::DocumentHandle read(Sandbox& box, const std::string& name, xmlDict* dictionary,
                         bool is_stylesheet) {
    if (is_stylesheet && !box.count_file()) throw xml::Error(name + ": imported without an end");
    const auto file = box.resolve(name.c_str());
    const bool local = path_of(name.c_str()).has_value();
    if (!file && local)
        throw xml::Error(name + ": not a file within the directory of the stylesheet");
    if (!file)
        throw xml::Error(name +
                         ": nothing is fetched from the network; put that file beside the "
                         "stylesheet, or name one in the catalog");
    const std::string& called = local ? name : *file;
    return is_stylesheet ? parse_stylesheet(*file, called, dictionary)
                         : xml::parse_memory(xml::read_file(*file), called, dictionary,
                                             xml::Entities::of_the_document);
}

// xsl:import, xsl:include and document(): our parser, where the sandbox lets it read. `options` are
// not asked: ours are stricter.
xmlDoc* load(const xmlChar* uri, xmlDict* dictionary, int, void*, xsltLoadType type) noexcept {
    Sandbox* box = Sandbox::current();
    if (box == nullptr) return nullptr;
    try {
        try {
            return read(*box, reinterpret_cast<const char*>(uri), dictionary,
                        type == XSLT_LOAD_STYLESHEET)
                .release();
        } catch (const xml::Error& e) {
            box->report(std::string(e.what()) + "\n");
        }
    } catch (...) {  // out of memory: libxslt reports that the document could not be loaded
    }
    return nullptr;
}

}  // namespace
}  // namespace oai::transform

namespace oai::xml {

void initialise() {
    static std::once_flag once;
    std::call_once(once, [] {
        using namespace transform;
        xmlMemSetup(std::free, allocate, reallocate, copy_text);
        xmlInitParser();
        xmlSetGenericErrorFunc(nullptr, report_message);
        xmlThrDefSetGenericErrorFunc(nullptr, report_message);
        // No document may name a catalog: libxml2 would make its list of them without a lock.
        xmlCatalogSetDefaults(XML_CATA_ALLOW_NONE);
        // libxml2 itself opens nothing, but for schemas (xml/schema.h).
        xmlSetExternalEntityLoader(
            [](const char*, const char*, xmlParserCtxt*) -> xmlParserInput* { return nullptr; });
        xsltInit();
        xsltSetGenericErrorFunc(nullptr, report_message);
        xsltSetLoaderFunc(load);
        exsltCommonRegister();
        exsltMathRegister();
        exsltSetsRegister();
        exsltStrRegister();
        exsltDateRegister();  // not exsltDynRegister: no evaluation of data
    });
}

}  // namespace oai::xml

// libxslt compares the namespace and the name of every node of a stylesheet that it comes to, and
// libxml2 does that byte by byte: an eighth of a transform. The dynamic linker gives libxslt's
// calls this function of the program in place of libxml2's, whose own calls stay within it.
extern "C" int xmlStrEqual(const xmlChar* a, const xmlChar* b) {
    if (a == b) return 1;
    if (a == nullptr || b == nullptr) return 0;
    return std::strcmp(reinterpret_cast<const char*>(a), reinterpret_cast<const char*>(b)) == 0;
}
