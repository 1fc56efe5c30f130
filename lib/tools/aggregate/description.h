// SPDX-License-Identifier: MIT
// Turns a harvested record of oai_dc into an item of the model library, as loading a file does.
// Knows no database.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/aggregate/sources.h"
#include "tools/load/item.h"
#include "transform/stylesheet.h"
#include "xml/handle.h"

namespace oai::aggregate {

// The local_id that a record of this source gets; "" if its identifier is too long.
std::string our_local_id(const Source& source, std::string_view identifier);  // NAME/THEIRS
std::string their_local_id(std::string_view identifier);                      // :THEIRS

// Names of the collections for the source's setSpecs: below the source's NAME, or NAME itself if
// there are none.
std::vector<std::string> collections_of(const Source& source,
                                        std::span<const std::string> set_specs);
// The collections and their ancestors, each once, ancestors first.
std::vector<std::string> with_ancestors(const std::vector<std::string>& collections);

// Fills in the elements and all that follows from them. Returns whether the oai_dc that this
// repository serves for the item says exactly what the document says: all its elements with their
// texts and languages, and nothing else, in the same order but for dc:identifier.
bool describe(const xmlDoc* oai_dc, load::Item& item);

// Where a record was harvested from, by OAI's guidelines for provenance: an <originDescription>,
// with the one that the record brought along nested in it. Pure.

struct Origin {
    std::string_view base_url;
    std::string_view identifier;
    std::string_view datestamp;
    std::string_view metadata_namespace;  // in which it was harvested
    std::string_view harvest_date;        // the responseDate
    bool altered = false;                 // what is served here does not say exactly the same
};

// The <originDescription> in the first <provenance> among the contents of the record's <about>s; ""
// if there is none, or none that is well-formed.
std::string find_origin(std::span<const std::string> abouts);

// `before`: as find_origin() returns it. "" if a date has a form that the schema does not allow.
std::string origin_description(const Origin& origin, std::string_view before);

// Stylesheets that harvested oai_dc goes through before it becomes an item, to make dates,
// languages and names uniform. Each is a file NAME.xsl of one directory, and turns an oai_dc
// document into another; they run one after the other, in the sandbox of all stylesheets
// (transform/stylesheet.h). Not thread-safe.

class Normaliser {
  public:
    // Without names, nothing is changed. Throws std::runtime_error, one line, if there is no such
    // file, and xml::Error for one that does not compile.
    Normaliser(const std::string& directory, const std::vector<std::string>& names);

    struct NormalisedRecord {
        xml::DocumentHandle document;
        bool altered = false;  // it says something else than before the stylesheets
    };
    // Throws xml::Error, one line, when a stylesheet fails on the record or makes something else of
    // it than oai_dc.
    NormalisedRecord normalise(xml::DocumentHandle oai_dc) const;

    // The stylesheets of a directory, by name. Throws std::runtime_error when it cannot be read.
    static std::vector<std::string> names_in(const std::string& directory);

  private:
    std::vector<transform::Stylesheet> stylesheets_;
};

}  // namespace oai::aggregate
