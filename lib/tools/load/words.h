// SPDX-License-Identifier: MIT
// What people call things in spreadsheets and catalogues, in Czech, Slovak, German and English: the
// columns of CSV, kinds of items, languages. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::load {

// What tables.txt has; defined by what the Makefile generates of it.
extern const std::string_view kTableText;

// The rows of one of its sections, as fields without the blanks around them. REQUIRES: it is there.
using TableRow = std::vector<std::string_view>;
const std::vector<TableRow>& table(std::string_view name);

// In lower case, without accents, and one blank for whatever is neither letter nor digit: "Rok
// vydání:" is "rok vydani".
std::string folded(std::string_view words);

// The name of a column as read_items_csv() has it, of words such as "Název", "dc:creator" or
// "dc.contributor.author[]"; nullopt if they mean no column. "" is what a repository's own export
// says of its files, which belongs to no item.
std::optional<std::string> column_meant_by(std::string_view words);

// "doctoralThesis", "info:eu-repo/semantics/article", "Image", "Diplomová práce" ->
// thesis:doctoral, article, image, thesis:master; "" for an unknown type.
std::string kind_of(std::string_view type);

// open, embargoed, restricted or closed, of these words, their terms of info:eu-repo/semantics and
// of COAR's access rights, as names or addresses; "" for anything else.
std::string access_of(std::string_view given);

// The language tag (BCP 47) of a code of ISO 639 or of a name: "de" of "ger", "němčina", "German";
// "" if it is unknown.
std::string language_meant_by(std::string_view words);

// The word of the table kinds, languages or access that begins most like this one, with what it
// means: "kniha (book)" of "knihami"; "" if there is none.
std::string near_word(std::string_view table, std::string_view words);

}  // namespace oai::load
