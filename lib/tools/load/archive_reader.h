// SPDX-License-Identifier: MIT
// Reads web archives: finds out which format a file has, and reads the records of ARC, version 1
// (URL, IP, date, media type, length) and 2 (with status, checksum, location, offset, file), and of
// WARC 1.0 and 1.1 (ISO 28500; drafts 0.17 and 0.18, too), plain or gzip. read_cdx() reads their
// indexes. Memory is bounded whatever the file holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/load/capture.h"
#include "tools/load/input.h"

namespace oai::load {

enum class FileFormat { arc, warc, cdx, cdxj };

// Consumes blank lines only. Throws std::runtime_error with words for the administrator ("is a zip
// file: unzip it and ..."): formats that cannot be loaded but can be converted are named.
FileFormat sniff(Input& input);

// Throws as sniff() does if these first bytes are of a format that no loader reads.
void refuse_foreign(std::string_view head);

// Whether to read what documents say of themselves (capture.h).
enum class Descriptions { read, left };

// Reads a file of this format, arc or warc. All documents of ARC, and the response, resource and
// revisit records of WARC, are captures; all other records are passed over. What was asked is
// read from the request record that stands before or behind a capture. Damage is reported, and
// reading goes on at the next record that can be found; a capture that does not end as it says is
// taken without its length. `file`: the name of the archive that captures get. Throws
// std::runtime_error if the file cannot be read any further.
void read_records(Input& input, FileFormat format, const std::string& file, CaptureHandler& handler,
                  Descriptions descriptions = Descriptions::read);

// What stands before the block of a record, in values as a Capture has them.
struct RecordHeader {
    std::string type;   // WARC-Type in lower case, "untyped"; of ARC "response"
    std::string lines;  // of WARC, without the first; "" of ARC
    std::string url, digest;
    std::string id, concurrent_to;  // of WARC: its own name, and that of what was recorded with it
    std::string date;               // as it stands there
    std::optional<Seconds> time;    // nullopt: there is no such date
    std::uint64_t length = 0;       // of the block
    bool may_be_http = false;       // the block may begin with the header of an HTTP response
    std::string media_type;         // of the block if it does not
    std::optional<int> status;      // as ARC 2 has it
};
// Consumes the header that begins here. Returns what is wrong, or ""; what was read of a wrong one
// is not put back. REQUIRES: format is arc or warc.
std::string take_record_header(Input& input, FileFormat format, RecordHeader& header);

// The line before each document of ARC. Old files have URLs and media types with blanks in them.
struct ArcHeader {
    std::string_view url, date, mimetype, status, checksum;
    std::uint64_t length = 0;
};
// nullopt if it is no such line.
std::optional<ArcHeader> parse_arc_header(std::string_view line);

// The first line within the first gzip member: some tools end members without a line end.
std::string_view first_line_of_member(Input& input);

// At the end of a stretch: reports why it ended and goes to the next sound one. Returns false if
// there is nothing more.
bool next_stretch(Input& input, CaptureHandler& handler);

// Reads indexes of web archives, plain or gzip: CDX with the columns that its header line names
// (url "a" and date "b" at least; lines of files without a header have 7 or 9 to 14 columns in the
// usual orders), and CDXJ, of OpenWayback as well, and JSON lines of CDX servers. A line is one
// capture. SURTs are not taken from the file, since tools form them
// differently. A line of more than 1 MB is reported as damage.

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
// The usual legend for a data line with as many columns. nullopt: there is none, or no date in the
// second.
std::optional<CdxLegend> usual_legend(std::string_view line);

// What one line says. Captures of kind_of_no_document() are included.
struct CdxLine {
    Capture capture;    // its url is empty if the line is blank or a header
    std::string wrong;  // why the line gives no capture; "" if it does
    // Wrong because of its columns or its JSON: it may be two lines, or a part of one.
    bool incomplete = false;
    std::string kind = {};  // of a record that is no capture; its url is empty then
    int repaired = 0;       // lone surrogates in its JSON, each of which became U+FFFD
};
// The line without its end.
CdxLine parse_cdx_line(std::string_view line, const CdxLegend& legend);
CdxLine parse_cdxj_line(std::string_view line);

}  // namespace oai::load
