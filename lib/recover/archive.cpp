// SPDX-License-Identifier: MIT
#include "recover/archive.h"

#include <array>
#include <filesystem>

#include "http/client.h"
#include "load/input.h"

namespace oai::recover {
namespace {

// So much is asked for where nobody says how long the record is; most records are shorter than the first.
constexpr std::array<std::int64_t, 4> kGuesses = {std::int64_t{64} << 10, std::int64_t{2} << 20,
                                                  std::int64_t{64} << 20,
                                                  static_cast<std::int64_t>(kLargestRecordBytes)};

std::string range_begin(const http::Range& range) { return "bytes " + std::to_string(range.offset) + "-"; }

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
        if (entry.is_regular_file())
            paths_.try_emplace(entry.path().filename().string(), entry.path().string());
}

Stored Archive::read(const load::Capture& capture) {
    if (capture.file.empty() || !capture.offset || *capture.offset < 0)
        throw std::runtime_error("the repository does not say where its record is");
    return base_url_.empty() ? in_directory(capture) : by_range(capture);
}

Stored Archive::in_directory(const load::Capture& capture) const {
    const auto path = paths_.find(base_name(capture.file));
    if (path == paths_.end()) throw std::runtime_error(capture.file + ": there is no such file");
    load::Input input = load::Input::open(path->second);
    const auto offset = static_cast<std::uint64_t>(*capture.offset);
    if (offset >= input.size())
        throw std::runtime_error(capture.file + " ends before offset " + std::to_string(offset));
    input.go_to(offset);
    return read_stored(input);
}

Stored Archive::by_range(const load::Capture& capture) {
    const std::string name = base_name(capture.file);
    if (name.empty()) throw std::runtime_error(capture.file + " is no name of a file");
    if (capture.length && *capture.length > 0) {
        const std::string bytes = range(name, {.offset = *capture.offset, .length = *capture.length});
        if (bytes.size() < static_cast<std::size_t>(*capture.length))
            throw std::runtime_error(name + " ends before the record does");
        load::Input input = load::Input::of_bytes(bytes);
        return read_stored(input);
    }
    for (const std::int64_t length : kGuesses) {
        const std::string bytes = range(name, {.offset = *capture.offset, .length = length});
        const bool is_all = bytes.size() < static_cast<std::size_t>(length) || length == kGuesses.back();
        load::Input input = load::Input::of_bytes(bytes);
        try {
            return read_stored(input);
        } catch (const CutShort&) {
            if (is_all) throw;
        }
    }
    throw std::logic_error("the last guess ends it");
}

// Fewer bytes than asked for: the file ends there.
std::string Archive::range(const std::string& name, http::Range range) {
    if (not_there_.contains(name)) throw std::runtime_error(name + ": there is no such file");
    if (range.length > static_cast<std::int64_t>(kLargestRecordBytes))
        throw std::runtime_error("the record is larger than " + std::to_string(kLargestRecordBytes) +
                                 " bytes");
    http::Answer answer = ask({.url = base_url_ + http::query_escaped(name), .range = range});
    if (answer.status == 404 || answer.status == 410) not_there_.insert(name);
    if (answer.status == 416)
        throw std::runtime_error(name + " ends before offset " + std::to_string(range.offset));
    if (answer.status != 206 && answer.status != 200)
        throw std::runtime_error(name + ": HTTP status " + std::to_string(answer.status));
    const auto is = answer.headers.find("Content-Range");
    if (answer.status == 206 && is && !is->starts_with(range_begin(range)))
        throw std::runtime_error(name + ": another range was sent: " + std::string(*is));
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
