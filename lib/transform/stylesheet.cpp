// SPDX-License-Identifier: MIT
#include "transform/stylesheet.h"

#include <fmt/format.h>
#include <libxslt/imports.h>
#include <libxslt/variables.h>

#include <algorithm>
#include <new>

#include "transform/files.h"

namespace oai::transform {
namespace {

int may_read(xsltSecurityPrefs*, xsltTransformContext*, const char* path) noexcept {
    try {
        Sandbox* box = Sandbox::current();
        return box != nullptr && box->resolve(path).has_value() ? 1 : 0;
    } catch (...) {  // out of memory: refuse
        return 0;
    }
}

xml::SecurityHandle make_security() {
    xml::SecurityHandle security(xsltNewSecurityPrefs());
    if (!security) throw std::bad_alloc();
    for (const auto option :
         {XSLT_SECPREF_WRITE_FILE, XSLT_SECPREF_CREATE_DIRECTORY, XSLT_SECPREF_WRITE_NETWORK})
        xsltSetSecurityPrefs(security.get(), option, xsltSecurityForbid);
    // An address of the network may mean a file; the loader of hooks.cpp fetches nothing.
    for (const auto option : {XSLT_SECPREF_READ_FILE, XSLT_SECPREF_READ_NETWORK})
        xsltSetSecurityPrefs(security.get(), option, may_read);
    return security;
}

// The same for every transform, and only read after it was made.
xsltSecurityPrefs* security() {
    static const xml::SecurityHandle preferences = make_security();
    return preferences.get();
}

// XSLT 2.0 and 3.0 are other languages, and libxslt would run them as if they were 1.0.
void check_version(const xmlDoc* document, const std::string& name) {
    const xmlNode* root = xmlDocGetRootElement(document);
    const bool is_stylesheet =
        root->ns != nullptr && xmlStrEqual(root->ns->href, XSLT_NAMESPACE) != 0;
    const xml::StringHandle value(
        is_stylesheet ? xmlGetNoNsProp(root, xml::xml_chars("version"))
                      : xmlGetNsProp(root, xml::xml_chars("version"), XSLT_NAMESPACE));
    const std::string_view version = xml::view(value.get());
    if (!value || version == "1.0" || version == "1.1") return;
    throw xml::Error(fmt::format(
        "{}:{}: this stylesheet is in XSLT {}, and XSLT 1.0 with EXSLT is what runs here "
        "(libxslt); "
        "if it uses no more, write version=\"1.0\": `oai check` names what it does; or run it "
        "beforehand, into a column of XML",
        name, xmlGetLineNo(root), version));
}

}  // namespace

xml::DocumentHandle parse_stylesheet(const std::string& file, const std::string& called,
                                     xmlDict* dictionary) {
    xml::DocumentHandle document =
        xml::parse_memory(xml::read_file(file), called, dictionary, xml::Entities::of_the_document);
    check_version(document.get(), called);
    return document;
}

Stylesheet::Stylesheet(xml::StylesheetHandle sheet, std::string path, Reach reach)
    : sheet_(std::move(sheet)), path_(std::move(path)), reach_(std::move(reach)) {}

Stylesheet Stylesheet::compile(const std::string& path, const std::string& directory,
                               std::shared_ptr<const Catalog> catalog) {
    const std::string home = canonical_directory_of(path);
    Reach reach{directory.empty() ? home : directory, home, std::move(catalog)};
    xml::DocumentHandle document = parse_stylesheet(path, path);
    const Sandbox sandbox(reach);
    xml::StylesheetHandle sheet(xsltParseStylesheetDoc(document.get()));
    if (sheet) document.release();  // now the stylesheet's
    if (!sheet || sheet->errors != 0) {
        const std::string said = sandbox.messages();
        throw xml::Error(said.empty() ? path + ":1: not a stylesheet" : said);
    }
    Stylesheet made(std::move(sheet), path, reach);
    made.is_by_catalog_ = reach.catalog && sandbox.used_catalog();
    return made;
}

std::vector<std::string> Stylesheet::files() const {
    std::vector<std::string> files{path_};
    const auto add = [&](const xmlDoc* document) {
        const xml::UriHandle uri(xmlParseURI(reinterpret_cast<const char*>(document->URL)));
        if (document == sheet_->doc || !uri || uri->path == nullptr) return;
        if (std::find(files.begin(), files.end(), uri->path) == files.end())
            files.emplace_back(uri->path);
    };
    for (xsltStylesheet* sheet = sheet_.get(); sheet != nullptr; sheet = xsltNextImport(sheet)) {
        add(sheet->doc);
        for (const xsltDocument* included = sheet->docList; included != nullptr;
             included = included->next)
            add(included->doc);
    }
    if (is_by_catalog_) files.push_back(reach_.catalog->path());
    return files;
}

xml::DocumentHandle Stylesheet::apply(xmlDoc* source, std::chrono::milliseconds limit,
                                      std::span<const Parameter> parameters,
                                      const Preparation& prepare) const {
    Sandbox sandbox(reach_);
    const xml::TransformHandle context(xsltNewTransformContext(sheet_.get(), source));
    if (!context || xsltSetCtxtSecurityPrefs(security(), context.get()) != 0)
        throw std::bad_alloc();
    if (prepare) prepare(context->xpathCtxt);
    for (const auto& [name, value] : parameters)
        xsltQuoteOneUserParam(context.get(), xml::xml_chars(name.c_str()),
                              xml::xml_chars(value.c_str()));
    sandbox.limit(context.get(), limit);
    xml::DocumentHandle result(
        xsltApplyStylesheetUser(sheet_.get(), source, nullptr, nullptr, nullptr, context.get()));
    sandbox.unlimit();  // the context is freed before the sandbox ends
    if (!result || context->state != XSLT_STATE_OK) {
        const std::string said = sandbox.messages();
        throw xml::Error(said.empty() ? path_ + ": the transform failed without a message"
                                      : said.substr(0, said.find('\n')));
    }
    return result;
}

}  // namespace oai::transform
