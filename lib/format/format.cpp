// SPDX-License-Identifier: MIT
// Implements disseminate(); FormatRegistry is in file.cpp.
#include "format/format.h"

#include <fmt/format.h>

#include <span>

#include "base/clock.h"
#include "transform/compiler.h"
#include "transform/interpreter.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

using xml::view;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kSliceLimit{5000};   // for transforming a slice, which normally takes 2 ms
constexpr milliseconds kRecordLimit{1000};  // for one of several records alone
constexpr milliseconds kRedoLimit{10'000};  // for all records of a slice that are redone one by one
constexpr std::size_t kBytesPerRecord = 1200;  // a guess, for reserve()

// Adds an xsi:schemaLocation, which OAI-PMH 2.0, 3.4 requires, to the element at `begin` unless it
// has one. The element was written by our serialiser. Does nothing if location is "".
void add_schema_location(std::string& text, std::size_t begin, std::string_view location) {
    constexpr std::string_view kDeclared =
        R"( xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance")";
    const std::string_view all = text;
    const std::string_view tag = all.substr(begin, all.find('>', begin) - begin);
    if (location.empty() || tag.find(":schemaLocation=") != tag.npos) return;
    const bool is_declared = tag.find(kDeclared) != tag.npos;
    if (!is_declared && tag.find(" xmlns:xsi=") != tag.npos) return;
    std::string added(is_declared ? "" : kDeclared);
    added += " xsi:schemaLocation=\"";
    xml::append_attribute(added, location);
    added += '"';
    text.insert(begin + tag.size() - (tag.ends_with('/') ? 1 : 0), added);
}

// Splits a result document into the output of each record, which ends with kRecordEnd. Throws
// xml::Error if the output is invalid; the text appended to `out` must then be discarded.
class Splitter {
  public:
    Splitter(const Format& format, std::string_view schema_location, std::string& out)
        : format_(format), schema_location_(schema_location), out_(out) {}

    // Appends the text of all records to `out` and returns their pieces, one per record. The marker
    // may be missing if there is only one record.
    std::vector<RenderedRecords::Piece> split(const xmlDoc* result, std::size_t records);

  private:
    void add_element(const xmlNode* node);
    void add_one_of_many(const xmlNode* node);
    void add_text(std::string_view text);
    void end_record();

    const Format& format_;
    const std::string_view schema_location_;
    std::string& out_;
    bool open_ = false;  // the current record has its element
    std::vector<RenderedRecords::Piece> found_;
    std::size_t ended_ = 0;
};

std::vector<RenderedRecords::Piece> Splitter::split(const xmlDoc* result, std::size_t records) {
    // A comment or instruction outside of the element is ignored.
    for (const xmlNode* node = result->children; node != nullptr; node = node->next)
        if (node->type == XML_ELEMENT_NODE)
            add_element(node);
        else if (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE)
            add_text(view(node->content));
    if (records == 1 && ended_ == 0) end_record();
    if (ended_ != records || open_)
        throw xml::Error("the stylesheet does not process the records one after the other");
    return std::move(found_);
}

void Splitter::add_element(const xmlNode* node) {
    if (format_.yields_many()) return add_one_of_many(node);
    if (open_)
        throw xml::Error(
            fmt::format("a second element, {}: metadata is one element", view(node->name)));
    const std::string_view name_space = node->ns == nullptr ? "" : view(node->ns->href);
    if (name_space != format_.root_namespace)
        throw xml::Error(fmt::format("yields {{{}}}{}, which is not in the namespace {}",
                                     name_space, view(node->name), format_.root_namespace));
    const std::size_t begin = out_.size();
    xml::append_node(out_, node);
    add_schema_location(out_, begin, schema_location_);
    found_.push_back({begin, out_.size()});
    open_ = true;
}

void Splitter::add_one_of_many(const xmlNode* node) {
    if (node->ns == nullptr)
        throw xml::Error(fmt::format("yields {}, which has no namespace", view(node->name)));
    if (open_)
        out_ += kBetweenAbouts;
    else
        found_.push_back({out_.size(), out_.size()});
    xml::append_node(out_, node);
    found_.back().end = out_.size();
    open_ = true;
}

