// SPDX-License-Identifier: MIT
// Typed links of a record's page for programs (Signposting, https://signposting.org/FAIR/): as a
// Link header (RFC 8288), and all of them as a linkset (RFC 9264) at an address of its own. Knows
// no records. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oai {

struct TypedLink {
    std::string relation;   // "describedby"
    std::string target;     // an absolute address; encoded_address() of page_address.h makes it one
    std::string type{};     // the media type of the target; "" if it is not said
    std::string profile{};  // the namespace of a metadata format; ""
};

// The links of one page in the order of their importance, and the addresses of what they are of.
struct TypedLinks {
    std::string page;     // their context
    std::string linkset;  // where all of them are given out
    std::vector<TypedLink> links{};
};

// Web servers keep the header of an answer in a buffer of 4 KB, if nobody tells them otherwise.
inline constexpr std::size_t kMaxLinkHeaderBytes = 2'048;
inline constexpr std::string_view kLinksetType = "application/linkset+json";

// The value of the Link header: the link to the linkset, and as many of the links, from the first
// on, as the limit has room for; one that does not fit is left out. It is ASCII without control
// characters. "" if not even the linkset fits.
std::string link_header(const TypedLinks& links);

// All links as JSON (RFC 9264, 4.2), and those that lead back to the page: from each description
// (describes) and each item (collection).
std::string linkset_json(const TypedLinks& links);

}  // namespace oai
