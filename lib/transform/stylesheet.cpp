// SPDX-License-Identifier: MIT
#include "transform/stylesheet.h"

#include <fmt/format.h>
#include <libxslt/imports.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "transform/functions.h"
#include "transform/sandbox.h"
#include "xml/document.h"

namespace oai::transform {
namespace {

int may_read(xsltSecurityPrefs*, xsltTransformContext*, const char* path) noexcept {
    try {
        const Sandbox* box = Sandbox::current();
        return box != nullptr && box->resolve(path).has_value() ? 1 : 0;
    } catch (...) {  // out of memory: refuse
        return 0;
    }
}

xml::SecurityHandle make_security() {
    xml::SecurityHandle security(xsltNewSecurityPrefs());
    if (!security) throw std::bad_alloc();
    for (const auto option : {XSLT_SECPREF_WRITE_FILE, XSLT_SECPREF_CREATE_DIRECTORY,
                              XSLT_SECPREF_READ_NETWORK, XSLT_SECPREF_WRITE_NETWORK})
        xsltSetSecurityPrefs(security.get(), option, xsltSecurityForbid);
    xsltSetSecurityPrefs(security.get(), XSLT_SECPREF_READ_FILE, may_read);
    return security;
}

// The same for every transform, and only read after it was made.
xsltSecurityPrefs* security() {
    static const xml::SecurityHandle preferences = make_security();
    return preferences.get();
}

std::string directory_of(const std::string& path) {
    std::error_code error;
    const auto file = std::filesystem::canonical(path, error);
    if (error) throw xml::Error(fmt::format("{}: {}", path, error.message()));
    return file.parent_path().string();
}

}  // namespace

Stylesheet::Stylesheet(xml::StylesheetHandle sheet, std::string path, std::string directory)
    : sheet_(std::move(sheet)), path_(std::move(path)), directory_(std::move(directory)) {}

Stylesheet Stylesheet::compile(const std::string& path) {
    std::string directory = directory_of(path);
    xml::DocumentHandle document = xml::parse_file(path);
    const Sandbox sandbox(directory);
    xml::StylesheetHandle sheet(xsltParseStylesheetDoc(document.get()));
    if (sheet) document.release();  // now the stylesheet's
    if (!sheet || sheet->errors != 0) {
        const std::string said = sandbox.messages();
        throw xml::Error(said.empty() ? path + ":1: not a stylesheet" : said);
    }
    return {std::move(sheet), path, std::move(directory)};
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
    return files;
}

xml::DocumentHandle Stylesheet::apply(xmlDoc* source, std::chrono::milliseconds limit,
                                      const Functions* functions) const {
    Sandbox sandbox(directory_);
    const xml::TransformHandle context(xsltNewTransformContext(sheet_.get(), source));
    if (!context || xsltSetCtxtSecurityPrefs(security(), context.get()) != 0)
        throw std::bad_alloc();
    if (functions != nullptr) offer(context.get(), *functions);
    sandbox.limit(context.get(), limit);
    xml::DocumentHandle result(
        xsltApplyStylesheetUser(sheet_.get(), source, nullptr, nullptr, nullptr, context.get()));
    sandbox.unlimit();  // the context is freed before the sandbox ends
    if (!result || context->state != XSLT_STATE_OK) {
        const std::string said = sandbox.first_message();
        throw xml::Error(said.empty() ? path_ + ": the transform failed without a message" : said);
    }
    return result;
}

}  // namespace oai::transform
