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
    wanted_ = required;
    wanted_.insert(wanted_.end(), emission_->attributes.begin(), emission_->attributes.end());
    wanted_.insert(wanted_.end(), emission_->children.begin(), emission_->children.end());
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

std::optional<Binding> Binding::bind(const xml::Emission& emission, const RecordValues& values) {
    const auto& columns = values.columns();
    const auto index_of = [&](const std::string& name, bool scalar) {
        const auto found = std::find_if(columns.begin(), columns.end(), [&](const RecordValues::Column& column) {
            return column.name == name && (column.shape == Shape::scalar) == scalar;
        });
        return found == columns.end() ? kAbsent : static_cast<std::size_t>(found - columns.begin());
    };
    Binding out;
    for (const std::string& name : emission.attributes) out.attributes_.push_back(index_of(name, true));
    for (const std::string& name : emission.children) {
        const std::size_t index = index_of(name, false);
        out.children_.push_back(index);
        if (index == kAbsent) continue;
        const bool again = std::any_of(columns.begin() + static_cast<std::ptrdiff_t>(index) + 1, columns.end(),
                                       [&](const auto& c) { return c.name == name && c.shape != Shape::scalar; });
        if (again || columns[index].shape != Shape::array) return std::nullopt;
    }
    out.view_.attributes.resize(out.attributes_.size());
    out.view_.children.resize(out.children_.size());
    return out;
}

const xml::RecordView& Binding::view(const RecordValues& values) {
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
        if (attributes_[i] != kAbsent) view_.attributes[i] = values.columns()[attributes_[i]].text;
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
        if (children_[i] != kAbsent) view_.children[i] = values.columns()[children_[i]].entries;
    }
    return view_;
}

}  // namespace oai
