// SPDX-License-Identifier: MIT
// The captures of a repository as its format `warc` gives them (xslt/warc.xsl), page by page: a harvester in
// small.
#pragma once

#include <string>
#include <vector>

#include "http/retry.h"
#include "load/capture.h"

namespace oai::recover {

struct Found {
    std::string identifier;
    load::Capture capture;
};

struct Page {
    std::vector<Found> captures;  // in the order of the list; deleted records are not among them
    int deleted = 0;
    std::string token;  // "": the list ends here
};

// One answer to ListRecords. noRecordsMatch is a page without captures. Throws std::runtime_error in words:
// not XML, not OAI-PMH, another error, a record without what a capture needs.
Page read_page(const std::string& document);

class Captures {
  public:
    // set: "" all. Asks nothing yet.
    Captures(http::Retry& http, std::string base_url, std::string set);
    // The next page; false: there is none. Throws std::runtime_error.
    bool next(Page& page);

  private:
    http::Retry& http_;
    const std::string base_url_;
    const std::string set_;
    std::string token_;
    bool begun_ = false;
};

}  // namespace oai::recover
