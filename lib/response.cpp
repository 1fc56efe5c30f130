// SPDX-License-Identifier: MIT
#include "response.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "gzip.h"

namespace oai {
namespace {

constexpr std::size_t kSmallGzipBytes = 1000;

struct Reason {
    int status;
    std::string_view phrase;
};
constexpr Reason kReasons[] = {
    {200, "OK"},
    {301, "Moved Permanently"},
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

// "" if unknown: a reason is optional (RFC 9112, 4).
std::string_view reason_phrase(int status) {
    const auto* found = std::find_if(std::begin(kReasons), std::end(kReasons),
                                     [&](const Reason& reason) { return reason.status == status; });
    return found == std::end(kReasons) ? std::string_view{} : found->phrase;
}

// RFC 9110, 12.4.2: 0 to 1 with at most three decimals. What is not that counts as 0: plain is always safe.
bool is_positive_weight(std::string_view q) {
    if (q.empty() || q.size() > 5 || (q[0] != '0' && q[0] != '1')) return false;
    if (q.size() > 1 && q[1] != '.') return false;
    bool positive = q[0] == '1';
    for (const char c : q.substr(std::min<std::size_t>(2, q.size()))) {
        if (c < '0' || c > (q[0] == '1' ? '0' : '9')) return false;
        positive = positive || c != '0';
    }
    return positive;
}

struct Coding {
    std::string name;  // lower case
    bool acceptable;
};

Coding read_coding(std::string_view element) {
    const auto parts = text::split(element, ';');
    Coding coding{text::lower_ascii(text::trim(parts[0])), true};
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::string_view parameter = text::trim(parts[i]);
        if (parameter.starts_with("q=") || parameter.starts_with("Q=")) {
            coding.acceptable = coding.acceptable && is_positive_weight(parameter.substr(2));
        }
    }
    return coding;
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

Response text_response(std::string content_type, std::string body, bool gzip, SpareThreads* spare) {
    Response response;
    response.headers.emplace_back("Content-Type", std::move(content_type));
    response.headers.emplace_back("Vary", "Accept-Encoding");
    response.body = std::move(body);
    if (!gzip || response.body.size() <= kSmallGzipBytes) return response;
    if (auto compressed = gzip_compressed(response.body, spare)) {
        response.headers.emplace_back("Content-Encoding", "gzip");
        response.body = *std::move(compressed);
    }
    return response;
}

Response xml_response(std::string body, bool gzip, SpareThreads* spare) {
    return text_response("text/xml; charset=UTF-8", std::move(body), gzip, spare);
}

void vary_by(Response& response, std::string_view name) {
    for (auto& [header, value] : response.headers)
        if (header == "Vary") value.append(", ").append(name);
}

bool accepts_gzip(std::string_view accept_encoding) {
    std::optional<bool> by_name;
    std::optional<bool> by_star;
    for (const std::string_view element : text::split(accept_encoding, ',')) {
        const Coding coding = read_coding(element);
        // Named twice: a refusal wins, plain is always safe.
        if (coding.name == "gzip" || coding.name == "x-gzip")
            by_name = by_name.value_or(true) && coding.acceptable;
        if (coding.name == "*") by_star = by_star.value_or(true) && coding.acceptable;
    }
    return by_name.value_or(by_star.value_or(false));
}

std::string cgi_head(const Response& response) {
    std::string out = "Status: " + std::to_string(response.status);
    if (const std::string_view reason = reason_phrase(response.status); !reason.empty()) {
        out.append(" ").append(reason);
    }
    out += "\r\n";
    for (const auto& [name, value] : response.headers)
        out.append(name).append(": ").append(value).append("\r\n");
    // That of a 304 would be the length of what it stands for (RFC 9110, 8.6).
    if (response.status != 304)
        out.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n");
    out += "\r\n";
    return out;
}

}  // namespace oai
