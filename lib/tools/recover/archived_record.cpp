// SPDX-License-Identifier: MIT
#include "tools/recover/archived_record.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "tools/load/arc.h"
#include "tools/load/field.h"
#include "tools/load/record.h"

namespace oai::recover {
namespace {

constexpr std::size_t kLineBytes = std::size_t{64} << 10;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

// Throws CutShort with this message if the input has ended. An input that ends within a gzip
// member, or that is damaged in another way, is a damaged record.
[[noreturn]] void fail(load::Input& input, const std::string& what) {
    const std::string why = input.peek(1).empty() ? input.broken() : "";
    const bool damaged = !why.empty() && input.raw_position() < input.size();
    if (damaged) throw std::runtime_error("the record is damaged: " + why);
    if (input.peek(1).empty()) throw CutShort(what);
    throw std::runtime_error(what);
}

std::string take(load::Input& input, std::int64_t length) {
    if (length < 0 || static_cast<std::uint64_t>(length) > kMaxRecordBytes)
        throw std::runtime_error("the record is larger than " + std::to_string(kMaxRecordBytes) +
                                 " bytes");
    std::string block;
    for (auto left = static_cast<std::size_t>(length); left > 0;) {
        const std::string_view piece = input.peek(std::min(left, kPieceBytes));
        if (piece.empty()) fail(input, "the record is cut short");
        const std::size_t n = std::min(left, piece.size());
        block.append(piece.substr(0, n));
        input.consume(n);
        left -= n;
    }
    return block;
}

// Returns the offset of the body in an HTTP message; 0 if the block has no HTTP header, as in
// HTTP/0.9.
std::size_t end_of_http_header(std::string_view block) {
    if (text::lower_ascii(block.substr(0, 5)) != "http/") return 0;
    const auto crlf = block.find("\r\n\r\n"), lf = block.find("\n\n");
    if (crlf == block.npos && lf == block.npos) return block.size();
    return crlf < lf ? crlf + 4 : lf + 2;
}

void read_http(ArchivedRecord& stored) {
    stored.payload = end_of_http_header(stored.block);
    const load::HttpFacts facts = load::http_facts(stored.http_header());
    stored.media_type = facts.mimetype;
    stored.status = facts.status.value_or(0);
}

ArchivedRecord::Kind kind_of(const std::string& type) {
    if (type == "response") return ArchivedRecord::Kind::response;
    if (type == "resource") return ArchivedRecord::Kind::resource;
    if (type == "revisit") return ArchivedRecord::Kind::revisit;
    throw std::runtime_error("there is a record of type " + type + ", which holds no document");
}

ArchivedRecord read_warc_record(load::Input& input) {
    const auto header = load::take_warc_header(input);
    if (!header) {
        input.skip_line();  // skips what is left of the incomplete header
        fail(input, "the header of the record does not end");
    }
    const auto field = [&](const char* name) {
        return load::header_field(*header, name).value_or("");
    };
    ArchivedRecord stored;
    stored.kind = kind_of(text::lower_ascii(field("warc-type")));
    stored.header = *header;
    stored.url = load::clean_url(field("warc-target-uri"));
    stored.time = load::parse_warc_date(field("warc-date")).value_or(Seconds{});
    stored.block = take(input, text::to_integer(field("content-length")).value_or(-1));
    const std::string type = load::media_type(field("content-type"));
    if (stored.kind != ArchivedRecord::Kind::resource &&
        (type == "application/http" || type.empty()))
        read_http(stored);
    else
        stored.media_type = type;
    stored.digest = load::digest(field("warc-payload-digest"));
    if (stored.digest.empty() && stored.kind == ArchivedRecord::Kind::resource)
        stored.digest = load::digest(field("warc-block-digest"));
    stored.refers_to = load::clean_url(field("warc-refers-to-target-uri"));
    stored.refers_to_time = load::parse_warc_date(field("warc-refers-to-date"));
    return stored;
}

ArchivedRecord read_arc_record(load::Input& input) {
    const std::string line(input.peek_line(kLineBytes));
    const auto header = load::parse_arc_header(text::trim(line));
    if (!header) {
        input.consume(line.size());
        fail(input, "no ARC or WARC record begins here");
    }
    input.consume(line.size());
    ArchivedRecord stored;
    stored.url = load::clean_url(header->url);
    stored.time = load::parse_date14(header->date).value_or(Seconds{});
    stored.digest = load::digest(header->checksum);
    stored.block = take(input, static_cast<std::int64_t>(header->length));
    read_http(stored);
    if (stored.payload == 0) stored.media_type = load::media_type(header->mimetype);
    return stored;
}

}  // namespace

ArchivedRecord read_archived_record(load::Input& input) {
    return input.peek(5).starts_with("WARC/") ? read_warc_record(input) : read_arc_record(input);
}

}  // namespace oai::recover