void Splitter::add_text(std::string_view text) {
    for (const char c : text) {
        if (c == kRecordEnd)
            end_record();
        else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            throw xml::Error(fmt::format("text outside of the element: {}",
                                         text.substr(0, text.find(kRecordEnd)).substr(0, 80)));
    }
}

void Splitter::end_record() {
    ++ended_;
    if (!open_ && !format_.is_about) throw xml::Error("the stylesheet yields no element");
    if (!open_) found_.push_back({out_.size(), out_.size()});
    open_ = false;
}

// The arguments of disseminate(), which all its transforms share.
struct Source {
    const Format& format;
    const RecordBatch& batch;
    std::string_view identifier_prefix;
    const TransformContext& surroundings;
    // The xsi:schemaLocation for elements without one; "": none is added.
    const std::string schema_location =
        format.unchanged ? ""
                         : format.root_namespace + ' ' + schema_url(format, surroundings.base_url);

    bool runs_alone() const { return !format.compiled->why_alone().empty(); }
    RecordXml xml(std::span<const int> indices) const {
        const auto* needed = format.compiled->stylesheet_columns();
        RecordXml input =
            records_to_xml(batch, indices, identifier_prefix, needed, format.requires_columns);
        if (!surroundings.metadata_namespace.empty()) {
            xmlDoc* document = input.document.get();
            xml::add_attribute(xmlDocGetRootElement(document), nullptr,
                               xml::intern(document, "metadataNamespace"),
                               surroundings.metadata_namespace);
        }
        return input;
    }
    xml::DocumentHandle transform(RecordXml input, milliseconds limit) const {
        if (!format.input) return format.stylesheet.apply(input.document.get(), limit);
        const int i = input.batch_index.front();
        return format.input->transform(format.stylesheet, std::move(input), limit, variables(i));
    }

  private:
    Input::Variables variables(int i) const {
        return {std::string(surroundings.base_url), set_specs(i)};
    }
    std::string set_specs(int i) const {
        std::string out;
        for (const int id : batch.header(i).set_ids) {
            out += out.empty() ? "" : " ";
            out += batch.set_spec(id);
        }
        return out;
    }
};

// Transforms the records of `input`. On failure returns the reason, with the index of the first
// record, and leaves out.text unchanged.
std::optional<RenderedRecords::Failure> run_transform(const Source& source, RecordXml input,
                                                      milliseconds limit, RenderedRecords& out) {
    const std::size_t before = out.text.size();
    const std::vector<int> indices = input.batch_index;
    xml::DocumentHandle result;
    try {
        result = source.transform(std::move(input), limit);
        const auto pieces = Splitter(source.format, source.schema_location, out.text)
                                .split(result.get(), indices.size());
        for (std::size_t i = 0; i < pieces.size(); ++i)
            out.pieces[static_cast<std::size_t>(indices[i])] = pieces[i];
        return std::nullopt;
    } catch (const xml::Error& e) {
        out.text.resize(before);
        const bool has_output = result && xmlDocGetRootElement(result.get()) != nullptr;
        return RenderedRecords::Failure{indices.front(), e.what(), has_output};
    }
}

// Transforms each record in a document of its own.
void one_by_one(const Source& source, std::span<const int> records, RenderedRecords& out) {
    const auto deadline = steady_clock::now() + kRedoLimit;
    const milliseconds limit = records.size() == 1 ? kSliceLimit : kRecordLimit;
    for (const int i : records) {
        const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
        if (left.count() <= 0) {
            out.failures.push_back({i, "the slice takes too long"});
            continue;
        }
        RecordXml input = source.xml({&i, 1});
        out.failures.insert(out.failures.end(), input.failures.begin(), input.failures.end());
        if (input.batch_index.empty()) continue;
        if (auto wrong = run_transform(source, std::move(input), std::min(left, limit), out))
            out.failures.push_back(*std::move(wrong));
    }
}

