// SPDX-License-Identifier: MIT
// Runs a random stylesheet on random records, and compares the output of its compiled form with
// that of libxslt (xsltSaveResultToString), byte for byte. The comparison does not depend on
// lib/xml/serialiser, lib/xml/escape or lib/base/text: libxslt gets the same records with
// characters that are valid in XML. t/fault/injected.t checks that it finds bugs.
#pragma once

#include <libxslt/xsltutils.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "format/format.h"
#include "format/record_xml.h"
#include "t/lib/made_up_records.h"
#include "t/lib/stylesheets.h"
#include "t/lib/temporary_directory.h"
#include "t/unit/format/make_slice.h"
#include "transform/compiler.h"
#include "transform/interpreter.h"
#include "xml/document.h"

namespace oai::test {

// Slices of all types that a compiled stylesheet can read, and of one that it cannot.
class RecordMaker {
  public:
    // as_xml: characters that are not valid in XML have already become U+FFFD.
    RecordMaker(Choice& choice, bool as_xml) : c_(choice), as_xml_(as_xml) {
        dictionary_.learn({{1, "named", "text/html"},
                           {2, "named", "a&<\">'\r\n\tž"},
                           {3, "names", "a"},
                           {4, "names", "b<"}});
    }

    RecordBatch batch(int records) {
        std::vector<TestRow> rows;
        for (int i = 0; i < records; ++i) rows.push_back({i + 1, false, values()});
        RecordBatch out = make_batch({{"t", pg::kText},
                                      {"u", pg::kVarchar},
                                      {"v", pg::kText},
                                      {"n", pg::kInt8},
                                      {"b", pg::kBool},
                                      {"when", pg::kTimestamptz},
                                      {"named_id", pg::kInt4},
                                      {"s", pg::kTextArray},
                                      {"s_lang", pg::kTextArray},
                                      {"w", pg::kVarcharArray},
                                      {"x", pg::kInt4Array},
                                      {"names_id", pg::kInt4Array},
                                      {"tree", pg::kXml},
                                      {"trees", pg::kXmlArray}},
                                     rows);
        out.set_names(dictionary_.names(out.named_ids()));
        return out;
    }

  private:
    std::string text() {
        static constexpr std::array<std::string_view, 27> kTexts = {
            "",      "a",  "b",          "ab",     "<a&b>c", "text/html",   "text/plain",
            "text/", " ",  "  a \t b\n", "x&y",    "<",      ">",           "\"",
            "'",     "\r", "\n",         "\t",     "ž",      "až",          "\xF0\x9F\x98\x80",
            "1",     "cs", "]]>",        "a\x01z", "\xC3",   "\xEF\xBF\xBF"};
        std::string out = c_.pick(kTexts);
        while (c_.one_in(3)) out += c_.pick(kTexts);
        if (c_.one_in(40)) out.append(c_.below(60), 'y');
        if (!as_xml_) return out;
        for (const std::string_view bad : {"\x01", "\xC3", "\xEF\xBF\xBF"})
            for (std::size_t at; (at = out.find(bad)) != std::string::npos;)
                out.replace(at, bad.size(), "\xEF\xBF\xBD");
        return out;
    }
    Cell maybe(Cell cell) { return c_.one_in(5) ? Cell() : cell; }

