// SPDX-License-Identifier: MIT
// What kind of thing a person has typed into the search box: an identifier, a URL with or without
// its scheme, a host, the beginning of URLs, or words. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/search.h"

namespace oai {

enum class SearchKind {
    empty,
    too_long,
    identifier,  // oai:example.org:1
    url,         // http://example.org/a, example.org/a
    host,        // example.org, also as the URL of its home page
    prefix,      // example.org/news/*
    words
};

struct SearchQuestion {
    SearchKind kind = SearchKind::empty;
    std::string text{};    // as typed, but without blanks around it and without control characters
    std::string url{};     // url, host: with its scheme; prefix: what URLs begin with
    std::string key{};     // url, host: the SURT
    CaptureRange range{};  // prefix; host: everything on it
    std::string set{};     // host: its setSpec, if the archive has it, "dom:org:example"
};

// captures: whether the repository can be asked by URL. Otherwise URLs and hosts are words.
SearchQuestion parse_search(std::string_view typed, bool captures);

// All URLs that begin so: "http://example.org/news/".
CaptureRange url_prefix(std::string_view url);
// Adds http:// where a URL has no scheme.
std::string with_scheme(std::string_view url);

// A time as CDX servers take it, "2", "2010", "201003" to "20100305235959", also with hyphens as
// "2010-03-05": its first second, or its last one. nullopt: there is no such time.
std::optional<Seconds> capture_time(std::string_view text, bool last);

}  // namespace oai
