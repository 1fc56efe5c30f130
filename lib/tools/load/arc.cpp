// SPDX-License-Identifier: MIT
#include "tools/load/arc.h"

#include <algorithm>

#include "base/text.h"
#include "tools/load/field.h"
#include "tools/load/record.h"

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

}  // namespace oai::load
