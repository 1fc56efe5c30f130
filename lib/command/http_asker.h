// SPDX-License-Identifier: MIT
// Asks a repository anywhere, over HTTP.
#pragma once

#include <string>

#include "http/client.h"
#include "validate/asker.h"

namespace oai::command {

class HttpAsker final : public validate::Asker {
  public:
    explicit HttpAsker(std::string base_url);
    validate::Reply ask(const validate::Question& question) override;
    bool over_http() const override { return true; }

  private:
    const std::string base_url_;
    http::Client client_;
};

// An address of http or https without a query, or a CLI::ValidationError. As a check of a CLI option.
std::string why_no_base_url(const std::string& url);

}  // namespace oai::command
