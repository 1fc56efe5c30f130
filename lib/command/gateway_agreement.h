// SPDX-License-Identifier: MIT
// What the file of a static repository and the configuration of its gateway must agree in: the base
// URL (specification, 3.2), and the name and addresses in Identify (4.4.1). Keeps references to its
// arguments.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"
#include "command/static_gateway.h"
#include "tools/static_repository/reader.h"

namespace oai::command {

class GatewayAgreement {
  public:
    GatewayAgreement(const Config& config, const GatewayOptions& options)
        : repository_(config.repository), options_(options) {}

    // Throws std::runtime_error in words if this repository's base URL is not that of a gateway for
    // the file.
    void require_gateway() const;

    // Whether the file's baseURL is this repository's.
    bool has_our_base_url(const static_repository::StaticIdentity& identity) const;
    std::string base_url_difference(const static_repository::StaticIdentity& identity) const;

    // A line for each key of oai.ini that answers Identify otherwise than the file, with the value
    // that it should have.
    std::vector<std::string> differences(const static_repository::StaticIdentity& identity) const;

    // Writes Identify's gateway container if the options name a file for it. Throws
    // std::runtime_error.
    void describe() const;

  private:
    const Config::Repository& repository_;
    const GatewayOptions& options_;
};

}  // namespace oai::command
