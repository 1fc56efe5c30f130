// SPDX-License-Identifier: MIT
#include "format/availability.h"

#include <algorithm>

namespace oai {

std::optional<Seconds> since_of(const Format& format, const Horizon& horizon) {
    return format.since && *format.since <= horizon.h ? format.since : std::nullopt;
}

bool is_shown(const Repository& repository, const Header& header) {
    return !header.deleted || repository.facts.deleted_record != DeletedRecord::no;
}

bool has_format(const Format& format, const RecordBatch& batch, int i) {
    if (batch.header(i).deleted) return true;
    const auto is_there = [&](const std::string& name) {
        for (int column = 0; column < batch.columns(); ++column)
            if (batch.column(column).shown_name == name && batch.has_value(i, column)) return true;
        return false;
    };
    return std::all_of(format.requires_columns.begin(), format.requires_columns.end(), is_there);
}

}  // namespace oai
