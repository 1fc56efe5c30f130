// SPDX-License-Identifier: MIT
// The feed of changes, base_url/changes: every record once, by the number of its last change, a
// thousand numbers a page; before it, the sets that it has entered and left. As JSON,
// ActivityStreams 2.0 as IIIF Change Discovery 1.0 (level 2) reads it; with the suffix .ttl as
// Turtle, a Linked Data Event Stream of its latest versions in pages of TREE. A page whose numbers
// have all been given out gets no entry any more, though records that change leave it for a later
// one: it may be kept for ever. Pure but for the store.
#pragma once

#include <optional>
#include <string_view>

#include "verb/handler.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

// What follows base_url/changes in the path, as "/EPOCH/7.ttl"; nullopt: it is another path.
std::optional<std::string_view> changes_path(std::string_view path, std::string_view base_url);

// The answer to that. Throws as verbs do.
Response changes_response(const Context& context, const Request& request, std::string_view path,
                          RequestStats& stats);

}  // namespace oai
