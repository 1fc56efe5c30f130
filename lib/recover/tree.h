// SPDX-License-Identifier: MIT
// A directory of recovered documents, and beside them a list of what was done, so that a recovery that was
// broken off goes on where it stopped: a document is there whole or not at all, and is on the list once it
// is. Another list says which documents were rewritten. What the lists say of other files is not believed, symbolic links within
// the directory are not followed. Not thread-safe; another program is refused the directory.
#pragma once

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"

namespace oai::recover {

struct Document {
    std::string identifier;  // of the record it came from
    std::string url;
    std::string media_type;
    Seconds time{};  // of its capture
};

class Tree {
  public:
    // Makes the directory, or goes on with what is there. Throws std::runtime_error: it cannot be written, another recovery is at
    // work there, or it holds other files and no list.
    explicit Tree(const std::string& directory);

    bool has(const std::string& identifier) const;
    // Another capture of the same URL is there, as late or later: this one is not wanted.
    bool has_newer(const Document& document) const;
    // In the place of an older capture of its URL, if one is there: true. Where another URL has the place already, or one that
    // differs in upper and lower case alone, its name gets a number. REQUIRES: !has_newer(document), place_of() its URL is not "".
    // Throws std::runtime_error: it cannot be written, or a symbolic link is on the way.
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
    // Throws std::runtime_error: it cannot be read.
    std::string read(const std::string& place) const;
    // Of a document that is there: with other references. It is noted before it is written, by a digest, so that it is known
    // by what it holds, and nothing need be added to it. Throws std::runtime_error: it cannot be written.
    void rewrite(const std::string& place, std::string_view bytes);
    bool is_rewritten(const std::string& place, std::string_view bytes) const;

  private:
    void read_list();
    bool note(const std::string& key, Entry entry);
    std::string free_place(const Document& document, const std::string& key) const;
    void read_rewritten();
    void replace(const std::string& place, std::string_view bytes) const;
    void refuse_links(const std::string& place) const;
    std::string directory_;
    Fd lock_;
    std::map<std::string, Entry> entries_;
    std::map<std::string, const std::string*> key_at_;  // by place in lower case; of entries_
    std::set<std::string> done_;                 // identifiers
    std::set<std::string> rewritten_;            // "place\tdigest"
    std::ofstream list_;
};

}  // namespace oai::recover
