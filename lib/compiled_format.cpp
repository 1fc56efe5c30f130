// SPDX-License-Identifier: MIT
#include "compiled_format.h"

#include <algorithm>

#include "xml/emit_compiler.h"
#include "xml/emit_trial.h"

namespace oai {

using Shape = RecordValues::Shape;

CompiledFormat::CompiledFormat(const xml::Stylesheet& stylesheet, const std::string& root_namespace,
                               const std::vector<std::string>& required) {
    xml::Compilation compilation = xml::compile_emission(stylesheet, root_namespace);
    emission_ = std::move(compilation.emission);
    why_not_ = std::move(compilation.why_not);
    if (!emission_) return;
    reads_ = required;
    for (const auto* names : {&emission_->attributes, &emission_->children, &emission_->trees})
        reads_.insert(reads_.end(), names->begin(), names->end());
    why_not_ = xml::try_emission(*emission_, stylesheet);
}

std::string CompiledFormat::why_not() const {
    return why_not_.empty() && !runs() ? "a record came out otherwise than by libxslt" : why_not_;
}

CompiledFormat::Turn CompiledFormat::count(int records, int every) const {
    Turn turn;
    turn.every_ = static_cast<std::uint64_t>(every);
    turn.first_ = counted_.fetch_add(static_cast<std::uint64_t>(records), std::memory_order_relaxed);
    return turn;
}

std::optional<Binding> Binding::bind(const xml::Emission& emission, const RecordValues& values,
                                     std::string_view metadata_namespace) {
    const auto& columns = values.columns();
    bool fits = true;
    // The one column of that name that is shown as elements.
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
    for (const std::string& name : emission.attributes) {
        const auto found = std::find_if(columns.begin(), columns.end(),
                                        [&](const auto& c) { return c.name == name && c.shape == Shape::scalar; });
        out.attributes_.push_back(found == columns.end() ? kAbsent : static_cast<std::size_t>(found - columns.begin()));
    }
    for (const std::string& name : emission.children)
        out.children_.push_back(elements(name, [](Shape shape) { return shape == Shape::array; }));
    for (const std::string& name : emission.trees)
        out.trees_.push_back(elements(name, [](Shape shape) { return shape != Shape::array; }));
    if (!fits) return std::nullopt;
    out.view_.attributes.resize(out.attributes_.size());
    out.view_.children.resize(out.children_.size());
    out.view_.trees.resize(out.trees_.size());
    if (!metadata_namespace.empty()) out.view_.metadata_namespace = metadata_namespace;
    return out;
}

const xml::RecordView& Binding::view(const RecordValues& values) {
    const auto& columns = values.columns();
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
        if (attributes_[i] != kAbsent) view_.attributes[i] = columns[attributes_[i]].text;
    }
    for (const auto& [indices, slots] : {std::pair(&children_, &view_.children), std::pair(&trees_, &view_.trees)}) {
        for (std::size_t i = 0; i < indices->size(); ++i) {
            if ((*indices)[i] != kAbsent) (*slots)[i] = columns[(*indices)[i]].entries;
        }
    }
    return view_;
}

}  // namespace oai
