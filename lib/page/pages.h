// SPDX-License-Identifier: MIT
// What the pages for people say, as the XML that their stylesheet turns into HTML: the answers of verbs as harvesters get
// them, and beside them what only people ask for. One function per page. Each throws as verbs do. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/config.h"
#include "page/histogram_cache.h"
#include "page/page_address.h"
#include "record_writer.h"
#include "survey.h"
#include "verb.h"

namespace oai {

struct PageQuestion {
    const Context& context;  // its repository's lists are as long as pages are
    const Config::Browse& browse;
    Survey& survey;
    HistogramCache& histograms;
    const Request& request;
    Account& account;
};

struct PageContent {
    std::string_view kind;  // which template: "home", "list", ...
    int status = 200;
    std::string xml{};      // content of <page>
};

PageContent home_page(const PageQuestion& question);
PageContent formats_page(const PageQuestion& question);
PageContent sets_page(const PageQuestion& question);
PageContent list_page(const PageQuestion& question);
PageContent record_page(const PageQuestion& question, std::string_view identifier);

// The page that shows people what the request, sent to base_url, asks for.
PageContent page_of_verb(const PageQuestion& question);

PageContent missing_page();                          // 404
PageContent refused_page(const OaiErrors& errors);   // a request that harvesters would be refused as well

// Parts of pages.

// The documents of verbs, without XML declaration.
void append_identify(std::string& out, const PageQuestion& question);
// The document of GetRecord in that format; nothing unless it is `written`.
RecordWriter::Outcome append_record(std::string& out, const PageQuestion& question, const Format& format,
                                    const Store::Found& found);
// The records of a slice as <ListRecords> of oai_dc, whatever their order.
void append_records(std::string& out, const PageQuestion& question, const Slice& slice, const Horizon& horizon);
// <formats>: those that can be asked for, by what their records must have.
void append_formats(std::string& out, const PageQuestion& question);
// <set> for each; `name`: how the element around them is called.
void append_sets(std::string& out, std::string_view name, const std::vector<SetNode>& sets);
void append_errors(std::string& out, const OaiErrors& errors);

// What a histogram is of.
struct HistogramQuestion {
    std::optional<std::string> set{};
    Seconds first{}, last{};          // of time
    std::optional<Seconds> until{};   // what was asked for ends here; else the last step may end after `last`
    std::optional<Seconds> since{};   // no record has an earlier datestamp: the format's own
    std::int64_t known_total = -1;    // of records from `first` to `last`; -1: not known
};
// <histogram>, nothing where there is no record. Under `horizon`, or a later one.
void append_histogram(std::string& out, const PageQuestion& question, const Horizon& horizon, const HistogramQuestion& asked);

}  // namespace oai
