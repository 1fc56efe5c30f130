// SPDX-License-Identifier: MIT
// One record as programs (program.h) see it. Owns nothing.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace oai::transform {

// A node of the record: the text of an attribute; or of a child element, with its attribute lang.
struct Entry {
    std::string_view text;
    std::optional<std::string_view> lang{};
    bool is_plain = false;  // known to be ASCII in which nothing has to be escaped
};

using Nodes = std::span<const Entry>;

// What a program can see of one record: the nodes of each of Program::columns, in the record's
// order, none where it lacks them. They stay where they are from record to record. Their texts
// REQUIRE XML text (base/text.h), but those of stored XML are as they are stored, of which nothing
// is required.
struct RecordView {
    std::vector<const Nodes*> columns;
    std::optional<std::string_view> metadata_namespace{};  // /records/@metadataNamespace (format.h)
};

}  // namespace oai::transform
