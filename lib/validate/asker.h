// SPDX-License-Identifier: MIT
// Whom a conformance test asks: a repository over HTTP, this one in process, or one that a test made up.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oai::validate {

struct Question {
    std::string arguments;       // "verb=Identify&...", encoded
    std::string method = "GET";  // HEAD; POST: the arguments are the body, a form
    std::string accept{};        // the header, "" none
    bool gzip = false;           // Accept-Encoding: gzip
    std::string content_type{};  // of a POST, if it is not plain application/x-www-form-urlencoded
    bool operator==(const Question&) const = default;
};

struct Reply {
    int status = 0;                                            // 0: there was no answer
    std::string trouble{};                                     // why not
    std::vector<std::pair<std::string, std::string>> headers{};  // Content-Encoding stays, though the body is decoded
    std::string body{};
    std::string url{};          // that gave it, behind redirects; "" the one that was asked
    std::chrono::milliseconds took{0};
};

// The first header of the name, whatever its case; "" if there is none.
std::string_view header_of(const Reply& reply, std::string_view name);

class Asker {
  public:
    virtual ~Asker() = default;
    // Asks once and waits. Never throws for what the repository does: that is a reply.
    virtual Reply ask(const Question& question) = 0;
    // Whether it is HTTP that carries the questions: what is HTTP's own cannot be seen elsewhere.
    virtual bool over_http() const = 0;
};

}  // namespace oai::validate
