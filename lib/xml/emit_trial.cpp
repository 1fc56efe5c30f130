// SPDX-License-Identifier: MIT
#include "xml/emit_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <random>
#include <set>

#include "xml/emit_trial_trees.h"
#include "xml/tree.h"

namespace oai::xml {
namespace {

using Strings = std::vector<std::string>;

constexpr int kSlice = 100;
constexpr int kRecords = 200;
constexpr int kMostRecords = 4000;  // if some operation has not had its turn
constexpr std::chrono::milliseconds kLimit{5000};
constexpr std::string_view kRecordEnd = "\x1E";

// What escaping, trimming and counting of characters go wrong on.
constexpr std::array<std::string_view, 16> kTempting = {
    "", " ", "a", "Abc", "a b", "  a \t\r\n b  ", "<a href=\"x\">&amp;'", "]]>", "&", "\"", "\t\n\r", "ž", "čeština",
    "\xF0\x9F\x98\x80x", "\xEF\xBF\xBD", "0123456789012345678901234567890123456789",
};

// What the stylesheet asks of one column: the literals that it compares with it, and numbers near its lengths.
struct Asked {
    Strings literals, languages;
    std::set<std::size_t> numbers;
};

class Questions {
  public:
    explicit Questions(const Emission& emission)
        : attributes(emission.attributes.size()), children(emission.children.size()), trees(emission.trees.size()) {
        read(emission.operations, nullptr);
    }
    std::vector<Asked> attributes, children;
    std::vector<AskedOfTree> trees;

  private:
    struct Found {
        std::vector<Asked*> of;
        Asked what;
        bool lang = false;
    };
    void read(const std::vector<Operation>& operations, Asked* current);
    void read(const Expression& e, Asked* current);
    void collect(const Expression& e, Asked* current, Found& found);
};

void Questions::read(const std::vector<Operation>& operations, Asked* current) {
    for (const Operation& o : operations) {
        Asked* inside = o.kind == Operation::Kind::each_attribute ? &attributes[o.slot]
                        : o.kind == Operation::Kind::each_child   ? &children[o.slot]
                                                                  : current;
        if (o.expression) read(*o.expression, current);
        for (const Declaration& d : o.scope) trees[o.expression->slot].around.push_back(d);
        if (o.kind == Operation::Kind::record) trees[o.expression->slot].name_spaces.push_back(o.text);
        read(o.head, current);
        read(o.body, inside);
        for (const Operation::Branch& b : o.branches) {
            if (b.test) read(*b.test, current);
            read(b.body, current);
        }
    }
}

void Questions::read(const Expression& e, Asked* current) {
    using Kind = Expression::Kind;
    if (e.kind == Kind::both || e.kind == Kind::either || e.kind == Kind::negation) {
        for (const Expression& a : e.arguments) read(a, current);
        return;
    }
    Found found;
    collect(e, current, found);
    for (Asked* asked : found.of) {
        Strings& to = found.lang ? asked->languages : asked->literals;
        to.insert(to.end(), found.what.literals.begin(), found.what.literals.end());
        asked->numbers.insert(found.what.numbers.begin(), found.what.numbers.end());
    }
}

void Questions::collect(const Expression& e, Asked* current, Found& found) {
    using Kind = Expression::Kind;
    if (e.kind == Kind::attribute) found.of.push_back(&attributes[e.slot]);
    if (e.kind == Kind::child) found.of.push_back(&children[e.slot]);
    if (e.kind == Kind::tree) trees[e.slot].paths.push_back(&e);
    if ((e.kind == Kind::self || e.kind == Kind::lang || e.kind == Kind::position || e.kind == Kind::last) && current) {
        found.of.push_back(current);
    }
    found.lang = found.lang || e.kind == Kind::lang;
    if (e.kind == Kind::literal) found.what.literals.push_back(e.text);
    if (e.kind == Kind::number) found.what.numbers.insert(e.number);
    for (const Expression& a : e.arguments) collect(a, current, found);
}

// Owns the values of a slice's records, and shows them as a document and as views.
class Slice {
  public:
    Slice(const Emission& emission, const Questions& questions, std::mt19937& random);
    xmlDoc* document() { return document_.get(); }
    const std::vector<RecordView>& records() const { return records_; }