    std::vector<Cell> values() {
        std::vector<Cell> s, s_lang, w, x, names;
        for (std::size_t n = c_.below(4); n > 0; --n) s.push_back(c_.one_in(8) ? Cell() : text());
        for (std::size_t n = s.size(); n > 0; --n) s_lang.push_back(c_.one_in(3) ? Cell() : text());
        for (std::size_t n = c_.below(4); n > 0; --n) w.push_back(text());
        for (std::size_t n = c_.below(3); n > 0; --n)
            x.push_back(int4(static_cast<int>(c_.below(100)) - 5));
        for (std::size_t n = c_.below(4); n > 0; --n)
            names.push_back(int4(static_cast<int>(c_.below(4)) + 1));
        return {maybe(text()),
                maybe(text()),
                maybe(text()),
                maybe(int8(static_cast<std::int64_t>(c_.below(300)) - 100)),
                maybe(boolean(c_.one_in(2))),
                maybe(timestamptz(kStamp + std::chrono::seconds(c_.below(100'000)))),
                maybe(int4(1 + static_cast<int>(c_.below(2)))),
                maybe(array(pg::kText, s)),
                maybe(array(pg::kText, s_lang)),
                maybe(array(pg::kVarchar, w)),
                maybe(array(pg::kInt4, x)),
                maybe(array(pg::kInt4, names)),
                maybe(tree()),
                maybe(array(pg::kXml, {tree(), tree()}))};
    }

    // Stored XML, most of it in the form that can be read (lib/transform/stored_xml.h).
    std::string tree() {
        is_tame_ = !c_.one_in(3);
        std::string out = c_.one_in(10) ? "<?xml version=\"1.0\"?>" : "";
        for (std::size_t n = c_.below(3); n > 0; --n)
            out += between() + (c_.one_in(3) ? tree_with_child() : tree_element(0));
        return out + between();
    }
    std::string between() {
        static constexpr std::array<std::string_view, 6> kBetween = {
            "", "", "", "\n ", "x&amp;&lt;", "<!-- c -->"};
        return pick(kBetween, 5);
    }
    // One of the first ones where the tree is to be in that form.
    template <class List>
    std::string pick(const List& list, std::size_t tame) {
        return std::string(list[c_.below(is_tame_ ? tame : std::size(list))]);
    }

    // Content that a copy with a filter selects, or that is similar to it.
    std::string tree_with_child() {
        static constexpr std::array<std::string_view, 6> kChildTexts = {
            "urn:m&lt;", "urn:m&lt;", "v", "", "urn:m", "urn:m&lt;<t:c/>"};
        std::string out = "<t:a xmlns:t=\"urn:t\">";
        for (std::size_t n = 1 + c_.below(2); n > 0; --n)
            out += c_.one_in(4) ? tree_element(1) : "<t:b>" + pick(kChildTexts, 5) + "</t:b>";
        return out + "</t:a>";
    }

    std::string tree_element(int depth) {
        static constexpr std::array<std::string_view, 16> kStarts = {
            "t:a xmlns:t=\"urn:t\"",
            "a xmlns=\"urn:t\"",
            "t:b xmlns:t=\"urn:t\"",
            "b xmlns=\"urn:t\"",
            "n:o xmlns:n=\"urn:n\"",
            "o xmlns=\"urn:n\"",
            "k:a xmlns:k=\"urn:k\" xmlns=\"urn:t\"",
            "d:p xmlns:d=\"urn:k\" xmlns:n=\"urn:n\"",
            "t:b",
            "b",
            "c",
            "n:q",
            "d:p xmlns:d=\"urn:d\" xmlns:d2=\"urn:d\"",
            "d:p xmlns:d=\"urn:d\"",
            "s xmlns=\"\"",
            "d:q"};
        static constexpr std::array<std::string_view, 16> kAttributes = {"",
                                                                         "",
                                                                         "",
                                                                         "",
                                                                         " a=\"1\"",
                                                                         " a=\"a\"",
                                                                         " xml:lang=\"cs\"",
                                                                         " a=\"&#10;&#9;\"",
                                                                         " b=\"'\" a=\"\"",
                                                                         " b=\"ab\"",
                                                                         " t:a=\"x&lt;&quot;\"",
                                                                         " d:a=\"1\" n:a=\"2\"",
                                                                         " a='1'",
                                                                         " xmlns:q=\"urn:q\"",
                                                                         " xml:id=\"i\"",
                                                                         ""};
        static constexpr std::array<std::string_view, 22> kContents = {
            "",    "v",     "",       "v", "",           " 02 ",         "1",    "v",
            "w",   "",      "",       "v", "x&amp;&lt;", "urn:m&lt;",    "\n  ", "ž",
            "\"'", "&#13;", "]]&gt;", ">", "\r\n",       "<![CDATA[<]]>"};
        constexpr std::size_t kTameStarts = 8, kTameAttributes = 10, kTameContents = 19;
        // At the top mostly what declares its prefix; within it, what may have done so.
        const std::string start(
            kStarts[is_tame_ || (depth == 0 && !c_.one_in(20)) ? c_.below(kTameStarts)
                                                               : c_.below(kStarts.size())]);
        std::string out = "<" + start + pick(kAttributes, kTameAttributes), inside;
        for (std::size_t n = depth > 2 ? 0 : c_.below(3); n > 0; --n)
            inside += pick(kContents, kTameContents) + tree_element(depth + 1);
        inside += pick(kContents, kTameContents);
        if (inside.empty() && (is_tame_ || !c_.one_in(8))) return out + "/>";
        return out + ">" + inside + "</" + start.substr(0, start.find(' ')) + ">";
    }

    Choice& c_;
    const bool as_xml_;
    bool is_tame_ = false;  // the tree that is made is in the form that can be read
    Dictionary dictionary_;
};

class EmissionCheck {
  public:
    EmissionCheck() { xml::initialise(); }

    // Returns "", or the first difference with the stylesheet.
    std::string run(Choice& choice, int count) {
        StylesheetMaker maker_of_stylesheet(choice, "imported.xsl");
        const std::string imported = maker_of_stylesheet.imported();
        sheet_ = maker_of_stylesheet.stylesheet();
        std::ofstream(imported_) << imported;
        std::ofstream(file_) << sheet_;
        sheet_ += imported;
        const transform::Stylesheet stylesheet = transform::Stylesheet::compile(file_);
        const transform::Compilation compiled =
            transform::compile_program(stylesheet, std::string(kRootNamespace));
        ++stylesheets;
        if (!compiled.program) return "";
        ++compiled_stylesheets;
        Choice again = choice;
        RecordMaker maker(choice, false),
            xml_maker(again, true);  // the slices have names of their dictionaries
        const RecordBatch batch = maker.batch(count);
        return compare(stylesheet, *compiled.program, batch, xml_maker.batch(count));
    }

    // Runs the trial that is made when a format is loaded on what the last run() compiled. Returns
    // "" or its error.
    std::string trial() const {
        const transform::Stylesheet stylesheet = transform::Stylesheet::compile(file_);
        const transform::Compilation compiled =
            transform::compile_program(stylesheet, std::string(kRootNamespace));
        try {
            return compiled.program ? try_program(*compiled.program, stylesheet) : "";
        } catch (const xml::Error& e) {
            return e.what();
        }
    }

    long stylesheets = 0, compiled_stylesheets = 0, records = 0, left = 0;
    std::set<std::size_t> operations;                   // that took part
    std::set<std::pair<std::size_t, int>> expressions;  // with the name of a function or operator

  private:
    static constexpr const char* kMetadataNamespace = "urn:m<";

    std::string compare(const transform::Stylesheet& stylesheet, const transform::Program& program,
                        const RecordBatch& batch, const RecordBatch& slice_as_xml) {
        static constexpr std::string_view kPrefix = "oai:example.org:";
        RecordValues values(batch, kPrefix, nullptr);
        const auto view = view_of(program, values, kMetadataNamespace);
        if (!view) return "";
        reads_.clear();
        for (const transform::Operation& o : program.operations) note(o);
        std::map<int, std::string> wanted;
        try {
            wanted = by_libxslt(stylesheet, program, slice_as_xml, kPrefix);
        } catch (const xml::Error& e) {
            // Of a rare stylesheet the records of a whole slice take more memory than they may.
            if (std::string_view(e.what()).ends_with("needs too much memory")) return "";
            throw;
        }
        std::string got, next;
        transform::Interpreter of_all(program);  // as the server has one for a batch
        for (int i = 0; i < batch.size(); ++i) {
            values.read(i);
            got.clear();
            next.clear();
            ++records;
            transform::Interpreter interpreter(program);
            const bool wrote = interpreter.append(got, *view);
            if (of_all.append(next, *view) != wrote || (wrote && next != got))
                return "compiled: " + next + "\nbehind no other record: " + got + "\n" + sheet_;
            if (!wrote) {
                ++left;
                continue;
            }
            const auto n = wanted.find(i);
            if (n == wanted.end() && !read_broken(*view, interpreter.coverage()))
                continue;  // what it did not come to is no XML
            if (n == wanted.end() || got != n->second)
                return "compiled: " + got + "\nlibxslt:  " + (n != wanted.end() ? n->second : "") +
                       "\n" + sheet_;
        }
        return "";
    }

    // Whether the record contains characters or text that are not valid in XML.
    bool read_broken(const transform::RecordView& view, const transform::Coverage& coverage) const {
        return std::any_of(
            reads_.begin(), reads_.end(),
            [&](const auto& read) {
                const transform::Nodes& entries = *view.columns[read.second];
                return (coverage[read.first] & transform::kExecuted) != 0 &&
                       !std::all_of(
                           entries.begin(), entries.end(),
                           [](const transform::Entry& entry) { return is_xml(entry.text); });
            });
    }

    static bool is_xml(std::string_view content) {
        try {
            const xml::DocumentHandle document = xml::new_document();
            xmlNode* root = xml::add_element(reinterpret_cast<xmlNode*>(document.get()),
                                             xml::intern(document.get(), "x"));
            xml::add_parsed(root, xml::intern(document.get(), "y"), content);
            return true;
        } catch (const xml::Error&) {
            return false;
        }
    }

    static std::map<int, std::string> by_libxslt(const transform::Stylesheet& stylesheet,
                                                 const transform::Program& program,
                                                 const RecordBatch& batch,
                                                 std::string_view prefix) {
        std::vector<std::string> reads;
        for (const transform::Column& column : program.columns) reads.push_back(column.name);
        const RecordXml input = records_to_xml(batch, live_records(batch), prefix,
                                               program.fallback.empty() ? &reads : nullptr);
        xmlNewProp(xmlDocGetRootElement(input.document.get()),
                   reinterpret_cast<const xmlChar*>("metadataNamespace"),
                   reinterpret_cast<const xmlChar*>(kMetadataNamespace));
        const std::string text = saved(stylesheet, input.document.get());
        std::string_view rest = text;
        if (rest.empty()) return {};  // of no records at all
        std::map<int, std::string> out;
        for (const int i : input.batch_index) {
            const std::size_t end = rest.find(kRecordEnd);
            out.emplace(i, rest.substr(0, end));
            rest.remove_prefix(end + 1);
        }
        return out;
    }

    // What libxslt writes, without the XML declaration.
    static std::string saved(const transform::Stylesheet& stylesheet, xmlDoc* source) {
        const xml::DocumentHandle result = stylesheet.apply(source, std::chrono::minutes(5));
        // A stylesheet without xsl:output leaves the encoding open; answers are in UTF-8.
        if (result->encoding == nullptr)
            result->encoding = xmlStrdup(reinterpret_cast<const xmlChar*>("UTF-8"));
        xmlChar* text = nullptr;
        int size = 0;
        xsltSaveResultToString(&text, &size, result.get(),
                               const_cast<xsltStylesheet*>(stylesheet.handle()));
        const xml::StringHandle owner(text);
        std::string_view rest(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
        if (!rest.empty()) rest.remove_prefix(rest.find("?>\n") + 3);
        return std::string(rest);
    }

    void note(const transform::Operation& o) {
        operations.insert(o.node.index());
        if (const auto* value = std::get_if<transform::Value>(&o.node)) note(value->expression);
        if (const auto* each = std::get_if<transform::ForEach>(&o.node)) note(each->nodes);
        if (const auto* copy = std::get_if<transform::CopyElements>(&o.node))
            reads_.emplace_back(o.point, copy->elements.slot);
        if (const auto* choose = std::get_if<transform::Choose>(&o.node))
            for (const transform::Branch& b : choose->branches)
                if (b.test) note(*b.test);
        for (const transform::Operations* body : bodies_of(o))
            for (const transform::Operation& inner : *body) note(inner);
    }
    void note(const transform::Expression& e) {
        const int name = std::visit(
            []<class T>(const T& node) {
                if constexpr (requires { node.function; }) return static_cast<int>(node.function);
                if constexpr (requires { node.sign; })
                    return 10 * static_cast<int>(node.of) + static_cast<int>(node.sign);
                return 0;
            },
            e.node);
        expressions.emplace(e.node.index(), name);
        for (const transform::Expression& a : operands_of(e)) note(a);
        if (const auto* nodes = std::get_if<transform::ColumnNodes>(&e.node)) note(*nodes);
        if (const auto* stored = std::get_if<transform::StoredElements>(&e.node))
            reads_.emplace_back(e.point, stored->slot);
    }
    void note(const transform::ColumnNodes& nodes) {
        for (const transform::Expression& e : nodes.filter) note(e);
    }

    const TemporaryDirectory directory_;
    const std::string file_ = directory_.at("sheet.xsl"), imported_ = directory_.at("imported.xsl");
    std::string sheet_;
    std::vector<std::pair<std::size_t, std::size_t>>
        reads_;  // points, and the slots of stored XML that are read there
};

}  // namespace oai::test
