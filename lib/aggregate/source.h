// SPDX-License-Identifier: MIT
// A repository that this one harvests, as the administrator has described it (harvest.repository). A plain value.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace oai::aggregate {

// What every repository has (OAI-PMH 2.0, 3.4), and items are made of.
constexpr const char* kDescribing = "oai_dc";

struct Source {
    int id = 0;                        // 0: not in the database yet
    std::string name;                  // a label of setSpecs: its records are in col:NAME
    std::string base_url;
    std::vector<std::string> formats;  // kept beside oai_dc
    std::vector<std::string> sets;     // setSpecs; empty: the whole repository
    bool their_identifiers = false;    // its records keep their identifiers
    std::vector<std::string> normalise;  // names of stylesheets, in order (normaliser.h)
    std::chrono::seconds overlap{0};
    std::chrono::seconds every{86'400};
    bool delete_missing = false;       // what a full harvest no longer finds is deleted; of the whole repository only
};

}  // namespace oai::aggregate
