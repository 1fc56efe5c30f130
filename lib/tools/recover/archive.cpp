// SPDX-License-Identifier: MIT
#include "tools/recover/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <tuple>

#include "base/text.h"
#include "tools/load/archive_reader.h"
#include "tools/load/field.h"

namespace oai::recover {
namespace {

// How many bytes to request, one after the other, for a record of unknown length. Most records are
// shorter than the first guess.
constexpr std::array<std::int64_t, 4> kGuesses = {std::int64_t{64} << 10, std::int64_t{2} << 20,
                                                  std::int64_t{64} << 20,
                                                  static_cast<std::int64_t>(kMaxRecordBytes)};

// Most records are small, so the input gets a buffer according to their size.
ArchivedRecord parse_record(load::Bytes bytes) {
    const std::size_t block =
        std::clamp(4 * bytes.size(), std::size_t{4} << 10, std::size_t{256} << 10);
    load::Input input = std::move(bytes).input(block);
    return read_archived_record(input);
}

bool is_known(const RecordLocation& location) {
    return !location.file.empty() && location.offset && *location.offset >= 0;
}

// Whether the record may share a window; excludes ranges that would overflow.
bool may_share(const RecordLocation& location) {
    return is_known(location) && location.length && *location.length > 0 &&
           *location.length <= Archive::kWindowBytes &&
           *location.offset <= std::numeric_limits<std::int64_t>::max() - *location.length;
}

// Returns fewer bytes if the file ends within the range.
std::string read_range(const load::FilePart& part, const http::ByteRange& range) {
    std::string bytes(static_cast<std::size_t>(range.length), '\0');
    std::size_t done = 0;
    for (std::size_t got = 1; got > 0 && done < bytes.size(); done += got)
        got = part.read_at(static_cast<std::uint64_t>(range.offset) + done, bytes.data() + done,
                           bytes.size() - done);
    bytes.resize(done);
    return bytes;
}

bool is_wacz_name(const std::string& name) { return text::lower_ascii(name).ends_with(".wacz"); }

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

load::Bytes take(load::Input& input, std::uint64_t length) {
    if (length > kMaxRecordBytes)
        throw std::runtime_error("the record is larger than " + std::to_string(kMaxRecordBytes) +
                                 " bytes");
    load::Bytes block;
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

ArchivedRecord::Kind kind_of(const std::string& type) {
    if (type == "response") return ArchivedRecord::Kind::response;
    if (type == "resource") return ArchivedRecord::Kind::resource;
    if (type == "revisit") return ArchivedRecord::Kind::revisit;
    throw std::runtime_error("there is a record of type " + type + ", which holds no document");
}

}  // namespace

std::string base_name(const std::string& file) {
    const auto slash = file.rfind('/');
    const std::string name = slash == file.npos ? file : file.substr(slash + 1);
    return name == "." || name == ".." ? "" : name;
}

Archive::Archive(const std::string& address, http::RetryingClient& http) : http_(http) {
    if (address.starts_with("http://") || address.starts_with("https://")) {
        if (is_wacz_name(address))
            throw std::runtime_error(address + ": fetch it, and name the file");
        base_url_ = address.ends_with('/') ? address : address + "/";
        return;
    }
    if (is_wacz_name(address) && std::filesystem::is_regular_file(address)) {
        add_wacz(address);
        if (!unreadable_.empty()) throw std::runtime_error(unreadable_);
        return;
    }
    if (!std::filesystem::is_directory(address))
        throw std::runtime_error(address + " is no directory");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(address)) {
        if (!entry.is_regular_file()) continue;
        paths_.emplace(entry.path().filename().string(), entry.path().string());
        if (is_wacz_name(entry.path().filename().string())) add_wacz(entry.path().string());
    }
}

// An unreadable WACZ file affects only its own records.
void Archive::add_wacz(const std::string& path) try {
    const load::ZipFile zip(path);
    for (const load::ZipFile::Member& member : zip.warc_files()) {
        const std::string place = path + "/" + member.name;
        paths_.emplace(base_name(member.name), place);
        wacz_.emplace(place, path);
    }
} catch (const std::runtime_error& e) {
    unreadable_ = path + ": " + e.what();
}

load::FilePart Archive::part_of(const std::string& file) {
    const std::string& path = path_of(file);
    const auto wacz = wacz_.find(path);
    if (wacz == wacz_.end()) return load::FilePart::whole(path);
    if (path != member_path_) {
        const load::ZipFile zip(wacz->second);
        for (const load::ZipFile::Member& member : zip.warc_files())
            if (path == wacz->second + "/" + member.name) member_ = zip.open(member);
        member_path_ = path;
    }
    return member_.again();
}

void Archive::expect(const std::vector<RecordLocation>& records) {
    std::vector<Window> all;
    for (const RecordLocation& location : records)
        if (may_share(location))
            all.push_back({location.file, *location.offset, *location.offset + *location.length});
    std::sort(all.begin(), all.end(), [](const Window& a, const Window& b) {
        return std::tie(a.file, a.begin) < std::tie(b.file, b.begin);
    });
    windows_.clear();
    for (Window& next : all) {
        Window* const last =
            windows_.empty() || windows_.back().file != next.file ? nullptr : &windows_.back();
        const bool near = last != nullptr &&
                          (next.begin <= last->end || next.begin - last->end <= kGapBytes) &&
                          std::max(last->end, next.end) - last->begin <= kWindowBytes;
        if (!near) {
            windows_.push_back(std::move(next));
            continue;
        }
        last->end = std::max(last->end, next.end);
        ++last->records;
    }
}

ArchivedRecord Archive::read(const RecordLocation& location) {
    if (!is_known(location))
        throw std::runtime_error("the repository does not say where its record is");
    if (std::optional<ArchivedRecord> stored = read_in_window(location)) return *std::move(stored);
    return base_url_.empty() ? read_file(location) : read_by_range(location);
}

bool Archive::holds(const RecordLocation& location) const {
    return held_file_ == location.file && *location.offset >= held_begin_ &&
           *location.offset + *location.length <=
               held_begin_ + static_cast<std::int64_t>(held_.size());
}

// Returns nullopt if the record must be read separately, which then reports the error.
std::optional<ArchivedRecord> Archive::read_in_window(const RecordLocation& location) {
    if (!may_share(location)) return std::nullopt;
    if (!holds(location)) {
        const auto window = std::find_if(windows_.begin(), windows_.end(), [&](const Window& w) {
            return w.file == location.file && w.begin <= *location.offset &&
                   *location.offset + *location.length <= w.end;
        });
        if (window != windows_.end() && window->records > 1 && !window->tried) open(*window);
        if (!holds(location)) return std::nullopt;
    }
    try {
        return parse_record(
            held_.view().substr(static_cast<std::size_t>(*location.offset - held_begin_),
                                static_cast<std::size_t>(*location.length)));
    } catch (const CutShort&) {  // the repository may have the wrong length
        return std::nullopt;
    }
}

void Archive::open(Window& window) {
    window.tried = true;
    held_ = {};
    held_file_ = window.file;
    held_begin_ = window.begin;
    const http::ByteRange range{.offset = window.begin, .length = window.end - window.begin};
    try {
        held_ = base_url_.empty() ? read_range(part_of(window.file), range)
                                  : fetch_range(window.file, range);
    } catch (const std::runtime_error&) {  // reading each record alone will report the error
    }
}

// Of several files with this name, chooses the one whose directories match too.
const std::string& Archive::path_of(const std::string& file) const {
    const auto [begin, end] = paths_.equal_range(base_name(file));
    if (begin == end)
        throw std::runtime_error(file + ": there is no such file" +
                                 (unreadable_.empty() ? "" : "; " + unreadable_));
    if (std::next(begin) == end) return begin->second;
    const auto is_it = [&](const auto& path) { return path.second.ends_with("/" + file); };
    const auto it = std::find_if(begin, end, is_it);
    if (it == end || std::find_if(std::next(it), end, is_it) != end)
        throw std::runtime_error(file + " is there " + std::to_string(std::distance(begin, end)) +
                                 " times");
    return it->second;
}

ArchivedRecord Archive::read_file(const RecordLocation& location) {
    load::Input input = load::Input::of_part(part_of(location.file));
    const auto offset = static_cast<std::uint64_t>(*location.offset);
    if (offset >= input.size())
        throw std::runtime_error(location.file + " ends before offset " + std::to_string(offset));
    input.go_to(offset);
    return read_archived_record(input);
}

ArchivedRecord Archive::read_by_range(const RecordLocation& location) {
    if (location.length && *location.length > 0) {
        load::Bytes bytes =
            fetch_range(location.file, {.offset = *location.offset, .length = *location.length});
        if (bytes.size() < static_cast<std::size_t>(*location.length))
            throw std::runtime_error(base_name(location.file) + " ends before the record does");
        return parse_record(std::move(bytes));
    }
    for (const std::int64_t length : kGuesses) {
        load::Bytes bytes =
            fetch_range(location.file, {.offset = *location.offset, .length = length});
        const bool is_all =
            bytes.size() < static_cast<std::size_t>(length) || length == kGuesses.back();
        try {
            return parse_record(std::move(bytes));
        } catch (const CutShort&) {
            if (is_all) throw;
        }
    }
    throw std::logic_error("the last guess always returns or throws");
}

// Returns fewer bytes than requested if the file ends there.
load::Bytes Archive::fetch_range(const std::string& file, http::ByteRange range) {
    if (range.length > static_cast<std::int64_t>(kMaxRecordBytes))
        throw std::runtime_error("the record is larger than " + std::to_string(kMaxRecordBytes) +
                                 " bytes");
    const std::string name = base_name(file);
    if (name.empty()) throw std::runtime_error(file + " is no name of a file");
    return fetch(name, range);
}

// Fetches a range of a file directly below the URL.
load::Bytes Archive::fetch(const std::string& name, http::ByteRange range) {
    if (missing_files_.contains(name)) throw std::runtime_error(name + ": there is no such file");
    if (range.offset > std::numeric_limits<std::int64_t>::max() - range.length)
        throw std::runtime_error(name + " ends before offset " + std::to_string(range.offset));
    load::Bytes body;
    const http::ClientResponse answer =
        send({.url = base_url_ + http::escape_query_value(name), .range = range}, body);
    if (answer.status == 404 || answer.status == 410) missing_files_.insert(name);
    if (answer.status == 416)
        throw std::runtime_error(name + " ends before offset " + std::to_string(range.offset));
    if (answer.status != 206 && answer.status != 200)
        throw std::runtime_error(name + ": HTTP status " + std::to_string(answer.status));
    const auto is = answer.headers.find("Content-Range");
    if (answer.status == 206 &&
        (!is || !is->starts_with(fmt::format("bytes {}-", range.offset))))  // RFC 9110, 15.3.7.1
        throw std::runtime_error(
            name + ": another range was sent: " + std::string(is.value_or("none is named")));
    return body;
}

// A server that does not support ranges sends the whole file; the range is cut out.
http::ClientResponse Archive::send(const http::ClientRequest& request, load::Bytes& body) {
    std::int64_t to_skip = 0;
    const auto begin = [&](const http::ClientResponse& head) {
        to_skip = head.status == 206 ? 0 : request.range->offset;
        body = {};
    };
    const auto take = [&](std::string_view piece) {
        const auto skipped = std::min(to_skip, static_cast<std::int64_t>(piece.size()));
        to_skip -= skipped;
        piece.remove_prefix(static_cast<std::size_t>(skipped));
        body.append(piece.substr(0, static_cast<std::size_t>(request.range->length) - body.size()));
        return body.size() < static_cast<std::size_t>(request.range->length);
    };
    try {
        http::ClientResponse answer = http_.send(request, {.begin = begin, .take = take});
        if (http::is_temporary(answer.status))
            throw ArchiveUnreachable(request.url + ": HTTP status " +
                                     std::to_string(answer.status));
        return answer;
    } catch (const http::TransferError& e) {
        throw ArchiveUnreachable(e.what());
    }
}

ArchivedRecord read_archived_record(load::Input& input) {
    const bool is_warc = text::lower_ascii(input.peek(5).substr(0, 5)) == "warc/";
    load::RecordHeader header;
    if (const std::string wrong = load::take_record_header(
            input, is_warc ? load::FileFormat::warc : load::FileFormat::arc, header);
        !wrong.empty()) {
        if (!header.lines.empty()) throw std::runtime_error(wrong);
        input.skip_line();  // what is left of a header that does not end
        fail(input, is_warc ? wrong : "no ARC or WARC record begins here");
    }
    ArchivedRecord stored;
    stored.kind = kind_of(header.type);
    stored.url = header.url;
    stored.time = header.time.value_or(Seconds{});
    stored.digest = header.digest;
    const auto field = [&](const char* name) {
        return load::header_field(header.lines, name).value_or("");
    };
    stored.refers_to = load::clean_url(field("warc-refers-to-target-uri"));
    stored.refers_to_time = load::parse_date(field("warc-refers-to-date"));
    stored.header = std::move(header.lines);
    stored.block = take(input, header.length);
    stored.payload = header.may_be_http ? load::http_header_bytes(stored.block.view()) : 0;
    const load::HttpFacts facts = load::http_facts(stored.http_header());
    stored.status = facts.status.value_or(0);
    stored.media_type = stored.payload > 0 ? facts.mimetype : header.media_type;
    return stored;
}

}  // namespace oai::recover
