// SPDX-License-Identifier: MIT
// The element by which a file of the formats directory describes itself, in the namespace
// urn:oai-fcgi:format: <f:format>, a child of the root of a stylesheet, FILE.xsl, or the root of a
// file of its own, FILE.format, that names a stylesheet made elsewhere. Its attributes are
// kAttributes in description.cpp; input and the children <f:param>: record_xml.h. A stylesheet made
// elsewhere reads within the first directory of its path, which may be a symbolic link.
//
// A file in the subdirectory about/ makes the content of an <about> container beside the metadata
// (3.5: rights, provenance), and describes itself by <f:about>. It runs like a format, but may make
// nothing for a record, and receives the namespace of the format beside which it is used (see
// disseminate()). unchanged="yes": it makes any number of elements of any namespaces, which were
// stored when they were harvested; schema and namespace are then left out, and each element gets an
// <about> of its own.
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

// Collects the problems of a file, so that the administrator sees all of them at once.
class Problems {
  public:
    explicit Problems(std::string path) : path_(std::move(path)) {}

    void add(long line, std::string_view message);
    // Adds messages of libxslt, one per line; those without "file:line: " get this line.
    void add_all(long line, std::string_view messages);
    bool empty() const { return lines_.empty(); }
    std::string text() const;  // one problem per line

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
    std::string schema{};              // as in the file, see schema_url()
    std::string metadata_namespace{};  // as shown by ListMetadataFormats
    std::string root_namespace{};      // of the element that the stylesheet makes
    std::optional<Seconds> since{};    // when the stylesheet was last changed
    // Records without a value in one of these columns are not in the format. Includes `input`.
    std::vector<std::string> requires_columns{};
    int records = 0;         // maximum of records in a page; 0: [lists] records
    bool visible = true;     // listed by ListMetadataFormats
    bool unchanged = false;  // no xsi:schemaLocation is added where there is none
    bool is_about = false;   // makes <about> and cannot be requested as a format
    bool yields_many() const { return is_about && unchanged; }  // elements of any namespace
    std::vector<std::string> goes_with{};  // about: prefixes or aliases of formats; empty: all
    std::string input_name{};  // a column, or the path of an adapter; "": the internal XML
    std::string
        stylesheet_path{};  // of a stylesheet made elsewhere; "": this file is the stylesheet
    std::string path{};     // of the file
    long line = 0;          // of the element
};

// The URL of the format's schema; schema/NAME.xsd becomes BASE_URL/-/schema/NAME.xsd.
std::string schema_url(const FormatDescription& format, std::string_view base_url);

// Whether it is the path of a file *.format, which describes a stylesheet made elsewhere.
bool is_descriptor(std::string_view path);

// Reads the describing element of a document; nullptr if there is none. Adds what is missing or
// invalid to the problems.
struct ReadDescription {
    const xmlNode* element = nullptr;  // of the document
    FormatDescription description{};
};
ReadDescription read_description(const xmlDoc* document, const std::string& path,
                                 Problems& problems);

// Parses a file of the formats directory. Throws xml::Error.
xml::DocumentHandle parse_format_file(const std::string& path);

}  // namespace oai
