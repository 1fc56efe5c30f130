// SPDX-License-Identifier: MIT
#include "web/response.h"

#include <isa-l/igzip_lib.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/text.h"

namespace oai {
namespace {

// Bodies that are not longer than this are not compressed.
constexpr std::size_t kMaxPlainBytes = 1000;

constexpr std::string_view kReasons =
    "|200 OK|302 Found|303 See Other|304 Not Modified|400 Bad Request|403 Forbidden|404 Not Found"
    "|405 Method Not Allowed|411 Length Required|413 Content Too Large|414 URI Too Long"
    "|415 Unsupported Media Type|429 Too Many Requests|503 Service Unavailable|";

// Includes the reason phrase, which nginx passes on and some harvesters expect.
std::string status_line(int status) {
    const std::string number = std::to_string(status);
    const auto at = kReasons.find("|" + number + " ");
    if (at == kReasons.npos) return number + " Error";
    return std::string(kReasons.substr(at + 1, kReasons.find('|', at + 1) - at - 1));
}

constexpr int kShareOfLifetime = 7;

int renewal_seconds(const CachePolicy& policy) {
    return std::max(1, policy.token_lifetime_seconds / kShareOfLifetime);
}

}  // namespace

std::optional<std::string> gzip_compress(std::string_view body, std::size_t more) {
    if (body.size() > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    // These have some 80 KB each: too large for a thread's stack, and not worth clearing.
    const auto stream = std::make_unique_for_overwrite<isal_zstream>();
    const auto work = std::make_unique_for_overwrite<std::uint8_t[]>(ISAL_DEF_LVL1_DEFAULT);
    std::string out(body.size() + more, '\0');
    isal_deflate_init(stream.get());
    stream->level = 1;
    stream->level_buf = work.get();
    stream->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    stream->gzip_flag = IGZIP_GZIP;
    stream->end_of_stream = 1;
    // The library's input pointer is not const, but it only reads from it.
    stream->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(body.data()));
    stream->avail_in = static_cast<std::uint32_t>(body.size());
    stream->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream->avail_out = static_cast<std::uint32_t>(out.size());
    const bool is_whole =
        isal_deflate(stream.get()) == COMP_OK && stream->internal_state.state == ZSTATE_END;
    if (!is_whole || stream->avail_out == 0) return std::nullopt;
    out.resize(stream->total_out);
    return out;
}

Response plain_response(int status, const std::string& sentence, int retry_after_seconds) {
    Response response;
    response.status = status;
    response.headers.emplace_back("Content-Type", "text/plain; charset=UTF-8");
    if (retry_after_seconds > 0)
        response.headers.emplace_back("Retry-After", std::to_string(retry_after_seconds));
    if (status == 405) response.headers.emplace_back("Allow", "GET, HEAD, POST");
    response.body = sentence;
    if (status >= 400 && !sentence.ends_with(']'))  // the ids of the manual's page symptoms.md
        response.body += status == 403                    ? " [OAI-1103]"
                         : status == 404 || status == 410 ? " [OAI-1111]"
                         : status == 500                  ? " [OAI-1106]"
                         : status == 503                  ? " [OAI-1105]"
                                                          : " [OAI-1110]";
    response.body += '\n';
    return response;
}

Response only_by_get(const std::string& sentence) {
    Response refused = plain_response(405, sentence);
    refused.headers.back().second = "GET, HEAD";
    return refused;
}

Response text_response(std::string content_type, std::string body, bool gzip) {
    Response response;
    response.headers.emplace_back("Content-Type", std::move(content_type));
    response.headers.emplace_back("Vary", "Accept-Encoding");
    response.body = std::move(body);
    if (!gzip || response.body.size() <= kMaxPlainBytes) return response;
    if (auto compressed = gzip_compress(response.body)) {
        response.headers.emplace_back("Content-Encoding", "gzip");
        response.body = *std::move(compressed);
    }
    return response;
}

void vary_by(Response& response, std::string_view name) {
    for (auto& [header, value] : response.headers)
        if (header == "Vary") value.append(", ").append(name);
}

bool accepts_gzip(std::string_view accept_encoding) {
    static const RE2 kGzip(
        R"((?i)(?:|.*,)[ \t]*(?:x-)?gzip[ \t]*)"
        R"((?:;[ \t]*q=(?:1(?:\.0{0,3})?|0\.(?:[1-9]\d{0,2}|0[1-9]\d?|00[1-9]))[ \t]*)?(?:|,.*))");
    return RE2::FullMatch(re2::StringPiece(accept_encoding.data(), accept_encoding.size()), kGzip);
}

std::string cgi_head(const Response& response) {
    std::string out = "Status: " + status_line(response.status) + "\r\n";
    for (const auto& [name, value] : response.headers)
        out.append(name).append(": ").append(value).append("\r\n");
    // The Content-Length of a 304 would be that of the response it stands for (RFC 9110, 8.6).
    if (response.status != 304)
        out.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n");
    out += "\r\n";
    return out;
}

std::string entity_tag(std::string_view content) { return '"' + text::hex_hash(content, 16) + '"'; }

bool names_tag(std::string_view if_none_match, std::string_view tag) {
    const auto opaque = [](std::string_view t) { return t.starts_with("W/") ? t.substr(2) : t; };
    const auto fields = text::split(if_none_match, ',');
    return std::any_of(fields.begin(), fields.end(), [&](std::string_view field) {
        field = text::trim(field);
        return field == "*" || (!field.empty() && opaque(field) == opaque(tag));
    });
}

std::string page_tag(std::string_view records, std::string_view token_generation, Seconds now,
                     const CachePolicy& policy) {
    const auto renewal = now.time_since_epoch().count() / renewal_seconds(policy);
    std::string tag = "W/" + entity_tag(records);
    tag.insert(tag.size() - 1, "-" + std::to_string(renewal) + "-" + std::string(token_generation));
    return tag;
}

void mark_unchanging(Response& response, const Request& request, const std::string& tag,
                     int seconds) {
    response.headers.emplace_back("Cache-Control", "public, max-age=" + std::to_string(seconds));
    response.headers.emplace_back("ETag", tag);
    if (request.method == "POST" || !names_tag(request.if_none_match, tag)) return;
    response.status = 304;
    response.body.clear();
    std::erase_if(response.headers, [](const auto& h) {
        return h.first == "Content-Type" || h.first == "Content-Encoding";
    });
}

void mark_closed(Response& response, const Request& request, const std::string& tag,
                 const CachePolicy& policy) {
    mark_unchanging(response, request, tag, std::min(policy.seconds, renewal_seconds(policy)));
}

void mark_momentary(Response& response) {
    if (std::none_of(response.headers.begin(), response.headers.end(),
                     [](const auto& h) { return h.first == "Cache-Control"; }))
        response.headers.emplace_back("Cache-Control", "no-cache");
}

}  // namespace oai
