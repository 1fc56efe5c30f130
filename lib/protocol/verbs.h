// SPDX-License-Identifier: MIT
// The six verbs of OAI-PMH 2.0 (chapter 4) and their names. Pure; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace oai {

// The order is part of the format of resumptionTokens, so a new one comes at the end.
enum class Verb {
    identify,
    list_metadata_formats,
    list_sets,
    get_record,
    list_identifiers,
    list_records
};

inline constexpr auto kVerbNames = std::to_array<std::string_view>(
    {"Identify", "ListMetadataFormats", "ListSets", "GetRecord", "ListIdentifiers", "ListRecords"});

constexpr std::string_view verb_name(Verb verb) {
    return kVerbNames[static_cast<std::size_t>(verb)];
}

// Returns nullopt if there is no verb of that name. Case matters.
constexpr std::optional<Verb> find_verb(std::string_view exact_name) {
    for (std::size_t i = 0; i < kVerbNames.size(); ++i)
        if (kVerbNames[i] == exact_name) return static_cast<Verb>(i);
    return std::nullopt;
}

}  // namespace oai
