// SPDX-License-Identifier: MIT
// Random stored XML for a compiled stylesheet that copies it, with namespaces, escaping and nesting
// that easily cause errors, and sometimes not in the form that can be read
// (lib/transform/stored_xml.h).
#pragma once

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "transform/stored_xml.h"
#include "xml/escape.h"

namespace oai::test {

using transform::Declaration, transform::ElementName, transform::Scope;

// What a program does with a column of stored XML.
struct TreeReads {
    bool is_record = false;  // the record's own element is copied, so that there must be one
    Scope around{};          // what is in force at one or another of the copies
    std::vector<std::string> name_spaces{};          // of the record's own element
    std::vector<transform::ElementName> children{};  // which have the metadata's namespace as text
};

inline constexpr std::array<std::string_view, 2> kMadeUpNamespaces = {
    "urn:oai-fcgi:trial:metadata", "urn:a&<b"};  // /records/@metadataNamespace

inline constexpr std::array<std::string_view, 10> kTreeTexts = {
    "",        "a",    "\n  ",  "&amp;&lt;b&gt;", "]]&gt;", "\"'", "\xC5\xBE\xF0\x9F\x98\x80",
    "&#13;\t", "text", "  x  ",
};
inline constexpr std::array<std::string_view, 5> kTreeValues = {"", "v", "&quot;&lt;&gt;&amp;'",
                                                                "&#9;&#10;&#13;", "\xC5\xBE"};
inline constexpr std::array<std::string_view, 5> kNotPlain = {
    "<!-- c -->", "<![CDATA[<]]>", "<?pi x?>", "<n:e xmlns:n='urn:e'></n:e>", "\xC2\xA0\r\n>",
};

class TreeMaker {
  public:
    TreeMaker(const TreeReads& reads, std::mt19937& random) : reads_(reads), random_(random) {}

    std::string content() {
        std::string out = one_in(8) ? "<?xml version=\"1.0\"?>" : "";
        if (reads_.is_record && !one_in(8)) return out + top_element();
        for (std::size_t n = one_in(8) ? 0 : below(4); n > 0; --n) {
            if (one_in(6)) out += "\n ";
            out += top_element();
        }
        return out;
    }

  private:
    std::string top_element() {
        ElementName name{"urn:oai-fcgi:trial", "any"};
        if (!reads_.name_spaces.empty() && !one_in(8))
            name.name_space = reads_.name_spaces[below(reads_.name_spaces.size())];
        std::string inside = children(name.name_space, 0);
        for (const ElementName& child : reads_.children) {
            if (one_in(4)) continue;
            std::string text;
            xml::append_text(text, kMadeUpNamespaces[below(kMadeUpNamespaces.size())]);
            inside += element(child, "", one_in(8) ? text + "<!-- c -->" : text);
        }
        return element(name, attributes(), inside);
    }

    std::string children(const std::string& around, int depth) {
        std::string out;
        for (std::size_t n = depth > 2 ? 0 : below(3); n > 0; --n) {
            out += kTreeTexts[below(kTreeTexts.size())];
            if (one_in(40)) out += kNotPlain[below(kNotPlain.size())];
            const std::string name_space = one_in(2) && !around.empty() ? around : known().uri;
            out += element({name_space, one_in(2) ? "x" : "y"}, attributes(),
                           children(name_space, depth + 1));
        }
        return out;
    }

    // It declares its namespace by itself, which is often there already. An element in no namespace
    // is not plain.
    std::string element(const ElementName& name, const std::string& given,
                        const std::string& inside) {
        if (name.name_space.empty()) return fmt::format("<{0}>{1}</{0}>", name.local, inside);
        const std::string prefix = one_in(2) ? "" : known().prefix;
        const std::string qualified = prefix.empty() ? name.local : prefix + ":" + name.local;
        const std::string declarations =
            fmt::format(" xmlns{}{}=\"{}\"", prefix.empty() ? "" : ":", prefix, name.name_space);
        const std::string start = qualified + declarations + given;
        return inside.empty() ? fmt::format("<{}/>", start)
                              : fmt::format("<{}>{}</{}>", start, inside, qualified);
    }

    std::string attributes() {
        std::string out;
        if (one_in(4))
            out += fmt::format(" xmlns:trial=\"urn:k\" trial:a=\"{}\"",
                               kTreeValues[below(kTreeValues.size())]);
        if (one_in(3)) out += fmt::format(" b=\"{}\"", kTreeValues[below(kTreeValues.size())]);
        if (one_in(6)) out += " xml:lang=\"cs\"";
        return out;
    }

    // A namespace or a prefix that may be there already.
    Declaration known() {
        if (reads_.around.empty() || one_in(3))
            return {one_in(2) ? "p" : "q", "urn:oai-fcgi:trial:inner"};
        return reads_.around[below(reads_.around.size())];
    }

    std::size_t below(std::size_t n) { return random_() % n; }
    bool one_in(std::size_t n) { return below(n) == 0; }

    const TreeReads& reads_;
    std::mt19937& random_;
};

}  // namespace oai::test
