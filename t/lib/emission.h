// SPDX-License-Identifier: MIT
// A made-up stylesheet over made-up records: what its compiled form writes against what libxslt makes and itself
// writes (xsltSaveResultToString), byte for byte. Nothing of lib/xml/serialiser, lib/xml/escape or lib/base/text judges:
// libxslt is given the same records in XML's own characters. t/fault/injected.t holds that it finds bugs.
#pragma once

#include <libxslt/xsltutils.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "compiled_format.h"
#include "record_xml.h"
#include "t/lib/stylesheets.h"
#include "t/unit/make_slice.h"
#include "xml/document.h"
#include "xml/emit_compiler.h"
#include "xml/emit_trial.h"
#include "xml/tree.h"

namespace oai::test {

// Slices of all types that a compiled stylesheet can read, and of one that it cannot.
class RecordMaker {
  public:
    // as_xml: what is no character of XML has already become U+FFFD.
    RecordMaker(Choice& choice, bool as_xml) : c_(choice), as_xml_(as_xml) {
        dictionary_.learn(pg::Result(make_result({{"id", pg::kInt4}, {"kind", pg::kText}, {"name", pg::kText}},
                                                 {{int4(1), "named", "text/html"}, {int4(2), "named", "a&<\">'\r\n\tž"},
                                                  {int4(3), "names", "a"}, {int4(4), "names", "b<"}})));
    }

    Slice slice(int records) {
        std::vector<TestRow> rows;
        for (int i = 0; i < records; ++i) rows.push_back({i + 1, false, values()});
        Slice out = make_slice({{"t", pg::kText}, {"u", pg::kVarchar}, {"v", pg::kText}, {"n", pg::kInt8}, {"b", pg::kBool},
                                {"when", pg::kTimestamptz}, {"named_id", pg::kInt4}, {"s", pg::kTextArray},
                                {"s_lang", pg::kTextArray}, {"w", pg::kVarcharArray}, {"x", pg::kInt4Array},
                                {"names_id", pg::kInt4Array}, {"tree", pg::kXml}, {"trees", pg::kXmlArray}},
                               rows);
        out.set_names(dictionary_.names(out.named_ids()));
        return out;
    }

  private:
    std::string text() {
        static constexpr std::array<std::string_view, 27> kTexts = {
            "", "a", "b", "ab", "<a&b>c", "text/html", "text/plain", "text/", " ", "  a \t b\n", "x&y", "<", ">", "\"", "'", "\r", "\n",
            "\t", "ž", "až", "\xF0\x9F\x98\x80", "1", "cs", "]]>", "a\x01z", "\xC3", "\xEF\xBF\xBF"};
        std::string out = c_.pick(kTexts);
        while (c_.one_in(3)) out += c_.pick(kTexts);
        if (c_.one_in(40)) out.append(c_.below(60), 'y');
        if (!as_xml_) return out;
        for (const std::string_view bad : {"\x01", "\xC3", "\xEF\xBF\xBF"}) {
            for (std::size_t at; (at = out.find(bad)) != std::string::npos;) out.replace(at, bad.size(), "\xEF\xBF\xBD");
        }
        return out;
    }
    Cell maybe(Cell cell) { return c_.one_in(5) ? Cell() : cell; }

