// SPDX-License-Identifier: MIT
// Indexes of web archives, plain or gzip: CDX with any columns of its legend that its header line names (url "a" and
// date "b" at least; headerless files of 9, 10 or 11 columns in the usual order), and CDXJ. A line is one capture.
// SURTs are not taken from the file, since tools make them differently. A line of more than 1 MB is reported.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/findings.h"
#include "load/input.h"

namespace oai::load {

// Both throw std::runtime_error if the file cannot be read any further, or its header line names no url or no date.
void read_cdx(Input& input, Findings& findings);
void read_cdxj(Input& input, Findings& findings);

// " CDX N b a m s k r M S V g": the first byte is the separator, the letters name the columns.
struct CdxLegend {
    char separator = ' ';
    std::string letters;
};
std::optional<CdxLegend> parse_cdx_legend(std::string_view line);  // nullopt: no header line
// By the number of columns, of a line that is data. nullopt: not 9, 10 or 11, or no date in the second.
std::optional<CdxLegend> usual_legend(std::string_view line);

// A line without its end. wrong: why it gives no capture (then url may be empty). A capture of kind_of_no_document()
// is the caller's to pass over.
struct CdxLine {
    Capture capture;
    std::string wrong;
    bool incomplete = false;  // wrong because of its columns or its JSON: it may be two lines, or a part of one
};
CdxLine parse_cdx_line(std::string_view line, const CdxLegend& legend);
CdxLine parse_cdxj_line(std::string_view line);

}  // namespace oai::load
