// SPDX-License-Identifier: MIT
// Which files of this machine a stylesheet reaches: those within a directory, and those that an XML
// catalog names for addresses of the network, which are never fetched. Looks at the file system.
#pragma once

#include <libxml/tree.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::transform {

// The path that a URI of the scheme file, or of none, means; nullopt: it is an address.
std::optional<std::string> path_of(const char* uri);

// The directory of the file, symbolic links and .. resolved. Throws xml::Error if there is none.
std::string canonical_directory_of(const std::string& path);

// The file, symbolic links and .. resolved, if it exists within the directory, which is canonical.
std::optional<std::string> file_within(const std::string& directory, const std::string& path);

// What a path from the directory reaches by its first step: that directory, which may be a symbolic
// link to where somebody keeps his files; of a mere name the directory itself. Canonical. Throws
// xml::Error if it does not exist.
std::string first_directory(const std::string& directory, const std::string& path);

// An XML catalog (OASIS XML Catalogs 1.1). Immutable; thread-safe.
class Catalog {
  public:
    // Throws xml::Error "file:line: message" for a file that is no catalog and for entries other
    // than uri, system, rewriteURI, rewriteSystem and group: none may lead to another catalog.
    static Catalog read(const std::string& given);

    // The file that an entry names for the address, if it exists in the directory of the catalog or
    // below; a directory beside the catalog may be a link itself. An entry of the whole address
    // comes first, then the one of its longest beginning (7.2.2 of the standard).
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
