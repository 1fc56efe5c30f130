// SPDX-License-Identifier: MIT
// What ARC and WARC have in common: records one after the other, each with a place in the file.
#pragma once

#include <optional>
#include <string>

#include "load/findings.h"
#include "load/input.h"

namespace oai::load {

constexpr std::size_t kHttpHeaderBytes = std::size_t{64} << 10;  // looked at, at most

// Where a record begins; asked for its length once the input stands behind it.
class Place {
  public:
    explicit Place(Input& input) : offset_(input.offset()), at_start_(input.at_member_start()) {}
    std::uint64_t offset() const { return offset_; }
    bool exact() const { return at_start_; }  // Input::go_to(offset()) leads here
    // Into the capture, as far as the record can be read by them: one that shares its gzip member with others has no
    // length of its own, and only the first of them an offset. Says so once.
    void put(Input& input, Capture& capture, bool& noted, Findings& findings) const {
        const bool alone = at_start_ && input.at_member_start() && input.offset() > offset_;
        if (at_start_) capture.offset = static_cast<std::int64_t>(offset_);
        if (alone) capture.length = static_cast<std::int64_t>(input.offset() - offset_);
        if (!alone && !noted) findings.note("its records are not compressed one by one: they have no place of their own");
        if (!alone) noted = true;
    }

  private:
    std::uint64_t offset_;
    bool at_start_;
};

// The header of a WARC record: the lines between "WARC/1.0" and the empty line, which are consumed with both. nullopt: it
// does not end within kWarcHeaderBytes. In warc.cpp.
constexpr std::size_t kWarcHeaderBytes = std::size_t{256} << 10;
std::optional<std::string> take_warc_header(Input& input);

// A gzip member has just ended, and with it, as writers do, a record.
inline bool at_new_member(Input& input) { return input.compressed() && input.at_member_start(); }

// The first line, as far as it lies in the first gzip member: some tools end one without a line end.
inline std::string_view first_line_of_member(Input& input) {
    const std::string_view line = input.peek_line(Input::kWindowBytes);
    const auto members = input.member_starts(line.size());
    return members.empty() ? line : line.substr(0, members.front());
}

// The stretch has ended. Reports why and goes to the next sound one; false: there is nothing more.
inline bool next_stretch(Input& input, Findings& findings) {
    if (input.broken().empty()) return false;
    findings.damage(input.offset(), input.broken());
    return input.resume();
}

// Behind a record that is not what it says: back to it, since its length may be what is wrong, and on to the next line
// at which `begins(input)`. Stops where the stretch ends.
template <class Begins>
void find_record(Input& input, const Place& place, Begins begins) {
    if (input.peek(1).empty() && !input.broken().empty()) return;
    if (place.exact()) input.go_to(place.offset());
    for (bool first = true; !input.peek(1).empty(); first = false) {
        if (!first && begins(input)) return;
        const std::size_t n = input.peek_line(kHttpHeaderBytes).size();
        const auto members = input.member_starts(n);
        input.consume(members.empty() ? n : members.front());
    }
}

}  // namespace oai::load
