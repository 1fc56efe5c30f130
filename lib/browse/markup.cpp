// SPDX-License-Identifier: MIT
#include "browse/markup.h"

#include "xml/escape.h"

namespace oai::markup {
namespace {

void begin(std::string& out, std::string_view name, std::initializer_list<Attribute> attributes) {
    out.append("<").append(name);
    for (const Attribute& attribute : attributes) {
        if (!attribute.present) continue;
        out.append(" ").append(attribute.name).append("=\"");
        xml::append_attribute(out, attribute.value);
        out += '"';
    }
}

}  // namespace

void open(std::string& out, std::string_view name, std::initializer_list<Attribute> attributes) {
    begin(out, name, attributes);
    out += '>';
}

void empty(std::string& out, std::string_view name, std::initializer_list<Attribute> attributes) {
    begin(out, name, attributes);
    out += "/>";
}

void close(std::string& out, std::string_view name) { out.append("</").append(name).append(">"); }

void element(std::string& out, std::string_view name, std::string_view text) {
    open(out, name);
    xml::append_text(out, text);
    close(out, name);
}

std::string_view without_declaration(std::string_view document) {
    if (!document.starts_with("<?xml ")) return document;
    document.remove_prefix(document.find("?>") + 2);
    return document;
}

}  // namespace oai::markup
