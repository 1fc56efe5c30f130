// SPDX-License-Identifier: MIT
// The content of the pages for people, as the XML that their stylesheet turns into HTML: the
// answers of verbs as harvesters get them, and what only the pages show. One function per page.
// Each throws as verbs do. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/config.h"
#include "browse/catalogue.h"
#include "browse/page_address.h"
#include "store/browse_queries.h"
#include "verb/handler.h"
#include "verb/record_writer.h"
#include "web/response.h"

namespace oai {

struct PageQuestion {
    const Context& context;  // its repository has the page size of the pages for people
    const Config::Browse& browse;
    const std::string& base;  // the base URL without a slash at its end
    BrowseQueries& queries;
    const Request& request;
    RequestStats& stats;
};

// The arguments of a request as a harvester's are parsed.
ParsedArguments parse(const PageQuestion& question, const Request& request);

struct PageContent {
    std::string_view kind;  // "home", "list", ...: chooses the template of the stylesheet
    int status = 200;
    std::string xml{};  // the content of <page>
    // If not empty, there is no page: the answer leads to this path below base_url/browse.
    std::string location{};
    std::string memento_datetime{};  // of a record that shows a capture: when it was made
    bool has_dublin_core = false;    // of a record: it is there in oai_dc, and can be cited
};

PageContent home_page(const PageQuestion& question);
PageContent formats_page(const PageQuestion& question);
PageContent sets_page(const PageQuestion& question);
PageContent list_page(const PageQuestion& question);
PageContent record_page(const PageQuestion& question, std::string_view identifier);
// The same with the metadata in oai_dc alone, and of the other formats the names: for citations.
PageContent record_summary(const PageQuestion& question, std::string_view identifier);
// What was typed into the search box: a page of what was found, or the record that it names.
PageContent search_page(const PageQuestion& question);

// A form for a request of OAI-PMH, and the answer that a harvester of this repository would get.
PageContent explorer_page(const PageQuestion& question);
// For a request that a browser sent to base_url: the first page, that of a record, or the explorer.
PageContent verb_page(const PageQuestion& question);

PageContent missing_page();  // 404
// For arguments that a harvester would get the same errors for. 400.
PageContent refused_page(const OaiErrors& errors);

// <sitemapindex> (sitemaps.org) of all records' pages: a part for every 50,000 publication numbers,
// each with the datestamp of its last record. `pages`: "http://example.org/oai/browse".
std::string sitemap_index(const PageQuestion& question, std::string_view pages);
// <urlset> of the part "AFTER-UPTO"; "" if there cannot be such a part.
std::string sitemap(const PageQuestion& question, std::string_view part, std::string_view pages);

// Parts of pages.

// The records of a batch in one format as the answer to the verb has them, GetRecord or
// ListRecords, in the order of the batch. Returns the outcome of the last one.
RecordWriter::Outcome append_records(std::string& out, const PageQuestion& question, Verb verb,
                                     const Format& format, const RecordBatch& batch,
                                     const Horizon& horizon);
// <formats>: the visible formats, each with the columns that it requires.
void append_formats(std::string& out, const PageQuestion& question);
// A <set> for each, within an element of that name.
void append_sets(std::string& out, std::string_view name, const std::vector<SetNode>& sets);
void append_errors(std::string& out, const OaiErrors& errors);

}  // namespace oai
