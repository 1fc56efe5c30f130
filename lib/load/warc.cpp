// SPDX-License-Identifier: MIT
#include "load/warc.h"

#include <algorithm>

#include "base/text.h"
#include "load/field.h"
#include "load/record.h"

namespace oai::load {
namespace {

bool begins_record(std::string_view s) {
    return s.starts_with("WARC/") && s.size() > 5 && s[5] >= '0' && s[5] <= '9';
}

class Reader {
  public:
    Reader(Input& input, const std::string& file, Findings& findings)
        : input_(input), file_(file), findings_(findings) {}

    void read() {
        for (;;) {
            while (skip_line_ends(1000) > 0) {
            }
            const Place place(input_);
            if (input_.peek(1).empty()) {
                if (!next_stretch(input_, findings_)) return;
            } else if (!record(place)) {
                find_record(input_, place, [](Input& in) { return begins_record(in.peek(8)); });
            }
        }
    }

  private:
    // False: the input stands at something that is no record, and that was reported.
    bool record(const Place& place) {
        if (!begins_record(input_.peek(8))) return fail(place, "no WARC record begins here");
        const auto header = take_warc_header(input_);
        if (!header) return fail(place, "the header of the record does not end");
        const auto length = text::to_integer(header_field(*header, "content-length").value_or(""));
        if (!length || *length < 0) return fail(place, "the record has no valid Content-Length");
        if (input_.surely_less_than(static_cast<std::uint64_t>(*length))) return fail(place, "the record is cut short");
        const std::string_view block = input_.peek(
            static_cast<std::size_t>(std::min<std::int64_t>(*length, kHttpHeaderBytes)));
        const std::string head(block.substr(0, static_cast<std::size_t>(std::min<std::int64_t>(*length, block.size()))));
        if (input_.skip(static_cast<std::uint64_t>(*length)) < static_cast<std::uint64_t>(*length))
            return fail(place, "the record is cut short");
        const int line_ends = skip_line_ends(4);
        if (!ends_well(line_ends)) return fail(place, "the record does not end where its Content-Length says");
        found(place, *header, head);
        return true;
    }

    // Damaged compression is reported as such, once.
    bool fail(const Place& place, const std::string& what) {
        if (input_.broken().empty()) findings_.damage(place.offset(), what);
        return false;
    }

    // Of at most so many bytes; returns how many there were.
    int skip_line_ends(int most) {
        int done = 0;
        for (std::string_view s = input_.peek(1); done < most && !s.empty() && (s[0] == '\r' || s[0] == '\n'); ++done) {
            input_.consume(1);
            s = input_.peek(1);
        }
        return done;
    }

    // By the empty lines behind it, which some writers forget.
    bool ends_well(int line_ends) {
        const std::string_view next = input_.peek(8);
        if (next.empty()) return input_.broken().empty() || at_new_member(input_);
        return line_ends >= 2 || begins_record(next) || at_new_member(input_);
    }

    void found(const Place& place, const std::string& header, std::string_view block) {
        std::string type = text::lower_ascii(header_field(header, "warc-type").value_or(""));
        if (type.empty()) type = "untyped";
        if (type != "response" && type != "resource" && type != "revisit") return findings_.passed_over(type);
        Capture capture;
        capture.url = clean_url(header_field(header, "warc-target-uri").value_or(""));
        if (const auto kind = kind_of_no_document(capture.url); !kind.empty()) return findings_.passed_over(kind);
        const std::string date = header_field(header, "warc-date").value_or("");
        const auto time = parse_warc_date(date);
        if (capture.url.empty()) return findings_.damage(place.offset(), "the record has no WARC-Target-URI");
        if (!time) return findings_.damage(place.offset(), "no such WARC-Date: " + clean_url(date.substr(0, 40)));
        capture.archived_time = *time;
        describe(header, type, block, capture);
        capture.file = file_;
        place.put(input_, capture, noted_, findings_);
        findings_.capture(std::move(capture));
    }

    // By the HTTP header that was archived; what was not fetched by HTTP is described by the record itself.
    static void describe(const std::string& header, const std::string& type, std::string_view block, Capture& capture) {
        const std::string content_type = media_type(header_field(header, "content-type").value_or(""));
        const bool http = content_type == "application/http" || content_type.empty();
        if (type == "resource" || (type == "response" && !http)) {
            capture.mimetype = content_type;
        } else {
            const HttpFacts facts = http_facts(block);
            capture.status = facts.status;
            capture.mimetype = facts.mimetype;
        }
        auto value = header_field(header, "warc-payload-digest");
        if (!value && type == "resource") value = header_field(header, "warc-block-digest");  // its block is its payload
        capture.digest = digest(value.value_or(""));
    }

    Input& input_;
    const std::string& file_;
    Findings& findings_;
    bool noted_ = false;
};

}  // namespace

std::optional<std::string> take_warc_header(Input& input) {
    std::string lines;
    for (bool first = true;; first = false) {
        const std::string_view line = input.peek_line(kWarcHeaderBytes);
        if (line.empty() || line.back() != '\n' || lines.size() + line.size() > kWarcHeaderBytes) return std::nullopt;
        const bool last = line == "\n" || line == "\r\n";
        if (!first && !last) lines += line;
        input.consume(line.size());
        if (last) return lines;
    }
}

void read_warc(Input& input, const std::string& file, Findings& findings) { Reader(input, file, findings).read(); }

}  // namespace oai::load
