// SPDX-License-Identifier: MIT
// The pages that people browse what harvesters harvest by: base_url/browse and what is below it, and base_url itself
// for a browser that navigates there. They are rendered here, by libxslt, from what pages.h collects, and need neither
// a script nor anything from elsewhere. Thread-safe.
#pragma once

#include <memory>
#include <optional>

#include "base/config.h"
#include "page/own_asker.h"
#include "request.h"
#include "response.h"
#include "verb.h"

namespace oai {

class BrowsePages {
  public:
    // Reads the stylesheet, texts, style and script of config.browse.directory. Throws xml::Error, naming file and line.
    BrowsePages(const Config& config, const Repository& repository);
    ~BrowsePages();

    // Whether the request is for a page: below base_url/browse; or base_url, when a browser navigates there (Fetch
    // Metadata, Sec-Fetch-Dest: document), whatever it accepts. Harvesters do not say that.
    bool is_meant(const Request& request) const;
    // Whether the answer at this path depends on Sec-Fetch-Dest, so that caches must be told.
    bool may_be_meant(const Request& request) const;

    // REQUIRES: is_meant(). Throws as verbs do. The repository of the context is not looked at but for the store.
    // `own`: what a harvester would be answered, for the explorer.
    Response answer(const Context& context, const Request& request, const AskOwn& own, Account& account) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace oai
