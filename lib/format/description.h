// SPDX-License-Identifier: MIT
// The element by which a file of the formats directory describes itself, in the namespace
// urn:oai-fcgi:format: <f:format>, a child of the root of a stylesheet, FILE.xsl, or the root of a
// file of its own, FILE.format, that names a stylesheet made elsewhere. Its attributes are
// kAttributes in description.cpp; input and the children <f:param>: record_xml.h. A stylesheet made
// elsewhere reads within the first directory of its path, which may be a symbolic link.
//
// A file in the subdirectory about/ makes the content of an <about> container beside the metadata
// (3.5: rights, provenance), and describes itself by <f:about>. It runs as a format does, but may
// yield nothing for a record, and receives the namespace of the format that it goes with (see
// disseminate()). unchanged="yes": it gives out elements that are kept as they came, any number of
// them, of any namespaces, so schema and namespace are left out; each gets an <about> of its own.
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
    // Adds the messages of libxslt, one per line; those without a place of their own get this one.
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
    // Of an about stylesheet: "about/" and the stem of its file name, no metadataPrefix.
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