RenderedRecords empty(const RecordBatch& batch) {
    RenderedRecords out;
    out.pieces.resize(static_cast<std::size_t>(batch.size()), {0, 0});
    out.text.reserve(static_cast<std::size_t>(batch.size()) * kBytesPerRecord);
    return out;
}

// Transforms these records by libxslt, in one document if possible, and adds them to `out`.
void add_by_libxslt(const Source& source, std::span<const int> records, RenderedRecords& out) {
    if (records.size() > 1 && !source.runs_alone()) {
        RecordXml input = source.xml(records);
        const std::vector<int> indices = input.batch_index;
        out.failures.insert(out.failures.end(), input.failures.begin(), input.failures.end());
        if (!indices.empty() && run_transform(source, std::move(input), kSliceLimit, out))
            one_by_one(source, indices, out);
    } else {
        one_by_one(source, records, out);
    }
    std::sort(out.failures.begin(), out.failures.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
}

// Returns "" if libxslt makes the same text of record i, else a description of the difference.
std::string difference(const Source& source, int i, std::string_view text) {
    RecordXml input = source.xml({&i, 1});
    if (input.batch_index.empty())
        return "";  // failed by a value that only the part of the stylesheet run by libxslt reads
    RenderedRecords out = empty(source.batch);
    if (auto wrong = run_transform(source, std::move(input), kRecordLimit, out)) return wrong->why;
    return out.of(i) == text ? "" : fmt::format("{} and not {}", out.of(i), text);
}

// Reads record i. Returns "" or why it cannot be disseminated.
std::string read_record(const Source& source, RecordValues& values, int i) {
    try {
        values.read(i);
        return missing_column(values, source.format.requires_columns);
    } catch (const BadValue& e) {
        return e.what();
    }
}

// Whether the output of the program certainly begins with a tag that has an xsi:schemaLocation.
bool has_schema_location(const transform::Program& program) {
    if (program.operations.empty()) return false;
    const transform::Operation::Node& first = program.operations.front().node;
    std::string begin;
    if (const auto* text = std::get_if<transform::Text>(&first)) begin = text->text;
    if (const auto* element = std::get_if<transform::Element>(&first)) {
        begin = element->start;
        for (const transform::Operation& o : element->attributes) {
            const auto* const text = std::get_if<transform::Text>(&o.node);
            if (text == nullptr) break;
            begin += text->text;
        }
    }
    return begin.substr(0, begin.find('>')).find(":schemaLocation=") != begin.npos;
}

// Returns nullopt if the columns do not fit the program and libxslt must be used.
std::optional<RenderedRecords> by_program(const Source& source, const transform::Program& program,
                                          int check_every) {
    const RecordBatch& batch = source.batch;
    const CompiledFormat& compiled = *source.format.compiled;
    RecordValues values(batch, source.identifier_prefix, &compiled.program_columns());
    const auto view = view_of(program, values, source.surroundings.metadata_namespace);
    if (!view) return std::nullopt;
    RenderedRecords out = empty(batch);
    std::vector<int> fallback;
    transform::Interpreter interpreter(program, compiled.compared());
    const std::uint64_t before = compiled.count(batch.size());
    const auto every = static_cast<std::uint64_t>(check_every);
    const bool has_location = has_schema_location(program);
    bool compared_more = false;
    for (int i = 0; i < batch.size(); ++i) {
        if (batch.header(i).deleted) continue;
        if (std::string wrong = read_record(source, values, i); !wrong.empty()) {
            out.failures.push_back({i, std::move(wrong)});
            continue;
        }
        const std::size_t begin = out.text.size();
        if (!interpreter.append(out.text, *view)) {
            interpreter.uncover_last();
            fallback.push_back(i);
            continue;
        }
        if (!has_location && out.text.size() > begin)
            add_schema_location(out.text, begin, source.schema_location);
        out.pieces[static_cast<std::size_t>(i)] = {begin, out.text.size()};
        const bool is_first = interpreter.covers_more();
        const std::uint64_t n = before + static_cast<std::uint64_t>(i) + 1;
        if (every == 0 || !(is_first || n % every == 0)) continue;
        compared_more = compared_more || is_first;
        if (std::string differs =
                measure(out.comparing, [&] { return difference(source, i, out.of(i)); });
            !differs.empty()) {
            out.difference = {i, std::move(differs)};
            return out;
        }
    }
    if (compared_more) compiled.add_compared(interpreter.coverage());
    if (!fallback.empty()) add_by_libxslt(source, fallback, out);
    return out;
}

}  // namespace

