// SPDX-License-Identifier: MIT
// The pages on which people look at what harvesters harvest: base_url/browse and everything below
// it, and base_url itself for a browser that navigates there. libxslt renders them from the XML
// that pages.h collects. They work without a script and load nothing from other sites. Thread-safe.
#pragma once

#include <memory>
#include <optional>

#include "base/config.h"
#include "verb/handler.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

class BrowsePages {
  public:
    // Reads the stylesheet, texts, style and script in config.browse.directory. Throws xml::Error
    // with file and line.
    BrowsePages(const Config& config, const Repository& repository);
    ~BrowsePages();

    // Whether the request is for a page: its path is below base_url/browse, or it is base_url and a
    // browser navigates there, whatever it accepts. A browser says so by Sec-Fetch-Dest: document
    // (Fetch Metadata), which harvesters do not send.
    bool wants(const Request& request) const;
    // Whether the answer at this path depends on Sec-Fetch-Dest, which Vary must then name.
    bool varies_by_fetch_dest(const Request& request) const;

    // REQUIRES: wants(request). Throws as verbs do. The policies of the pages take the place of
    // those of the context's repository.
    Response answer(const Context& context, const Request& request, RequestStats& stats) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace oai
