// SPDX-License-Identifier: MIT
// Names of characters, by the tables of libxml2. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace oai::xml {

// Looks up the name of an entity: "eacute" is U+E9. Knows those of HTML 4 and apos.
std::optional<std::uint32_t> named_character(const std::string& name);

}  // namespace oai::xml
