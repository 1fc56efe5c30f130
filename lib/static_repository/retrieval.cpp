// SPDX-License-Identifier: MIT
#include "static_repository/retrieval.h"

#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/fd.h"
#include "base/text.h"
#include "http/retry.h"

namespace oai::static_repository {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{4} << 30;

constexpr std::size_t kMostValidatorBytes = 1000;

// "" also where it is no plain ASCII: it could not be given back as it came.
std::string validator(const http::Headers& headers, const char* name) {
    const std::string_view value = headers.find(name).value_or("");
    const bool plain = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < '\x7F'; });
    return plain && value.size() <= kMostValidatorBytes ? std::string(value) : "";
}

http::Request request_for(const std::string& url, const Validators& known) {
    http::Request request{.url = url, .accept_encoding = "gzip"};
    if (!known.etag.empty()) request.headers.add("If-None-Match", known.etag);
    if (!known.last_modified.empty()) request.headers.add("If-Modified-Since", known.last_modified);
    return request;
}

}  // namespace

std::string why_no_type(std::string_view content_type) {
    const auto parts = text::split(content_type, ';');
    const std::string type = text::lower_ascii(text::trim(parts.front()));
    if (type != "text/xml" && type != "application/xml")
        return "its server says that it is " + type + ", and a static repository is text/xml";
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::string parameter = text::lower_ascii(text::trim(parts[i]));
        if (!parameter.starts_with("charset=")) continue;
        std::string charset = parameter.substr(parameter.find('=') + 1);
        std::erase(charset, '"');
        if (charset != "utf-8" && charset != "us-ascii")
            return "its server says that it is in " + charset + ", and a static repository is UTF-8";
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

Retrieved Download::fetch(const std::string& url, const Validators& known, const Wait& wait) {
    http::Client client({.most_bytes = kMostBytes});
    http::Retry retry(client, {}, wait);
    std::ofstream out;
    const auto begin = [&](const http::Answer&) {
        out.close();
        out.open(path_, std::ios::binary | std::ios::trunc);
    };
    const auto take = [&](std::string_view piece) {
        return static_cast<bool>(out.write(piece.data(), static_cast<std::streamsize>(piece.size())));
    };
    const http::Answer answer = retry.send(request_for(url, known), {.begin = begin, .take = take});
    if (answer.status == 200 && !out.flush()) throw std::runtime_error(path_ + ": cannot be written");
    Retrieved retrieved{.status = answer.status,
                        .validators = {validator(answer.headers, "ETag"), validator(answer.headers, "Last-Modified")},
                        .content_type = {}};
    if (const auto type = answer.headers.find("Content-Type")) retrieved.content_type = *type;
    return retrieved;
}

}  // namespace oai::static_repository
