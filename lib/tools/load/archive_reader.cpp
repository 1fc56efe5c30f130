// SPDX-License-Identifier: MIT
#include "tools/load/archive_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "tools/load/field.h"
#include "tools/load/words.h"

namespace oai::load {
namespace {

constexpr std::size_t kHttpHeaderBytes = std::size_t{64} << 10;  // a longer one is read so far
constexpr std::size_t kArcLineBytes = std::size_t{64} << 10;
constexpr std::size_t kWarcHeaderBytes = std::size_t{256} << 10;
constexpr std::size_t kRequestBytes = std::size_t{512} << 10;  // of one, with its body
constexpr const char* kCutShort = "the record is cut short";

bool all_digits(std::string_view s) {
    return !s.empty() && s.find_first_not_of("0123456789") == s.npos;
}

bool looks_like_address(std::string_view s) {
    return s == "-" || (s.find_first_of(".:") != s.npos &&
                        s.find_first_not_of("0123456789abcdefABCDEF.:") == s.npos);
}

bool begins_warc_record(std::string_view s) {
    return text::lower_ascii(s.substr(0, 5)) == "warc/" && s.size() > 5 && is_digit(s[5]);
}

// The lines between "WARC/1.0" and the empty line, which are consumed with both. nullopt if they do
// not end within kWarcHeaderBytes.
std::optional<std::string> take_header_lines(Input& input) {
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

std::string take_warc_header(Input& input, RecordHeader& header) {
    if (!begins_warc_record(input.peek(8))) return "no WARC record begins here";
    auto lines = take_header_lines(input);
    if (!lines) return "the header of the record does not end";
    header.lines = *std::move(lines);
    const auto field = [&](const char* name) {
        return header_field(header.lines, name).value_or("");
    };
    const auto length = text::to_integer(field("content-length"));
    if (!length || *length < 0) return "the record has no valid Content-Length";
    header.length = static_cast<std::uint64_t>(*length);
    header.type = text::lower_ascii(field("warc-type"));
    if (header.type.empty()) header.type = "untyped";
    header.url = clean_url(field("warc-target-uri"));
    header.id = field("warc-record-id");
    header.concurrent_to = field("warc-concurrent-to");
    header.date = field("warc-date");
    header.time = parse_date(header.date);
    const bool is_resource = header.type == "resource";
    const std::string type = media_type(field("content-type"));
    header.may_be_http =
        header.type == "revisit" || (!is_resource && (type == "application/http" || type.empty()));
    if (!header.may_be_http) header.media_type = type;
    header.digest = digest(field("warc-payload-digest"));
    if (is_resource && header.digest.empty())
        header.digest = digest(field("warc-block-digest"));  // its block is its payload
    return "";
}

std::string take_arc_header(Input& input, RecordHeader& header) {
    const std::string line(input.peek_line(kArcLineBytes));
    const auto arc = parse_arc_header(text::trim(line));
    if (!arc) return "no ARC record begins here";
    input.consume(line.size());
    header = {.type = "response",
              .lines = "",
              .url = clean_url(arc->url),
              .digest = digest(arc->checksum),
              .id = "",
              .concurrent_to = "",
              .date = std::string(arc->date),
              .time = parse_date(arc->date),
              .length = arc->length,
              .may_be_http = true,
              .media_type = media_type(arc->mimetype),
              .status = http_status(arc->status)};
    return "";
}

// Where a record begins; made when the input stands there.
struct RecordPlace {
    explicit RecordPlace(Input& input)
        : offset(input.offset()), at_start(input.at_member_start()) {}
    std::uint64_t offset;
    bool at_start;  // Input::go_to(offset) leads here
};

class RecordReader {
  public:
    RecordReader(Input& input, FileFormat format, const std::string& file, CaptureHandler& handler,
                 Descriptions descriptions)
        : input_(input),
          is_warc_(format == FileFormat::warc),
          file_(file),
          handler_(handler),
          descriptions_(descriptions) {}

    void read() {
        for (;;) {
            skip_line_ends();
            const RecordPlace place(input_);
            if (input_.peek(1).empty()) {
                deliver_last();
                if (!next_stretch(input_, handler_)) return;
            } else if (const std::string wrong = record(place); !wrong.empty()) {
                deliver_last();
                const bool is_torn = !input_.broken().empty();
                const Cut cut = take_cut(place);
                const char* const taken = cut == Cut::taken ? "; its capture is taken as cut" : "";
                // Damaged compression is reported by next_stretch() alone.
                if (!is_torn && cut != Cut::passed_over)
                    handler_.damage(place.offset, wrong + taken);
                else if (*taken != '\0')
                    handler_.note(std::to_string(place.offset) + ": " + wrong + taken);
                find_record(place);
            }
        }
    }

  private:
    // Returns what is wrong with the record, or "".
    std::string record(const RecordPlace& place) {
        RecordHeader header;
        const FileFormat format = is_warc_ ? FileFormat::warc : FileFormat::arc;
        if (std::string wrong = take_record_header(input_, format, header); !wrong.empty())
            return wrong;
        if (input_.surely_less_than(header.length)) return kCutShort;
        const bool is_capture = is_of_capture(header);
        Capture capture;
        std::string asked;
        if (is_capture) capture = described(header);
        if (header.type == "request") asked = request_of(peek_block(header, kRequestBytes));
        if (input_.skip(header.length) < header.length) return kCutShort;
        const std::uint64_t end = input_.offset();
        if (!(is_warc_ ? warc_ends_well() : arc_ends_well()))
            return std::string("the record does not end where its ") +
                   (is_warc_ ? "Content-Length says" : "header says");
        if (header.type == "request") {
            if (last_ && belongs(header, last_header_)) {
                last_->request = std::move(asked);
                request_.clear();
            } else {
                request_ = std::move(asked);
                request_header_ = header;
            }
        }
        deliver_last();
        if (!is_capture) {
            handler_.skip(header.type);
            return "";
        }
        if (!request_.empty() && belongs(request_header_, header))
            capture.request = std::move(request_);
        request_.clear();
        capture.revisit = header.type == "revisit";
        capture.url = std::move(header.url);
        deliver(place, header, std::move(capture), end);
        return "";
    }

    static bool is_of_capture(const RecordHeader& header) {
        return header.type == "response" || header.type == "resource" || header.type == "revisit";
    }

    // A record that does not end as it says is a capture nevertheless if what says which one is
    // whole. Its length and what its document says of itself are not known. An ARC's version block
    // is counted in several ways, and is no capture in any case.
    enum class Cut { lost, taken, passed_over };
    Cut take_cut(const RecordPlace& place) {
        RecordHeader header;
        if (!place.at_start) return Cut::lost;
        input_.go_to(place.offset);
        const FileFormat format = is_warc_ ? FileFormat::warc : FileFormat::arc;
        if (!take_record_header(input_, format, header).empty() || !is_of_capture(header))
            return Cut::lost;
        if (const auto kind = kind_of_no_document(header.url); !kind.empty())
            return handler_.skip(kind), Cut::passed_over;
        if (!header.time || header.url.empty()) return Cut::lost;
        header.length = kHttpHeaderBytes;
        const std::string_view block = peek_block(header, kHttpHeaderBytes);
        const std::string_view http = block.substr(0, http_header_bytes(block));
        const bool is_whole = http.empty() ? !header.may_be_http || !is_warc_
                                           : http.ends_with("\n\n") || http.ends_with("\n\r\n");
        if (block.empty() || !is_whole) return Cut::lost;
        Capture capture = described(header);
        capture.about = {};
        capture.revisit = header.type == "revisit";
        capture.url = header.url;
        capture.archived_time = *header.time;
        capture.file = file_;
        capture.offset = static_cast<std::int64_t>(place.offset);
        handler_.capture(std::move(capture));
        return Cut::taken;
    }

    // By the archived HTTP header, or by the record's own if it was not fetched by HTTP.
    Capture described(const RecordHeader& header) {
        const std::uint64_t looked_at =
            kHttpHeaderBytes + (descriptions_ == Descriptions::read ? kDescribedBytes : 0);
        const std::string_view block = peek_block(header, looked_at);
        const std::size_t http = header.may_be_http ? http_header_bytes(block) : 0;
        const HttpFacts facts = http_facts(block.substr(0, http));
        Capture capture;
        capture.digest = header.digest;
        capture.status = facts.status ? facts.status : header.status;
        capture.mimetype = http > 0 ? facts.mimetype : header.media_type;
        if (descriptions_ == Descriptions::read)
            capture.about =
                describe_document(capture.mimetype, block.substr(0, http), block.substr(http));
        return capture;
    }

    std::string_view peek_block(const RecordHeader& header, std::uint64_t most) {
        const std::uint64_t wanted = std::min(header.length, most);
        return input_.peek(wanted).substr(0, wanted);
    }

    // Whether a request was made for that capture.
    static bool belongs(const RecordHeader& request, const RecordHeader& capture) {
        const auto names = [](const RecordHeader& a, const RecordHeader& b) {
            return !a.concurrent_to.empty() && a.concurrent_to == b.id;
        };
        const bool unnamed = request.concurrent_to.empty() && capture.concurrent_to.empty();
        return request.url == capture.url &&
               (unnamed || names(request, capture) || names(capture, request));
    }

    void deliver_last() {
        if (last_) handler_.capture(std::move(*last_));
        last_.reset();
    }

    void deliver(const RecordPlace& place, const RecordHeader& header, Capture capture,
                 std::uint64_t end) {
        if (const auto kind = kind_of_no_document(capture.url); !kind.empty())
            return handler_.skip(kind);
        if (is_warc_ && capture.url.empty())
            return handler_.damage(place.offset, "the record has no WARC-Target-URI");
        if (!header.time)
            return handler_.damage(
                place.offset, std::string(is_warc_ ? "no such WARC-Date: " : "no such date: ") +
                                  clean_url(header.date.substr(0, 40)));
        capture.archived_time = *header.time;
        capture.file = file_;
        set_place(place, capture);
        if (!is_warc_ && !input_.compressed())
            capture.length = static_cast<std::int64_t>(end - place.offset);
        last_ = std::move(capture);
        last_header_ = header;
        last_header_.url = last_->url;
    }

    // Sets the capture's offset and length, once the input stands behind the record, as far as the
    // record can be read by them: one that shares its gzip member with others has no length of its
    // own, and only the first of them an offset. The first time, that is noted.
    void set_place(const RecordPlace& place, Capture& capture) {
        const std::uint64_t end = input_.offset();
        const bool alone = place.at_start && input_.at_member_start() && end > place.offset;
        if (place.at_start) capture.offset = static_cast<std::int64_t>(place.offset);
        if (alone) capture.length = static_cast<std::int64_t>(end - place.offset);
        if (!alone && !std::exchange(noted_, true))
            handler_.note(
                "its records are not compressed one by one: they have no place of their own");
    }

    // Returns how many bytes of line ends there were, of `max` at most.
    int skip_line_ends(int max = std::numeric_limits<int>::max()) {
        int done = 0;
        for (std::string_view s = input_.peek(1);
             done < max && !s.empty() && (s[0] == '\r' || s[0] == '\n'); ++done) {
            input_.consume(1);
            s = input_.peek(1);
        }
        return done;
    }

    // Whether a gzip member has just ended, and with it, as writers do, a record.
    bool at_new_member() { return input_.compressed() && input_.at_member_start(); }

    // A record is followed by two empty lines, which some writers forget.
    bool warc_ends_well() {
        const int line_ends = skip_line_ends(4);
        const std::string_view next = input_.peek(8);
        if (next.empty()) return input_.broken().empty() || at_new_member();
        return line_ends >= 2 || begins_warc_record(next) || at_new_member();
    }

    // A record is followed by a line end, by another gzip member or by the end of the file. The
    // line end belongs to the member, not to the record.
    bool arc_ends_well() {
        const std::string_view next = input_.peek(1);
        const bool sound = next.empty() ? input_.broken().empty() || at_new_member()
                                        : next[0] == '\n' || next[0] == '\r' || at_new_member();
        skip_line_ends();
        return sound && (!input_.peek(1).empty() || input_.broken().empty() || at_new_member());
    }

    bool begins_record() {
        return is_warc_ ? begins_warc_record(input_.peek(8))
                        : parse_arc_header(text::trim(input_.peek_line(kArcLineBytes))).has_value();
    }

    // After a record that is not what its header says: goes back to it, since its length may be
    // wrong, and on to the next line at which one begins.
    void find_record(const RecordPlace& place) {
        if (input_.peek(1).empty() && !input_.broken().empty()) return;
        if (place.at_start) input_.go_to(place.offset);
        for (bool first = true; !input_.peek(1).empty(); first = false) {
            if (!first && begins_record()) return;
            const std::size_t n = input_.peek_line(kHttpHeaderBytes).size();
            const auto members = input_.member_starts(n);
            input_.consume(members.empty() ? n : members.front());
        }
    }

    Input& input_;
    const bool is_warc_;
    const std::string& file_;
    CaptureHandler& handler_;
    const Descriptions descriptions_;
    bool noted_ = false;
    // The capture before, until it is seen whether its request follows; and the request before.
    std::optional<Capture> last_{};
    std::string request_{};
    RecordHeader last_header_{}, request_header_{};
};

std::string_view joined(const std::vector<std::string_view>& words, std::size_t first,
                        std::size_t stop) {
    if (first >= stop) return {};
    const char* begin = words[first].data();
    return {begin,
            static_cast<std::size_t>(words[stop - 1].data() + words[stop - 1].size() - begin)};
}

// "key date {", in OpenWayback's with the kind of record; or the object alone, as servers answer.
bool is_cdxj(std::string_view line) {
    if (line.starts_with("!OpenWayback-CDXJ")) return true;
    const auto brace = line.find('{');
    if (brace == line.npos) return false;
    if (brace == 0) return line.find("\"timestamp\"") != line.npos;
    const auto words = text::split(text::trim(line.substr(0, brace)), ' ');
    return line.starts_with("!") || ((words.size() == 2 || words.size() == 3) &&
                                     line[brace - 1] == ' ' && parse_date(words[1]));
}

// From the first line, which may be cut off: ARC and CDX are told by its start.
std::optional<FileFormat> format_of_line(std::string_view raw) {
    const std::string_view line = text::trim(raw);
    if (begins_warc_record(raw)) return FileFormat::warc;
    if (raw.starts_with("filedesc:") || parse_arc_header(line)) return FileFormat::arc;
    if (is_cdxj(line))
        return FileFormat::cdxj;  // first: its words may be as many as CDX has columns
    if (parse_cdx_legend(raw) || usual_legend(line)) return FileFormat::cdx;
    return std::nullopt;
}

}  // namespace

std::optional<ArcHeader> parse_arc_header(std::string_view line) {
    const auto words = text::split(line, ' ');
    if (words.size() < 5 || line.size() >= kArcLineBytes) return std::nullopt;
    const auto length = text::to_integer(words.back());
    if (!length || *length < 0 || !all_digits(words.back())) return std::nullopt;
    std::size_t date = 2;  // index of the first number behind an address
    const auto is_date = [](std::string_view word) {
        return parse_date(word) || (all_digits(word) && word.size() >= 8);
    };
    while (date + 1 < words.size() &&
           !(looks_like_address(words[date - 1]) && is_date(words[date])))
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

std::string take_record_header(Input& input, FileFormat format, RecordHeader& header) {
    return format == FileFormat::warc ? take_warc_header(input, header)
                                      : take_arc_header(input, header);
}

void read_records(Input& input, FileFormat format, const std::string& file, CaptureHandler& handler,
                  Descriptions descriptions) {
    RecordReader(input, format, file, handler, descriptions).read();
}

std::string_view first_line_of_member(Input& input) {
    const std::string_view line = input.peek_line(Input::kWindowBytes);
    const auto members = input.member_starts(line.size());
    return members.empty() ? line : line.substr(0, members.front());
}

bool next_stretch(Input& input, CaptureHandler& handler) {
    if (input.broken().empty()) return false;
    handler.damage(input.offset(), input.broken());
    return input.resume();
}

void refuse_foreign(std::string_view head) {
    const auto begin = std::min(head.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), head.size());
    for (const TableRow& foreign : table("foreign"))
        if (RE2::PartialMatch(std::string(head.substr(begin)),
                              RE2("^(?is)" + std::string(foreign[0]), RE2::Latin1)))
            throw std::runtime_error(std::string(foreign[1]));
}

FileFormat sniff(Input& input) {
    const std::string_view head = input.peek(512);
    if (head.empty())
        throw std::runtime_error(input.broken().empty() ? "is empty" : input.broken());
    std::string_view line = input.peek_line(Input::kWindowBytes);
    while (line == "\n" || line == "\r\n") {
        input.consume(line.size());
        line = input.peek_line(Input::kWindowBytes);
    }
    if (const auto format = format_of_line(line)) return *format;
    if (const auto format = format_of_line(first_line_of_member(input))) return *format;
    refuse_foreign(head);
    throw std::runtime_error(
        "is no web archive: neither ARC, WARC, CDX nor CDXJ begins in it (first bytes: " +
        clean_url(head.substr(0, 24)) + ")");
}

}  // namespace oai::load
