// SPDX-License-Identifier: MIT
#include "tools/load/warc.h"

#include <algorithm>

#include "base/text.h"
#include "tools/load/field.h"
#include "tools/load/record.h"

namespace oai::load {
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

}  // namespace oai::load
