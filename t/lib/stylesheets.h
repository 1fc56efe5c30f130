// SPDX-License-Identifier: MIT
// Random stylesheets: every construct of the plain subset (lib/transform/README) in every place
// where it is permitted, with similar constructs outside of the subset (`neighbours`), and texts
// that easily cause errors.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "t/lib/choice.h"

namespace oai::test {

inline constexpr std::string_view kRootNamespace = "urn:n";

class StylesheetMaker {
  public:
    // import_href: by which stylesheet() imports imported(), where it does.
    StylesheetMaker(Choice& choice, std::string import_href)
        : c_(choice), import_href_(std::move(import_href)) {}

    // "" if stylesheet() imports nothing. Made first.
    std::string imported() {
        imports_ = c_.one_in(4);
        if (!imports_) return "";
        is_imported_ = true;
        std::string out = kStart;
        out += " xmlns:t=\"urn:t\" xmlns:m=\"urn:n\" xmlns:n=\"urn:n\" xmlns:d=\"urn:d\"";
        if (c_.one_in(2)) out += " exclude-result-prefixes=\"t m d\"";
        out += ">\n";
        if (c_.one_in(2)) out += "<xsl:output method=\"xml\" encoding=\"UTF-8\"/>\n";
        out += "<xsl:variable name=\"g\" select=\"concat(" + literal() + "," + literal() + ")\"/>";
        if (c_.one_in(2)) out += called_templates();
        out += "<xsl:template match=\"record\">" +
               element(c_.pick(std::array{"d:i", "n:j"}), c_.pick(kInner), Stand::record, 2) +
               content(Stand::record, 3, false) + "</xsl:template></xsl:stylesheet>";
        is_imported_ = false;
        return out;
    }

    std::string stylesheet() {
        neighbours_ = c_.one_in(8);
        std::string out = kStart;
        if (c_.one_in(3)) out += " xmlns:f=\"urn:f\"";
        out += " xmlns:t=\"urn:t\" xmlns:m=\"urn:n\"";  // of stored XML
        const bool above = c_.one_in(4);  // namespaces of the result declared on the stylesheet
        if (above) out += " xmlns:n=\"urn:n\" xmlns:d=\"urn:d\"";
        if (c_.one_in(3))
            out += above ? " exclude-result-prefixes=\"d\""
                         : " xmlns:g=\"urn:g\" exclude-result-prefixes=\"g\"";
        out += ">\n";
        if (imports_) out += "<xsl:import href=\"" + import_href_ + "\"/>\n";
        if (!c_.one_in(4)) out += "<xsl:output method=\"xml\" encoding=\"UTF-8\"/>\n";
        if (neighbours_ && c_.one_in(6)) out += "<xsl:strip-space elements=\"*\"/>";
        if (c_.one_in(2)) out += called_templates();
        out += "<xsl:template match=\"record\">" + c_.pick(std::array{"", "\n  ", "<!-- c -->"});
        return out + record(above, 0) + "\n</xsl:template></xsl:stylesheet>";
    }

  private:
    enum class Stand { record, attribute, entry };
    static constexpr std::array<std::string_view, 4> kTrees = {
        "tree/*", "trees/*", "tree/*[t:b = /records/@metadataNamespace]",
        "trees/*[ m:p=/records/@metadataNamespace ]"};
    static constexpr const char* kStart =
        "<xsl:stylesheet version=\"1.0\" xmlns:xsl=\"http://www.w3.org/1999/XSL/Transform\""
        " xmlns:str=\"http://exslt.org/strings\"";
    static constexpr std::array<std::string_view, 8> kScalars = {
        "t", "u", "v", "n", "b", "when", "named", "identifier"};
    static constexpr std::array<std::string_view, 4> kArrays = {"s", "w", "x", "names"};
    static constexpr std::array<std::string_view, 14> kLiterals = {
        "",  "a",       "b",    "text/html", "text/", "ab",      " ",
        "ž", "x&amp;y", "&lt;", "cs",        "1",     "  a  b ", "\xF0\x9F\x98\x80"};

