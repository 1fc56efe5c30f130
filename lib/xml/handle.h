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
#include <string_view>

namespace oai::xml {

// Views of NUL-terminated UTF-8 strings of libxml2 as std::string_view, and the reverse, without a
// copy: the result is valid as long as the owner of the string.

// Returns "" for nullptr.
inline std::string_view view(const xmlChar* s) {
    return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

inline const xmlChar* xml_chars(const char* s) { return reinterpret_cast<const xmlChar*>(s); }

struct FreeDocument {
    void operator()(xmlDoc* d) const noexcept { xmlFreeDoc(d); }
};
// Unlinks the node from its tree, if it is in one, and frees it.
struct FreeNode {
    void operator()(xmlNode* n) const noexcept {
        xmlUnlinkNode(n);
        xmlFreeNode(n);
    }
};
// Frees a plain block of memory of libxml2: a string, an array, or a single node that is not linked
// yet.
struct FreeMemory {
    void operator()(void* p) const noexcept { xmlFree(p); }
};
struct FreeBuffer {
    void operator()(xmlBuffer* b) const noexcept { xmlBufferFree(b); }
};
struct FreeUri {
    void operator()(xmlURI* u) const noexcept { xmlFreeURI(u); }
};
struct FreeStylesheet {
    void operator()(xsltStylesheet* s) const noexcept { xsltFreeStylesheet(s); }
};
struct FreeTransform {
    void operator()(xsltTransformContext* c) const noexcept { xsltFreeTransformContext(c); }
};
struct FreeSecurity {
    void operator()(xsltSecurityPrefs* p) const noexcept { xsltFreeSecurityPrefs(p); }
};
struct FreeParser {
    void operator()(xmlParserCtxt* c) const noexcept { xmlFreeParserCtxt(c); }
};
struct FreeReader {
    void operator()(xmlTextReader* r) const noexcept { xmlFreeTextReader(r); }
};
struct FreeXPathContext {
    void operator()(xmlXPathContext* c) const noexcept { xmlXPathFreeContext(c); }
};
struct FreeXPathObject {
    void operator()(xmlXPathObject* o) const noexcept { xmlXPathFreeObject(o); }
};

struct FreeXPath {
    void operator()(xmlXPathCompExpr* e) const noexcept { xmlXPathFreeCompExpr(e); }
};
struct FreeSchema {
    void operator()(xmlSchema* s) const noexcept { xmlSchemaFree(s); }
};
struct FreeSchemaParser {
    void operator()(xmlSchemaParserCtxt* c) const noexcept { xmlSchemaFreeParserCtxt(c); }
};
struct FreeSchemaValidator {
    void operator()(xmlSchemaValidCtxt* c) const noexcept { xmlSchemaFreeValidCtxt(c); }
};

struct FreeRelaxNg {
    void operator()(xmlRelaxNG* g) const noexcept { xmlRelaxNGFree(g); }
};
struct FreeRelaxNgParser {
    void operator()(xmlRelaxNGParserCtxt* c) const noexcept { xmlRelaxNGFreeParserCtxt(c); }
};
struct FreeRelaxNgValidator {
    void operator()(xmlRelaxNGValidCtxt* c) const noexcept { xmlRelaxNGFreeValidCtxt(c); }
};

using DocumentHandle = std::unique_ptr<xmlDoc, FreeDocument>;
using NodeHandle = std::unique_ptr<xmlNode, FreeNode>;
using StringHandle = std::unique_ptr<xmlChar, FreeMemory>;
using NamespaceList = std::unique_ptr<xmlNs*, FreeMemory>;  // frees the array, not the namespaces
using BufferHandle = std::unique_ptr<xmlBuffer, FreeBuffer>;
using UriHandle = std::unique_ptr<xmlURI, FreeUri>;
using StylesheetHandle = std::unique_ptr<xsltStylesheet, FreeStylesheet>;
using TransformHandle = std::unique_ptr<xsltTransformContext, FreeTransform>;
using SecurityHandle = std::unique_ptr<xsltSecurityPrefs, FreeSecurity>;
using ParserHandle = std::unique_ptr<xmlParserCtxt, FreeParser>;
using ReaderHandle = std::unique_ptr<xmlTextReader, FreeReader>;
using XPathContextHandle = std::unique_ptr<xmlXPathContext, FreeXPathContext>;
using XPathObjectHandle = std::unique_ptr<xmlXPathObject, FreeXPathObject>;
using XPathHandle = std::unique_ptr<xmlXPathCompExpr, FreeXPath>;
using SchemaHandle = std::unique_ptr<xmlSchema, FreeSchema>;
using SchemaParserHandle = std::unique_ptr<xmlSchemaParserCtxt, FreeSchemaParser>;
using SchemaValidatorHandle = std::unique_ptr<xmlSchemaValidCtxt, FreeSchemaValidator>;
using RelaxNgHandle = std::unique_ptr<xmlRelaxNG, FreeRelaxNg>;
using RelaxNgParserHandle = std::unique_ptr<xmlRelaxNGParserCtxt, FreeRelaxNgParser>;
using RelaxNgValidatorHandle = std::unique_ptr<xmlRelaxNGValidCtxt, FreeRelaxNgValidator>;

}  // namespace oai::xml
