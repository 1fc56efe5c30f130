// SPDX-License-Identifier: MIT
// XML Schemas in a folder, found by their target namespace and compiled on first use. A schema that
// they import or include is read from the same folder, never from the network: the file that its
// relative address leads to, or else the one of the same name. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xml/document.h"
#include "xml/handle.h"

namespace oai::xml {

class Schema {
  public:
    // Returns "" if the document is valid, else the first reason why it is not.
    std::string why_invalid(xmlDoc* document) const;
    const std::string& path() const { return path_; }

  private:
    friend class SchemaFolder;
    Schema(const std::string& path, const std::string& folder);
    std::string path_;
    DocumentHandle document_;  // schema_ points into it
    SchemaHandle schema_;
};

class SchemaFolder {
  public:
    // A folder that does not exist counts as empty. The first one gives libxml2 a loader, for the
    // whole process: REQUIRES: initialise() was called, and no other thread parses meanwhile.
    explicit SchemaFolder(std::string directory);

    // Returns the schema with that target namespace, among the files directly in the folder. Of
    // several, the one with the file name of the address is preferred. Returns nullptr if there is
    // none. Throws Error "file:line: message" when it does not compile. The folder is read once, by
    // the first call; the schema lives as long as this object.
    const Schema* find(std::string_view name_space, std::string_view address);
    // "file:line: message" for each file that could not be parsed. Complete after the first find().
    const std::vector<std::string>& problems() const { return problems_; }

    // For the loader: the file of the folder to read for that address while this
    // thread compiles a schema. nullopt if it is not compiling one or the folder has no such file.
    static std::optional<std::string> find_local_file(const char* address);

  private:
    void read_names();
    std::string path_of(std::string_view name_space, std::string_view address);
    const std::string directory_;
    bool read_ = false;
    std::vector<std::string> problems_;
    std::multimap<std::string, std::string, std::less<>>
        paths_;  // by target namespace; those of one namespace in order of file names
    std::map<std::string, std::unique_ptr<const Schema>, std::less<>> compiled_;  // by path
};

// Validates documents against a RELAX NG grammar. initialise() (document.h) must be called before.

// Not thread-safe.
class Grammar {
  public:
    // `text` is the grammar in XML syntax and must not include other files. Throws Error
    // "name:line: message" when it does not compile.
    Grammar(std::string_view text, const std::string& name);

    // Returns "" if the document is valid, else the first reason why it is not, as "line N: ...",
    // with the line in the text of the document.
    std::string why_invalid(xmlDoc* document) const;

  private:
    RelaxNgHandle grammar_;
};

}  // namespace oai::xml
