// SPDX-License-Identifier: MIT
// The files that a stylesheet may read: those within a directory, and those to which an XML catalog
// maps network addresses, which are never fetched.
#pragma once

#include <libxml/tree.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::transform {

// The path of a URI with the scheme file or without a scheme; nullopt: it is a network address.
std::optional<std::string> path_of(const char* uri);

// The directory of the file, with symbolic links and .. resolved. Throws xml::Error.
std::string canonical_directory_of(const std::string& path);

// The file, with symbolic links and .. resolved, if it exists within the canonical directory.
std::optional<std::string> file_within(const std::string& directory, const std::string& path);

// The directory named by the first component of a path below `directory`, which may be a symbolic
// link; `directory` itself if the path is a single name. Canonical. Throws xml::Error.
std::string first_directory(const std::string& directory, const std::string& path);

// An XML catalog (OASIS XML Catalogs 1.1). Immutable; thread-safe.
class Catalog {
  public:
    // Throws xml::Error "file:line: message" for a file that is no catalog and for entries other
    // than uri, system, rewriteURI, rewriteSystem and group: a catalog must not refer to another.
    static Catalog read(const std::string& given);

    // The file to which the catalog maps the address, if it exists in the catalog's directory or
    // below; a subdirectory may be a symbolic link. An entry for the whole address takes precedence
    // over entries for its beginning, of which the longest counts (7.2.2 of the standard).
    std::optional<std::string> find(std::string_view address) const;

    const std::string& path() const { return path_; }

  private:
    struct Entry {
        std::string address;  // or its beginning
        std::string file;     // or the beginning of its URI
        bool rewrites;
    };
    explicit Catalog(const std::string& path);
    void read_entries(const xmlNode* parent);
    void add(const xmlNode* node);

    std::string path_, directory_;  // absolute
    std::vector<Entry> entries_;
};

}  // namespace oai::transform
