// SPDX-License-Identifier: MIT
// A static repository's file from its server: asked for anew only if it has changed (specification, 4.3). Knows no
// database, and nothing of what the bytes are. Not thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace oai::static_repository {

// By what a server knows its file again; "" it has not said.
struct Validators {
    std::string etag, last_modified;
    bool none() const { return etag.empty() && last_modified.empty(); }
};

struct Retrieved {
    int status = 0;  // of HTTP; 304: as the validators say, and nothing has come
    Validators validators;
    std::optional<std::string> content_type;
};

// What is wrong with the file's media type, or "". The specification (3.2) has text/xml; application/xml is the same
// (RFC 7303, 9.1), and what many servers send for .xml. A charset there outdoes what the file says, and is UTF-8.
std::string why_no_type(std::string_view content_type);

// A file without a name for as long as it is read.
class Download {
  public:
    Download();  // throws std::runtime_error where no file can be made
    ~Download();
    Download(const Download&) = delete;
    Download& operator=(const Download&) = delete;

    using Wait = std::function<void(std::chrono::seconds, const std::string& why)>;
    // Throws http::Error where there is no answer, std::runtime_error where the file cannot be written. A server that is
    // busy is asked again.
    Retrieved fetch(const std::string& url, const Validators& known, const Wait& wait);
    const std::string& path() const { return path_; }  // of what came; whole if the status is 200

  private:
    std::string path_;
};

}  // namespace oai::static_repository
