// SPDX-License-Identifier: MIT
// The worked example of lib/transform/README: the stylesheet compiles to the program that stands
// there, which writes of the record what stands there, as libxslt does.

#include "t/lib/made_up_records.h"
#include "t/unit/transform/stylesheet_text.h"
#include "transform/compiler.h"
#include "transform/interpreter.h"
#include "xml/document.h"

using namespace oai::transform;

namespace {

// The indented block behind the line that ends in `heading`, without its indentation.
std::string block(const std::string& heading) {
    std::ifstream readme("lib/transform/README");
    std::string line, out;
    while (std::getline(readme, line) && !line.ends_with(heading)) continue;
    std::getline(readme, line);  // an empty one
    while (std::getline(readme, line) && line.starts_with("    ")) out += line.substr(4) + "\n";
    return out;
}

std::string printed(const Expression& e) {
    return std::visit(
        []<class T>(const T& node) -> std::string {
            if constexpr (std::is_same_v<T, ColumnNodes>)
                return fmt::format("ColumnNodes {}", node.slot);
            else if constexpr (std::is_same_v<T, ContextNode>)
                return "ContextNode";
            else if constexpr (std::is_same_v<T, Literal>)
                return fmt::format("Literal '{}'", node.text);
            else if constexpr (std::is_same_v<T, Comparison>)
                return node.sign == Comparison::Sign::equal
                           ? fmt::format("equal({}, {})", printed(node.operands[0]),
                                         printed(node.operands[1]))
                           : "?";
            else
                return "?";
        },
        e.node);
}

std::string printed(const Operations& operations, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    std::string out;
    for (const Operation& o : operations) {
        if (const auto* text = std::get_if<Text>(&o.node))
            out += fmt::format("{}Text '{}'\n", indent, text->text);
        if (const auto* value = std::get_if<Value>(&o.node))
            out += fmt::format("{}Value {}{}\n", indent, printed(value->expression),
                               value->escape == Escape::attribute ? ", in an attribute" : "");
        if (const auto* element = std::get_if<Element>(&o.node)) {
            out += fmt::format("{}Element '{}' '{}'\n", indent, element->start, element->end);
            if (!element->attributes.empty())
                out += indent + "  attributes\n" + printed(element->attributes, depth + 2);
            out += indent + "  content\n" + printed(element->content, depth + 2);
        }
        if (const auto* each = std::get_if<ForEach>(&o.node))
            out += fmt::format("{}ForEach {}\n{}", indent, each->nodes.slot,
                               printed(each->body, depth + 1));
        if (const auto* choose = std::get_if<Choose>(&o.node)) {
            out += fmt::format("{}Choose\n", indent);
            for (const Branch& branch : choose->branches)
                out += fmt::format("{}  {}\n{}", indent, printed(*branch.test),
                                   printed(branch.body, depth + 2));
        }
    }
    return out;
}

}  // namespace

TEST_CASE("transform: the worked example of the README") {
    const Stylesheet stylesheet = compile_text(block("The stylesheet:"));
    const Compilation compiled = compile_program(stylesheet, "urn:n");
    INFO(compiled.why_not);
    REQUIRE(compiled.program);
    const Program& program = *compiled.program;
    const std::vector<Column> columns = {{Column::Kind::attribute, "id"},
                                         {Column::Kind::children, "title"},
                                         {Column::Kind::attribute, "year"}};
    CHECK(program.columns == columns);
    CHECK(printed(program.operations, 0) == block("@id, title, @year:"));

    const std::vector<Entry> id = {{"7"}}, titles = {{"War & Peace"}, {"Anna"}}, year = {{"2002"}};
    RecordView record;
    const std::array<Nodes, 3> nodes = {id, titles, year};
    for (const Nodes& column : nodes) record.columns.push_back(&column);
    std::string out;
    REQUIRE(Interpreter(program).append(out, record));
    CHECK(out + "\n" == block("What it writes:"));

    const std::string source =
        "<records>" + block("The record, as libxslt would see it:") + "</records>";
    const xml::DocumentHandle result =
        stylesheet.apply(xml::parse_memory(source, "record").get(), 5min);
    CHECK(written_by_libxml2(result.get(), xmlDocGetRootElement(result.get())) == out);
}