  private:
    void add_record();
    void add_trees(xmlNode* record, RecordView& view);
    std::string value(const Strings& literals, const std::set<std::size_t>& numbers);
    std::string tempting() { return std::string(kTempting[below(kTempting.size())]); }
    std::size_t entries(const Asked& asked);
    std::size_t below(std::size_t n) { return random_() % n; }
    std::string_view keep(std::string value) { return texts_.emplace_back(std::move(value)); }

    const Emission& emission_;
    const Questions& questions_;
    std::mt19937& random_;
    DocumentHandle document_;
    xmlNode* root_;
    std::optional<std::string_view> metadata_namespace_;  // one for all records
    std::deque<std::string> texts_;
    std::deque<std::vector<Entry>> entries_;
    std::vector<RecordView> records_;
};

Slice::Slice(const Emission& emission, const Questions& questions, std::mt19937& random)
    : emission_(emission), questions_(questions), random_(random), document_(new_document()),
      root_(add_element(reinterpret_cast<xmlNode*>(document_.get()), intern(document_.get(), "records"))) {
    if (below(4) != 0) metadata_namespace_ = below(2) == 0 ? "urn:oai-fcgi:trial:metadata" : "urn:a&<b";
    if (metadata_namespace_) add_attribute(root_, nullptr, intern(document_.get(), "metadataNamespace"), *metadata_namespace_);
    for (int i = 0; i < kSlice; ++i) add_record();
}

std::string Slice::value(const Strings& literals, const std::set<std::size_t>& numbers) {
    const std::size_t way = below(16);
    if (literals.empty() || way < 4) {
        if (way < 2 && !numbers.empty()) {
            const std::size_t wanted = *std::next(numbers.begin(), static_cast<std::ptrdiff_t>(below(numbers.size())));
            return std::string(std::min<std::size_t>(wanted, 1000) + below(3) - (wanted == 0 ? 0 : 1), 'x');
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
        default: return literal;
    }
}

std::size_t Slice::entries(const Asked& asked) {
    const std::size_t most = asked.numbers.empty() ? 2 : std::min<std::size_t>(*asked.numbers.rbegin() + 1, 12);
    return below(4) == 0 ? 0 : 1 + below(std::max<std::size_t>(most, 3));
}

void Slice::add_record() {
    RecordView view;
    xmlNode* record = add_element(root_, intern(document_.get(), "record"));
    xmlAttr* last = nullptr;
    for (std::size_t i = 0; i < emission_.attributes.size(); ++i) {
        const Asked& asked = questions_.attributes[i];
        view.attributes.emplace_back();
        if (below(6) == 0) continue;
        view.attributes.back() = keep(value(asked.literals, asked.numbers));
        last = add_attribute(record, last, intern(document_.get(), emission_.attributes[i]), *view.attributes.back());
    }
    for (std::size_t i = 0; i < emission_.children.size(); ++i) {
        const Asked& asked = questions_.children[i];
        std::vector<Entry>& to = entries_.emplace_back();
        for (std::size_t n = entries(asked); n > 0; --n) {
            Entry& entry = to.emplace_back(Entry{keep(value(asked.literals, asked.numbers))});
            xmlNode* element = add_element(record, intern(document_.get(), emission_.children[i]));
            if (below(3) != 0) {
                entry.lang = keep(value(asked.languages, {}));
                add_attribute(element, nullptr, intern(document_.get(), "lang"), *entry.lang);
            }
            xml::add_text(element, entry.text);
        }
        view.children.emplace_back(to);
    }
    add_trees(record, view);
    add_text(root_, kRecordEnd);
    records_.push_back(std::move(view));
}

void Slice::add_trees(xmlNode* record, RecordView& view) {
    view.metadata_namespace = metadata_namespace_;
    for (std::size_t i = 0; i < emission_.trees.size(); ++i) {
        std::vector<Entry>& to = entries_.emplace_back();
        for (std::size_t n = below(6) == 0 ? 0 : below(6) == 0 ? 2 : 1; n > 0; --n) {
            to.push_back({keep(made_up_tree(questions_.trees[i], metadata_namespace_.value_or(""), random_))});
            add_parsed(record, intern(document_.get(), emission_.trees[i]), to.back().text);
        }
        view.trees.emplace_back(to);
    }
}

// What libxslt made of each record. Its text nodes run into each other where a record has nothing.
std::vector<std::vector<xmlNode*>> by_record(const xmlDoc* result) {
    std::vector<std::vector<xmlNode*>> out(1);
    for (xmlNode* node = result->children; node != nullptr; node = node->next) {
        if (node->type != XML_TEXT_NODE) {
            out.back().push_back(node);
            continue;
        }
        const std::string_view text(reinterpret_cast<const char*>(node->content));
        out.resize(out.size() + static_cast<std::size_t>(std::count(text.begin(), text.end(), kRecordEnd.front())));
    }
    return out;
}

bool was_left(const Trace& trace) {
    return std::any_of(trace.begin(), trace.end(), [](std::uint8_t bits) { return (bits & kLeft) != 0; });
}

// "" or the first difference. What is left to libxslt makes no difference: it exercises the way there, unless it was left for
// XML that is not plain, of which conditions know nothing.
std::string compare(Slice& slice, const Emission& emission, const Stylesheet& stylesheet, Trace& trace) {
    const DocumentHandle result = stylesheet.apply(slice.document(), kLimit);
    const std::vector<std::vector<xmlNode*>> wanted = by_record(result.get());
    if (wanted.size() != slice.records().size() + 1) return "libxslt does not make one element of a record";
    for (std::size_t i = 0; i < slice.records().size(); ++i) {
        Trace done(trace.size(), 0);
        std::string got;
        const bool made = Emitter(emission, &done).append(got, slice.records()[i]);
        if (!made && !was_left(done)) continue;
        if (made && wanted[i].size() != 1) return "libxslt makes something other than one element of a record";
        const std::string text = made ? written_by_libxml2(result.get(), wanted[i].front()) : "";
        if (got != text) return fmt::format("differs from libxslt: {} and not {}", got, text);
        for (std::size_t point = 0; point < trace.size(); ++point) trace[point] |= done[point];
    }
    return "";
}

std::string not_exercised(const Emission& emission, const Trace& trace, const std::string& path) {
    for (std::size_t i = 0; i < emission.points.size(); ++i) {
        const Point& point = emission.points[i];
        const std::uint8_t missing = point.wanted & static_cast<std::uint8_t>(~trace[i]);
        if (missing != 0) {
            return fmt::format("{}:{}: {} was {} by any record of the trial", path, point.line, point.what,
                               missing & kNot ? "not found false" : point.wanted & kNot ? "not found true" : "not exercised");
        }
    }
    return "";
}

}  // namespace

std::string written_by_libxml2(xmlDoc* document, xmlNode* element) {
    if (document->encoding == nullptr) document->encoding = xmlStrdup(reinterpret_cast<const xmlChar*>("UTF-8"));
    const BufferHandle buffer(xmlBufferCreate());
    if (!buffer || xmlNodeDump(buffer.get(), document, element, 0, 0) < 0) throw std::bad_alloc();
    return {reinterpret_cast<const char*>(xmlBufferContent(buffer.get())), static_cast<std::size_t>(xmlBufferLength(buffer.get()))};
}

std::string try_emission(const Emission& emission, const Stylesheet& stylesheet) {
    const Questions questions(emission);
    std::mt19937 random(1);
    Trace trace(emission.points.size(), 0);
    std::string missing;
    for (int done = 0; done < kMostRecords; done += kSlice) {
        if (done >= kRecords && missing.empty()) return "";
        Slice slice(emission, questions, random);
        if (std::string wrong = compare(slice, emission, stylesheet, trace); !wrong.empty()) return wrong;
        missing = not_exercised(emission, trace, stylesheet.path());
    }
    return missing;
}

}  // namespace oai::xml
