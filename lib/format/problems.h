// SPDX-License-Identifier: MIT
// Collects what is wrong with a file, so that the administrator sees all of it at once.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oai {

class Problems {
  public:
    explicit Problems(std::string path) : path_(std::move(path)) {}

    void add(long line, std::string_view message);
    // Adds the messages of libxslt, one per line. Some begin with a place in this file or an
    // imported one; the others (an exceeded limit, a cycle of attribute sets) are attributed to the
    // stylesheet as a whole.
    void add_all(long line, std::string_view messages);
    bool empty() const { return lines_.empty(); }
    std::string text() const;  // a line each

  private:
    const std::string path_;
    std::vector<std::string> lines_;
};

}  // namespace oai
