// SPDX-License-Identifier: MIT
// What the file of a static repository and the configuration of its gateway have to agree in: the base URL (specification,
// 3.2), and whose name Identify says (4.4.1). Refers to its arguments as long as it lives.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"
#include "command/static_gateway.h"
#include "static_repository/reader.h"

namespace oai::command {

class StaticPromise {
  public:
    StaticPromise(const Config& config, const GatewayWish& wish) : repository_(config.repository), wish_(wish) {}

    // Throws std::runtime_error in words where this repository is at no base URL of a gateway for the file.
    void require_gateway() const;

    bool is_kept_by(const static_repository::Identity& identity) const;  // its baseURL is where it is served
    std::string why_not_kept(const static_repository::Identity& identity) const;

    // What oai.ini answers to Identify in the owner's place, where the file says something else; ready to be written there.
    std::vector<std::string> differences(const static_repository::Identity& identity) const;

    // Writes Identify's gateway container where the wish names a file. Throws std::runtime_error.
    void describe() const;

  private:
    const Config::Repository& repository_;
    const GatewayWish& wish_;
};

}  // namespace oai::command
