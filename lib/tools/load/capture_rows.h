// SPDX-License-Identifier: MIT
// Captures as rows of a COPY, and the names that they refer to by number.
#pragma once

#include <vector>

#include "pg/connection.h"
#include "tools/load/capture_slice.h"
#include "tools/load/name_ids.h"

namespace oai::load {

// The names that captures refer to by number.
struct CaptureNames {
    NameIds &arcs, &domains, &mimetypes;
};
void request_names(const CaptureNames& names, const std::vector<CanonicalCapture>& captures);

// statement: COPY of url, surt, archived_time, status, digest, length, doc_offset, id_arc,
// id_domain, id_mimetype, title, language, description. REQUIRES: the names were requested and
// resolved. Throws pg::Error.
void copy_captures(pg::Connection& connection, const pg::Statement& statement,
                   const std::vector<CanonicalCapture>& captures, const CaptureNames& names);

}  // namespace oai::load
