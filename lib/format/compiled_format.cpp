// SPDX-License-Identifier: MIT
#include "format/compiled_format.h"

#include <algorithm>

#include "transform/compiler.h"
#include "transform/scope.h"

namespace oai {

using Shape = RecordValues::Shape;

CompiledFormat::CompiledFormat(const transform::Stylesheet& stylesheet,
                               const std::string& root_namespace,
                               const std::vector<std::string>& required) {
    transform::Compilation compilation = transform::compile_program(stylesheet, root_namespace);
    place_beyond_ = transform::place_beyond_record(stylesheet);
    program_ = std::move(compilation.program);
    why_not_ = std::move(compilation.why_not);
    if (!program_) return;
    columns_ = required;
    for (const transform::Column& column : program_->columns) columns_.push_back(column.name);
    compared_.resize(program_->points.size());
}

CompiledFormat::CompiledFormat(const transform::Stylesheet& stylesheet,
                               const std::string& root_namespace,
                               const std::vector<std::string>& required,
                               const std::string& document, std::string why_alone)
    : columns_(required), place_beyond_(std::move(why_alone)) {
    transform::Compilation compilation =
        transform::compile_program(stylesheet, root_namespace, document);
    program_ = std::move(compilation.program);
    why_not_ = std::move(compilation.why_not);
    if (program_) compared_.resize(program_->points.size());
}

CompiledFormat::CompiledFormat(std::string why_not, std::vector<std::string> columns)
    : columns_(std::move(columns)), why_not_(std::move(why_not)), place_beyond_(why_not_) {}

std::string CompiledFormat::why_not() const {
    return why_not_.empty() && !runs() ? "a record came out otherwise than by libxslt" : why_not_;
}

std::string CompiledFormat::why_alone() const {
    return place_beyond_.empty() && runs_alone() ? "a record came out otherwise among others"
                                                 : place_beyond_;
}

CompiledFormat::Sampler CompiledFormat::sampler(int records, int every) const {
    Sampler sampler;
    sampler.every_ = static_cast<std::uint64_t>(every);
    sampler.first_ =
        counted_.fetch_add(static_cast<std::uint64_t>(records), std::memory_order_relaxed);
    return sampler;
}

transform::Coverage CompiledFormat::compared() const {
    const std::lock_guard lock(compared_mutex_);
    return compared_;
}

void CompiledFormat::add_compared(const transform::Coverage& coverage) const {
    const std::lock_guard lock(compared_mutex_);
    for (std::size_t i = 0; i < compared_.size(); ++i) compared_[i] |= coverage[i];
}

std::optional<Binding> Binding::bind(const transform::Program& program, const RecordValues& values,
                                     std::string_view metadata_namespace) {
    using Kind = transform::Column::Kind;
    constexpr std::size_t kAbsent = SIZE_MAX;
    static constexpr transform::Nodes kNone;
    const auto& columns = values.columns();
    Binding out;
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
        out.view_.columns.push_back(found != kAbsent ? &columns[found].nodes : &kNone);
    }
    if (!metadata_namespace.empty()) out.view_.metadata_namespace = metadata_namespace;
    return out;
}

}  // namespace oai