    // The record's element: literal, copied, or a choice of these.
    std::string record(bool above, int depth) {
        const std::size_t way = c_.below(depth > 1 ? 2 : 8);
        if (way == 6) return "<xsl:copy-of select=\"" + c_.pick(kTrees) + "\"/>";
        if (way != 7) return root(above);
        std::string out = "<xsl:choose>";
        for (std::size_t n = 1 + c_.below(2); n > 0; --n)
            out += "<xsl:when test=\"" + test(Stand::record, 1) + "\">" + record(above, depth + 1) +
                   "</xsl:when>";
        return out + "<xsl:otherwise>" + record(above, depth + 1) + "</xsl:otherwise></xsl:choose>";
    }

    std::string root(bool above) {
        std::string start = c_.one_in(3) ? "o" : "n:o";
        std::string declared = start == "o" ? " xmlns=\"urn:n\""
                               : above      ? ""
                                            : " xmlns:n=\"urn:n\"";
        if (start == "o" && !above) declared += " xmlns:n=\"urn:n\"";
        if (!above || c_.one_in(3)) declared += " xmlns:d=\"urn:d\"";
        if (c_.one_in(3))
            declared +=
                " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
                "xsi:schemaLocation=\"urn:n x&#10;y\"";
        return element(start, declared, Stand::record, 0);
    }

    std::string element(const std::string& name, const std::string& declared, Stand stand,
                        int depth) {
        std::string out =
            "<" + name + declared + attributes(stand) + ">" + c_.pick(std::array{"", "", "\n "});
        return out + content(stand, depth + 1, false) + "</" + name + ">";
    }

    std::string attributes(Stand stand) {
        static constexpr std::array<std::string_view, 5> kNames = {"a", "bb", "d:c", "xml:lang",
                                                                   "n:e"};
        std::string out;
        for (const std::string_view name : kNames)
            if (c_.one_in(6))
                out += " " + std::string(name) + "=\"" + attribute_value(stand) + "\"";
        return out;
    }

    std::string attribute_value(Stand stand) {
        std::string out;
        for (std::size_t n = c_.below(4); n > 0; --n) {
            out += c_.one_in(2)
                       ? "{" + in_attribute(text(stand, 1)) + "}"
                       : c_.pick(std::array{"x", " ", "{{", "}}", "&amp;", "&quot;", "&lt;", ">",
                                            "&#9;", "&#10;", "&#13;", "ž", "'"});
        }
        return out;
    }

    // Within an attribute of the stylesheet.
    static std::string in_attribute(const std::string& expression) {
        std::string out;
        for (const char ch : expression) out += ch == '<' ? "&lt;" : std::string(1, ch);
        return out;
    }

    std::string content(Stand stand, int depth, bool only_text) {
        std::string out;
        const std::size_t declared = variables_.size();
        const std::size_t most = depth > 4 ? 2 : 5;
        for (std::size_t n = c_.below(most + 1); n > 0; --n)
            out += c_.one_in(10) ? variable(stand, depth) : piece(stand, depth, only_text);
        variables_.resize(declared);  // their scope ends
        return out;
    }

    // What is there to be called from each place. Those that stand on entries are made first, since
    // no template may come to call itself.
    std::string called_templates() {
        std::string out;
        for (const Stand stand : {Stand::entry, Stand::attribute, Stand::record}) {
            Called& called = called_[static_cast<std::size_t>(stand)];
            if (!c_.one_in(2) || called.exists) continue;
            called.only_text = !c_.one_in(4);
            is_called_ = true;
            variables_ = {"np"};
            const std::string otherwise = "concat('d'," + in_attribute(text(stand, 1)) + ")";
            variables_.push_back("sq");
            out += "<xsl:template name=\"" + name_of(stand) + "\"" +
                   " xmlns:n=\"urn:n\" xmlns:d=\"urn:d\"" +
                   c_.pick(std::array{"", " xmlns:k=\"urn:k\""}) +
                   "><xsl:param name=\"np\"/><xsl:param name=\"sq\" select=\"" + otherwise +
                   "\"/>" + content(stand, 3, called.only_text) + "</xsl:template>\n";
            variables_.clear();
            called.exists = true;
            is_called_ = false;
        }
        return out;
    }
    static std::string name_of(Stand stand) {
        return "c" + std::to_string(static_cast<int>(stand));
    }

