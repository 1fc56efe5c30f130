// SPDX-License-Identifier: MIT
#include "recover/archive.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <tuple>

#include "http/client.h"
#include "load/input.h"

namespace oai::recover {
namespace {

// So much is asked for where nobody says how long the record is; most records are shorter than the first.
constexpr std::array<std::int64_t, 4> kGuesses = {std::int64_t{64} << 10, std::int64_t{2} << 20,
                                                  std::int64_t{64} << 20,
                                                  static_cast<std::int64_t>(kLargestRecordBytes)};

std::string range_begin(const http::Range& range) { return "bytes " + std::to_string(range.offset) + "-"; }

// Records are small, and so is what is set aside for one.
Stored stored_in(std::string bytes) {
    const std::size_t block = std::clamp(4 * bytes.size(), std::size_t{4} << 10, std::size_t{256} << 10);
    load::Input input = load::Input::of_bytes(std::move(bytes), block);
    return read_stored(input);
}

bool is_placed(const Where& where) { return !where.file.empty() && where.offset && *where.offset >= 0; }

// One that may share a window: it ends where a file can.
bool may_share(const Where& where) {
    return is_placed(where) && where.length && *where.length > 0 && *where.length <= Archive::kWindowBytes &&
           *where.offset <= std::numeric_limits<std::int64_t>::max() - *where.length;
}

std::string bytes_of_file(const std::string& path, const http::Range& range) {
    std::ifstream in(path, std::ios::binary);
    in.seekg(range.offset);
    std::string bytes(static_cast<std::size_t>(range.length), '\0');
    in.read(bytes.data(), range.length);
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return bytes;
}

}  // namespace

std::string base_name(const std::string& file) {
    const auto slash = file.rfind('/');
    const std::string name = slash == file.npos ? file : file.substr(slash + 1);
    return name == "." || name == ".." ? "" : name;
}

Archive::Archive(const std::string& where, http::Retry& http) : http_(http) {
    if (where.starts_with("http://") || where.starts_with("https://")) {
        base_url_ = where.ends_with('/') ? where : where + "/";
        return;
    }
    if (!std::filesystem::is_directory(where)) throw std::runtime_error(where + " is no directory");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(where))
        if (entry.is_regular_file()) paths_.emplace(entry.path().filename().string(), entry.path().string());
}

void Archive::expect(const std::vector<Where>& records) {
    std::vector<Window> all;
    for (const Where& where : records)
        if (may_share(where)) all.push_back({where.file, *where.offset, *where.offset + *where.length});
    std::sort(all.begin(), all.end(), [](const Window& a, const Window& b) { return std::tie(a.file, a.begin) < std::tie(b.file, b.begin); });
    windows_.clear();
    for (Window& next : all) {
        Window* const last = windows_.empty() || windows_.back().file != next.file ? nullptr : &windows_.back();
        const bool near = last != nullptr && (next.begin <= last->end || next.begin - last->end <= kGapBytes) &&
                          std::max(last->end, next.end) - last->begin <= kWindowBytes;
        if (!near) {
            windows_.push_back(std::move(next));
            continue;
        }
        last->end = std::max(last->end, next.end);
        ++last->records;
    }
}

Stored Archive::read(const Where& where) {
    if (!is_placed(where)) throw std::runtime_error("the repository does not say where its record is");
    if (std::optional<Stored> stored = in_window(where)) return *std::move(stored);
    return base_url_.empty() ? in_directory(where) : by_range(where);
}

bool Archive::holds(const Where& where) const {
    return held_file_ == where.file && *where.offset >= held_begin_ &&
           *where.offset + *where.length <= held_begin_ + static_cast<std::int64_t>(held_.size());
}

// nullopt: it must be read alone, which says what is wrong with it.
std::optional<Stored> Archive::in_window(const Where& where) {
    if (!may_share(where)) return std::nullopt;
    if (!holds(where)) {
        const auto window = std::find_if(windows_.begin(), windows_.end(), [&](const Window& w) {
            return w.file == where.file && w.begin <= *where.offset && *where.offset + *where.length <= w.end;
        });
        if (window != windows_.end() && window->records > 1 && !window->tried) open(*window);
        if (!holds(where)) return std::nullopt;
    }
    try {
        return stored_in(held_.substr(static_cast<std::size_t>(*where.offset - held_begin_), static_cast<std::size_t>(*where.length)));
    } catch (const CutShort&) {  // its length may have been told wrong
        return std::nullopt;
    }
}

