// SPDX-License-Identifier: MIT
// One bibliographic item as readers produce it and the loader stores it: the columns of
// library.item. Knows neither the file formats nor the database.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace oai::load {

// Dublin Core 1.1, in the order of its definition.
enum class Element {
    title,
    creator,
    subject,
    description,
    publisher,
    contributor,
    date,
    type,
    format,
    identifier,
    source,
    language,
    relation,
    coverage,
    rights
};
constexpr std::size_t kElements = 15;

struct ElementName {
    const char* name;
    bool has_language;  // its values are written in one, so library.item has a column NAME_lang
};
constexpr std::array<ElementName, kElements> kElementNames = {{
    {"title", true},
    {"creator", true},
    {"subject", true},
    {"description", true},
    {"publisher", true},
    {"contributor", true},
    {"date", false},
    {"type", true},
    {"format", false},
    {"identifier", false},
    {"source", true},
    {"language", false},
    {"relation", true},
    {"coverage", true},
    {"rights", true},
}};

struct Value {
    std::string text;
    std::string language;  // BCP 47; "" unknown
    bool operator==(const Value&) const = default;
};

struct Item {
    std::string local_id;              // see local_id_of(); "" not yet known
    std::optional<Seconds> datestamp;  // of another repository; used in the first fill only
    // true: a deleted record, of which nothing else is known. false: it surely exists. nullopt: the
    // file does not say, so an item that is deleted here stays deleted.
    std::optional<bool> deleted;
    std::string kind;  // see schema/library/tables.sql; "" unknown
    std::array<std::vector<Value>, kElements> elements;
    std::string doi, urn, landing_page, licence;  // "" none
    std::optional<int> year;
    std::vector<std::string> isbn, issn;
    std::string marc, mods;    // XML; "" none
    bool all_payloads = true;  // false: the source has no marc and mods, and those here stay
    std::string origin;        // <originDescription> of its oai_dc, for provenance; "" unknown
    // See schema/library/tables.sql; "" the source does not say, so what is here stays.
    std::string access, access_from, visible_from, visible_until;
    std::vector<std::string> collections;
    bool all_collections = false;  // the item is removed from all others
    std::string note;              // what could not be taken of it; "" nothing

    std::vector<Value>& operator[](Element e) { return elements[static_cast<std::size_t>(e)]; }
    const std::vector<Value>& operator[](Element e) const {
        return elements[static_cast<std::size_t>(e)];
    }
    // Whether it comes, goes or opens at a time: the publisher knows when.
    bool is_dated() const {
        return !(access_from.empty() && visible_from.empty() && visible_until.empty());
    }
    // Blanks at both ends are removed; empty values and repetitions (of the hundred values before)
    // are not added, and a language that is no language tag is left out.
    void add(Element e, std::string text, std::string language = "");
};

// The columns of library.item that describe an item, beside those of kElementNames: COPY, the
// staging table and what is written to both are made of these tables alone.
template <class Value>
struct ItemColumn {
    const char* name;
    Value Item::*value;
};
constexpr ItemColumn<std::string> kTextColumns[] = {
    {"kind", &Item::kind},
    {"doi", &Item::doi},
    {"urn", &Item::urn},
    {"landing_page", &Item::landing_page},
    {"licence", &Item::licence},
    {"marc", &Item::marc},
    {"mods", &Item::mods},
    {"origin", &Item::origin},
    {"access", &Item::access},
    {"access_from", &Item::access_from},
    {"visible_from", &Item::visible_from},
    {"visible_until", &Item::visible_until},
};
constexpr ItemColumn<std::vector<std::string>> kListColumns[] = {{"isbn", &Item::isbn},
                                                                 {"issn", &Item::issn}};
constexpr ItemColumn<std::optional<int>> kNumberColumns[] = {{"year", &Item::year}};

// A local_id from any text: characters that a URI's path cannot have are written %HH. "" if it is
// longer than 500 bytes then, or begins with a colon.
std::string local_id_of(std::string_view given);
// The local_id of an item that keeps the identifier which it has in another repository
// (protocol/identifier.h). Characters that a URI cannot have are written %HH. "" if it is too long.
std::string local_id_from_elsewhere(std::string_view identifier);
// The name of a set within its tree from any text: labels joined by ':', with bytes that a setSpec
// cannot have written ~HH. "" if nothing is left, or more than 500 bytes.
std::string set_path(std::string_view given);
// The beginning of what parse_date() reads, as 2026-05-01T00:00:00Z; "" of anything else.
std::string moment_of(std::string_view given);
// A URL of http or https, in ASCII without blanks, as the columns of URLs require it.
bool is_url(std::string_view s);
// Brings kind and collections into the form of set_path(), and derives what is still missing from
// the elements: kind, doi, urn, landing_page, licence, year, isbn, issn, and local_id from the
// first identifier.
void complete(Item& item);

// Who takes what the readers of items find, in the order of the file.
class ItemHandler {
  public:
    virtual ~ItemHandler() = default;
    virtual void item(Item item) = 0;
    // Something was lost. line: in the file, from 1; in its content where it is compressed.
    virtual void damage(std::uint64_t line, const std::string& what) = 0;
    // The item is there, but for something that is not the repository's to give.
    virtual void note(std::uint64_t line, const std::string& what) = 0;
    // What somebody should look at, though all of it is taken: the same words each time.
    virtual void remark(const std::string& what) = 0;
};

}  // namespace oai::load