    std::string call(Stand stand, int depth) {
        std::string out = "<xsl:call-template name=\"" + name_of(stand) + "\">";
        for (const char* name : {"np", "sq", "unknown"}) {
            if (c_.one_in(2)) continue;
            const std::string start = "<xsl:with-param name=\"" + std::string(name) + "\"";
            const std::string given =
                name[0] == 's' ? "normalize-space(" + text(stand, 1) + ")" : text(stand, 1);
            out += name[0] == 's' || c_.one_in(2)
                       ? start + " select=\"" + in_attribute(given) + "\"/>"
                       : start + ">" + content(stand, depth + 2, true) + "</xsl:with-param>";
        }
        return out + "</xsl:call-template>";
    }

    // The first letter of its name tells what it holds: a string, a tree or nodes.
    std::string variable(Stand stand, int depth) {
        const std::size_t way = c_.below(4);
        const std::string name = (way == 0 ? "n" : way == 1 ? "s" : "t") + std::to_string(++named_);
        std::string out = "<xsl:variable name=\"" + name + "\"";
        if (way == 0)
            out += " select=\"" + in_attribute(nodes(stand)) + "\"/>";
        else if (way == 1)
            out += " select=\"translate(" + in_attribute(text(stand, 1)) + ",'a','b')\"/>";
        else
            out += ">" + content(stand, depth + 2, true) + "</xsl:variable>";
        variables_.push_back(name);
        return out;
    }

    std::string piece(Stand stand, int depth, bool only_text) {
        const Called& called = called_[static_cast<std::size_t>(stand)];
        if (called.exists && (called.only_text || !only_text) && depth < 5 && c_.one_in(8))
            return call(stand, depth);
        const std::size_t way = c_.below(depth > 5 ? 5 : only_text ? 10 : 14);
        if (way == 0)
            return c_.pick(std::array{"x", "\n  ", " a ", "&amp;", "&lt;&gt;", "\"'", "&#13;",
                                      "&#160;", "ž", "]]&gt;", "\t."});
        if (way == 1)
            return "<xsl:text>" + c_.pick(std::array{" ", "", "\n", "t", "&gt;&#13;&#10;"}) +
                   "</xsl:text>";
        if (way <= 4) return "<xsl:value-of select=\"" + in_attribute(text(stand, 2)) + "\"/>";
        if (way == 5)
            return "<xsl:if test=\"" + test(stand, 2) + "\">" +
                   content(stand, depth + 1, only_text) + "</xsl:if>";
        if (way == 6) return choose(stand, depth, only_text);
        if (way <= 9) return each(stand, depth, only_text);
        if (way == 10 && neighbours_) return neighbour(stand);
        if (way == 11 && stand == Stand::record)
            return "<xsl:copy-of select=\"" + c_.pick(kTrees) + "\"/>";
        if (way == 12 && stand == Stand::record && imports_ && !is_imported_ &&
            (!is_called_ || neighbours_))
            return "<xsl:apply-imports/>";
        return element(c_.pick(std::array{"d:p", "n:q", "d:r"}), c_.pick(kInner), stand, depth);
    }
    static constexpr std::array<std::string_view, 6> kInner = {
        "", "", "", " xmlns:k=\"urn:k\" k:a=\"1\"", " xmlns:d=\"urn:d\"", " xmlns:d=\"urn:other\""};

    std::string choose(Stand stand, int depth, bool only_text) {
        std::string out = "<xsl:choose>";
        for (std::size_t n = 1 + c_.below(3); n > 0; --n)
            out += "<xsl:when test=\"" + test(stand, 2) + "\">" +
                   content(stand, depth + 1, only_text) + "</xsl:when>";
        if (c_.one_in(2))
            out += "<xsl:otherwise>" + content(stand, depth + 1, only_text) + "</xsl:otherwise>";
        return out + "</xsl:choose>";
    }

