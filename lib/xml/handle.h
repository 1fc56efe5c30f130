// SPDX-License-Identifier: MIT
// Owning handles for the objects of libxml2 and libxslt. Their free functions are called only here.
#pragma once

#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <libxml/uri.h>
#include <libxml/xmlreader.h>
#include <libxml/xmlschemas.h>
#include <libxml/xmlstring.h>
#include <libxml/xpath.h>
#include <libxslt/security.h>
#include <libxslt/transform.h>
#include <libxslt/xsltInternals.h>

#include <memory>
#include <string>
#include <string_view>

namespace oai::xml {

// Views of NUL-terminated UTF-8 strings of libxml2 as std::string_view, and the reverse, without a
// copy: the result is valid as long as the owner of the string.

// Returns "" for nullptr.
inline std::string_view view(const xmlChar* s) {
    return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

inline const xmlChar* xml_chars(const char* s) { return reinterpret_cast<const xmlChar*>(s); }

// Calls the function that the library has for it.
template <auto release>
struct Released {
    void operator()(auto* handle) const noexcept { release(handle); }
};
// Unlinks the node from its tree, if it is in one, and frees it.
struct FreeNode {
    void operator()(xmlNode* n) const noexcept {
        xmlUnlinkNode(n);
        xmlFreeNode(n);
    }
};
// Frees a block of memory of libxml2: a string, an array, or a node that is not linked yet.
struct FreeMemory {
    void operator()(void* p) const noexcept { xmlFree(p); }
};

using DocumentHandle = std::unique_ptr<xmlDoc, Released<xmlFreeDoc>>;
using NodeHandle = std::unique_ptr<xmlNode, FreeNode>;
using StringHandle = std::unique_ptr<xmlChar, FreeMemory>;
using NamespaceList = std::unique_ptr<xmlNs*, FreeMemory>;  // frees the array, not the namespaces
using BufferHandle = std::unique_ptr<xmlBuffer, Released<xmlBufferFree>>;
using UriHandle = std::unique_ptr<xmlURI, Released<xmlFreeURI>>;
using StylesheetHandle = std::unique_ptr<xsltStylesheet, Released<xsltFreeStylesheet>>;
using TransformHandle = std::unique_ptr<xsltTransformContext, Released<xsltFreeTransformContext>>;
using SecurityHandle = std::unique_ptr<xsltSecurityPrefs, Released<xsltFreeSecurityPrefs>>;
using ParserHandle = std::unique_ptr<xmlParserCtxt, Released<xmlFreeParserCtxt>>;
using ReaderHandle = std::unique_ptr<xmlTextReader, Released<xmlFreeTextReader>>;
using XPathContextHandle = std::unique_ptr<xmlXPathContext, Released<xmlXPathFreeContext>>;
using XPathObjectHandle = std::unique_ptr<xmlXPathObject, Released<xmlXPathFreeObject>>;
using XPathHandle = std::unique_ptr<xmlXPathCompExpr, Released<xmlXPathFreeCompExpr>>;
using SchemaHandle = std::unique_ptr<xmlSchema, Released<xmlSchemaFree>>;
using SchemaParserHandle = std::unique_ptr<xmlSchemaParserCtxt, Released<xmlSchemaFreeParserCtxt>>;
using SchemaValidatorHandle = std::unique_ptr<xmlSchemaValidCtxt, Released<xmlSchemaFreeValidCtxt>>;
using RelaxNgHandle = std::unique_ptr<xmlRelaxNG, Released<xmlRelaxNGFree>>;
using RelaxNgParserHandle =
    std::unique_ptr<xmlRelaxNGParserCtxt, Released<xmlRelaxNGFreeParserCtxt>>;
using RelaxNgValidatorHandle =
    std::unique_ptr<xmlRelaxNGValidCtxt, Released<xmlRelaxNGFreeValidCtxt>>;

// The value of the attribute of that name without a namespace; "" if it is absent.
inline std::string attribute_of(const xmlNode* element, const char* name) {
    const StringHandle value(xmlGetNoNsProp(element, xml_chars(name)));
    return std::string(view(value.get()));
}

}  // namespace oai::xml
