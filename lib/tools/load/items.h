// SPDX-License-Identifier: MIT
// Reads bibliographic records from XML, plain or gzip: MARCXML, simple Dublin Core, MODS, and
// answers to ListRecords and GetRecord, one after the other or within one root; each record's
// format is found out by itself. Memory holds one record. A damaged record is left out and
// reported, and reading goes on where the next one begins.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/load/input.h"
#include "tools/load/item.h"
#include "xml/handle.h"

namespace oai::load {

// What a remark calls a record or row of which something was repaired (tools/harvest/answer.h).
constexpr const char* kRepaired =
    "repaired, since XML has no such characters, references or markup";

// A record of MARC that its leader calls deleted (05: d) is a deleted record, unless these are
// kept. Throws std::runtime_error if the file cannot be read any further.
void read_items_xml(Input& input, bool keep_deleted_marc, ItemHandler& handler);

// Hands over the item that one record of any of these formats makes, or says what is wrong with it.
void take_record(const xmlNode* record, std::uint64_t line, bool keep_deleted_marc,
                 ItemHandler& handler);

// Reads MARC in ISO 2709, plain or gzip: UTF-8 or MARC-8, and UNIMARC in UTF-8 or ISO 5426. The
// place of damage is the number of a record, from 1; reading goes on behind the next end of one.
// Throws std::runtime_error if the file cannot be read any further.
void read_items_mrc(Input& input, bool keep_deleted_marc, ItemHandler& handler);

// Reads bibliographic items from CSV (RFC 4180), plain or gzip, in UTF-8 or the encoding that its
// beginning shows. Its first line, or one of the ten first, names the columns, in any order and
// separated by comma, semicolon, tab or |, which then separates all fields:
//   local_id  the repository's own identifier; without it, the first value of `identifier`
//   title, title@cs, creator ...  the fifteen elements of Dublin Core, with the language of their
//             values; such columns may be repeated
//   doi, urn, landing_page, licence, year, isbn, issn, kind, collection
//   access, access_from, visible_from, visible_until
// or what people call them (words.h). A field of an element, of isbn, issn or collection may hold
// several values between separators. A damaged row is left out and reported; of rows with the same
// local_id the last one counts, which is remarked upon among the first million rows.
struct CsvOptions {
    char value_separator = '|';                  // between several values of a field
    std::map<std::string, std::string> columns;  // by a name in the header: which it is, "" none
};

struct CsvHeader {
    struct Column {
        std::string given;
        std::string name;  // of those above, with its language; "" is left out
        bool is_known = false;
    };
    const char* encoding = nullptr;  // nullptr: UTF-8
    char separator = ',';            // of fields
    std::vector<Column> columns;
    std::size_t bytes = 0;                     // up to the end of the line with the names
    int rows_before = 0;                       // titles and the like, which are left out
    std::vector<std::string> unknown() const;  // names as they were given
};

// Reads the first lines and consumes nothing. nullopt if no column is known. Throws
// std::runtime_error if an option names a column that there is not.
std::optional<CsvHeader> csv_header(Input& input, const CsvOptions& options);

// Throws std::runtime_error that names the columns which are not known.
void require_known(const CsvHeader& header);

// Leaves out columns that are not known. Throws std::runtime_error if the file cannot be read any
// further.
void read_items_csv(Input& input, const CsvHeader& header, char value_separator,
                    ItemHandler& handler);

// Turns a MARC 21 record in XML (the Library of Congress's MARC21 slim) into an Item: the fifteen
// elements by the Library of Congress's crosswalk from MARC to unqualified Dublin Core, and the
// record itself as payload. Of UNIMARC, which has its title in field 200, there is no payload, for
// it would be given out as MARC 21.

constexpr const char* kMarcNamespace = "http://www.loc.gov/MARC21/slim";

// Adds to `item` what the element <record> says, its fields in other scripts (880) beside those
// that they belong to. local_id, if it is still empty, becomes the control number (field 001);
// `deleted`, if it is not known, what the leader says.
void read_marc(const xmlNode* record, Item& item);

// Turns XML records other than MARC into Items: simple Dublin Core in any wrapper, with the usual
// refinements of the DCMI terms taken as the element that they refine; MODS as payload, with those
// of its values that have an element in Dublin Core.

constexpr const char* kModsNamespace = "http://www.loc.gov/mods/v3";

// Adds the children of `parent` that are elements of Dublin Core. Returns how many there were.
int read_dublin_core(const xmlNode* parent, Item& item);
// Adds what the element <mods> says.
void read_mods(const xmlNode* mods, Item& item);

}  // namespace oai::load
