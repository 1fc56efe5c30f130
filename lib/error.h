// SPDX-License-Identifier: MIT
// The three ways a request can go wrong, kept apart: an OaiError is a value and becomes part of an answer
// (OAI-PMH 2.0, 3.6); Unavailable and Fault are exceptions, caught in service.cpp alone and answered by trouble.h; a bug
// aborts.
// Knows nothing of HTTP but that 503 and 500 exist.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace oai {

// OAI-PMH 2.0, 3.6: the codes of <error code="...">.
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
    std::string message;  // for a human; plain text, not yet escaped, valid UTF-8
};

using OaiErrors = std::vector<OaiError>;

// The request is fine and would be answered later: 503 with Retry-After.
class Unavailable : public std::runtime_error {
  public:
    explicit Unavailable(const std::string& what, int retry_after_seconds = 5)
        : std::runtime_error(what), retry_after_seconds_(retry_after_seconds) {}
    int retry_after_seconds() const { return retry_after_seconds_; }

  private:
    int retry_after_seconds_;
};

// The repository is broken (schema, stylesheet, query): 500, and the log says what to do.
class Fault : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace oai
