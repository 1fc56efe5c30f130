// SPDX-License-Identifier: MIT
// What the tests of the loader share: tiny archives built in memory, and a handler that collects
// what readers find.
#pragma once

#include <zlib.h>

#include "t/lib/unit_headers.h"
#include "tools/load/capture.h"

namespace oai::load::test {

class CollectedCaptures final : public CaptureHandler {
  public:
    void capture(Capture capture) override { captures.push_back(std::move(capture)); }
    void skip(std::string_view kind) override { kinds.emplace_back(kind); }
    void damage(std::uint64_t offset, const std::string& what) override {
        damages.emplace_back(offset, what);
    }
    void note(const std::string& what) override { notes.push_back(what); }

    std::vector<Capture> captures;
    Strings kinds, notes;
    std::vector<std::pair<std::uint64_t, std::string>> damages;
};

using Lines = Strings;

// A line for each capture: its URL, media type, status, digest, offset and length, - for what it
// does not say.
inline Lines lines_of(const CollectedCaptures& kept) {
    const auto number = [](const auto& n) { return n ? std::to_string(*n) : "-"; };
    const auto text = [](const std::string& s) { return s.empty() ? "-" : s; };
    Lines lines;
    for (const Capture& c : kept.captures)
        lines.push_back(fmt::format("{} {} {} {} {} {}", c.url, text(c.mimetype), number(c.status),
                                    text(c.digest), number(c.offset), number(c.length)));
    return lines;
}

// What was wrong, without the places.
inline Lines damages_of(const CollectedCaptures& kept) {
    Lines lines;
    for (const auto& [offset, what] : kept.damages) lines.push_back(what);
    return lines;
}

// One gzip member.
inline std::string gzip(std::string content) {
    z_stream z{};
    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("deflate");
    std::string out(deflateBound(&z, content.size()) + 32, '\0');
    z.next_in = reinterpret_cast<Bytef*>(content.data());
    z.avail_in = static_cast<uInt>(content.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

inline std::string http(const std::string& status, const std::string& type,
                        const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nServer: x\r\nContent-Type: " + type + "\r\n\r\n" + body;
}

// `fields`: further header lines, each with its \r\n.
inline std::string warc(
    const std::string& type, const std::string& url, const std::string& block,
    const std::string& fields = "Content-Type: application/http; msgtype=response\r\n",
    const std::string& date = "2014-01-26T20:06:24Z") {
    return "WARC/1.0\r\nWARC-Type: " + type + "\r\nWARC-Target-URI: " + url +
           "\r\nWARC-Date: " + date + "\r\n" + fields +
           "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n";
}

inline std::string arc(const std::string& url, const std::string& date, const std::string& type,
                       const std::string& block) {
    return url + " 192.0.2.1 " + date + " " + type + " " + std::to_string(block.size()) + "\n" +
           block + "\n";
}

}  // namespace oai::load::test