void Archive::open(Window& window) {
    window.tried = true;
    held_.clear();
    held_file_ = window.file;
    held_begin_ = window.begin;
    const http::Range wanted{.offset = window.begin, .length = window.end - window.begin};
    try {
        held_ = base_url_.empty() ? bytes_of_file(path_of(window.file), wanted) : range(window.file, wanted);
    } catch (const std::runtime_error&) {  // each of its records is told why
    }
}

// Of several files of one name, the one whose directories are named, too.
const std::string& Archive::path_of(const std::string& file) const {
    const auto [begin, end] = paths_.equal_range(base_name(file));
    if (begin == end) throw std::runtime_error(file + ": there is no such file");
    if (std::next(begin) == end) return begin->second;
    const auto is_it = [&](const auto& path) { return path.second.ends_with("/" + file); };
    const auto it = std::find_if(begin, end, is_it);
    if (it == end || std::find_if(std::next(it), end, is_it) != end)
        throw std::runtime_error(file + " is there " + std::to_string(std::distance(begin, end)) + " times");
    return it->second;
}

Stored Archive::in_directory(const Where& where) const {
    load::Input input = load::Input::open(path_of(where.file));
    const auto offset = static_cast<std::uint64_t>(*where.offset);
    if (offset >= input.size()) throw std::runtime_error(where.file + " ends before offset " + std::to_string(offset));
    input.go_to(offset);
    return read_stored(input);
}

Stored Archive::by_range(const Where& where) {
    if (where.length && *where.length > 0) {
        std::string bytes = range(where.file, {.offset = *where.offset, .length = *where.length});
        if (bytes.size() < static_cast<std::size_t>(*where.length))
            throw std::runtime_error(base_name(where.file) + " ends before the record does");
        return stored_in(std::move(bytes));
    }
    for (const std::int64_t length : kGuesses) {
        std::string bytes = range(where.file, {.offset = *where.offset, .length = length});
        const bool is_all = bytes.size() < static_cast<std::size_t>(length) || length == kGuesses.back();
        try {
            return stored_in(std::move(bytes));
        } catch (const CutShort&) {
            if (is_all) throw;
        }
    }
    throw std::logic_error("the last guess ends it");
}

// Fewer bytes than asked for: the file ends there.
std::string Archive::range(const std::string& file, http::Range range) {
    const std::string name = base_name(file);
    if (name.empty()) throw std::runtime_error(file + " is no name of a file");
    if (not_there_.contains(name)) throw std::runtime_error(name + ": there is no such file");
    if (range.length > static_cast<std::int64_t>(kLargestRecordBytes))
        throw std::runtime_error("the record is larger than " + std::to_string(kLargestRecordBytes) +
                                 " bytes");
    if (range.offset > std::numeric_limits<std::int64_t>::max() - range.length)
        throw std::runtime_error(name + " ends before offset " + std::to_string(range.offset));
    http::Answer answer = ask({.url = base_url_ + http::query_escaped(name), .range = range});
    if (answer.status == 404 || answer.status == 410) not_there_.insert(name);
    if (answer.status == 416)
        throw std::runtime_error(name + " ends before offset " + std::to_string(range.offset));
    if (answer.status != 206 && answer.status != 200)
        throw std::runtime_error(name + ": HTTP status " + std::to_string(answer.status));
    const auto is = answer.headers.find("Content-Range");
    if (answer.status == 206 && (!is || !is->starts_with(range_begin(range))))  // RFC 9110, 15.3.7.1
        throw std::runtime_error(name + ": another range was sent: " + std::string(is.value_or("none is named")));
    return std::move(answer.body);
}

// A server without ranges sends the whole file: what is wanted of it is cut out as it passes.
http::Answer Archive::ask(const http::Request& request) {
    std::int64_t to_skip = 0;
    std::string body;
    const auto begin = [&](const http::Answer& head) {
        to_skip = head.status == 206 ? 0 : request.range->offset;
        body.clear();
    };
    const auto take = [&](std::string_view piece) {
        const auto skipped = std::min(to_skip, static_cast<std::int64_t>(piece.size()));
        to_skip -= skipped;
        piece.remove_prefix(static_cast<std::size_t>(skipped));
        body += piece.substr(0, static_cast<std::size_t>(request.range->length) - body.size());
        return body.size() < static_cast<std::size_t>(request.range->length);
    };
    try {
        http::Answer answer = http_.send(request, {.begin = begin, .take = take});
        if (http::passes(answer.status))
            throw Unreachable(request.url + ": HTTP status " + std::to_string(answer.status));
        answer.body = std::move(body);
        return answer;
    } catch (const http::Error& e) {
        throw Unreachable(e.what());
    }
}

}  // namespace oai::recover
