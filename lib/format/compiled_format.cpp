// SPDX-License-Identifier: MIT
#include "format/compiled_format.h"

#include <algorithm>

#include "transform/compiler.h"

namespace oai {

using Shape = RecordValues::Shape;

CompiledFormat::CompiledFormat(const transform::Stylesheet& stylesheet,
                               const std::string& root_namespace,
                               const std::vector<std::string>& required) {
    transform::Compilation compilation = transform::compile_program(stylesheet, root_namespace);
    program_ = std::move(compilation.program);
    why_not_ = std::move(compilation.why_not);
    if (!program_) return;
    columns_ = required;
    for (const auto* names : {&program_->attributes, &program_->children, &program_->trees})
        columns_.insert(columns_.end(), names->begin(), names->end());
    compared_.resize(program_->points.size());
}

std::string CompiledFormat::why_not() const {
    return why_not_.empty() && !runs() ? "a record came out otherwise than by libxslt" : why_not_;
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
    const auto& columns = values.columns();
    bool fits = true;
    // Finds the only column of that name that is represented as elements; clears `fits` if there
    // are several or its shape does not fit.
    const auto elements = [&](const std::string& name, auto&& is_fit) {
        std::size_t found = kAbsent;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].name != name || columns[i].shape == Shape::scalar) continue;
            fits = fits && found == kAbsent && is_fit(columns[i].shape);
            found = i;
        }
        return found;
    };
    Binding out;
    for (const std::string& name : program.attributes) {
        const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) {
            return c.name == name && c.shape == Shape::scalar;
        });
        out.attributes_.push_back(
            found == columns.end() ? kAbsent : static_cast<std::size_t>(found - columns.begin()));
    }
    for (const std::string& name : program.children)
        out.children_.push_back(elements(name, [](Shape shape) { return shape == Shape::array; }));
    for (const std::string& name : program.trees)
        out.trees_.push_back(elements(name, [](Shape shape) { return shape != Shape::array; }));
    if (!fits) return std::nullopt;
    out.view_.attributes.resize(out.attributes_.size());
    out.view_.children.resize(out.children_.size());
    out.view_.trees.resize(out.trees_.size());
    if (!metadata_namespace.empty()) out.view_.metadata_namespace = metadata_namespace;
    return out;
}

const transform::RecordView& Binding::view(const RecordValues& values) {
    const auto& columns = values.columns();
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
        if (attributes_[i] != kAbsent) view_.attributes[i] = columns[attributes_[i]].text;
    }
    for (const auto& [indices, slots] :
         {std::pair(&children_, &view_.children), std::pair(&trees_, &view_.trees)}) {
        for (std::size_t i = 0; i < indices->size(); ++i) {
            if ((*indices)[i] != kAbsent) (*slots)[i] = columns[(*indices)[i]].entries;
        }
    }
    return view_;
}

}  // namespace oai
