// SPDX-License-Identifier: MIT
// The element by which a file of the formats directory describes itself, in the namespace
// urn:oai-fcgi:format: a child of the root of a stylesheet, FILE.xsl, or the root of a file of its
// own, FILE.format, that names a stylesheet made elsewhere:
//   <f:format prefix="" alias="blank-separated" schema="URL" namespace="URI" since="datestamp"
//             requires="columns" records="n" visible="yes|no" root-namespace="URI"
//             unchanged="yes|no" input="column or adapter" stylesheet="path"/>
// prefix, schema and namespace are required; no other attributes are allowed.
// schema: an address, or schema/NAME.xsd for a file beside the stylesheets, see schema_url().
// root-namespace: the namespace of the root element if it differs from that of the format, as in
// Europeana's edm, whose root is rdf:RDF. Default: the same.
// stylesheet: only in a .format file, which needs it; the path from there, without "..". The
// stylesheet reads within the first directory of that path, which may be a symbolic link.
// input and the children <f:param>: record_xml.h.
//
// Stylesheets that formats import are in subdirectories. The subdirectory about/ is different: a
// file in it makes the content of an <about> container beside the metadata (3.5: rights,
// provenance), and describes itself by
//   <f:about schema="URL" namespace="URI" formats="prefixes" requires="columns"
//            root-namespace="URI" input="" stylesheet="" unchanged="yes|no"/>
// formats: the formats that it goes with; default: all. unchanged="yes": it gives out elements that
// are kept as they came, any number of them, of any namespaces, so schema and namespace are left
// out; each gets an <about> of its own. It runs as a format does, but may yield
// nothing for a record, and receives the namespace of the format that it goes with (see
// disseminate()).
#pragma once

#include <libxml/tree.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "xml/handle.h"

namespace oai {

// Collects what is wrong with a file, so that the administrator sees all of it at once.
class Problems {
  public:
    explicit Problems(std::string path) : path_(std::move(path)) {}

    void add(long line, std::string_view message);
    // Adds the messages of libxslt, one per line. Some begin with a place in this file or an
    // imported one; the others (an exceeded limit, a cycle of attribute sets) are attributed to the
    // stylesheet as a whole.
    void add_all(long line, std::string_view messages);
    bool empty() const { return lines_.empty(); }
    std::string text() const;  // a line each

  private:
    const std::string path_;
    std::vector<std::string> lines_;
};

inline constexpr std::string_view kFormatNamespace = "urn:oai-fcgi:format";

// The directory of about stylesheets, and the element by which they describe themselves.
inline constexpr const char* kAbout = "about";

struct FormatDescription {
    // Of an about stylesheet: "about/" and the stem of its file name, which is not a valid
    // metadataPrefix.
    std::string prefix{};
    std::vector<std::string> aliases{};
    std::string schema{};              // as the file has it; schema_url()
    std::string metadata_namespace{};  // as shown by ListMetadataFormats
    std::string root_namespace{};      // of the element that the stylesheet yields
    std::optional<Seconds> since{};    // the stylesheet's own datestamp
    // A record that lacks one of them cannot be disseminated. A column of `input` is among them.
    std::vector<std::string> requires_columns{};
    int records = 0;         // maximum of records in a page; 0: that of the repository
    bool visible = true;     // listed by ListMetadataFormats
    bool unchanged = false;  // no xsi:schemaLocation is added where there is none
    bool is_about = false;   // makes <about> and cannot be requested as a format
    bool yields_many() const { return is_about && unchanged; }  // elements, of any namespaces
    std::vector<std::string> goes_with{};  // about: prefixes or aliases of formats; empty: all
    std::string input_name{};       // a column, or the path of an adapter; "": the internal XML
    std::string stylesheet_path{};  // of one made elsewhere; "": the file itself is one
    std::string path{};             // of the file
    long line = 0;                  // of the element
};

// The address of the schema, which is that of this repository, BASE_URL/-/schema/NAME.xsd, where
// the format has schema/NAME.xsd.
std::string schema_url(const FormatDescription& format, std::string_view base_url);

// The path ends as those of files that describe a stylesheet made elsewhere do.
bool is_descriptor(std::string_view path);

// The element in the document and what it says. Adds to the problems what is missing or wrong;
// element is nullptr if there is none.
struct ReadDescription {
    const xmlNode* element = nullptr;  // of the document
    FormatDescription description{};
};
ReadDescription read_description(const xmlDoc* document, const std::string& path,
                                 Problems& problems);

// Parses a file of the formats directory. Throws xml::Error.
xml::DocumentHandle parse_format_file(const std::string& path);

}  // namespace oai