using Shape = RecordValues::Shape;

CompiledFormat::CompiledFormat(const transform::Stylesheet& stylesheet,
                               const std::string& root_namespace,
                               const std::vector<std::string>& required) {
    transform::Compilation compilation = transform::compile_program(stylesheet, root_namespace);
    program_ = std::move(compilation.program);
    why_not_ = std::move(compilation.why_not);
    if (!program_) return;
    columns_ = required;
    for (const transform::Column& column : program_->columns) columns_.push_back(column.name);
    compared_.resize(program_->points.size());
}

CompiledFormat::CompiledFormat(std::string why_not, std::vector<std::string> columns)
    : columns_(std::move(columns)), why_not_(std::move(why_not)) {}

std::string CompiledFormat::why_not() const {
    return why_not_.empty() && !runs() ? "a record came out otherwise than by libxslt" : why_not_;
}

transform::Coverage CompiledFormat::compared() const {
    const std::lock_guard lock(compared_mutex_);
    return compared_;
}

void CompiledFormat::add_compared(const transform::Coverage& coverage) const {
    const std::lock_guard lock(compared_mutex_);
    for (std::size_t i = 0; i < compared_.size(); ++i) compared_[i] |= coverage[i];
}

std::optional<transform::RecordView> view_of(const transform::Program& program,
                                             const RecordValues& values,
                                             std::string_view metadata_namespace) {
    using Kind = transform::Column::Kind;
    constexpr std::size_t kAbsent = SIZE_MAX;
    static constexpr transform::Nodes kNone;
    const auto& columns = values.columns();
    transform::RecordView out;
    for (const transform::Column& wanted : program.columns) {
        std::size_t found = kAbsent;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const bool is_attribute = columns[i].shape == Shape::scalar;
            if (columns[i].name != wanted.name || is_attribute != (wanted.kind == Kind::attribute))
                continue;
            const bool is_array = columns[i].shape == Shape::array;
            const bool fits = is_attribute || is_array == (wanted.kind == Kind::children);
            if (found != kAbsent || !fits) return std::nullopt;
            found = i;
        }
        out.columns.push_back(found != kAbsent ? &columns[found].nodes : &kNone);
    }
    if (!metadata_namespace.empty()) out.metadata_namespace = metadata_namespace;
    return out;
}

RenderedRecords disseminate(const Format& format, const RecordBatch& batch,
                            std::string_view identifier_prefix, CompiledOptions options,
                            const TransformContext& surroundings) {
    const Source source{format, batch, identifier_prefix, surroundings};
    std::optional<RenderedRecords> out;
    if (const auto* program = options.compiled ? format.compiled->program() : nullptr)
        out = by_program(source, *program, options.check_every);
    if (out && !out->difference) return std::move(*out);
    RenderedRecords safe = empty(batch);
    add_by_libxslt(source, live_records(batch), safe);
    if (out) {
        format.compiled->switch_off();
        safe.difference = std::move(out->difference);
    }
    return safe;
}

ColumnNames columns_of(const Format& format) {
    const auto* columns = format.compiled->stylesheet_columns();
    return columns ? ColumnNames(*columns) : std::nullopt;
}

std::string execution_of(const Format& format, bool compiled) {
    const std::string& why_alone = format.compiled->why_alone();
    std::string way = "by libxslt";
    if (!why_alone.empty()) way += ", one record at a time for " + why_alone;
    if (!compiled) return way + ": switched off by [formats] compiled = no";
    if (const std::string why_not = format.compiled->why_not(); !why_not.empty())
        return why_not == why_alone ? way : way + ": " + why_not;
    const std::string& fallback = format.compiled->program()->fallback;
    return fallback.empty() ? "compiled" : "compiled, and by libxslt where it comes to " + fallback;
}

}  // namespace oai
