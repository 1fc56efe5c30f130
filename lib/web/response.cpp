// SPDX-License-Identifier: MIT
#include "web/response.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "web/gzip.h"
#include "web/quality_value.h"

namespace oai {
namespace {

// Bodies that are not longer than this are not compressed.
constexpr std::size_t kMaxPlainBytes = 1000;

struct Reason {
    int status;
    std::string_view phrase;
};
constexpr Reason kReasons[] = {
    {200, "OK"},
    {301, "Moved Permanently"},
    {303, "See Other"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
};

// Returns "" for an unknown status; a reason phrase is optional (RFC 9112, 4).
std::string_view reason_phrase(int status) {
    const auto* found = std::find_if(std::begin(kReasons), std::end(kReasons),
                                     [&](const Reason& reason) { return reason.status == status; });
    return found == std::end(kReasons) ? std::string_view{} : found->phrase;
}

}  // namespace

Response plain_response(int status, const std::string& sentence, int retry_after_seconds) {
    Response response;
    response.status = status;
    response.headers.emplace_back("Content-Type", "text/plain; charset=UTF-8");
    if (retry_after_seconds > 0)
        response.headers.emplace_back("Retry-After", std::to_string(retry_after_seconds));
    if (status == 405) response.headers.emplace_back("Allow", "GET, HEAD, POST");
    response.body = sentence + "\n";
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

Response xml_response(std::string body, bool gzip) {
    return text_response("text/xml; charset=UTF-8", std::move(body), gzip);
}

void vary_by(Response& response, std::string_view name) {
    for (auto& [header, value] : response.headers)
        if (header == "Vary") value.append(", ").append(name);
}

bool accepts_gzip(std::string_view accept_encoding) {
    std::optional<bool> by_name;
    std::optional<bool> by_star;
    for (const std::string_view element : text::split(accept_encoding, ',')) {
        const std::size_t semicolon = std::min(element.find(';'), element.size());
        const std::string coding = text::lower_ascii(text::trim(element.substr(0, semicolon)));
        const bool acceptable = quality_value(element.substr(semicolon)) > 0;
        // If a coding occurs twice, a refusal wins, since not compressing is always safe.
        if (coding == "gzip" || coding == "x-gzip") by_name = by_name.value_or(true) && acceptable;
        if (coding == "*") by_star = by_star.value_or(true) && acceptable;
    }
    return by_name.value_or(by_star.value_or(false));
}

std::string cgi_head(const Response& response) {
    std::string out = "Status: " + std::to_string(response.status);
    if (const std::string_view reason = reason_phrase(response.status); !reason.empty())
        out.append(" ").append(reason);
    out += "\r\n";
    for (const auto& [name, value] : response.headers)
        out.append(name).append(": ").append(value).append("\r\n");
    // The Content-Length of a 304 would be that of the response it stands for (RFC 9110, 8.6).
    if (response.status != 304)
        out.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n");
    out += "\r\n";
    return out;
}

}  // namespace oai
