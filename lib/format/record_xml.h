// SPDX-License-Identifier: MIT
// A batch of records as the internal XML that every stylesheet reads:
//   <records><record id="" identifier="" datestamp="" COLUMN="scalar">
//     <COLUMN>array element</COLUMN>... xml columns as subtrees in an element <COLUMN> ...
//   </record>...</records>
// Columns are those of the view oai.record after oai.item's own: a scalar is an attribute, an array
// one element per entry, xml a subtree; NULL is absent. A column COLUMN_lang of type text[] beside
// COLUMN of type text[] is not shown by itself: its entries, as many, are the attributes lang of
// COLUMN's elements (NULL: none). A column COLUMN_id of type integer or integer[] is called COLUMN
// and shows the names of oai.dictionary for its numbers, an array only those of the kind COLUMN.
// timestamptz and date print as in OAI-PMH 3.3. Deleted records are left out. After each record
// stands a text node, kRecordEnd: XSLT's built-in rules copy it, so that the result shows which of
// its elements belong to which record. No input and no stylesheet can hold that character.
#pragma once

#include <libxml/tree.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/record_values.h"
#include "transform/stylesheet.h"
#include "xml/handle.h"

namespace oai {

inline constexpr char kRecordEnd = '\x1E';  // "record separator", not an XML Char

struct RecordXml {
    xml::DocumentHandle document;
    std::vector<int> batch_index;  // for each <record>, in order, its index in the batch

    // Records left out because they lack a required column or because of a bad value.
    struct Failure {
        int index;  // in the batch
        std::string why;
        bool has_output = false;  // the stylesheet made an element of it, which is not metadata
    };
    std::vector<Failure> failures;
};

// The records of the batch that are not deleted.
std::vector<int> live_records(const RecordBatch& batch);

// Converts the records at these indices. `needed`: the columns that the stylesheet reads; nullptr:
// all. An invalid value in another column does not matter. `required`: columns without which a
// record is left out. Throws Fault as RecordValues does. identifier_prefix: "oai:<namespace>:".
// REQUIRES: indices ascend, no record is deleted; required columns are needed. Thread-safe.
RecordXml records_to_xml(const RecordBatch& batch, std::span<const int> indices,
                         std::string_view identifier_prefix,
                         const std::vector<std::string>* needed = nullptr,
                         std::span<const std::string> required = {});

// Removes the text nodes kRecordEnd, for readers that do not expect them.
void remove_marks(xmlDoc* document);

// Returns "requires COLUMN" for a required column without a value in the record, else "".
std::string missing_column(const RecordValues& values, std::span<const std::string> required);

// The input of a stylesheet made elsewhere, which does not read the internal XML. It gets one
// record at a time:
//   <f:format ... input="COLUMN" stylesheet="vendor/FILE.xsl">
//     <f:param name="NAME" select="EXPRESSION"/>
//   </f:format>
// input: a column whose XML becomes the input document; or the path of an adapter, a stylesheet
// that makes the input document from the internal XML of the record. f:param: a parameter of the
// stylesheet (XSLT 1.0, 11.4), the text of an XPath expression at <record>, in which $base_url is
// the address of the repository and $sets the setSpecs of the record, separated by blanks.
// Immutable; thread-safe.
class Input {
  public:
    struct Param {
        std::string name, select;
        const xmlNode* element;  // of `document`
    };

    std::string column{};  // "": the adapter makes the input, or it is the internal XML
    std::optional<transform::Stylesheet> adapter{};
    std::vector<Param> params{};
    xml::DocumentHandle
        document{};  // the format file, which declares the namespace prefixes of the params

    struct Variables {
        std::string base_url, sets;
    };
    // Transforms a single record. The adapter gets the parameters as well. Throws xml::Error if the
    // column does not contain exactly one document, or a stylesheet fails.
    xml::DocumentHandle transform(const transform::Stylesheet& stylesheet, RecordXml record,
                                  std::chrono::milliseconds limit,
                                  const Variables& variables) const;

    // The input document. Throws as transform().
    xml::DocumentHandle input_document(RecordXml record, std::chrono::milliseconds limit,
                                       const Variables& variables) const;

    // Returns "" or why the XPath expression is invalid.
    static std::string why_not_xpath(const std::string& expression);

  private:
    std::vector<transform::Parameter> parameters(xmlDoc* record, const Variables& variables) const;
    xml::DocumentHandle input_document(xml::DocumentHandle record, std::chrono::milliseconds limit,
                                       std::span<const transform::Parameter> parameters) const;
    xml::DocumentHandle stored_document(xml::DocumentHandle record) const;
};

}  // namespace oai
