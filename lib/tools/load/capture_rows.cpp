// SPDX-License-Identifier: MIT
#include "tools/load/capture_rows.h"

#include <optional>
#include <string>

#include "pg/copy_writer.h"
#include "protocol/datestamp.h"
#include "tools/load/surt.h"

namespace oai::load {
namespace {

void add_number_of(pg::CopyWriter& row, const NameIds& names, const std::string& name) {
    name.empty() ? row.add_null() : row.add(std::optional(names.id(name)));
}

}  // namespace

void request_names(const CaptureNames& names, const std::vector<CanonicalCapture>& captures) {
    for (const auto& [capture, canonical] : captures) {
        names.arcs.request(capture.file);
        names.domains.request(canonical.domain);
        names.mimetypes.request(mimetype_name(capture.mimetype));
    }
}

void copy_captures(pg::Connection& connection, const pg::Statement& statement,
                   const std::vector<CanonicalCapture>& captures, const CaptureNames& names) {
    pg::CopyWriter row(connection, statement);
    for (const auto& [capture, canonical] : captures) {
        row.add(capture.url);
        row.add(canonical.surt);
        row.add(print_datestamp(capture.archived_time));
        row.add(capture.status);
        row.add_or_null(capture.digest);
        row.add(capture.length);
        row.add(capture.offset);
        add_number_of(row, names.arcs, capture.file);
        add_number_of(row, names.domains, canonical.domain);
        add_number_of(row, names.mimetypes, mimetype_name(capture.mimetype));
        row.add_or_null(capture.about.title);
        row.add_or_null(capture.about.language);
        row.add_or_null(capture.about.description);
        row.end_row();
    }
    row.finish();
}

}  // namespace oai::load
