// SPDX-License-Identifier: MIT
// XML Schemas that lie in a folder: found by their target namespace, compiled when first asked for. What they import or
// include is taken from the same folder, never from the network: first where its address, relative to the schema that
// names it, leads to, else by its file name alone. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xml/error.h"
#include "xml/handle.h"

namespace oai::xml {

class Schema {
  public:
    // "" or the first reason why the document is not valid.
    std::string why_invalid(xmlDoc* document) const;
    const std::string& path() const { return path_; }

  private:
    friend class SchemaFolder;
    Schema(const std::string& path, const std::string& folder);
    std::string path_;
    DocumentHandle document_;  // the schema points into it
    SchemaHandle schema_;
};

class SchemaFolder {
  public:
    // A folder that does not exist is an empty one.
    explicit SchemaFolder(std::string directory) : directory_(std::move(directory)) {}

    // The schema of that target namespace, directly in the folder; where several have it, the one whose file name is
    // that of the address. nullptr: none at hand. Throws Error "file:line: message" when it does not compile. The
    // folder is read once, at the first question; the schema lives as long as the folder.
    const Schema* find(std::string_view name_space, std::string_view address);
    // "file:line: message" of each file that is not well-formed, and so no schema. Valid after find().
    const std::vector<std::string>& problems() const { return problems_; }

    // For the process-wide hook: what this thread's compilation under way may read. nullopt: nothing of the kind.
    static std::optional<std::string> file_at_hand(const char* address);

  private:
    void read_names();
    std::string path_of(std::string_view name_space, std::string_view address);
    const std::string directory_;
    bool read_ = false;
    std::vector<std::string> problems_;
    std::multimap<std::string, std::string, std::less<>> paths_;  // by target namespace, in order of names
    std::map<std::string, std::unique_ptr<const Schema>, std::less<>> compiled_;  // by path
};

}  // namespace oai::xml
