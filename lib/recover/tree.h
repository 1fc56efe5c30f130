// SPDX-License-Identifier: MIT
// A directory of recovered documents, and beside them a list of what was done, so that a recovery that was
// broken off goes on where it stopped: a document is there whole or not at all, and is on the list once it
// is. Not thread-safe.
#pragma once

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace oai::recover {

struct Document {
    std::string identifier;  // of the record it came from
    std::string url;
    std::string media_type;
    Seconds time{};  // of its capture
};

class Tree {
  public:
    // Makes the directory, or goes on with what is there. Throws std::runtime_error: it cannot be written, or
    // holds other files and no list.
    explicit Tree(const std::string& directory);

    bool has(const std::string& identifier) const;
    // Another capture of the same URL is there, as late or later: this one is not wanted.
    bool has_newer(const Document& document) const;
    // In the place of an older capture of its URL, if one is there: true. REQUIRES: !has_newer(document),
    // place_of() its URL is not "". Throws std::runtime_error.
    bool put(const Document& document, std::string_view bytes);

    struct Entry {
        std::string identifier;
        std::string place;
        std::string url;
        std::string media_type;
        Seconds time{};
    };
    // What is there, by tree_key() of its URL.
    const std::map<std::string, Entry>& entries() const { return entries_; }
    std::string read(const std::string& place) const;
    void replace(const std::string& place, std::string_view bytes) const;  // as put() writes

  private:
    void read_list();
    bool note(const std::string& key, Entry entry);
    std::string free_place(const Document& document, const std::string& key) const;
    std::string directory_;
    std::map<std::string, Entry> entries_;
    std::map<std::string, std::string> key_at_;  // place -> key
    std::set<std::string> done_;                 // identifiers
    std::ofstream list_;
};

}  // namespace oai::recover
