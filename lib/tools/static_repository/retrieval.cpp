// SPDX-License-Identifier: MIT
#include "tools/static_repository/retrieval.h"

#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/fd.h"
#include "base/text.h"
#include "tools/http_client/retry.h"

namespace oai::static_repository {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{4} << 30;

constexpr std::size_t kMaxValidatorBytes = 1000;

// "" also if it is no plain ASCII, since it could not be sent back unchanged.
std::string validator(const http::HeaderFields& headers, const char* name) {
    const std::string_view value = headers.find(name).value_or("");
    const bool plain =
        std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < '\x7F'; });
    return plain && value.size() <= kMaxValidatorBytes ? std::string(value) : "";
}

http::ClientRequest request_for(const std::string& url, const Validators& known) {
    http::ClientRequest request{.url = url, .accept_encoding = "gzip"};
    if (!known.etag.empty()) request.headers.add("If-None-Match", known.etag);
    if (!known.last_modified.empty()) request.headers.add("If-Modified-Since", known.last_modified);
    return request;
}

}  // namespace

std::string content_type_fault(std::string_view content_type) {
    const auto parts = text::split(content_type, ';');
    const std::string type = text::lower_ascii(text::trim(parts.front()));
    if (type != "text/xml" && type != "application/xml")
        return "its server says that it is " + type + ", and a static repository is text/xml";
    return "";
}

std::string charset_fault(std::string_view content_type, const std::string& encoding) {
    const auto parts = text::split(content_type, ';');
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::string parameter = text::lower_ascii(text::trim(parts[i]));
        if (!parameter.starts_with("charset=")) continue;
        std::string charset = parameter.substr(parameter.find('=') + 1);
        std::erase(charset, '"');
        if (charset != "us-ascii" && charset != text::lower_ascii(encoding))
            return "its server says that it is in " + charset + ", and the file " + encoding;
    }
    return "";
}

Download::Download() {
    std::string name = (std::filesystem::temp_directory_path() / "oai-static-XXXXXX").string();
    const Fd made(::mkstemp(name.data()));
    if (!made) throw std::runtime_error(name + ": cannot be made");
    path_ = name;
}

Download::~Download() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

RetrievalResult Download::fetch(const std::string& url, const Validators& known, const Wait& wait) {
    http::Client client({.max_bytes = kMaxBytes});
    http::RetryingClient retry(client, {}, wait);
    std::ofstream out;
    const auto begin = [&](const http::ClientResponse&) {
        out.close();
        out.open(path_, std::ios::binary | std::ios::trunc);
    };
    const auto take = [&](std::string_view piece) {
        return static_cast<bool>(
            out.write(piece.data(), static_cast<std::streamsize>(piece.size())));
    };
    const http::ClientResponse answer =
        retry.send(request_for(url, known), {.begin = begin, .take = take});
    if (answer.status == 200 && !out.flush())
        throw std::runtime_error(path_ + ": cannot be written");
    RetrievalResult retrieved{.status = answer.status,
                              .validators = {validator(answer.headers, "ETag"),
                                             validator(answer.headers, "Last-Modified")},
                              .content_type = {}};
    if (const auto type = answer.headers.find("Content-Type")) retrieved.content_type = *type;
    return retrieved;
}

}  // namespace oai::static_repository
