// SPDX-License-Identifier: MIT
// A directory of recovered documents, with a list of them, so that an interrupted recovery resumes
// where it stopped: a document is written completely or not at all, and is on the list only once it
// is written. Entries of the list for other files are ignored, and symbolic links within the
// directory are not followed. Not thread-safe; the directory is locked against other programs.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "tools/recover/archive.h"

namespace oai::recover {

// Chooses the place of a document in a browsable tree of files. Pure.

// Returns a path below the tree, of names joined by "/": the host, the directories of the URL's
// path, and a file name whose extension matches the media type; "" for a URL without a host, or of
// another scheme than http, https and ftp. The path never leaves the tree, and is valid and means
// the same on every system: no name is empty, begins or ends with a dot, has other bytes than
// A-Za-z0-9 and -._~!$'()+,;=@% , is a device of Windows (con, nul.txt) or much longer than 200
// bytes, and no path is longer than some 1,600 bytes. No path is a directory of another: file names
// always contain a dot, and directory names that contain one end in "~". Few different URLs have
// the same path, such as http://a/ and http://a/index.html, or paths that differ only in case.
std::string place_of(std::string_view url, std::string_view media_type);

// Whether place_of() may have returned it: two or more names, none beginning with a dot.
bool is_place(std::string_view path);

// The identity of a document within a tree: its URL without scheme, user and fragment, with the
// host in lower case; "" as above.
std::string tree_key(std::string_view url);

// The host of a URL, without a port: "a.org", "[2001:db8::1]"; "" if it has none.
std::string host_of(std::string_view url);

// The text with blanks for tabs and line ends, as the lists of recovered captures hold it.
std::string on_one_line(std::string text);

// How a capture was recovered. Stored in the lists of recovered captures, so that a resumed run
// reports the same counts.

struct RecoveryMethod {
    bool by_another = false;  // from the capture that it repeats
    bool unverified = false;  // without a digest to compare
};

// The last column of a line of these lists, including the tab; "" if both are false.
inline std::string how_column(RecoveryMethod how) {
    const std::string marks = std::string(how.by_another ? "r" : "") + (how.unverified ? "u" : "");
    return marks.empty() ? "" : "\t" + marks;
}
inline RecoveryMethod read_how(std::string_view column) {
    return {.by_another = column.find('r') != column.npos,
            .unverified = column.find('u') != column.npos};
}

struct RecoveredDocument {
    std::string identifier;  // of its record
    std::string url;
    std::string media_type;
    Seconds time{};  // of its capture
    RecoveryMethod how{};
};

class Tree {
  public:
    // Creates the directory, or resumes an interrupted recovery. Throws std::runtime_error: the
    // directory cannot be written, is locked by another recovery, or has other files and no list.
    explicit Tree(const std::string& directory);

    bool has(const std::string& identifier) const { return done_.contains(identifier); }
    // REQUIRES: has(identifier).
    RecoveryMethod how(const std::string& identifier) const { return done_.at(identifier); }
    // Whether the tree has another capture of the same URL that is not older.
    bool has_newer(const RecoveredDocument& document) const;
    // Writes the document, which begins at byte `from`; returns true if it replaced an older
    // capture of its URL. If another URL has the same place, or one that differs only in case, the
    // name gets a number. REQUIRES: !has_newer(document); place_of() its URL is not "". Throws
    // std::runtime_error: it cannot be written, or a directory on its path is a symbolic link.
    bool put(const RecoveredDocument& document, const load::Bytes& bytes, std::size_t from = 0);

    struct Entry {
        std::string identifier;
        std::string place;
        std::string url;
        std::string media_type;
        Seconds time{};
        RecoveryMethod how{};
    };
    // The documents, by tree_key() of their URLs.
    const std::map<std::string, Entry>& entries() const { return entries_; }

  private:
    void read_list();
    bool add_entry(const std::string& key, Entry entry);
    std::string free_place(const RecoveredDocument& document, const std::string& key) const;
    void refuse_links(const std::string& place) const;
    std::string directory_;
    Fd lock_;
    std::map<std::string, Entry> entries_;
    std::map<std::string, const std::string*> key_at_;  // keys of entries_, by place in lower case
    std::map<std::string, RecoveryMethod> done_;        // by identifier
    std::ofstream list_;
};

}  // namespace oai::recover
