// SPDX-License-Identifier: MIT
// Random stored XML for a compiled stylesheet that reads it: content that its paths select and
// content that they skip, with namespaces, escaping and nesting that easily cause errors, and
// sometimes not in the form that can be read (lib/transform/stored_tree.h).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transform/program.h"
#include "xml/escape.h"

namespace oai::test {

using transform::Declaration;
using transform::ElementName;
using transform::Scope;

using Strings = std::vector<std::string>;

// How the stylesheet uses the text of some node: the literals that it compares with it, and numbers
// near the lengths that it tests.
struct ColumnReads {
    Strings literals, languages;
    std::set<std::size_t> numbers;
};

// What a program looks up in an element of stored XML, or in the content of a column.
struct TreeReads {
    std::optional<ElementName> name{};  // nullopt: of any
    std::deque<TreeReads> children{};
    std::map<std::string, ColumnReads> attributes{};
    ColumnReads text{};
    bool is_record = false;  // the record's own element is made of it, so that there must be one
    Scope around{};          // of a content: what is in force at one or another of the copies
    std::vector<std::string> name_spaces{};  // of the record's own element, where that is copied

    TreeReads& child(const std::optional<ElementName>& wanted) {
        const auto found = std::find_if(children.begin(), children.end(), [&](const auto& c) {
            return c.name.has_value() == wanted.has_value() &&
                   (!wanted ||
                    (c.name->local == wanted->local && c.name->name_space == wanted->name_space));
        });
        if (found != children.end()) return *found;
        children.push_back({wanted});
        return children.back();
    }
};

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
    using Value = std::function<std::string(const ColumnReads&)>;
    TreeMaker(const TreeReads& content, Value value, std::mt19937& random)
        : reads_(content), value_(std::move(value)), random_(random) {}

    std::string content() {
        std::string out = one_in(8) ? "<?xml version=\"1.0\"?>" : "";
        return out + wanted(reads_, 0);
    }

  private:
    // Children that are looked up, mostly.
    std::string wanted(const TreeReads& parent, int depth) {
        std::string out;
        const bool has_record = std::any_of(parent.children.begin(), parent.children.end(),
                                            [](const TreeReads& child) { return child.is_record; });
        if (has_record && !one_in(8)) {
            for (const TreeReads& child : parent.children)
                if (child.is_record) return child_element(child, depth);
        }
        if (one_in(8)) return out;
        for (std::size_t n = below(3) + below(2 * parent.children.size() + 1); n > 0; --n) {
            if (one_in(6)) out += "\n ";
            out += parent.children.empty() || one_in(8)
                       ? element({"urn:oai-fcgi:trial", "any"}, attributes(),
                                 children("urn:oai-fcgi:trial", 1))
                       : child_element(parent.children[below(parent.children.size())], depth);
        }
        return out;
    }

    std::string child_element(const TreeReads& child, int depth) {
        ElementName name = child.name.value_or(ElementName{"urn:oai-fcgi:trial", "any"});
        if (!reads_.name_spaces.empty() && depth == 0 && !one_in(8))
            name.name_space = reads_.name_spaces[below(reads_.name_spaces.size())];
        if (one_in(8)) name.local += "-other";
        std::string given, inside;
        for (const auto& [attribute, reads] : child.attributes) {
            if (one_in(5)) continue;
            given += ' ' + attribute + "=\"";
            xml::append_attribute(given, value_(reads));
            given += '"';
        }
        if (!child.children.empty())
            inside = wanted(child, depth + 1);
        else if (one_in(3))
            inside = children(name.name_space, 0);
        if (child.children.empty() || one_in(8)) xml::append_text(inside, value_(child.text));
        return element(name, child.attributes.empty() ? attributes() : given, inside);
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
    const Value value_;
    std::mt19937& random_;
};

}  // namespace oai::test
