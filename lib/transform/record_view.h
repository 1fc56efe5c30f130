// SPDX-License-Identifier: MIT
// The view of one record that a program (program.h) reads. Owns nothing.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace oai::transform {

// A node of the record: an attribute, or a child element with its attribute lang.
struct Entry {
    std::string_view text;
    std::optional<std::string_view> lang{};
    bool is_plain = false;  // known to be ASCII that needs no escaping
};

using Nodes = std::span<const Entry>;

// For each of Program::columns, the nodes of the record in order. The pointers stay valid from
// record to record, while the nodes change. REQUIRES: texts are XML text (base/text.h), except for
// stored XML, which may be anything.
struct RecordView {
    std::vector<const Nodes*> columns;
    std::optional<std::string_view> metadata_namespace{};  // /records/@metadataNamespace (format.h)
};

}  // namespace oai::transform
