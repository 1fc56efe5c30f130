// SPDX-License-Identifier: MIT
// The repository explorer of the pages for people, on this repository alone: it reaches nobody else. Each request is
// bounded as a page is; validation is done by one thread at a time. Thread-safe.
#pragma once

#include <mutex>
#include <string>

#include "page/conformance.h"
#include "page/own_asker.h"
#include "page/pages.h"
#include "validate/check.h"

namespace oai {

class Explorer {
  public:
    // small: its lists are as long as pages are; whole: as harvesters get it. schemas: a folder of XML Schemas, "" none.
    Explorer(const Repository& small, const Repository& whole, std::string schemas);

    PageContent page(const PageQuestion& question, const AskOwn& own);
    PageContent conformance_page(const PageQuestion& question, const AskOwn& own);

  private:
    validate::Answer ask(const std::string& query, const AskOwn& own);
    const Repository small_, whole_;
    const std::string folder_;
    std::mutex mutex_;  // of schemas_
    validate::Schemas schemas_;
    Conformance conformance_;
};

}  // namespace oai
