// SPDX-License-Identifier: MIT
// What the page of a record, its citations and its linkset have in common: the record, what its
// model's columns say of it beside the formats, and the addresses that lead to and from it. Throws
// as verbs do. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "browse/citation.h"
#include "browse/pages.h"
#include "browse/signposting.h"

namespace oai {

struct RecordFacts {
    Store::FoundRecord found;
    std::string identifier;
    std::string url;  // the permanent address of the record's page
    // The rest is "" of a deleted record, and where the model lacks the column or the record a
    // value.
    // Where [browse] replay says that the content is shown: its pattern with each {name} replaced
    // by that column, a time as its 14 digits.
    std::string replay{};
    // Columns: of a web archive, the address that was captured, as it is and sorted, and the time.
    std::string captured_url{}, surt{}, captured{};
    std::string image{};  // an address of the web
    std::string kind{};   // of a library's item: book, thesis:master, ...

    const Header& header() const { return found.batch.header(0); }
    bool is_capture() const { return !captured.empty() && !captured_url.empty(); }
};

// nullopt: there is no such record, or nobody sees it.
std::optional<RecordFacts> find_facts(const PageQuestion& question, std::string_view identifier);

// The Dublin Core in an answer to GetRecord; nullopt if there is none.
std::optional<DublinCore> dublin_core_in(const std::string& document);
// Makes it. nullopt: the record is not available in oai_dc.
std::optional<DublinCore> dublin_core_of(const PageQuestion& question, const RecordFacts& facts);

Citation citation_of(const PageQuestion& question, const RecordFacts& facts, const DublinCore& dc);

// The sets of which a page shows the paths, and links lead to: the first ones of the header.
inline constexpr std::size_t kMaxShownSets = 50;
using SetPaths = std::vector<std::vector<SetNode>>;
SetPaths set_paths(const PageQuestion& question, const RecordFacts& facts);

// Signposting's links. citation: nullptr if the record is not available in oai_dc.
TypedLinks typed_links(const PageQuestion& question, const RecordFacts& facts, const DublinCore* dc,
                       const Citation* citation, const SetPaths& sets);

// The origin of the image ("https://images.example.org") if pages may show pictures of there, by
// [browse] images; else "".
std::string shown_origin(std::string_view image, std::string_view origins);

}  // namespace oai
