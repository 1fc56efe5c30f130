// SPDX-License-Identifier: MIT
// Writes the XML that the stylesheet of the pages reads. Values may hold any bytes. Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "xml/escape.h"

namespace oai::markup {

// A false value leaves the attribute out.
struct Attribute {
    Attribute(std::string_view n, std::string_view v) : name(n), value(v) {}
    Attribute(std::string_view n, const std::string& v) : name(n), value(v) {}
    Attribute(std::string_view n, const char* v) : name(n), value(v) {}
    Attribute(std::string_view n, std::int64_t v) : name(n), value(std::to_string(v)) {}
    Attribute(std::string_view n, bool v) : name(n), value(v ? "yes" : ""), present(v) {}
    std::string_view name;
    std::string value;
    bool present = true;
};

// <name ..., without its end.
inline void begin(std::string& out, std::string_view name,
                  std::initializer_list<Attribute> attributes) {
    out.append("<").append(name);
    for (const Attribute& attribute : attributes) {
        if (!attribute.present) continue;
        out.append(" ").append(attribute.name).append("=\"");
        xml::append_attribute(out, attribute.value);
        out += '"';
    }
}

inline void open(std::string& out, std::string_view name,
                 std::initializer_list<Attribute> attributes = {}) {
    begin(out, name, attributes);
    out += '>';
}

inline void empty(std::string& out, std::string_view name,
                  std::initializer_list<Attribute> attributes = {}) {
    begin(out, name, attributes);
    out += "/>";
}

inline void close(std::string& out, std::string_view name) {
    out.append("</").append(name).append(">");
}

inline void element(std::string& out, std::string_view name, std::string_view text) {
    open(out, name);
    xml::append_text(out, text);
    close(out, name);
}

// The document without its XML declaration.
inline std::string_view without_declaration(std::string_view document) {
    if (!document.starts_with("<?xml ")) return document;
    document.remove_prefix(document.find("?>") + 2);
    return document;
}

}  // namespace oai::markup
