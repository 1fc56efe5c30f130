// SPDX-License-Identifier: MIT
// metadataPrefix -> stylesheet (OAI-PMH 2.0, 3.4). A format is one .xsl file in the formats directory that describes
// itself by a top-level element in the namespace urn:oai-fcgi:format; nothing else is edited:
//   <f:format prefix="" alias="blank-separated" schema="URL" namespace="URI" since="datestamp" requires="columns"
//             records="n" visible="yes|no" root-namespace="URI"/>   prefix, schema and namespace are required, no
//                                                                   others are known
// root-namespace: where a format is known by one namespace and its documents begin in another, as Europeana's edm does,
// whose root is rdf:RDF. Left out: the same.
// Stylesheets that formats import live in directories below it. One of these is not for parts: an .xsl file in about/
// makes what goes into <about> beside the metadata (3.5: rights, provenance), and describes itself by
//   <f:about schema="URL" namespace="URI" formats="prefixes" requires="columns" root-namespace="URI"/>
// formats: which it goes with; left out: all. It runs as a format does, but may yield nothing for a record, and is told which
// format it goes with (disseminate()).
// A registry is immutable; thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "compiled_format.h"
#include "record_xml.h"
#include "xml/stylesheet.h"

namespace oai {

struct Format {
    std::string prefix;            // of an about stylesheet: "about/" and its file's name, which no metadataPrefix can be
    std::vector<std::string> aliases;
    std::string schema;            // URL
    std::string metadata_namespace;  // as ListMetadataFormats tells it
    std::string root_namespace;    // of the element that the stylesheet yields
    std::optional<Seconds> since;  // the stylesheet's own datestamp
    std::vector<std::string> requires_columns;  // a record that lacks one of them cannot be disseminated
    int records = 0;               // page budget of its own; 0: the repository's
    bool visible = true;           // listed by ListMetadataFormats
    bool is_about = false;         // for <about>, no format that can be asked for
    std::vector<std::string> goes_with{};  // about: prefixes or aliases of formats; empty: all
    long line = 0;                 // of <f:format>, where what is wrong with the whole stylesheet is said to be
    xml::Stylesheet stylesheet;
    std::unique_ptr<CompiledFormat> compiled{};  // nullptr: libxslt, without a word why
};

// A registry and its successors share the formats that did not change; a request keeps the one that it began with.
class FormatRegistry {
  public:
    // Every format file of the directory (format_file.h). Throws Fault listing every file:line that is wrong (what
    // read_format_file() says, two formats of one prefix, no oai_dc).
    static FormatRegistry read(const std::string& directory);

    // REQUIRES: no two formats have a name in common.
    explicit FormatRegistry(std::vector<std::shared_ptr<const Format>> formats);

    const Format* find(std::string_view prefix_or_alias) const;  // nullptr: cannotDisseminateFormat
    const std::vector<std::shared_ptr<const Format>>& formats() const { return formats_; }  // oai_dc first, then by prefix
    const std::vector<std::shared_ptr<const Format>>& abouts() const { return abouts_; }    // by file name
    // The about stylesheets that go with the format, in the order of their elements.
    std::vector<const Format*> abouts_of(const Format& format) const;

  private:
    std::vector<std::shared_ptr<const Format>> formats_;
    std::vector<std::shared_ptr<const Format>> abouts_;
};

// The prefix or alias by which both could be asked for; nullptr: none.
const std::string* name_in_common(const Format& a, const Format& b);

// Whether that is the format's prefix or one of its aliases.
bool is_named(const Format& format, std::string_view name);

// The metadata of each record of a slice. Exactly one element in the format's root_namespace, serialised, or why not. An
// about stylesheet may yield none: then the piece is empty, and that is no failure.
struct Dissemination {
    std::string text;                           // one buffer, records behind each other
    struct Piece { std::size_t begin, end; };   // empty: deleted, failed, or nothing to say
    std::vector<Piece> pieces;                  // one for each record of the slice
    struct Failure { int index; std::string why; };
    std::vector<Failure> failures;              // in order; why is libxslt's message
    std::optional<Failure> difference;          // a record that the compiled stylesheet made otherwise; why: what
    std::string_view of(int i) const {
        const Piece p = pieces[static_cast<std::size_t>(i)];
        return std::string_view(text).substr(p.begin, p.end - p.begin);
    }
};

// One transform for the slice; if that fails or does not yield one element per record, the slice is redone record
// by record, so that one bad record costs only itself. Never throws for a record's fault; throws Fault where
// oai.record does not keep its contract (record_xml.h). A slice takes 15 s at the very most.
// A stylesheet that matches "record" and leaves the built-in rules above it alone takes the fast way; one that takes
// over at "/" or swallows text nodes is always done record by record.
// A compiled stylesheet (compiled_format.h) does the same without a transform.
// metadata_namespace: for an about stylesheet, that of the format which it goes with this time; it finds it as
// /records/@metadataNamespace.
Dissemination disseminate(const Format& format, const Slice& slice, std::string_view identifier_prefix,
                          CompiledOptions options = {}, std::string_view metadata_namespace = {});

// Which way disseminate() takes, for the administrator: "compiled", or "by libxslt: " and why.
std::string way_of(const Format& format, bool compiled);

}  // namespace oai
