// SPDX-License-Identifier: MIT
// A directory of recovered documents, with a list of them, so that an interrupted recovery resumes
// where it stopped: a document is written completely or not at all, and is on the list only once it
// is written. A second list says which documents were rewritten. Entries of the lists for other
// files are ignored, and symbolic links within the directory are not followed. Not thread-safe; the
// directory is locked against other programs.
#pragma once

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "tools/recover/recovered_how.h"

namespace oai::recover {

struct RecoveredDocument {
    std::string identifier;  // of its record
    std::string url;
    std::string media_type;
    Seconds time{};  // of its capture
    RecoveredHow how{};
};

class Tree {
  public:
    // Creates the directory, or resumes with what is there. Throws std::runtime_error: it cannot be
    // written, another recovery has locked it, or it has other files and no list.
    explicit Tree(const std::string& directory);

    bool has(const std::string& identifier) const { return done_.contains(identifier); }
    // REQUIRES: has(identifier).
    RecoveredHow how(const std::string& identifier) const { return done_.at(identifier); }
    // Whether the tree has another capture of the same URL, of the same time or later.
    bool has_newer(const RecoveredDocument& document) const;
    // Writes the document; returns true if it replaced an older capture of its URL. If another URL
    // has the same place, or one that differs only in case, the name gets a number.
    // REQUIRES: !has_newer(document); place_of() its URL is not "". Throws std::runtime_error: it
    // cannot be written, or a directory on its path is a symbolic link.
    bool put(const RecoveredDocument& document, std::string_view bytes);

    struct Entry {
        std::string identifier;
        std::string place;
        std::string url;
        std::string media_type;
        Seconds time{};
        RecoveredHow how{};
    };
    // The documents, by tree_key() of their URLs.
    const std::map<std::string, Entry>& entries() const { return entries_; }
    // Throws std::runtime_error if it cannot be read.
    std::string read(const std::string& place) const;
    // Writes a document of the tree anew, with other references. Its digest is put on the list
    // before the document is written, so that is_rewritten() can tell without a mark in the
    // document. Throws std::runtime_error if it cannot be written.
    void rewrite(const std::string& place, std::string_view bytes);
    bool is_rewritten(const std::string& place, std::string_view bytes) const;

  private:
    void read_list();
    bool add_entry(const std::string& key, Entry entry);
    std::string free_place(const RecoveredDocument& document, const std::string& key) const;
    void read_rewritten();
    void replace(const std::string& place, std::string_view bytes) const;
    void refuse_links(const std::string& place) const;
    std::string directory_;
    Fd lock_;
    std::map<std::string, Entry> entries_;
    std::map<std::string, const std::string*> key_at_;  // keys of entries_, by place in lower case
    std::map<std::string, RecoveredHow> done_;          // by identifier
    std::set<std::string> rewritten_;                   // "place\tdigest"
    std::ofstream list_;
};

}  // namespace oai::recover
