// SPDX-License-Identifier: MIT
#include "xml/grammar.h"

#include <fmt/format.h>

#include <new>

namespace oai::xml {
namespace {

struct FirstError {
    int line = 0;
    std::string message;
};

// The callback by which libxml2 reports errors. The first error is the closest to the cause; later
// ones follow from it.
void keep_first_fault(void* context, xmlErrorPtr error) noexcept {
    auto& first = *static_cast<FirstError*>(context);
    if (!first.message.empty() || error->message == nullptr || error->level == XML_ERR_WARNING)
        return;
    try {
        std::string_view message(error->message);
        while (!message.empty() && message.back() == '\n') message.remove_suffix(1);
        first = {error->line, std::string(message)};
    } catch (...) {  // out of memory: only the message is lost, not the failure
    }
}

}  // namespace

Grammar::Grammar(std::string_view text, const std::string& name) {
    const RelaxNgParserHandle parser(
        xmlRelaxNGNewMemParserCtxt(text.data(), static_cast<int>(text.size())));
    if (!parser) throw std::bad_alloc();
    FirstError why;
    xmlRelaxNGSetParserStructuredErrors(parser.get(), keep_first_fault, &why);
    grammar_.reset(xmlRelaxNGParse(parser.get()));
    if (!grammar_)
        throw Error(fmt::format("{}:{}: {}", name, why.line,
                                why.message.empty() ? "not RELAX NG" : why.message));
}

std::string Grammar::why_invalid(xmlDoc* document) const {
    const RelaxNgValidatorHandle validator(xmlRelaxNGNewValidCtxt(grammar_.get()));
    if (!validator) throw std::bad_alloc();
    FirstError why;
    xmlRelaxNGSetValidStructuredErrors(validator.get(), keep_first_fault, &why);
    if (xmlRelaxNGValidateDoc(validator.get(), document) == 0) return "";
    return why.message.empty() ? "libxml2 does not say why"
                               : fmt::format("line {}: {}", why.line, why.message);
}

}  // namespace oai::xml
