// SPDX-License-Identifier: MIT
// Maps each metadataPrefix to a stylesheet (OAI-PMH 2.0, 3.4). A format is one .xsl file in the
// formats directory that describes itself by a top-level element in the namespace
// urn:oai-fcgi:format; nothing else needs to be edited:
//   <f:format prefix="" alias="blank-separated" schema="URL" namespace="URI" since="datestamp"
//             requires="columns" records="n" visible="yes|no" root-namespace="URI"
//             unchanged="yes|no"/>
// prefix, schema and namespace are required; no other attributes are allowed.
// root-namespace: the namespace of the root element if it differs from that of the format, as in
// Europeana's edm, whose root is rdf:RDF. Default: the same.
//
// Stylesheets that formats import are in subdirectories. The subdirectory about/ is different: an
// .xsl file in it makes the content of an <about> container beside the metadata (3.5: rights,
// provenance), and describes itself by
//   <f:about schema="URL" namespace="URI" formats="prefixes" requires="columns"
//            root-namespace="URI"/>
// formats: the formats that it goes with; default: all. It runs as a format does, but may yield
// nothing for a record, and receives the namespace of the format that it goes with (see
// disseminate()).
//
// A registry is immutable; thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "format/compiled_format.h"
#include "format/record_xml.h"
#include "transform/stylesheet.h"

namespace oai {

struct Format {
    // Of an about stylesheet: "about/" and the stem of its file name, which is not a valid
    // metadataPrefix.
    std::string prefix{};
    std::vector<std::string> aliases{};
    std::string schema{};              // URL
    std::string metadata_namespace{};  // as shown by ListMetadataFormats
    std::string root_namespace{};      // of the element that the stylesheet yields
    std::optional<Seconds> since{};    // the stylesheet's own datestamp
    // A record that lacks one of them cannot be disseminated.
    std::vector<std::string> requires_columns{};
    int records = 0;         // maximum of records in a page; 0: that of the repository
    bool visible = true;     // listed by ListMetadataFormats
    bool unchanged = false;  // no xsi:schemaLocation is added where there is none
    bool is_about = false;   // makes <about> and cannot be requested as a format
    std::vector<std::string> goes_with{};  // about: prefixes or aliases of formats; empty: all
    long line = 0;  // of <f:format>, given as the place of faults of the stylesheet as a whole
    transform::Stylesheet stylesheet;
    std::unique_ptr<CompiledFormat> compiled{};  // nullptr: libxslt is used
};

// A registry and its successors share the formats that did not change; a request uses one registry
// from beginning to end.
class FormatRegistry {
  public:
    // Loads every format file of the directory. Throws Fault with a line "file:line: message" for
    // every fault (directory.h).
    static FormatRegistry read(const std::string& directory);

    // REQUIRES: no two formats have a name in common.
    explicit FormatRegistry(std::vector<std::shared_ptr<const Format>> formats);

    const Format* find(std::string_view prefix_or_alias) const;  // nullptr: cannotDisseminateFormat
    // oai_dc first, then by prefix.
    const std::vector<std::shared_ptr<const Format>>& formats() const { return formats_; }
    // By file name.
    const std::vector<std::shared_ptr<const Format>>& abouts() const { return abouts_; }
    // The about stylesheets that go with the format, in the order of their elements.
    std::vector<const Format*> abouts_of(const Format& format) const;

  private:
    std::vector<std::shared_ptr<const Format>> formats_;
    std::vector<std::shared_ptr<const Format>> abouts_;
};

// A prefix or alias that both formats have; nullptr: none.
const std::string* name_in_common(const Format& a, const Format& b);

// Whether the name is the prefix or an alias of the format.
bool is_named(const Format& format, std::string_view name);

// The metadata of each record of a slice: exactly one element in the root_namespace of the format,
// serialised, or a failure. If an about stylesheet yields none, the piece is empty and there is no
// failure.
struct RenderedRecords {
    std::string text;  // the metadata of all records, one after the other
    struct Piece {
        std::size_t begin, end;
    };                          // empty: deleted, failed or without output
    std::vector<Piece> pieces;  // one for each record of the slice
    using Failure = RecordXml::Failure;
    std::vector<Failure> failures;  // ordered by index; `why` is a message of libxslt or of ours
    std::chrono::nanoseconds comparing{};  // how long libxslt ran for comparisons
    // A record for which the program and libxslt differ; `why` shows how.
    std::optional<Failure> difference;
    // A record was found that libxslt makes otherwise among others than alone. What is here are the
    // records alone.
    bool depends = false;
    std::string_view of(int i) const {
        const Piece p = pieces[static_cast<std::size_t>(i)];
        return std::string_view(text).substr(p.begin, p.end - p.begin);
    }
};

// A record's metadata depend on that record alone: a stylesheet that may look beyond it is given
// one record at a time (compiled_format.h). Others get one transform for the slice; if that fails
// or does not yield one element per record, the slice is redone record by record, so that one bad
// record costs only itself. Never throws for a fault of a
// record; throws Fault if oai.record breaks its contract (record_xml.h). A slice takes at most 15
// s. A stylesheet that matches "record" and keeps the built-in rules above it is fast; one that
// matches "/" or suppresses text nodes is always run record by record. A compiled stylesheet
// (compiled_format.h) gives the same result without a transform. metadata_namespace: for an about
// stylesheet, the namespace of the format that it goes with, which it reads as
// /records/@metadataNamespace.
RenderedRecords disseminate(const Format& format, const RecordBatch& batch,
                            std::string_view identifier_prefix, CompiledOptions options = {},
                            std::string_view metadata_namespace = {});

// How disseminate() executes the format, for the administrator: "compiled", or "by libxslt: " and
// why.
std::string way_of(const Format& format, bool compiled);

}  // namespace oai
