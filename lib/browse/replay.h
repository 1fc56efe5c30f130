// SPDX-License-Identifier: MIT
// The address at which a replay service of a web archive shows the content of a record. Pure.
#pragma once

#include <string>
#include <string_view>

#include "store/store.h"

namespace oai {

// The pattern with each {name} replaced by that column of the batch's one record as the internal
// XML has it (record_xml.h), a datestamp as its 14 digits. "" if there is no pattern or the record
// lacks one of the columns. `pattern` has passed check_replay() in base/config_values.h, so no
// column can choose the host.
std::string replay_address(std::string_view pattern, const RecordBatch& batch,
                           std::string_view identifier_prefix);

}  // namespace oai
