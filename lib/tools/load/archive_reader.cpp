// SPDX-License-Identifier: MIT
#include "tools/load/archive_reader.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "tools/load/cdx.h"
#include "tools/load/field.h"

namespace oai::load {
namespace {

constexpr std::size_t kLineBytes = std::size_t{64} << 10;

bool all_digits(std::string_view s) {
    return !s.empty() && s.find_first_not_of("0123456789") == s.npos;
}

bool looks_like_address(std::string_view s) {
    return s == "-" || (s.find_first_of(".:") != s.npos &&
                        s.find_first_not_of("0123456789abcdefABCDEF.:") == s.npos);
}

class ArcReader {
  public:
    ArcReader(Input& input, const std::string& file, CaptureHandler& handler,
              Descriptions descriptions)
        : input_(input), file_(file), handler_(handler), descriptions_(descriptions) {}

    void read() {
        for (;;) {
            skip_line_ends();
            const RecordPlace place(input_);
            if (input_.peek(1).empty()) {
                if (!next_stretch(input_, handler_)) return;
            } else if (!record(place)) {
                find_record(
                    input_, place,
                    [](Input& in) {
                        return parse_arc_header(text::trim(in.peek_line(kLineBytes))).has_value();
                    });
            }
        }
    }

  private:
    // Returns false where no sound record stands, which is then reported.
    bool record(const RecordPlace& place) {
        const std::string line(input_.peek_line(kLineBytes));
        const auto header = parse_arc_header(text::trim(line));
        if (!header) return fail(place, "no ARC record begins here");
        input_.consume(line.size());
        if (input_.surely_less_than(header->length)) return fail(place, "the record is cut short");
        const std::uint64_t wanted = std::min(header->length, looked_at(descriptions_));
        Capture capture = described(*header, input_.peek(wanted).substr(0, wanted));
        if (input_.skip(header->length) < header->length)
            return fail(place, "the record is cut short");
        const std::uint64_t end = input_.offset();
        if (!ends_well()) return fail(place, "the record does not end where its header says");
        deliver(place, *header, std::move(capture), end);
        return true;
    }

    // Damaged compression is reported by next_stretch() alone.
    bool fail(const RecordPlace& place, const std::string& what) {
        if (input_.broken().empty()) handler_.damage(place.offset(), what);
        return false;
    }

    void skip_line_ends() {
        for (std::string_view s = input_.peek(1); !s.empty() && (s[0] == '\n' || s[0] == '\r');
             s = input_.peek(1))
            input_.consume(1);
    }

    // A record is followed by a line end, by another gzip member or by the end of the file. The
    // line end belongs to the member, not to the record.
    bool ends_well() {
        const std::string_view next = input_.peek(1);
        const bool sound = next.empty()
                               ? input_.broken().empty() || at_new_member(input_)
                               : next[0] == '\n' || next[0] == '\r' || at_new_member(input_);
        skip_line_ends();
        return sound &&
               (!input_.peek(1).empty() || input_.broken().empty() || at_new_member(input_));
    }

    Capture described(const ArcHeader& header, std::string_view block) const {
        Capture capture;
        const bool is_http = block.starts_with("HTTP/");
        const HttpFacts facts = http_facts(block);
        capture.status = facts.status ? facts.status : http_status(header.status);
        capture.mimetype = is_http ? facts.mimetype : media_type(header.mimetype);
        if (descriptions_ == Descriptions::read)
            capture.about = describe_block(capture.mimetype, block, is_http);
        return capture;
    }

    void deliver(const RecordPlace& place, const ArcHeader& header, Capture capture,
                 std::uint64_t end) {
        capture.url = clean_url(header.url);
        if (const auto kind = kind_of_no_document(capture.url); !kind.empty())
            return handler_.skip(kind);
        const auto time = parse_date14(header.date);
        if (!time)
            return handler_.damage(place.offset(),
                                   "no such date: " + clean_url(header.date.substr(0, 40)));
        capture.archived_time = *time;
        capture.digest = digest(header.checksum);
        capture.file = file_;
        place.fill_in(input_, capture, noted_, handler_);
        if (!input_.compressed()) capture.length = static_cast<std::int64_t>(end - place.offset());
        handler_.capture(std::move(capture));
    }

