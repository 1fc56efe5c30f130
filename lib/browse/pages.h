// SPDX-License-Identifier: MIT
// The content of the pages for people, as the XML that their stylesheet turns into HTML: the
// answers of verbs as harvesters get them, and what only the pages show. One function per page.
// Each throws as verbs do. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/config.h"
#include "browse/histogram_cache.h"
#include "browse/page_address.h"
#include "store/browse_queries.h"
#include "verb/handler.h"
#include "verb/record_writer.h"

namespace oai {

struct PageQuestion {
    const Context& context;  // its repository has the page size of the pages for people
    const Config::Browse& browse;
    BrowseQueries& queries;
    HistogramCache& histograms;
    const Request& request;
    RequestStats& stats;
};

struct PageContent {
    std::string_view kind;  // "home", "list", ...: chooses the template of the stylesheet
    int status = 200;
    std::string xml{};  // the content of <page>
};

PageContent home_page(const PageQuestion& question);
PageContent formats_page(const PageQuestion& question);
PageContent sets_page(const PageQuestion& question);
PageContent list_page(const PageQuestion& question);
PageContent record_page(const PageQuestion& question, std::string_view identifier);

// The repository explorer: a form for a request of OAI-PMH, and the answer that a harvester of this
// repository would get. It reaches no other repository and judges nothing: `oai explore` and `oai
// validate` do. A list ends its page at 200,000 bytes, or earlier if the repository of the context
// says so; a document of more than 400,000 bytes is not shown.
PageContent explorer_page(const PageQuestion& question);

// The page for a request of OAI-PMH that a browser sent to base_url.
PageContent verb_page(const PageQuestion& question);

PageContent missing_page();  // 404
// For arguments that a harvester would get the same errors for. 400.
PageContent refused_page(const OaiErrors& errors);

// Parts of pages.

// The answer to Identify, without XML declaration.
void append_identify(std::string& out, const PageQuestion& question);
// The answer to GetRecord in this format; appends nothing unless the outcome is `written`.
RecordWriter::Outcome append_record(std::string& out, const PageQuestion& question,
                                    const Format& format, const Store::FoundRecord& found);
// The records of a batch as <ListRecords> of oai_dc, in the order of the batch.
void append_records(std::string& out, const PageQuestion& question, const RecordBatch& batch,
                    const Horizon& horizon);
// <formats>: the visible formats, each with the columns that it requires.
void append_formats(std::string& out, const PageQuestion& question);
// A <set> for each, within an element of that name.
void append_sets(std::string& out, std::string_view name, const std::vector<SetNode>& sets);
void append_errors(std::string& out, const OaiErrors& errors);

struct HistogramQuestion {
    std::optional<std::string> set{};
    Seconds first{}, last{};  // the time that is shown, both inclusive
    // The end of the requested time, where the last bin ends; without it that may end after `last`.
    std::optional<Seconds> until{};
    std::optional<Seconds> since{};  // of the format: no record has an earlier datestamp in it
    std::int64_t known_total = -1;   // the number of records from `first` to `last`, if known
};
// <histogram>; appends nothing if there is no record. Counts under `horizon` or a later one.
void append_histogram(std::string& out, const PageQuestion& question, const Horizon& horizon,
                      const HistogramQuestion& histogram);

}  // namespace oai
