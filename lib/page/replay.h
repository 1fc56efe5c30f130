// SPDX-License-Identifier: MIT
// Where the content of a record is to be seen, as a replay service of web archives shows it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "store.h"

namespace oai {

// The pattern with {name} replaced by the column of the slice's one record as the internal XML has it (record_xml.h), a
// datestamp as its 14 digits. "": no pattern, or the record lacks one of the columns. `pattern`: as judge_replay() in
// base/config_values.h wants it, so no column can choose the host.
std::string replay_address(std::string_view pattern, const Slice& slice, std::string_view identifier_prefix);

}  // namespace oai
