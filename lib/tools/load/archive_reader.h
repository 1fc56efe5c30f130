// SPDX-License-Identifier: MIT
// Reads ARC files, version 1 (URL, IP, date, media type, length) and 2 (with status, checksum,
// location, offset, file), plain or gzip. Damage is reported, and reading goes on at the next
// record that can be found.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/load/capture.h"
#include "tools/load/document_description.h"
#include "tools/load/field.h"
#include "tools/load/input.h"

namespace oai::load {

// What the readers of ARC and WARC have in common: records one after the other, each with a place
// in the file.

// A longer HTTP header is read as far as this.
constexpr std::size_t kHttpHeaderBytes = std::size_t{64} << 10;

// Whether to read what documents say of themselves (document_description.h).
enum class Descriptions { read, left };

// What of a record's block is looked at: the HTTP header, and with descriptions some of the body.
constexpr std::uint64_t looked_at(Descriptions descriptions) {
    return kHttpHeaderBytes + (descriptions == Descriptions::read ? kDescribedBytes : 0);
}

// The document says something of itself by the HTTP response that `block` begins with, or by
// `block` if it is no HTTP response.
inline DocumentDescription describe_block(std::string_view media_type, std::string_view block,
                                          bool is_http) {
    const std::size_t header = is_http ? http_header_bytes(block) : 0;
    return describe_document(media_type, block.substr(0, header), block.substr(header));
}

// Where a record begins; made when the input stands there.
class RecordPlace {
  public:
    explicit RecordPlace(Input& input)
        : offset_(input.offset()), at_start_(input.at_member_start()) {}
    std::uint64_t offset() const { return offset_; }
    bool exact() const { return at_start_; }  // Input::go_to(offset()) leads here
    // Sets the capture's offset and length, once the input stands behind the record, as far as the
    // record can be read by them: one that shares its gzip member with others has no length of its
    // own, and only the first of them an offset. The first time, that is noted.
    void fill_in(Input& input, Capture& capture, bool& noted, CaptureHandler& handler) const {
        const bool alone = at_start_ && input.at_member_start() && input.offset() > offset_;
        if (at_start_) capture.offset = static_cast<std::int64_t>(offset_);
        if (alone) capture.length = static_cast<std::int64_t>(input.offset() - offset_);
        if (!alone && !noted)
            handler.note(
                "its records are not compressed one by one: they have no place of their own");
        if (!alone) noted = true;
    }

  private:
    std::uint64_t offset_;
    bool at_start_;
};

// The header of a WARC record: the lines between "WARC/1.0" and the empty line, which are consumed
// with both. nullopt if it does not end within kWarcHeaderBytes. Defined in warc.cpp.
constexpr std::size_t kWarcHeaderBytes = std::size_t{256} << 10;
std::optional<std::string> take_warc_header(Input& input);

// Whether a gzip member has just ended, and with it, as writers do, a record.
inline bool at_new_member(Input& input) { return input.compressed() && input.at_member_start(); }

// The first line as far as it lies in the first gzip member: some tools end members without a line
// end.
inline std::string_view first_line_of_member(Input& input) {
    const std::string_view line = input.peek_line(Input::kWindowBytes);
    const auto members = input.member_starts(line.size());
    return members.empty() ? line : line.substr(0, members.front());
}

// At the end of a stretch: reports why it ended and goes to the next sound one. Returns false if
// there is nothing more.
inline bool next_stretch(Input& input, CaptureHandler& handler) {
    if (input.broken().empty()) return false;
    handler.damage(input.offset(), input.broken());
    return input.resume();
}

// After a record that is not what its header says: goes back to it, since its length may be what is
// wrong, and on to the next line at which `begins(input)` is true. Stops where the stretch ends.
template <class Begins>
void find_record(Input& input, const RecordPlace& place, Begins begins) {
    if (input.peek(1).empty() && !input.broken().empty()) return;
    if (place.exact()) input.go_to(place.offset());
    for (bool first = true; !input.peek(1).empty(); first = false) {
        if (!first && begins(input)) return;
        const std::size_t n = input.peek_line(kHttpHeaderBytes).size();
        const auto members = input.member_starts(n);
        input.consume(members.empty() ? n : members.front());
    }
}

// Finds out the format of a web archive from its first bytes. Formats that cannot be loaded but can
// be converted are named, so that the administrator learns what to do.

enum class FileFormat { arc, warc, cdx, cdxj };

// Consumes blank lines only. Throws std::runtime_error with words for the administrator ("is a zip
// file: unzip it and ...").
FileFormat sniff(Input& input);

// Throws as sniff() does if these first bytes are those of an archive or compressed file that no
// loader reads.
void refuse_foreign(std::string_view head);

// `file`: the name of the archive that captures get. Throws std::runtime_error if the file cannot
// be read any further.
void read_arc(Input& input, const std::string& file, CaptureHandler& handler,
              Descriptions descriptions = Descriptions::read);

// The line before each document. Old files have URLs and media types with blanks in them.
struct ArcHeader {
    std::string_view url, date, mimetype, status, checksum;
    std::uint64_t length = 0;
};
// nullopt if it is no such line.
std::optional<ArcHeader> parse_arc_header(std::string_view line);

// Reads WARC files, 1.0 and 1.1 (ISO 28500; drafts 0.17 and 0.18, too), plain or gzip. response,
// resource and revisit records are captures; all others are passed over. A record counts only when
// its end has been found. Damage is reported, and reading goes on at the next record that can be
// found. Memory is bounded whatever the file holds.

// `file`: the name of the archive that captures get. Throws std::runtime_error if the file cannot
// be read any further.
void read_warc(Input& input, const std::string& file, CaptureHandler& handler,
               Descriptions descriptions = Descriptions::read);

}  // namespace oai::load