    Input& input_;
    const std::string& file_;
    CaptureHandler& handler_;
    const Descriptions descriptions_;
    bool noted_ = false;
};

std::string_view joined(const std::vector<std::string_view>& words, std::size_t first,
                        std::size_t stop) {
    if (first >= stop) return {};
    const char* begin = words[first].data();
    return {begin,
            static_cast<std::size_t>(words[stop - 1].data() + words[stop - 1].size() - begin)};
}

}  // namespace

std::optional<ArcHeader> parse_arc_header(std::string_view line) {
    const auto words = text::split(line, ' ');
    if (words.size() < 5 || line.size() >= kLineBytes) return std::nullopt;
    const auto length = text::to_integer(words.back());
    if (!length || *length < 0 || !all_digits(words.back())) return std::nullopt;
    std::size_t date = 2;  // index of the first number behind an address
    while (date + 1 < words.size() && !(all_digits(words[date]) && words[date].size() >= 8 &&
                                        looks_like_address(words[date - 1])))
        ++date;
    if (date + 1 >= words.size()) return std::nullopt;
    ArcHeader header;
    header.url = joined(words, 0, date - 1);
    if (header.url.find(':') == header.url.npos) return std::nullopt;
    header.date = words[date];
    const bool version2 = words.size() - date >= 8 && all_digits(words[words.size() - 6]);
    header.mimetype = joined(words, date + 1, words.size() - (version2 ? 6 : 1));
    if (version2) {
        header.status = words[words.size() - 6];
        header.checksum = words[words.size() - 5];
    }
    header.length = static_cast<std::uint64_t>(*length);
    return header;
}

void read_arc(Input& input, const std::string& file, CaptureHandler& handler,
              Descriptions descriptions) {
    ArcReader(input, file, handler, descriptions).read();
}

namespace {

bool begins_record(std::string_view s) {
    return s.starts_with("WARC/") && s.size() > 5 && s[5] >= '0' && s[5] <= '9';
}

class WarcReader {
  public:
    WarcReader(Input& input, const std::string& file, CaptureHandler& handler,
               Descriptions descriptions)
        : input_(input), file_(file), handler_(handler), descriptions_(descriptions) {}

    void read() {
        for (;;) {
            while (skip_line_ends(1000) > 0) {
            }
            const RecordPlace place(input_);
            if (input_.peek(1).empty()) {
                if (!next_stretch(input_, handler_)) return;
            } else if (!record(place)) {
                find_record(
                    input_, place, [](Input& in) { return begins_record(in.peek(8)); });
            }
        }
    }

  private:
    // Returns false where no sound record stands, which is then reported.
    bool record(const RecordPlace& place) {
        if (!begins_record(input_.peek(8))) return fail(place, "no WARC record begins here");
        const auto header = take_warc_header(input_);
        if (!header) return fail(place, "the header of the record does not end");
        const auto length = text::to_integer(header_field(*header, "content-length").value_or(""));
        if (!length || *length < 0) return fail(place, "the record has no valid Content-Length");
        if (input_.surely_less_than(static_cast<std::uint64_t>(*length)))
            return fail(place, "the record is cut short");
        const auto wanted = std::min(static_cast<std::uint64_t>(*length), looked_at(descriptions_));
        const std::string_view block = input_.peek(wanted).substr(0, wanted);
        const std::string type = type_of(*header);
        Capture capture;
        if (is_capture(type)) describe(*header, type, block, capture);
        if (input_.skip(static_cast<std::uint64_t>(*length)) < static_cast<std::uint64_t>(*length))
            return fail(place, "the record is cut short");
        const int line_ends = skip_line_ends(4);
        if (!ends_well(line_ends))
            return fail(place, "the record does not end where its Content-Length says");
        if (is_capture(type))
            deliver(place, *header, std::move(capture));
        else
            handler_.skip(type);
        return true;
    }

