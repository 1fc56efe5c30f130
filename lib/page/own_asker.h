// SPDX-License-Identifier: MIT
// Asks this repository itself, in process, as the web server would hand a request over.
#pragma once

#include <functional>
#include <string>

#include "repository.h"
#include "request.h"
#include "response.h"
#include "validate/asker.h"

namespace oai {

// What the repository, with the policies of the one that is given, answers a harvester. Throws as verbs do.
using AskOwn = std::function<Response(const Request&, const Repository&)>;

class OwnAsker final : public validate::Asker {
  public:
    // Both must outlive it.
    OwnAsker(const AskOwn& ask, const Repository& repository) : ask_(ask), repository_(repository) {}
    // Throws as verbs do: that the database is out of reach says nothing of the repository's conformance.
    validate::Reply ask(const validate::Question& question) override;
    bool over_http() const override { return false; }

  private:
    const AskOwn& ask_;
    const Repository& repository_;
};

}  // namespace oai
