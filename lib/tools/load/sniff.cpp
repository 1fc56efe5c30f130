// SPDX-License-Identifier: MIT
#include "tools/load/sniff.h"

#include <optional>
#include <stdexcept>

#include "base/text.h"
#include "tools/load/arc.h"
#include "tools/load/cdx.h"
#include "tools/load/field.h"
#include "tools/load/record.h"

namespace oai::load {
namespace {

struct ForeignFormat {
    std::string_view magic;
    const char* words;
};

constexpr ForeignFormat kForeign[] = {
    {"PK\x03\x04", "is a zip file: unzip it and load the files in it"},
    {"\x28\xb5\x2f\xfd", "is compressed by zstd: unzstd it and load the result"},
    {"\x5d\x2a\x4d\x18", "is compressed by zstd with a dictionary: recompress it with gzip"},
    {"BZh", "is compressed by bzip2: bunzip2 it and load the result"},
    {"\xfd"
     "7zXZ",
     "is compressed by xz: unxz it and load the result"},
};

// surt date <tab> part <tab> offset <tab> length [<tab> number]
bool is_zipnum_index(std::string_view line) {
    const auto words = text::split(line, '\t');
    return words.size() >= 4 && words.size() <= 5 && words[0].find(' ') != std::string_view::npos &&
           text::to_integer(words[2]) && text::to_integer(words[3]);
}

bool is_cdxj(std::string_view line) {
    const auto words = text::split(line.substr(0, line.find('{')), ' ');
    return line.starts_with("!")
               ? line.find('{') != line.npos
               : words.size() >= 3 && words[2].empty() && line.find('{') != line.npos &&
                     words[1].find_first_not_of("0123456789") == std::string_view::npos;
}

// From the first line, which may be cut off: ARC and CDX are told by its start.
std::optional<FileFormat> format_of_line(std::string_view raw) {
    const std::string_view line = text::trim(raw);
    if (raw.starts_with("WARC/")) return FileFormat::warc;
    if (raw.starts_with("filedesc:") || parse_arc_header(line)) return FileFormat::arc;
    if (is_cdxj(line))
        return FileFormat::cdxj;  // first: its words may be as many as CDX has columns
    if (parse_cdx_legend(raw) || usual_legend(line)) return FileFormat::cdx;
    return std::nullopt;
}

}  // namespace

void refuse_foreign(std::string_view head) {
    for (const ForeignFormat& foreign : kForeign)
        if (head.starts_with(foreign.magic)) throw std::runtime_error(foreign.words);
    if (head.size() > 262 && head.substr(257, 5) == "ustar")
        throw std::runtime_error("is a tar file: unpack it and load the files in it");
}

FileFormat sniff(Input& input) {
    const std::string_view head = input.peek(512);
    if (head.empty())
        throw std::runtime_error(input.broken().empty() ? "is empty" : input.broken());
    refuse_foreign(head);
    std::string_view line = input.peek_line(Input::kWindowBytes);
    while (line == "\n" || line == "\r\n") {
        input.consume(line.size());
        line = input.peek_line(Input::kWindowBytes);
    }
    if (const auto format = format_of_line(line)) return *format;
    if (const auto format = format_of_line(first_line_of_member(input))) return *format;
    if (is_zipnum_index(text::trim(line)))
        throw std::runtime_error(
            "is the index of a zipnum cluster: load the .cdx.gz files beside it");
    throw std::runtime_error(
        "is no web archive: neither ARC, WARC, CDX nor CDXJ begins in it (first bytes: " +
        clean_url(head.substr(0, 24)) + ")");
}

}  // namespace oai::load
