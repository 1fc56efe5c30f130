// SPDX-License-Identifier: MIT
// Where a record was harvested from, by OAI's guidelines for provenance: an <originDescription>,
// with the one that the record brought along nested in it. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace oai::aggregate {

struct Origin {
    std::string_view base_url;
    std::string_view identifier;
    std::string_view datestamp;
    std::string_view metadata_namespace;  // in which it was harvested
    std::string_view harvest_date;        // the responseDate
    bool altered = false;                 // what is served here does not say exactly the same
};

// The <originDescription> in the first <provenance> among the contents of the record's <about>s; ""
// if there is none, or none that is well-formed.
std::string find_origin(std::span<const std::string> abouts);

// `before`: as find_origin() returns it. "" if a date has a form that the schema does not allow.
std::string origin_description(const Origin& origin, std::string_view before);

}  // namespace oai::aggregate