    std::vector<Cell> values() {
        std::vector<Cell> s, s_lang, w, x, names;
        for (std::size_t n = c_.below(4); n > 0; --n) s.push_back(c_.one_in(8) ? Cell() : text());
        for (std::size_t n = s.size(); n > 0; --n) s_lang.push_back(c_.one_in(3) ? Cell() : text());
        for (std::size_t n = c_.below(4); n > 0; --n) w.push_back(text());
        for (std::size_t n = c_.below(3); n > 0; --n) x.push_back(int4(static_cast<int>(c_.below(100)) - 5));
        for (std::size_t n = c_.below(4); n > 0; --n) names.push_back(int4(static_cast<int>(c_.below(4)) + 1));
        return {maybe(text()), maybe(text()), maybe(text()), maybe(int8(static_cast<std::int64_t>(c_.below(300)) - 100)),
                maybe(boolean(c_.one_in(2))), maybe(timestamptz(kStamp + std::chrono::seconds(c_.below(100'000)))),
                maybe(int4(1 + static_cast<int>(c_.below(2)))), maybe(array(pg::kText, s)), maybe(array(pg::kText, s_lang)),
                maybe(array(pg::kVarchar, w)), maybe(array(pg::kInt4, x)), maybe(array(pg::kInt4, names)),
                maybe(tree()), maybe(array(pg::kXml, {tree(), tree()}))};
    }

    // Stored XML, most of it plain (lib/xml/emit_copy.h).
    std::string tree() {
        std::string out = c_.one_in(10) ? "<?xml version=\"1.0\"?>" : "";
        for (std::size_t n = c_.below(3); n > 0; --n) out += c_.pick(kBetween) + (c_.one_in(3) ? tree_with_child() : tree_element(0));
        return out + c_.pick(kBetween);
    }
    static constexpr std::array<std::string_view, 6> kBetween = {"", "", "", "\n ", "x&amp;&lt;", "<!-- c -->"};

    // What paths with a child ask for, or nearly so.
    std::string tree_with_child() {
        static constexpr std::array<std::string_view, 6> kChildTexts = {"v", "x&amp;&lt;", "urn:m&lt;", "w", "", "v<t:c/>"};
        std::string out = "<t:a xmlns:t=\"urn:t\">";
        for (std::size_t n = 1 + c_.below(2); n > 0; --n)
            out += c_.one_in(4) ? tree_element(1) : "<t:b>" + c_.pick(kChildTexts) + "</t:b>";
        return out + "</t:a>";
    }

    std::string tree_element(int depth) {
        static constexpr std::array<std::string_view, 16> kStarts = {
            "t:a xmlns:t=\"urn:t\"", "a xmlns=\"urn:t\"", "t:b xmlns:t=\"urn:t\"", "b xmlns=\"urn:t\"", "n:o xmlns:n=\"urn:n\"",
            "o xmlns=\"urn:n\"", "k:a xmlns:k=\"urn:k\" xmlns=\"urn:t\"", "d:p xmlns:d=\"urn:k\" xmlns:n=\"urn:n\"", "t:b", "b", "c", "n:q",
            "d:p xmlns:d=\"urn:d\" xmlns:d2=\"urn:d\"", "d:p xmlns:d=\"urn:d\"", "s xmlns=\"\"", "d:q"};
        static constexpr std::array<std::string_view, 15> kAttributes = {
            "", "", "", "", "", "", " a=\"1\"", " t:a=\"x&lt;&quot;\"", " xml:lang=\"cs\"", " a=\"&#10;&#9;\"", " b=\"'\" a=\"\"",
            " d:a=\"1\" n:a=\"2\"", " a='1'", " xmlns:q=\"urn:q\"", " xml:id=\"i\""};
        static constexpr std::array<std::string_view, 20> kTreeTexts = {
            "", "v", "", "v", "", "v", "w", "", "", "v", "x&amp;&lt;", "urn:m&lt;", "\n  ", "ž", "]]&gt;", ">", "\"'", "&#13;", "\r\n", "<![CDATA[<]]>"};
        // At the top mostly what declares its prefix; within it, what may have done so.
        const std::string start(kStarts[depth == 0 && !c_.one_in(20) ? c_.below(8) : c_.below(kStarts.size())]);
        std::string out = "<" + start + c_.pick(kAttributes), inside;
        for (std::size_t n = depth > 2 ? 0 : c_.below(3); n > 0; --n) inside += c_.pick(kTreeTexts) + tree_element(depth + 1);
        inside += c_.pick(kTreeTexts);
        if (inside.empty() && !c_.one_in(8)) return out + "/>";
        return out + ">" + inside + "</" + start.substr(0, start.find(' ')) + ">";
    }

    Choice& c_;
    const bool as_xml_;
    Dictionary dictionary_;
};

class EmissionCheck {
  public:
    EmissionCheck() : file_(std::filesystem::temp_directory_path() / ("oai-emission-" + std::to_string(getpid()) + ".xsl")) {
        xml::initialise();
    }
    ~EmissionCheck() {
        std::error_code ignored;
        std::filesystem::remove(file_, ignored);
    }
    EmissionCheck(const EmissionCheck&) = delete;
    EmissionCheck& operator=(const EmissionCheck&) = delete;

    // "" or the first difference, with the stylesheet.
    std::string run(Choice& choice, int count) {
        std::ofstream(file_) << (sheet_ = StylesheetMaker(choice).stylesheet());
        const xml::Stylesheet stylesheet = xml::Stylesheet::compile(file_);
        const xml::Compilation compiled = xml::compile_emission(stylesheet, std::string(kRootNamespace));
        ++stylesheets;
        if (!compiled.emission) return "";
        ++compiled_stylesheets;
        Choice again = choice;
        RecordMaker maker(choice, false), xml_maker(again, true);  // the slices have names of their dictionaries
        const Slice slice = maker.slice(count);
        return compare(stylesheet, *compiled.emission, slice, xml_maker.slice(count));
    }

    // Whether the trial at load, too, would find fault with what the last run() compiled: "" or what it says.
    std::string trial() const {
        const xml::Stylesheet stylesheet = xml::Stylesheet::compile(file_);
        const xml::Compilation compiled = xml::compile_emission(stylesheet, std::string(kRootNamespace));
        return compiled.emission ? xml::try_emission(*compiled.emission, stylesheet) : "";
    }

    long stylesheets = 0, compiled_stylesheets = 0, records = 0, left = 0;
    std::set<xml::Operation::Kind> operations;    // that took part
    std::set<xml::Expression::Kind> expressions;

  private:
    static constexpr const char* kMetadataNamespace = "urn:m<";

    std::string compare(const xml::Stylesheet& stylesheet, const xml::Emission& emission, const Slice& slice,
                        const Slice& slice_as_xml) {
        static constexpr std::string_view kPrefix = "oai:example.org:";
        RecordValues values(slice, kPrefix, nullptr);
        std::optional<Binding> binding = Binding::bind(emission, values, kMetadataNamespace);
        if (!binding) return "";
        copies_.clear();
        for (const xml::Operation& o : emission.operations) note(o);
        const std::map<int, std::string> wanted = by_libxslt(stylesheet, emission, slice_as_xml, kPrefix);
        xml::Trace trace(emission.points.size());
        xml::Emitter emitter(emission, &trace);
        std::string got;
        for (int i = 0; i < slice.size(); ++i) {
            values.read(i);
            got.clear();
            ++records;
            std::fill(trace.begin(), trace.end(), 0);
            const xml::RecordView& view = binding->view(values);
            if (!emitter.append(got, view)) {
                ++left;
                continue;
            }
            const auto n = wanted.find(i);
            if (n == wanted.end() && !copied_broken(view, trace)) continue;  // what it did not come to is no XML
            if (n == wanted.end() || got != n->second)
                return "compiled: " + got + "\nlibxslt:  " + (n != wanted.end() ? n->second : "") + "\n" + sheet_;
        }
        return "";
    }

    // Whether the record has something of what is no XML.
    bool copied_broken(const xml::RecordView& view, const xml::Trace& trace) const {
        return std::any_of(copies_.begin(), copies_.end(), [&](const auto& copy) {
            const auto& entries = view.trees[copy.second];
            return (trace[copy.first] & xml::kDone) != 0 &&
                   !std::all_of(entries.begin(), entries.end(), [](const xml::Entry& entry) { return is_xml(entry.text); });
        });
    }

    static bool is_xml(std::string_view content) {
        try {
            const xml::DocumentHandle document = xml::new_document();
            xmlNode* root = xml::add_element(reinterpret_cast<xmlNode*>(document.get()), xml::intern(document.get(), "x"));
            xml::add_parsed(root, xml::intern(document.get(), "y"), content);
            return true;
        } catch (const xml::Error&) {
            return false;
        }
    }

    // By index in the slice; none for a record of which a value is no XML.
    static std::map<int, std::string> by_libxslt(const xml::Stylesheet& stylesheet, const xml::Emission& emission, const Slice& slice,
                                                 std::string_view prefix) {
        std::vector<std::string> reads = emission.attributes;
        reads.insert(reads.end(), emission.children.begin(), emission.children.end());
        reads.insert(reads.end(), emission.trees.begin(), emission.trees.end());
        const RecordXml input = records_to_xml(slice, prefix, emission.leaves.empty() ? &reads : nullptr);
        xmlNewProp(xmlDocGetRootElement(input.document.get()), reinterpret_cast<const xmlChar*>("metadataNamespace"),
                   reinterpret_cast<const xmlChar*>(kMetadataNamespace));
        const xml::DocumentHandle result = stylesheet.apply(input.document.get(), std::chrono::seconds(20));
        // A stylesheet without xsl:output leaves the encoding open; answers are in UTF-8.
        if (result->encoding == nullptr) result->encoding = xmlStrdup(reinterpret_cast<const xmlChar*>("UTF-8"));
        xmlChar* text = nullptr;
        int size = 0;
        xsltSaveResultToString(&text, &size, result.get(), const_cast<xsltStylesheet*>(stylesheet.handle()));
        const xml::StringHandle owner(text);
        std::string_view rest(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
        if (rest.empty()) return {};  // of no records at all
        rest.remove_prefix(rest.find("?>\n") + 3);
        std::map<int, std::string> out;
        for (const int i : input.slice_index) {
            const std::size_t end = rest.find(kRecordEnd);
            out.emplace(i, rest.substr(0, end));
            rest.remove_prefix(end + 1);
        }
        return out;
    }

    void note(const xml::Operation& o) {
        operations.insert(o.kind);
        if (o.kind == xml::Operation::Kind::copy || o.kind == xml::Operation::Kind::record)
            copies_.emplace_back(o.point, o.expression->slot);
        if (o.expression) note(*o.expression);
        for (const xml::Operation& inner : o.head) note(inner);
        for (const xml::Operation& inner : o.body) note(inner);
        for (const xml::Operation::Branch& b : o.branches) {
            if (b.test) note(*b.test);
            for (const xml::Operation& inner : b.body) note(inner);
        }
    }
    void note(const xml::Expression& e) {
        expressions.insert(e.kind);
        for (const xml::Expression& a : e.arguments) note(a);
    }

    const std::filesystem::path file_;
    std::string sheet_;
    std::vector<std::pair<std::size_t, std::size_t>> copies_;  // points, and the slots that are copied there
};

}  // namespace oai::test
