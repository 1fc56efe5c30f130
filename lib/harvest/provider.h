// SPDX-License-Identifier: MIT
// One repository, asked with patience: what is worth asking again is asked again, as politely as Retry-After wants. Knows
// HTTP and what an answer looks like; knows nothing of lists and where they end. Not thread-safe.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harvest/answer.h"
#include "harvest/harvest.h"
#include "http/message.h"

namespace oai::harvest {

// In this order; values as they are.
using Arguments = std::vector<std::pair<std::string, std::string>>;

// No answer of OAI-PMH could be had. what(): one line.
class Unanswered : public std::runtime_error {
  public:
    Unanswered(const std::string& what, std::string bytes) : std::runtime_error(what), bytes_(std::move(bytes)) {}
    const std::string& bytes() const { return bytes_; }  // of the last answer with status 200 that could not be read

  private:
    std::string bytes_;
};

// The listener wants an end.
struct Stopped {};

class Provider {
  public:
    // All must outlive it.
    Provider(http::Client& client, std::string url, const Patience& patience, Listener& listener)
        : client_(client), url_(std::move(url)), patience_(patience), listener_(listener) {}

    // The answer, which may be errors of OAI-PMH alone. What came damaged is asked for again, from then on without
    // compression. tries: 0 as patience says. Throws Unanswered, Stopped.
    Answer ask(const Arguments& arguments, int tries = 0);

    const std::string& url() const { return url_; }
    const Patience& patience() const { return patience_; }
    std::int64_t repaired() const { return repaired_; }  // characters, in all answers so far
    // Lets the listener wait. Throws Stopped.
    void wait(std::chrono::seconds time, const std::string& why);

  private:
    struct Attempt;
    void attempt(const http::Request& request, Attempt& attempt);
    void judge(http::Answer answer, Attempt& attempt) const;

    http::Client& client_;
    const std::string url_;
    const Patience patience_;
    Listener& listener_;
    std::int64_t repaired_ = 0;
};

// The URL that asks this of a base URL, which may have a query of its own.
std::string request_url(const std::string& base_url, const Arguments& arguments);

}  // namespace oai::harvest
