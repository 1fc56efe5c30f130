// SPDX-License-Identifier: MIT
// The kinds of errors. An OaiError is a value that becomes part of the response (OAI-PMH 2.0, 3.6).
// Unavailable and Fault are exceptions that only server/service.cpp catches;
// server/service.h turns them into 503 and 500. A bug aborts the process.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace oai {

// The codes of <error code="..."> (OAI-PMH 2.0, 3.6).
enum class ErrorCode {
    bad_argument,
    bad_resumption_token,
    bad_verb,
    cannot_disseminate_format,
    id_does_not_exist,
    no_records_match,
    no_metadata_formats,
    no_set_hierarchy,
};

struct OaiError {
    ErrorCode code;
    std::string message;  // for people; unescaped text in valid UTF-8
    // The same for pages for people, which translate it: the case of the code, such as "date" of
    // bad_argument, and the values in the message. Most codes have one case, "".
    std::string_view kind{};
    std::vector<std::string> values{};
};

using OaiErrors = std::vector<OaiError>;

// The request is valid but cannot be answered now: 503 with Retry-After.
class Unavailable : public std::runtime_error {
  public:
    explicit Unavailable(const std::string& what, int retry_after_seconds = 5)
        : std::runtime_error(what), retry_after_seconds_(retry_after_seconds) {}
    int retry_after_seconds() const { return retry_after_seconds_; }

  private:
    int retry_after_seconds_;
};

// The repository is faulty (schema, stylesheet, query): 500, and the log explains what to do.
class Fault : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace oai