    // Damaged compression is reported by next_stretch() alone.
    bool fail(const RecordPlace& place, const std::string& what) {
        if (input_.broken().empty()) handler_.damage(place.offset(), what);
        return false;
    }

    // Skips at most `max` bytes of line ends; returns how many there were.
    int skip_line_ends(int max) {
        int done = 0;
        for (std::string_view s = input_.peek(1);
             done < max && !s.empty() && (s[0] == '\r' || s[0] == '\n'); ++done) {
            input_.consume(1);
            s = input_.peek(1);
        }
        return done;
    }

    // A record is followed by two empty lines, which some writers forget.
    bool ends_well(int line_ends) {
        const std::string_view next = input_.peek(8);
        if (next.empty()) return input_.broken().empty() || at_new_member(input_);
        return line_ends >= 2 || begins_record(next) || at_new_member(input_);
    }

    static std::string type_of(const std::string& header) {
        const std::string type = text::lower_ascii(header_field(header, "warc-type").value_or(""));
        return type.empty() ? "untyped" : type;
    }
    static bool is_capture(std::string_view type) {
        return type == "response" || type == "resource" || type == "revisit";
    }

    void deliver(const RecordPlace& place, const std::string& header, Capture capture) {
        capture.url = clean_url(header_field(header, "warc-target-uri").value_or(""));
        if (const auto kind = kind_of_no_document(capture.url); !kind.empty())
            return handler_.skip(kind);
        const std::string date = header_field(header, "warc-date").value_or("");
        const auto time = parse_warc_date(date);
        if (capture.url.empty())
            return handler_.damage(place.offset(), "the record has no WARC-Target-URI");
        if (!time)
            return handler_.damage(place.offset(),
                                   "no such WARC-Date: " + clean_url(date.substr(0, 40)));
        capture.archived_time = *time;
        capture.file = file_;
        place.fill_in(input_, capture, noted_, handler_);
        handler_.capture(std::move(capture));
    }

    // Describes the capture by the archived HTTP header, or by the record's own header if it was
    // not fetched by HTTP.
    void describe(const std::string& header, const std::string& type, std::string_view block,
                  Capture& capture) const {
        const std::string content_type =
            media_type(header_field(header, "content-type").value_or(""));
        const bool http = content_type == "application/http" || content_type.empty();
        const bool is_plain = type == "resource" || (type == "response" && !http);
        if (is_plain) {
            capture.mimetype = content_type;
        } else {
            const HttpFacts facts = http_facts(block);
            capture.status = facts.status;
            capture.mimetype = facts.mimetype;
        }
        auto value = header_field(header, "warc-payload-digest");
        if (!value && type == "resource")
            value = header_field(header, "warc-block-digest");  // its block is its payload
        capture.digest = digest(value.value_or(""));
        if (descriptions_ == Descriptions::read)
            capture.about = describe_block(capture.mimetype, block, !is_plain);
    }

    Input& input_;
    const std::string& file_;
    CaptureHandler& handler_;
    const Descriptions descriptions_;
    bool noted_ = false;
};

}  // namespace

std::optional<std::string> take_warc_header(Input& input) {
    std::string lines;
    for (bool first = true;; first = false) {
        const std::string_view line = input.peek_line(kWarcHeaderBytes);
        if (line.empty() || line.back() != '\n' || lines.size() + line.size() > kWarcHeaderBytes)
            return std::nullopt;
        const bool last = line == "\n" || line == "\r\n";
        if (!first && !last) lines += line;
        input.consume(line.size());
        if (last) return lines;
    }
}

void read_warc(Input& input, const std::string& file, CaptureHandler& handler,
               Descriptions descriptions) {
    WarcReader(input, file, handler, descriptions).read();
}

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
