// SPDX-License-Identifier: MIT
// disseminate(): the registry is in format_registry.cpp.
#include "format.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "xml/serialiser.h"
#include "xml/tree.h"

namespace oai {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kSliceLimit{5000};    // of the transform of a slice, some 2 ms when all is well
constexpr milliseconds kRecordLimit{1000};   // of a record alone
constexpr milliseconds kRedoLimit{10'000};   // of all records of a slice that is redone
constexpr std::size_t kBytesPerRecord = 1200;  // a guess, for reserve()

std::string_view view(const xmlChar* s) {
    return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

// Reads a result document: its top-level elements, told apart by the kRecordEnd behind each record's output.
class Splitter {
  public:
    Splitter(const Format& format, std::string& out) : format_(format), out_(out) {}

    // One piece per record in `pieces`, appended to `out`. "" or what is wrong; then `out` holds rubbish behind its
    // old end. For a single record the marker may be missing: there is nothing to tell apart.
    std::string split(const xmlDoc* result, std::size_t records, std::vector<Dissemination::Piece>& pieces);

  private:
    std::string take(const xmlNode* node);
    std::string take_element(const xmlNode* node);
    std::string take_text(std::string_view text);
    std::string end_record();

    const Format& format_;
    std::string& out_;
    bool open_ = false;  // the record has its element
    std::vector<Dissemination::Piece> found_;
    std::size_t ended_ = 0;
};

std::string Splitter::split(const xmlDoc* result, std::size_t records, std::vector<Dissemination::Piece>& pieces) {
    for (const xmlNode* node = result->children; node != nullptr; node = node->next) {
        if (std::string wrong = take(node); !wrong.empty()) {
            return wrong;
        }
    }
    if (records == 1 && ended_ == 0) {
        if (std::string wrong = end_record(); !wrong.empty()) {
            return wrong;
        }
    }
    if (ended_ != records || open_) {
        return "the stylesheet does not process the records one after the other";
    }
    pieces = std::move(found_);
    return "";
}

std::string Splitter::take(const xmlNode* node) {
    switch (node->type) {
        case XML_ELEMENT_NODE:
            return take_element(node);
        case XML_TEXT_NODE:
        case XML_CDATA_SECTION_NODE:
            return take_text(view(node->content));
        default:
            return "";  // a comment beside the element is nobody's metadata
    }
}

std::string Splitter::take_element(const xmlNode* node) {
    if (open_) {
        return fmt::format("a second element, {}: metadata is one element", view(node->name));
    }
    const std::string_view name_space = node->ns == nullptr ? "" : view(node->ns->href);
    if (name_space != format_.root_namespace) {
        return fmt::format("yields {{{}}}{}, which is not in the namespace {}", name_space, view(node->name),
                           format_.root_namespace);
    }
    const std::size_t begin = out_.size();
    xml::append_node(out_, node);
    found_.push_back({begin, out_.size()});
    open_ = true;
    return "";
}

std::string Splitter::take_text(std::string_view text) {
    for (const char c : text) {
        if (c == kRecordEnd) {
            if (std::string wrong = end_record(); !wrong.empty()) {
                return wrong;
            }
        } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            return fmt::format("text outside of the element: {}", text.substr(0, text.find(kRecordEnd)).substr(0, 80));
        }
    }
    return "";
}

std::string Splitter::end_record() {
    ++ended_;
    if (!open_ && format_.is_about) {
        found_.push_back({out_.size(), out_.size()});
        return "";
    }
    return std::exchange(open_, false) ? "" : "the stylesheet yields no element";
}

bool has_column(const xmlNode* record, const std::string& column) {
    const auto* name = reinterpret_cast<const xmlChar*>(column.c_str());
    if (xmlHasNsProp(record, name, nullptr) != nullptr) {
        return true;
    }
    const xmlNode* child = record->children;
    while (child != nullptr && !xmlStrEqual(child->name, name)) {
        child = child->next;
    }
    return child != nullptr;
}

// Takes the records that lack one of the columns out of the source. Each is followed by its kRecordEnd.
void drop_records_lacking(const std::vector<std::string>& columns, RecordXml& input,
                          std::vector<Dissemination::Failure>& failures) {
    std::vector<int> kept;
    xmlNode* record = xmlDocGetRootElement(input.document.get())->children;
    for (const int index : input.slice_index) {
        xmlNode* const end = record->next;
        xmlNode* const next = end->next;
        const auto lacking = std::find_if(columns.begin(), columns.end(),
                                          [&](const std::string& column) { return !has_column(record, column); });
        if (lacking == columns.end()) {
            kept.push_back(index);
        } else {
            failures.push_back({index, "requires " + *lacking});
            const xml::NodeHandle dropped(record);
            const xml::NodeHandle dropped_end(end);
        }
        record = next;
    }
    input.slice_index = std::move(kept);
}

// "" or why there is no metadata; then out.text is as it was.
std::string transform(const Format& format, const RecordXml& input, milliseconds limit, Dissemination& out) {
    const std::size_t before = out.text.size();
    std::string wrong;
    std::vector<Dissemination::Piece> pieces;
    try {
        const xml::DocumentHandle result = format.stylesheet.apply(input.document.get(), limit);
        wrong = Splitter(format, out.text).split(result.get(), input.slice_index.size(), pieces);
    } catch (const xml::Error& e) {
        wrong = e.what();
    }
    if (!wrong.empty()) {
        out.text.resize(before);
        return wrong;
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        out.pieces[static_cast<std::size_t>(input.slice_index[i])] = pieces[i];
    }
    return "";
}

const std::vector<std::string>* wanted(const Format& format) {
    return format.compiled ? format.compiled->wanted() : nullptr;
}

// For an about stylesheet: <records metadataNamespace="">, of the format that it goes with.
void tell(RecordXml& input, std::string_view metadata_namespace) {
    if (metadata_namespace.empty()) return;
    xmlDoc* document = input.document.get();
    xml::add_attribute(xmlDocGetRootElement(document), nullptr, xml::intern(document, "metadataNamespace"), metadata_namespace);
}

// What goes with every transform of one dissemination.
struct Source {
    const Format& format;
    const Slice& slice;
    std::string_view identifier_prefix, metadata_namespace;

    RecordXml xml(std::span<const int> indices) const {
        RecordXml input = records_to_xml(slice, indices, identifier_prefix, wanted(format));
        tell(input, metadata_namespace);
        return input;
    }
};

void redo_one_by_one(const Source& source, const std::vector<int>& indices, Dissemination& out) {
    const auto deadline = steady_clock::now() + kRedoLimit;
    for (const int i : indices) {
        const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
        std::string wrong = left.count() <= 0 ? "the slice takes too long"
                                              : transform(source.format, source.xml({&i, 1}), std::min(left, kRecordLimit), out);
        if (!wrong.empty()) {
            out.failures.push_back({i, std::move(wrong)});
        }
    }
}

Dissemination empty(const Slice& slice) {
    Dissemination out;
    out.pieces.resize(static_cast<std::size_t>(slice.size()), {0, 0});
    out.text.reserve(static_cast<std::size_t>(slice.size()) * kBytesPerRecord);
    return out;
}

// Adds these records to what is made of the slice.
void add_by_libxslt(const Source& source, std::span<const int> records, Dissemination& out) {
    RecordXml input = source.xml(records);
    for (RecordXml::Failure& failure : input.failures) {
        out.failures.push_back({failure.index, std::move(failure.why)});
    }
    if (!source.format.requires_columns.empty()) {
        drop_records_lacking(source.format.requires_columns, input, out.failures);
    }
    const std::vector<int>& indices = input.slice_index;
    if (!indices.empty()) {
        std::string wrong = transform(source.format, input, kSliceLimit, out);
        if (!wrong.empty() && indices.size() == 1) {
            out.failures.push_back({indices.front(), std::move(wrong)});
        } else if (!wrong.empty()) {
            redo_one_by_one(source, indices, out);
        }
    }
    std::sort(out.failures.begin(), out.failures.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
}

Dissemination by_libxslt(const Source& source) {
    Dissemination out = empty(source.slice);
    add_by_libxslt(source, live_records(source.slice), out);
    return out;
}

// What a failed record lacks; "" nothing.
std::string lacking(const Format& format, const RecordValues& values) {
    const auto& columns = format.requires_columns;
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return !values.has(c); });
    return found == columns.end() ? "" : "requires " + *found;
}

// "" or what libxslt makes of the record instead.
std::string difference(const Source& source, int i, std::string_view compiled) {
    const RecordXml input = source.xml({&i, 1});
    if (input.slice_index.empty()) return "";  // for a value that only libxslt's part of the stylesheet reads
    Dissemination out = empty(source.slice);
    std::string wrong = transform(source.format, input, kRecordLimit, out);
    if (!wrong.empty()) return wrong;
    return out.of(i) == compiled ? "" : fmt::format("{} and not {}", out.of(i), compiled);
}

// nullopt: by libxslt.
std::optional<Dissemination> by_emission(const Source& source, const xml::Emission& emission, int check_every) {
    const Slice& slice = source.slice;
    const CompiledFormat& compiled = *source.format.compiled;
    RecordValues values(slice, source.identifier_prefix, &compiled.reads());
    std::optional<Binding> binding = Binding::bind(emission, values, source.metadata_namespace);
    if (!binding) return std::nullopt;
    Dissemination out = empty(slice);
    std::vector<int> left;  // to libxslt
    xml::Emitter emitter(emission);
    const CompiledFormat::Turn turn = compiled.count(slice.size(), check_every);
    for (int i = 0; i < slice.size(); ++i) {
        if (slice.header(i).deleted) continue;
        std::string wrong;
        try {
            values.read(i);
            wrong = lacking(source.format, values);
        } catch (const BadValue& e) {
            wrong = e.what();
        }
        if (!wrong.empty()) {
            out.failures.push_back({i, std::move(wrong)});
            continue;
        }
        const std::size_t begin = out.text.size();
        if (!emitter.append(out.text, binding->view(values))) {
            left.push_back(i);
            continue;
        }
        out.pieces[static_cast<std::size_t>(i)] = {begin, out.text.size()};
        if (!turn.is(i)) continue;
        if (std::string differs = difference(source, i, out.of(i)); !differs.empty()) {
            out.difference = {i, std::move(differs)};
            return out;
        }
    }
    if (!left.empty()) add_by_libxslt(source, left, out);
    return out;
}

}  // namespace

Dissemination disseminate(const Format& format, const Slice& slice, std::string_view identifier_prefix,
                          CompiledOptions options, std::string_view metadata_namespace) {
    const Source source{format, slice, identifier_prefix, metadata_namespace};
    const xml::Emission* emission = options.compiled && format.compiled ? format.compiled->emission() : nullptr;
    std::optional<Dissemination> out;
    if (emission != nullptr) out = by_emission(source, *emission, options.check_every);
    if (out && !out->difference) return std::move(*out);
    Dissemination safe = by_libxslt(source);
    if (out) {
        format.compiled->switch_off();
        safe.difference = std::move(out->difference);
    }
    return safe;
}

std::string way_of(const Format& format, bool compiled) {
    if (!compiled) return "by libxslt: switched off by [formats] compiled = no";
    const std::string why_not = format.compiled ? format.compiled->why_not() : "it was not compiled";
    if (!why_not.empty()) return "by libxslt: " + why_not;
    const std::string& leaves = format.compiled->emission()->leaves;
    return leaves.empty() ? "compiled" : "compiled, and by libxslt where it comes to " + leaves;
}

}  // namespace oai
