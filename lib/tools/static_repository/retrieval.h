// SPDX-License-Identifier: MIT
// Fetches a static repository's file from its server, if it has changed (specification, 4.3). Knows
// no database, and nothing of what the bytes are. Not thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace oai::static_repository {

// What a server tells one version of a file by; "" if it does not give it.
struct Validators {
    std::string etag, last_modified;
    bool empty() const { return etag.empty() && last_modified.empty(); }
};

struct RetrievalResult {
    int status = 0;  // of HTTP; 304: the file is as the validators say, and was not sent
    Validators validators;
    std::optional<std::string> content_type;
};

// What is wrong with the file's media type, or "". The specification (3.2) has text/xml;
// application/xml is the same (RFC 7303, 9.1), and what many servers send for .xml.
std::string content_type_fault(std::string_view content_type);
// A charset in the media type overrides what the file declares (RFC 7303, 3), so the two must
// agree; us-ascii, which was the default once (RFC 3023), says nothing. Returns "" or what is
// wrong.
std::string charset_fault(std::string_view content_type, const std::string& encoding);

// A temporary file that the static repository is fetched into.
class Download {
  public:
    Download();  // throws std::runtime_error if the file cannot be created
    ~Download();
    Download(const Download&) = delete;
    Download& operator=(const Download&) = delete;

    using Wait = std::function<void(std::chrono::seconds, const std::string& why)>;
    // Throws http::TransferError if there is no answer, std::runtime_error if the file cannot be
    // written. A server that is busy is asked again, after `wait` has waited.
    RetrievalResult fetch(const std::string& url, const Validators& known, const Wait& wait);
    const std::string& path() const { return path_; }  // of the file; complete if the status is 200

  private:
    std::string path_;
};

}  // namespace oai::static_repository
