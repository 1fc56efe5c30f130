// SPDX-License-Identifier: MIT
// An XML catalog (OASIS XML Catalogs 1.1): says where on this machine the files are that
// stylesheets name by addresses of the network, which are never fetched. Immutable; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::transform {

class Catalog {
  public:
    // Throws xml::Error "file:line: message" for a file that is no catalog and for entries other
    // than uri, system, rewriteURI, rewriteSystem and group: none may lead to another catalog.
    static Catalog read(const std::string& given);

    // The file that an entry names for the address, if it exists in the directory of the catalog or
    // below, symbolic links and .. resolved; a directory beside the catalog may be a link itself.
    // An entry of the whole address comes first, then the one of its longest beginning (7.2.2 of
    // the standard).
    std::optional<std::string> find(std::string_view address) const;

    const std::string& path() const { return path_; }

  private:
    struct Entry {
        std::string address;  // or its beginning
        std::string file;     // or the beginning of its URI
        bool rewrites;
    };
    explicit Catalog(const std::string& path);
    class Reader;

    std::string path_, directory_;  // absolute
    std::vector<Entry> entries_;
};

}  // namespace oai::transform
