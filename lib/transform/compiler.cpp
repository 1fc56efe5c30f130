// SPDX-License-Identifier: MIT
#include "transform/compiler.h"

#include <fmt/format.h>

#include <utility>

#include "transform/content_compiler.h"

namespace oai::transform {

void add_text(std::string text, Operations& out) {
    if (text.empty()) return;
    if (auto* before = out.empty() ? nullptr : std::get_if<Text>(&out.back().node))
        before->text += text;
    else
        out.push_back({Text{std::move(text)}});
}

Compilation Compiler::compile() {
    try {
        const xsltTemplate* const rule =
            record_template(stylesheet_, document_.empty() ? "record" : "/");
        Place place{.rule = rule, .content = Content::record};
        if (!document_.empty()) {
            program_.columns.push_back({Column::Kind::trees, document_});
            program_.is_of_document = true;
            place.context = ContextKind::stored;
        }
        add_point(rule->elem, kExecuted);  // the first is the program's own
        add_record(rule->elem, place, program_.operations);
        return {.program = std::move(program_), .why_not = {}};
    } catch (const Unsupported& unsupported) {
        return {.program = {}, .why_not = where(unsupported)};
    }
}

// What is made of a record: one literal element or copied one, a choice of these, or one for the
// one element of stored XML that there is.
void Compiler::add_record(const xmlNode* parent, const Place& place, Operations& out) {
    const xmlNode* const node = only_element(parent);
    const std::string_view name = view(node->name);
    if (place.depth > kMaxElementDepth) refuse(node, "more than 100 levels");
    if (!is_xslt(node)) {
        if (node->ns == nullptr || view(node->ns->href) != root_namespace_)
            refuse(node, "a root element of another namespace");
        add_literal_element(node, place, out);
    } else if (name == "copy-of") {
        CopyRecord copy{copy_of(node, place).elements, root_namespace_};
        out.push_back(make(node, std::move(copy)));
    } else if (name == "for-each") {
        Place inside = place.inside();
        ForEach each = for_each(node, inside);
        each.makes_record = true;
        if (inside.context != ContextKind::stored) refuse(node, "xsl:for-each over a column here");
        add_record(node, inside, each.body);
        out.push_back(make(node, std::move(each)));
    } else if (name == "choose") {
        add_choice(node, place, out);
    } else {
        refuse(node, fmt::format("xsl:{} in place of a record's element", name));
    }
}

std::string Compiler::where(const Unsupported& unsupported) const {
    const xmlNode* const node = unsupported.node();
    const bool is_imported = node->doc != stylesheet_.document();
    return fmt::format("{}:{}: {}", is_imported ? view(node->doc->URL) : stylesheet_.path(),
                       xmlGetLineNo(node), unsupported.what());
}

Compilation compile_program(const Stylesheet& stylesheet, const std::string& root_namespace,
                            const std::string& document) {
    return Compiler(stylesheet, root_namespace, document).compile();
}

}  // namespace oai::transform
