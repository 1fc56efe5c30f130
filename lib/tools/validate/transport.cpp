// SPDX-License-Identifier: MIT
#include "tools/validate/transport.h"

#include <charconv>

#include "base/text.h"

namespace oai::validate {
namespace {

// The next line without its end; nullopt if there is no end.
std::optional<std::string_view> take_line(std::string_view& bytes) {
    const std::size_t end = bytes.find('\n');
    if (end == bytes.npos) return std::nullopt;
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

std::optional<Reply> take_header(std::string_view& bytes) {
    const auto status = take_line(bytes);
    if (!status || !status->starts_with("HTTP/1.") || status->size() < 12) return std::nullopt;
    Reply reply{.status = static_cast<int>(text::to_integer(status->substr(9, 3)).value_or(0))};
    while (const auto line = take_line(bytes)) {
        if (line->empty()) return reply;
        const std::size_t colon = line->find(':');
        if (colon != line->npos)
            reply.headers.emplace_back(text::trim(line->substr(0, colon)),
                                       text::trim(line->substr(colon + 1)));
    }
    return std::nullopt;
}

std::optional<std::string> take_chunks(std::string_view& bytes) {
    std::string body;
    while (const auto line = take_line(bytes)) {
        std::size_t size = 0;
        const auto [end, error] =
            std::from_chars(line->data(), line->data() + line->size(), size, 16);
        if (error != std::errc() || end == line->data() || size > bytes.size()) return std::nullopt;
        body += bytes.substr(0, size);
        bytes.remove_prefix(size);
        auto rest = take_line(bytes);
        if (size > 0 && (!rest || !rest->empty())) return std::nullopt;
        if (size > 0) continue;
        while (rest && !rest->empty()) rest = take_line(bytes);  // the trailer
        return rest ? std::optional(body) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::string> take_body(std::string_view& bytes, const Reply& reply) {
    if (text::lower_ascii(header_of(reply, "Transfer-Encoding")).ends_with("chunked"))
        return take_chunks(bytes);
    const auto length = text::to_integer(header_of(reply, "Content-Length"));
    if (length && (*length < 0 || static_cast<std::size_t>(*length) > bytes.size()))
        return std::nullopt;
    const std::string body(
        bytes.substr(0, length ? static_cast<std::size_t>(*length) : bytes.npos));
    bytes.remove_prefix(body.size());
    return body;
}

}  // namespace

std::optional<Reply> take_reply(std::string_view& bytes, bool to_head) {
    std::string_view rest = bytes;
    std::optional<Reply> reply = take_header(rest);
    while (reply && reply->status >= 100 && reply->status < 200) reply = take_header(rest);
    if (!reply) return std::nullopt;
    if (!to_head && reply->status != 204 && reply->status != 304) {
        std::optional<std::string> body = take_body(rest, *reply);
        if (!body) return std::nullopt;
        reply->body = std::move(*body);
    }
    bytes = rest;
    return reply;
}

}  // namespace oai::validate
