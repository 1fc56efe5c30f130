// SPDX-License-Identifier: MIT
// A static repository (Specification for an OAI Static Repository and an OAI Static Repository Gateway): one
// XML file that says what a repository answers to Identify, ListMetadataFormats and ListRecords. It is read
// record by record; memory holds one, and the identifiers of one list. Knows no database.
#pragma once

#include <string>
#include <vector>

#include "load/input.h"
#include "xml/handle.h"

namespace oai::static_repository {

constexpr const char* kNamespace = "http://www.openarchives.org/OAI/2.0/static-repository";

struct Identity {
    std::string name, base_url, earliest_datestamp;
    std::vector<std::string> admin_emails;
};

struct Format {
    std::string prefix, schema, name_space;
};

class Findings {
  public:
    virtual ~Findings() = default;
    virtual void identity(const Identity& identity) = 0;
    virtual void format(const Format& format) = 0;
    // An <oai:record> of the list of `prefix`, whatever is wrong with it; gone after the call.
    virtual void record(const std::string& prefix, const xmlNode* record) = 0;
    // What the specification does not allow, in the order of the file. Beyond line 65,535 it may be a line
    // further.
    virtual void wrong(long line, const std::string& what) = 0;
    // What it allows and the owner can hardly mean: the specification's own example (3.6) has records older than its
    // earliestDatestamp, and its schema has formats without a list.
    virtual void remark(long line, const std::string& what) = 0;
};

// To its end, whatever is wrong. Throws xml::Error "line: message" where it is not well-formed or no static
// repository, std::runtime_error in words if the file cannot be read.
void read(load::Input& input, Findings& findings);

}  // namespace oai::static_repository
