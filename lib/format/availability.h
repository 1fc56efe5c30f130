// SPDX-License-Identifier: MIT
// Which records are available in a format, whether harvesters see them, and when the format last
// changed. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "format/format.h"
#include "protocol/record.h"
#include "protocol/repository.h"
#include "store/store.h"

namespace oai {

// A change of the stylesheet changes every record in that format, with the datestamp that it gives
// as `since`. Returns it once the horizon has reached it, as with any datestamp, else nullopt. So a
// harvester that began before that second fetches every record again in its next harvest, one that
// began after it has fetched the new content, and no datestamp is in the future.
inline std::optional<Seconds> since_of(const Format& format, const Horizon& horizon) {
    return format.since && *format.since <= horizon.h ? format.since : std::nullopt;
}

// Whether harvesters see the record at all: deleted records are hidden if the repository has
// deletedRecord=no.
inline bool is_shown(const Repository& repository, const Header& header) {
    return !header.deleted || repository.facts.deleted_record != DeletedRecord::no;
}

// Whether the record is available in the format: always if it is deleted, since harvesters must
// learn of that, else if it has a value in each column that the format requires. REQUIRES: the
// batch contains the columns of the model if the format requires any.
inline bool has_format(const Format& format, const RecordBatch& batch, int i) {
    if (batch.header(i).deleted) return true;
    const auto is_there = [&](const std::string& name) {
        for (int column = 0; column < batch.columns(); ++column)
            if (batch.column(column).shown_name == name && batch.has_value(i, column)) return true;
        return false;
    };
    return std::all_of(format.requires_columns.begin(), format.requires_columns.end(), is_there);
}

}  // namespace oai
