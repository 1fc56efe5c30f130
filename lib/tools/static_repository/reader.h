// SPDX-License-Identifier: MIT
// Reads a static repository (Specification for an OAI Static Repository and an OAI Static
// Repository Gateway): one XML file with what a repository answers to Identify, ListMetadataFormats
// and ListRecords. It is read record by record; memory holds one, and the identifiers of one list.
// Knows no database.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/load/input.h"
#include "xml/handle.h"
#include "xml/push_parser.h"

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
    virtual void identity(const StaticIdentity&) {}
    virtual void format(const StaticFormat&) {}
    // An <oai:record> of the list of `prefix`, whatever is wrong with it; valid during the call.
    virtual void record(const std::string& prefix, const xmlNode* record) = 0;
    // Something that the specification does not allow, in the order of the file. Beyond line 65,535
    // the line may be one too high.
    virtual void fault(long /*line*/, const std::string& /*what*/) {}
    // Something that it allows and the owner can hardly mean: the specification's own example (3.6)
    // has records older than its earliestDatestamp, and its schema has formats without a list. Also
    // that the file is not UTF-8, which loses nothing, since every other encoding is read as well.
    virtual void note(long /*line*/, const std::string& /*what*/) {}
};

// Reads to the end, whatever the faults. Throws xml::Error "line: message" where it is not
// well-formed or no static repository, std::runtime_error in words if the file cannot be read.
void read(load::Input& input, RepositoryHandler& handler);

// Steps through the tree of a static repository. Pure.

inline constexpr std::string_view kOaiNamespace = "http://www.openarchives.org/OAI/2.0/";

// n itself or the first element behind it among its siblings; nullptr if there is none.
inline xmlNode* first_element(xmlNode* n) {
    while (n != nullptr && !xml::is_element(n)) n = n->next;
    return n;
}
inline const xmlNode* first_element(const xmlNode* n) {
    return first_element(const_cast<xmlNode*>(n));
}
inline xmlNode* next_element(const xmlNode* n) { return first_element(n->next); }

inline bool is(const xmlNode* n, std::string_view name, std::string_view name_space) {
    return xml::name_of(n) == name && xml::namespace_of(n) == name_space;
}
inline bool is_oai(const xmlNode* n, std::string_view name) { return is(n, name, kOaiNamespace); }

inline std::string tag_of(const xmlNode* n) { return "<" + std::string(xml::name_of(n)) + ">"; }

// The text of the first child of this name in OAI-PMH's namespace; "" if there is none.
inline std::string text_in(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = first_element(parent->children); n != nullptr; n = next_element(n))
        if (is_oai(n, name)) return xml::text_of(n);
    return "";
}

}  // namespace oai::static_repository
