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

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/record_values.h"
#include "store/store.h"
#include "xml/handle.h"

namespace oai {

inline constexpr char kRecordEnd = '\x1E';  // "record separator", not an XML Char

struct RecordXml {
    xml::DocumentHandle document;
    std::vector<int> batch_index;  // for each <record>, in order, its index in the batch

    // Records left out because they lack a required column or because of a bad value: xml that does
    // not parse, a time that OAI-PMH cannot express, or a number of languages that differs from
    // that of the values.
    struct Failure {
        int index;  // in the batch
        std::string why;
        bool has_output = false;  // the stylesheet made an element of it, which is not metadata
    };
    std::vector<Failure> failures;
};

// The records of the batch that are not deleted.
std::vector<int> live_records(const RecordBatch& batch);

// The records at these indices. `needed`: the columns that the stylesheet reads, by their shown
// names; nullptr: all. A column that is not read cannot make its record fail. `required`: columns
// without which a record is left out, by their shown names. Throws Fault as RecordValues does.
// identifier_prefix: "oai:<namespace>:". REQUIRES: indices ascend, none is of a deleted record;
// required columns are among the needed ones. Thread-safe.
RecordXml records_to_xml(const RecordBatch& batch, std::span<const int> indices,
                         std::string_view identifier_prefix,
                         const std::vector<std::string>* needed = nullptr,
                         std::span<const std::string> required = {});

// Takes the marks of the records' ends out of a document, for readers who do not know them.
void remove_marks(xmlDoc* document);

// "requires COLUMN", for a required column that the record read last lacks; "" if it lacks none.
std::string lacking(const RecordValues& values, std::span<const std::string> required);

}  // namespace oai
