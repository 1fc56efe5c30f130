// SPDX-License-Identifier: MIT
// Random records for a compiled stylesheet, made of the literals that it compares with and of
// values that often cause errors. The output of the program for them must equal that of libxslt and
// libxml2 byte for byte, and they must exercise each of its operations. This is an additional check
// of the compiler; the systematic one is t/lib/emission.h.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "t/lib/made_up_trees.h"
#include "transform/interpreter.h"
#include "transform/stylesheet.h"
#include "xml/document.h"

namespace oai::test {

using transform::Builtin, transform::Call, transform::Column, transform::Coverage,
    transform::CoveragePoint, transform::Entry, transform::Expression, transform::Expressions,
    transform::Interpreter, transform::Nodes, transform::Operation, transform::Operations,
    transform::Program, transform::RecordView, transform::Stylesheet;

inline constexpr int kMadeUpSlice = 100;
inline constexpr int kMadeUpRecords = 200;
inline constexpr int kMaxMadeUpRecords = 20'000;  // if some operation has not had its turn
inline constexpr std::chrono::milliseconds kMadeUpLimit{300'000};
inline constexpr std::string_view kMadeUpRecordEnd = "\x1E";

// Texts on which escaping, trimming and counting of characters easily fail.
inline constexpr std::array<std::string_view, 16> kTempting = {
    "",
    " ",
    "a",
    "Abc",
    "a b",
    "  a \t\r\n b  ",
    "<a href=\"x\">&amp;'",
    "]]>",
    "&",
    "\"",
    "\t\n\r",
    "ž",
    "čeština",
    "\xF0\x9F\x98\x80x",
    "\xEF\xBF\xBD",
    "0123456789012345678901234567890123456789"};

using Strings = std::vector<std::string>;

// How the stylesheet uses the text of some column: the literals that it compares with it, and
// numbers near the lengths that it tests.
struct ColumnReads {
    Strings literals, languages;
    std::set<std::size_t> numbers;
};

// The expressions of which the value of another one is made.
inline const Expressions& operands_of(const Expression& e) {
    static const Expressions kNone;
    return std::visit(
        []<class T>(const T& node) -> const Expressions& {
            if constexpr (requires { node.operands; })
                return node.operands;
            else
                return kNone;
        },
        e.node);
}

// The operations that stand within one, those of an element's attributes before its content.
inline std::vector<const Operations*> bodies_of(const Operation& operation) {
    std::vector<const Operations*> out;
    std::visit(
        [&]<class T>(const T& node) {
            if constexpr (requires { node.attributes; }) out = {&node.attributes, &node.content};
            if constexpr (requires { node.body; }) out = {&node.body};
            if constexpr (requires { node.branches; })
                for (const transform::Branch& branch : node.branches) out.push_back(&branch.body);
        },
        operation.node);
    return out;
}

class ProgramReads {
  public:
    explicit ProgramReads(const Program& program)
        : columns(program.columns.size()),
          trees(program.columns.size()),
          variables_(program.variables) {
        read(program.operations, nullptr);
    }
    // By slot; each is used for some of the columns only.
    std::vector<ColumnReads> columns;
    std::vector<TreeReads> trees;

  private:
    struct Found {
        std::vector<ColumnReads*> of;
        ColumnReads what;
        bool lang = false;
        void add_columns(const Found& other) {
            of.insert(of.end(), other.of.begin(), other.of.end());
            lang = lang || other.lang;
        }
    };
    // current: the column of the context node; nullptr: that is the record.
    void read(const Operations& operations, ColumnReads* current) {
        for (const Operation& o : operations) {
            ColumnReads* inside = current;
            if (const auto* each = std::get_if<transform::ForEach>(&o.node)) {
                inside = &columns[each->nodes.slot];
                for (const Expression& e : each->nodes.filter) read(e, inside);
            }
            Found* const outer = variable_;
            if (const auto* variable = std::get_if<transform::Variable>(&o.node))
                variable_ = &variables_[variable->slot];
            if (const auto* value = std::get_if<transform::Value>(&o.node))
                read(value->expression, current);
            if (const auto* choose = std::get_if<transform::Choose>(&o.node))
                for (const transform::Branch& b : choose->branches)
                    if (b.test) read(*b.test, current);
            if (const auto* copy = std::get_if<transform::CopyElements>(&o.node)) {
                TreeReads& tree = read(copy->elements);
                if (copy->root_namespace) {
                    tree.is_record = true;
                    tree.name_spaces.push_back(*copy->root_namespace);
                }
                tree.around.insert(tree.around.end(), copy->scope.begin(), copy->scope.end());
            }
            for (const Operations* body : bodies_of(o)) read(*body, inside);
            variable_ = outer;
        }
    }
    void read(const Expression& e, ColumnReads* current) {
        const auto* const call = std::get_if<Call>(&e.node);
        if (call != nullptr &&
            (call->function == Builtin::conjunction || call->function == Builtin::disjunction ||
             call->function == Builtin::negation)) {
            for (const Expression& a : operands_of(e)) read(a, current);
            return;
        }
        Found found;
        collect(e, current, found);
        if (variable_ != nullptr) variable_->add_columns(found);
        for (ColumnReads* column : found.of) {
            Strings& to = found.lang ? column->languages : column->literals;
            to.insert(to.end(), found.what.literals.begin(), found.what.literals.end());
            column->numbers.insert(found.what.numbers.begin(), found.what.numbers.end());
        }
    }
    void collect(const Expression& e, ColumnReads* current, Found& found) {
        const auto current_too = [&] {
            if (current != nullptr) found.of.push_back(current);
        };
        std::visit(
            [&]<class T>(const T& node) {
                if constexpr (std::is_same_v<T, transform::ColumnNodes>) {
                    found.of.push_back(&columns[node.slot]);
                    for (const Expression& inside : node.filter) read(inside, &columns[node.slot]);
                }
                if constexpr (std::is_same_v<T, transform::VariableText>)
                    found.add_columns(variables_[node.slot]);
                if constexpr (std::is_same_v<T, transform::StoredElements>) read(node);
                if constexpr (std::is_same_v<T, transform::ContextNode>) current_too();
                if constexpr (std::is_same_v<T, Call>)
                    if (node.function == Builtin::position) current_too();
                if constexpr (std::is_same_v<T, transform::LanguageNode>) {
                    current_too();
                    found.lang = true;
                }
                if constexpr (std::is_same_v<T, transform::Literal>)
                    add_literal(node.text, found.what.literals);
                if constexpr (std::is_same_v<T, transform::Number>) {
                    found.what.numbers.insert(node.value);
                    found.what.literals.push_back(std::to_string(node.value));
                }
            },
            e.node);
        for (const Expression& a : operands_of(e)) collect(a, current, found);
    }
    TreeReads& read(const transform::StoredElements& elements) {
        TreeReads& tree = trees[elements.slot];
        if (elements.child) tree.children.push_back(*elements.child);
        return tree;
    }
    // A long one is a list, of which values that are searched for it are words.
    static void add_literal(const std::string& text, Strings& literals) {
        constexpr std::size_t kLong = 100;
        literals.push_back(text);
        const std::string_view marks = text.size() < kLong ? "" : " :";
        for (std::size_t at = 0; !marks.empty() && at < text.size();) {
            const std::size_t end = std::min(text.find_first_of(marks, at), text.size());
            if (end > at) literals.push_back(text.substr(at, end - at));
            at = end + 1;
        }
    }

    std::vector<Found> variables_;  // the columns that each is made of
    Found* variable_ = nullptr;     // the one whose body is read
};

// Owns the values of the records of a slice, and gives them as a document and as views.
class MadeUpRecords {
  public:
    MadeUpRecords(const Program& program, const ProgramReads& reads, std::mt19937& random)
        : program_(program),
          reads_(reads),
          random_(random),
          document_(xml::new_document()),
          root_(xml::add_element(reinterpret_cast<xmlNode*>(document_.get()),
                                 xml::intern(document_.get(), "records"))) {
        if (below(4) != 0) metadata_namespace_ = kMadeUpNamespaces[below(kMadeUpNamespaces.size())];
        if (metadata_namespace_)
            xml::add_attribute(root_, nullptr, xml::intern(document_.get(), "metadataNamespace"),
                               *metadata_namespace_);
        for (int i = 0; i < kMadeUpSlice; ++i) add_record();
    }
    xmlDoc* document() { return document_.get(); }
    const std::vector<RecordView>& records() const { return records_; }

  private:
    void add_record() {
        RecordView view;
        view.metadata_namespace = metadata_namespace_;
        xmlNode* record = xml::add_element(root_, xml::intern(document_.get(), "record"));
        last_attribute_ = nullptr;
        for (std::size_t slot = 0; slot < program_.columns.size(); ++slot) {
            const Column::Kind kind = program_.columns[slot].kind;
            view.columns.push_back(
                &nodes_.emplace_back(kind == Column::Kind::attribute  ? add_attribute(record, slot)
                                     : kind == Column::Kind::children ? add_children(record, slot)
                                                                      : add_trees(record, slot)));
        }
        xml::add_text(root_, kMadeUpRecordEnd);
        records_.push_back(std::move(view));
    }
    Nodes add_attribute(xmlNode* record, std::size_t slot) {
        if (below(6) == 0) return {};
        const ColumnReads& column = reads_.columns[slot];
        std::vector<Entry>& to = entries_.emplace_back();
        to.push_back({keep(value(column.literals, column.numbers))});
        last_attribute_ = xml::add_attribute(record, last_attribute_, name(slot), to.back().text);
        return to;
    }
    Nodes add_children(xmlNode* record, std::size_t slot) {
        const ColumnReads& column = reads_.columns[slot];
        std::vector<Entry>& to = entries_.emplace_back();
        for (std::size_t n = entries(column); n > 0; --n) {
            Entry& entry = to.emplace_back(Entry{keep(value(column.literals, column.numbers))});
            xmlNode* element = xml::add_element(record, name(slot));
            if (below(3) != 0) {
                entry.lang = keep(value(column.languages, {}));
                xml::add_attribute(element, nullptr, xml::intern(document_.get(), "lang"),
                                   *entry.lang);
            }
            xml::add_text(element, entry.text);
        }
        return to;
    }
    Nodes add_trees(xmlNode* record, std::size_t slot) {
        std::vector<Entry>& to = entries_.emplace_back();
        for (std::size_t n = below(6) == 0 ? 0 : below(6) == 0 ? 2 : 1; n > 0; --n) {
            to.push_back({keep(TreeMaker(reads_.trees[slot], random_).content())});
            xml::add_parsed(record, name(slot), to.back().text);
        }
        return to;
    }
    const xmlChar* name(std::size_t slot) {
        return xml::intern(document_.get(), program_.columns[slot].name);
    }
    std::string value(const Strings& literals, const std::set<std::size_t>& numbers) {
        const std::size_t way = below(16);
        if (literals.empty() || way < 4) {
            if (way < 2 && !numbers.empty()) {
                const std::size_t wanted =
                    *std::next(numbers.begin(), static_cast<std::ptrdiff_t>(below(numbers.size())));
                return std::string(
                    std::min<std::size_t>(wanted, 1000) + below(3) - (wanted == 0 ? 0 : 1), 'x');
            }
            return way == 3 ? tempting() + tempting() : tempting();
        }
        const std::string& literal = literals[below(literals.size())];
        switch (way) {
            case 4: return literal + tempting();
            case 5: return tempting() + literal;
            case 6: return tempting() + literal + tempting();
            case 7: return literal + literals[below(literals.size())];
            case 8: return tempting() + literal + tempting() + literals[below(literals.size())];
            case 9:
                return tempting() + literal + tempting() + literals[below(literals.size())] +
                       tempting();
            default: return literal;
        }
    }
    std::string tempting() { return std::string(kTempting[below(kTempting.size())]); }
    std::size_t entries(const ColumnReads& column) {
        const std::size_t most =
            column.numbers.empty() ? 2 : std::min<std::size_t>(*column.numbers.rbegin() + 1, 12);
        return below(4) == 0 ? 0 : 1 + below(std::max<std::size_t>(most, 3));
    }
    std::size_t below(std::size_t n) { return random_() % n; }
    std::string_view keep(std::string value) { return texts_.emplace_back(std::move(value)); }

    const Program& program_;
    const ProgramReads& reads_;
    std::mt19937& random_;
    xml::DocumentHandle document_;
    xmlNode* root_;
    xmlAttr* last_attribute_ = nullptr;                   // of the record at work
    std::optional<std::string_view> metadata_namespace_;  // one for all records
    std::deque<std::string> texts_;
    std::deque<std::vector<Entry>> entries_;
    std::deque<Nodes> nodes_;
    std::vector<RecordView> records_;
};

// What libxslt made of each record. Its text nodes run into each other where a record has nothing.
inline std::vector<std::vector<xmlNode*>> by_record(const xmlDoc* result) {
    std::vector<std::vector<xmlNode*>> out(1);
    for (xmlNode* node = result->children; node != nullptr; node = node->next) {
        if (node->type != XML_TEXT_NODE) {
            out.back().push_back(node);
            continue;
        }
        const std::string_view text(reinterpret_cast<const char*>(node->content));
        out.resize(out.size() + static_cast<std::size_t>(std::count(text.begin(), text.end(),
                                                                    kMadeUpRecordEnd.front())));
    }
    return out;
}

inline bool fell_back(const Coverage& coverage) {
    return std::any_of(
        coverage.begin(), coverage.end(),
        [](std::uint8_t bits) { return (bits & transform::kFellBack) != 0; });
}

// The element as libxml2 writes it, in UTF-8 and without indenting. The document is changed: it is
// of that encoding.
inline std::string written_by_libxml2(xmlDoc* document, xmlNode* element) {
    if (document->encoding == nullptr)
        document->encoding = xmlStrdup(reinterpret_cast<const xmlChar*>("UTF-8"));
    const xml::BufferHandle buffer(xmlBufferCreate());
    if (!buffer || xmlNodeDump(buffer.get(), document, element, 0, 0) < 0) throw std::bad_alloc();
    return {reinterpret_cast<const char*>(xmlBufferContent(buffer.get())),
            static_cast<std::size_t>(xmlBufferLength(buffer.get()))};
}

// Returns "" or the first difference. A record that is left to libxslt counts as equal: it
// exercises the path there, unless it was left because of XML that is not plain, which conditions
// do not test.
inline std::string compare(MadeUpRecords& slice, const Program& program,
                           const Stylesheet& stylesheet, Coverage& coverage) {
    const xml::DocumentHandle result = stylesheet.apply(slice.document(), kMadeUpLimit);
    const std::vector<std::vector<xmlNode*>> wanted = by_record(result.get());
    if (wanted.size() != slice.records().size() + 1)
        return "libxslt does not make one element of a record";
    for (std::size_t i = 0; i < slice.records().size(); ++i) {
        Interpreter interpreter(program);
        std::string got;
        const bool made = interpreter.append(got, slice.records()[i]);
        const Coverage& done = interpreter.coverage();
        if (!made && !fell_back(done)) continue;
        if (made && wanted[i].size() != 1)
            return "libxslt makes something other than one element of a record";
        const std::string text = made ? written_by_libxml2(result.get(), wanted[i].front()) : "";
        if (got != text) return fmt::format("differs from libxslt: {} and not {}", got, text);
        for (std::size_t point = 0; point < coverage.size(); ++point)
            coverage[point] |= done[point];
    }
    return "";
}

inline std::string not_exercised(const Program& program, const Coverage& coverage,
                                 const std::string& path) {
    for (std::size_t i = 0; i < program.points.size(); ++i) {
        const CoveragePoint& point = program.points[i];
        const std::uint8_t missing = point.reachable & static_cast<std::uint8_t>(~coverage[i]);
        if (missing != 0) {
            return fmt::format("{}:{}: something was {} by any record of the trial", path,
                               point.line,
                               missing & transform::kFalse           ? "not found false"
                               : point.reachable & transform::kFalse ? "not found true"
                                                                     : "not exercised");
        }
    }
    return "";
}

// Returns "" or the reason why the program is not reliable: a record with different output, or
// "file:line: what" for an operation that no record exercised; each condition must have had both
// results. Throws xml::Error if libxslt fails.
inline std::string try_program(const Program& program, const Stylesheet& stylesheet) {
    const ProgramReads reads(program);
    std::mt19937 random(1);
    Coverage coverage(program.points.size(), 0);
    std::string missing;
    for (int done = 0; done < kMaxMadeUpRecords; done += kMadeUpSlice) {
        if (done >= kMadeUpRecords && missing.empty()) return "";
        MadeUpRecords slice(program, reads, random);
        if (std::string wrong = compare(slice, program, stylesheet, coverage); !wrong.empty())
            return wrong;
        missing = not_exercised(program, coverage, stylesheet.path());
    }
    return missing;
}

}  // namespace oai::test
