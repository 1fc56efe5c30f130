// SPDX-License-Identifier: MIT
// One record as programs (program.h) see it. Owns nothing.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace oai::transform {

// A child element of the record: its text and its attribute lang.
struct Entry {
    std::string_view text;
    std::optional<std::string_view> lang{};
};

// What a program can see of one record, in the order of Program::attributes, children and trees:
// the value of each attribute, and all child elements of each name. Values REQUIRE XML text
// (base/text.h); an entry of a tree is the content of the element as it is stored, of which nothing
// is required.
struct RecordView {
    std::vector<std::optional<std::string_view>> attributes;
    std::vector<std::span<const Entry>> children, trees;
    std::optional<std::string_view> metadata_namespace{};  // /records/@metadataNamespace (format.h)
};

}  // namespace oai::transform
