// SPDX-License-Identifier: MIT
// Reads a static repository (Specification for an OAI Static Repository and an OAI Static
// Repository Gateway): one XML file with what a repository answers to Identify, ListMetadataFormats
// and ListRecords. It is read record by record; memory holds one, and the identifiers of one list.
// Knows no database.
#pragma once

#include <string>
#include <vector>

#include "tools/load/input.h"
#include "xml/handle.h"

namespace oai::static_repository {

constexpr const char* kNamespace = "http://www.openarchives.org/OAI/2.0/static-repository";

struct StaticIdentity {
    std::string name, base_url, earliest_datestamp;
    std::vector<std::string> admin_emails;
    std::string encoding{};  // of the file, as it declares it
};

struct StaticFormat {
    std::string prefix, schema, name_space;
};

class RepositoryHandler {
  public:
    virtual ~RepositoryHandler() = default;
    virtual void identity(const StaticIdentity& identity) = 0;
    virtual void format(const StaticFormat& format) = 0;
    // An <oai:record> of the list of `prefix`, whatever is wrong with it; valid during the call.
    virtual void record(const std::string& prefix, const xmlNode* record) = 0;
    // Something that the specification does not allow, in the order of the file. Beyond line 65,535
    // the line may be one too high.
    virtual void fault(long line, const std::string& what) = 0;
    // Something that it allows and the owner can hardly mean: the specification's own example (3.6)
    // has records older than its earliestDatestamp, and its schema has formats without a list. Also
    // that the file is not UTF-8, which loses nothing, since every other encoding is read as well.
    virtual void note(long line, const std::string& what) = 0;
};

// Reads to the end, whatever the faults. Throws xml::Error "line: message" where it is not
// well-formed or no static repository, std::runtime_error in words if the file cannot be read.
void read(load::Input& input, RepositoryHandler& handler);

}  // namespace oai::static_repository
