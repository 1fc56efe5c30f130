// SPDX-License-Identifier: MIT
#include "tools/validate/schemas.h"

#include <array>
#include <new>

#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::validate {
namespace {

struct BuiltinGrammar {
    std::string_view name_space;
    const std::string_view& grammar;
    const char* name;
};

const std::array kBuiltinGrammars{
    BuiltinGrammar{"http://www.openarchives.org/OAI/2.0/", oai_pmh_grammar, "oai-pmh"},
    BuiltinGrammar{"http://www.openarchives.org/OAI/2.0/oai_dc/", oai_dc_grammar, "oai_dc"},
    BuiltinGrammar{"http://www.openarchives.org/OAI/2.0/oai-identifier", containers_grammar,
                   "containers"},
    BuiltinGrammar{"http://www.openarchives.org/OAI/1.1/eprints", containers_grammar, "containers"},
    BuiltinGrammar{"http://www.openarchives.org/OAI/2.0/friends/", containers_grammar,
                   "containers"},
    BuiltinGrammar{"http://www.openarchives.org/OAI/2.0/branding/", containers_grammar,
                   "containers"},
    BuiltinGrammar{"http://www.openarchives.org/OAI/2.0/gateway/", containers_grammar,
                   "containers"},
    BuiltinGrammar{"http://www.openarchives.org/OAI/2.0/rights/", containers_grammar, "containers"},
    BuiltinGrammar{"http://www.openarchives.org/OAI/2.0/provenance", containers_grammar,
                   "containers"},
    BuiltinGrammar{"http://oai.dlib.vt.edu/OAI/metadata/toolkit", containers_grammar, "containers"},
};

const BuiltinGrammar* find_builtin(std::string_view name_space) {
    for (const BuiltinGrammar& builtin : kBuiltinGrammars)
        if (builtin.name_space == name_space) return &builtin;
    return nullptr;
}

}  // namespace

Schemas::Schemas(const std::string& folder) : folder_(folder) {}

const xml::Grammar& Schemas::grammar(std::string_view text, const std::string& name) {
    const auto found = grammars_.find(name);
    return found != grammars_.end() ? found->second
                                    : grammars_.try_emplace(name, text, name).first->second;
}

std::optional<std::string> Schemas::why_invalid(xmlDoc* document, std::string_view address) {
    const std::string name_space = xml::root_namespace(document);
    const BuiltinGrammar* builtin = find_builtin(name_space);
    const xml::Schema* schema = folder_.find(name_space, address);
    if (builtin == nullptr && schema == nullptr) return std::nullopt;
    std::string why =
        builtin != nullptr ? grammar(builtin->grammar, builtin->name).why_invalid(document) : "";
    if (why.empty() && schema != nullptr) why = schema->why_invalid(document);
    return why;
}

std::optional<std::string> Schemas::why_invalid(const xmlNode* element, std::string_view address) {
    if (find_builtin(xml::namespace_of(element)) == nullptr &&
        folder_.find(xml::namespace_of(element), address) == nullptr)
        return std::nullopt;
    const xml::DocumentHandle document = xml::document_of(element);
    return why_invalid(document.get(), address);
}

}  // namespace oai::validate
