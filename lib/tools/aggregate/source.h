// SPDX-License-Identifier: MIT
// A repository that this one harvests, as the administrator has configured it (table
// harvest.repository). A plain value.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace oai::aggregate {

// The metadataPrefix that every repository has (OAI-PMH 2.0, 3.4); items are made of its records.
constexpr const char* kDescriptionPrefix = "oai_dc";

struct Source {
    int id = 0;        // 0: not in the database yet
    std::string name;  // a label of setSpecs: its records are in col:NAME
    std::string base_url;
    std::vector<std::string> formats;    // metadataPrefixes of records that are kept beside oai_dc
    std::vector<std::string> sets;       // setSpecs; empty: the whole repository
    bool their_identifiers = false;      // its records are served under their own identifiers
    std::vector<std::string> normalise;  // names of stylesheets, in order (normaliser.h)
    std::chrono::seconds overlap{0};
    std::chrono::seconds every{86'400};
    std::chrono::seconds full_every{0};  // all of it is harvested anew; 0: never
    // Items that a full harvest no longer finds are deleted. REQUIRES: sets is empty.
    bool delete_missing = false;
};

}  // namespace oai::aggregate
