// SPDX-License-Identifier: MIT
// Where a record was harvested from, as OAI's guidelines for provenance want it: an <originDescription>, with that which
// the record brought along nested in it. Pure.
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
    bool altered = false;                 // what is given out here does not say just the same
};

// The <originDescription> in the first <provenance> among what stood in the record's <about>s; "" none, or none that is
// well-formed.
std::string origin_among(std::span<const std::string> abouts);

// `before`: as origin_among() gives it. "" where the dates are none that the schema allows.
std::string origin_description(const Origin& origin, std::string_view before);

}  // namespace oai::aggregate