    std::string each(Stand stand, int depth, bool only_text) {
        const bool scalar = c_.one_in(2);
        const std::string select =
            (stand == Stand::record ? "" : "../") + (scalar ? "@" + c_.pick(kScalars) : array());
        return "<xsl:for-each select=\"" + in_attribute(select) + "\">" +
               content(scalar ? Stand::attribute : Stand::entry, depth + 1, only_text) +
               "</xsl:for-each>";
    }

    std::string nodes(Stand stand) {
        if (stand == Stand::entry && c_.one_in(4)) return "@lang";
        if (stand != Stand::record && c_.one_in(2)) return ".";
        const std::string up = stand == Stand::record ? "" : "../";
        return up + (c_.one_in(3) ? array() : "@" + c_.pick(kScalars));
    }

    // Some of the entries, or all.
    std::string array() {
        std::string out = c_.pick(kArrays);
        if (!c_.one_in(3)) return out;
        switch (c_.below(3)) {
            case 0: return out + "[" + std::to_string(c_.below(4)) + "]";
            case 1: return out + "[position() > " + std::to_string(c_.below(3)) + "]";
            default: return out + "[" + condition(Stand::entry, c_.one_in(2) ? 1 : 0) + "]";
        }
    }

    std::string literal() { return "'" + c_.pick(kLiterals) + "'"; }

    std::string text(Stand stand, int depth) {
        if (!variables_.empty() && c_.one_in(4)) return "$" + c_.pick(variables_);
        if (imports_ && !is_imported_ && c_.one_in(20)) return "$g";
        const std::size_t way = depth == 0 ? c_.below(4) : c_.below(13);
        const auto inner = [&] { return text(stand, depth - 1); };
        switch (way) {
            case 3: return literal();
            case 4:
                return "concat(" + inner() + ", " + inner() + (c_.one_in(3) ? "," + inner() : "") +
                       ")";
            case 5:
                return "translate(" + inner() + "," +
                       (c_.one_in(6) ? inner() + "," + inner() : c_.pick(kFrom)) + ")";
            case 6:
                return "normalize-space(" +
                       (stand != Stand::record && c_.one_in(3) ? "" : inner()) + ")";
            case 7: return "substring-before(" + inner() + ", " + inner() + ")";
            case 8: return "substring-after(" + inner() + "," + inner() + ")";
            case 9:
                return "string(" + (stand != Stand::record && c_.one_in(3) ? "" : inner()) + ")";
            case 10: return number(stand, depth - 1);
            case 11:
                return "substring(" + inner() + ", " + number(stand, 0) +
                       (c_.one_in(3) ? "" : "," + number(stand, 0)) + ")";
            default: return nodes(stand);
        }
    }
    static constexpr std::array<std::string_view, 6> kFrom = {
        "'abc','xyz'", "'ab',''", "'až','ba'", "'aab','123'", "'','x'", "' x&lt;','_'"};

    std::string number(Stand stand, int depth) {
        const std::size_t way = c_.below(stand == Stand::record ? 2 : 3);
        if (way == 0) return std::to_string(c_.below(6));
        if (way == 1) return "string-length(" + text(stand, depth > 0 ? depth - 1 : 0) + ")";
        return "position()";
    }

    std::string test(Stand stand, int depth) { return in_attribute(condition(stand, depth)); }

