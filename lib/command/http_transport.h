// SPDX-License-Identifier: MIT
// Sends requests of the conformance test over HTTP.
#pragma once

#include <chrono>
#include <string>

#include "tools/http_client/client.h"
#include "tools/validate/answer.h"

namespace oai::command {

class HttpTransport final : public validate::Transport {
  public:
    explicit HttpTransport(std::string base_url);
    validate::Reply send(const validate::Question& question) override;

  private:
    const std::string base_url_;
    http::Client client_;
};

// Why the text is not an http or https address without a query; "" if it is. A validator for a CLI
// option.
std::string why_no_base_url(const std::string& url);

// Prints why a request is repeated, and waits.
void print_and_wait(std::chrono::seconds wait, const std::string& why);

}  // namespace oai::command
