// SPDX-License-Identifier: MIT
// Writes the XML that the stylesheet of the pages reads. Values are escaped and may hold any bytes.
// Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

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

void open(std::string& out, std::string_view name,
          std::initializer_list<Attribute> attributes = {});  // <name ...>
void empty(std::string& out, std::string_view name,
           std::initializer_list<Attribute> attributes = {});  // <name .../>
void close(std::string& out, std::string_view name);
void element(std::string& out, std::string_view name, std::string_view text);

// The document without its XML declaration.
std::string_view without_declaration(std::string_view document);

}  // namespace oai::markup