    std::string condition(Stand stand, int depth) {
        const auto inner = [&] { return condition(stand, depth - 1); };
        if (!variables_.empty() && c_.one_in(4)) {
            const std::string name = c_.pick(variables_), other = c_.pick(variables_);
            if (name[0] == 's' && c_.one_in(3)) return "$" + name;
            if (name[0] != 'n')
                return "$" + name + c_.pick(std::array{"=", " != "}) +
                       (other[0] != 'n' ? "$" + other
                        : c_.one_in(2)  ? nodes(stand)
                                        : literal());
        }
        switch (depth == 0 ? c_.below(5) : c_.below(11)) {
            case 0: return outside() ? "." : some(stand);
            case 1:
                return (c_.one_in(3) ? "normalize-space(" + text(stand, 0) + ")" : nodes(stand)) +
                       " = " + literal();
            case 2:
                return (c_.one_in(3) ? literal() : nodes(stand)) + "!=" +
                       (outside() ? nodes(stand) : "normalize-space(" + text(stand, 0) + ")");
            case 3: return "starts-with(" + text(stand, 1) + "," + text(stand, 0) + ")";
            case 4: return "contains(" + text(stand, 1) + ", " + literal() + ")";
            case 5: return inner() + " and " + inner();
            case 6: return inner() + " or " + inner();
            case 7: return "not(" + inner() + ")";
            case 8:
                return c_.one_in(2) ? "(" + inner() + ")"
                                    : "normalize-space(" + text(stand, 1) + ")";
            case 9:
                return number(stand, 1) + c_.pick(std::array{"=", "!=", " < ", "<=", ">", " >= "}) +
                       number(stand, 1);
            default:
                return nodes(stand) + c_.pick(std::array{"=", " != "}) + "string(" +
                       text(stand, 1) + ")";
        }
    }
    bool outside() { return neighbours_ && c_.one_in(10); }
    // Nodes that a record may have or not.
    std::string some(Stand stand) {
        if (stand == Stand::record && c_.one_in(6)) return c_.pick(kTrees);
        const std::string found = nodes(stand);
        return found != "." ? found : stand == Stand::entry ? "@lang" : "../@" + c_.pick(kScalars);
    }

    // Valid XSLT that the compiler must refuse, or execute as libxslt does.
    std::string neighbour(Stand stand) {
        static constexpr std::array<std::string_view, 24> kOthers = {
            "<xsl:value-of select=\"str:replace(@t, 'a', 'b')\"/>",
            "<xsl:if test=\"1\"><xsl:variable name=\"var\" select=\"1\"/></xsl:if>",
            "<xsl:comment>c</xsl:comment>",
            "<xsl:value-of select=\"count(s)\"/>",
            "<xsl:value-of select=\"s[2]\"/>",
            "<xsl:value-of select=\"substring(@t, 2)\"/>",
            "<xsl:value-of select=\"@t = 'a'\"/>",
            "<xsl:value-of select=\"@n + 1\"/>",
            "<xsl:if test=\"@n = 5\">n</xsl:if>",
            "<xsl:if test=\"s = w\">n</xsl:if>",
            "<xsl:copy-of select=\"tree\"/>",
            "<xsl:value-of select=\"tree\"/>",
            "<xsl:for-each select=\"s | w\">u</xsl:for-each>",
            "<xsl:value-of select=\"position()\"/>",
            "<xsl:value-of select=\"//@t\"/>",
            "<xsl:value-of select=\"@t\" disable-output-escaping=\"no\"/>",
            "<p xmlns=\"\">.</p>",
            "<xsl:element name=\"n:p\" xmlns:n=\"urn:n\">e</xsl:element>",
            "<p><xsl:attribute name=\"a\"><xsl:value-of select=\"@t\"/></xsl:attribute></p>",
            "<xsl:for-each select=\"tree/t:a\"><xsl:value-of select=\".\"/></xsl:for-each>",
            "<xsl:value-of select=\"s[last()]\"/>",
            "<xsl:value-of select=\"tree/*[@t:a]\"/>",
            "<xsl:copy-of select=\"trees/t:a[t:b = 'v']\"/>",
            "<xsl:if test=\"tree/*/@a\">n</xsl:if>"};
        return stand == Stand::record ? c_.pick(kOthers)
                                      : c_.pick(std::array{"<xsl:value-of select=\"name()\"/>",
                                                           "<xsl:value-of select=\"last()\"/>"});
    }

    Choice& c_;
    const std::string import_href_;
    bool neighbours_ = false;
    bool imports_ = false;
    std::vector<std::string> variables_;  // that can be referred to
    int named_ = 0;
    struct Called {
        bool exists = false, only_text = false;
    };
    std::array<Called, 3> called_;  // by Stand
    bool is_imported_ = false;      // what is being made
    bool is_called_ = false;        // the same
};

}  // namespace oai::test
