// SPDX-License-Identifier: MIT
// Reads indexes of web archives, plain or gzip: CDX with the columns that its header line names
// (url "a" and date "b" at least; files without a header have 9, 10 or 11 columns in the usual
// order), and CDXJ. A line is one capture. SURTs are not taken from the file, since tools form them
// differently. A line of more than 1 MB is reported as damage.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/load/capture.h"
#include "tools/load/input.h"

namespace oai::load {

// Both throw std::runtime_error if the file cannot be read any further; read_cdx also if the header
// line names no URL or no date.
void read_cdx(Input& input, CaptureHandler& handler);
void read_cdxj(Input& input, CaptureHandler& handler);

// " CDX N b a m s k r M S V g": the first byte is the separator, the letters name the columns.
struct CdxLegend {
    char separator = ' ';
    std::string letters;
};
std::optional<CdxLegend> parse_cdx_legend(std::string_view line);  // nullopt: no header line
// The usual legend for a data line with as many columns. nullopt: not 9, 10 or 11 of them, or no
// date in the second.
std::optional<CdxLegend> usual_legend(std::string_view line);

// What one line says. Captures of kind_of_no_document() are included.
struct CdxLine {
    Capture capture;    // its url is empty if the line is blank or a header
    std::string wrong;  // why the line gives no capture; "" if it does
    // Wrong because of its columns or its JSON: it may be two lines, or a part of one.
    bool incomplete = false;
};
// The line without its end.
CdxLine parse_cdx_line(std::string_view line, const CdxLegend& legend);
CdxLine parse_cdxj_line(std::string_view line);

}  // namespace oai::load
