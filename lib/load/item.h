// SPDX-License-Identifier: MIT
// One bibliographic item as the readers find it and the loader stores it: the columns of library.item. Knows neither
// the file formats nor the database.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace oai::load {

// Dublin Core 1.1, in the order of its definition.
enum class Element {
    title, creator, subject, description, publisher, contributor, date, type, format, identifier, source, language,
    relation, coverage, rights
};
constexpr std::size_t kElements = 15;

struct ElementName {
    const char* name;
    bool has_language;  // its values are written in one, so library.item has a column NAME_lang
};
constexpr std::array<ElementName, kElements> kElementNames = {{
    {"title", true},    {"creator", true},     {"subject", true},  {"description", true}, {"publisher", true},
    {"contributor", true}, {"date", false},    {"type", true},     {"format", false},     {"identifier", false},
    {"source", true},   {"language", false},   {"relation", true}, {"coverage", true},    {"rights", true},
}};

struct Value {
    std::string text;
    std::string language;  // BCP 47; "" unknown
    bool operator==(const Value&) const = default;
};

struct Item {
    std::string local_id;              // see local_id_of(); "" not yet known
    std::optional<Seconds> datestamp;  // given out elsewhere: counts in the first fill only
    // true: a deleted record, of which nothing else is known. false: it surely exists. nullopt: nothing was said, so an
    // item that is deleted stays so.
    std::optional<bool> deleted;
    std::string kind;                  // see schema/201-library.sql; "" unknown
    std::array<std::vector<Value>, kElements> elements;
    std::string doi, urn, landing_page, licence;  // "" none
    std::optional<int> year;
    std::vector<std::string> isbn, issn;
    std::string marc, mods;            // XML; "" none
    bool all_payloads = true;          // false: nothing is said of marc and mods, and they stay as they are
    std::string origin;                // <originDescription> of its oai_dc, for provenance; "" nothing is said of it
    std::vector<std::string> collections;
    bool all_collections = false;      // it is in no others

    std::vector<Value>& operator[](Element e) { return elements[static_cast<std::size_t>(e)]; }
    const std::vector<Value>& operator[](Element e) const { return elements[static_cast<std::size_t>(e)]; }
    // Blanks at the ends are taken off; empty values, repetitions and what is no language tag are not kept.
    void add(Element e, std::string text, std::string language = "");
};

// As a local_id: characters that a URI's path cannot have are written %HH. "" if it is longer than 500 then, or begins with
// a colon.
std::string local_id_of(std::string_view given);
// Of an item that keeps the identifier which it has elsewhere (identifier.h). Characters that a URI cannot have are written
// %HH. "" if it is too long.
std::string local_id_from_elsewhere(std::string_view identifier);
// As the name of a set within its tree: labels joined by ':', other bytes than a setSpec can have written ~HH. "" if
// nothing is left, or too much.
std::string set_path(std::string_view given);
// http or https, of ASCII without blanks, as the columns of URLs want it.
bool is_url(std::string_view s);
// "doctoralThesis", "info:eu-repo/semantics/article", "Image" -> thesis:doctoral, article, image; "" for what is not known.
std::string kind_of(std::string_view type);
// Brings kind and collections into the form of set_path(), and adds what follows from the elements where it is not there yet: kind, doi, urn, landing_page, licence, year, isbn, issn, and
// local_id by the first
// identifier.
void complete(Item& item);

// Where the readers of items put what they find, in the order of the file.
class ItemFindings {
  public:
    virtual ~ItemFindings() = default;
    virtual void item(Item item) = 0;
    // Something was lost, at this line of the file (1: the first), of its content where it is compressed.
    virtual void damage(std::uint64_t line, const std::string& what) = 0;
};

}  // namespace oai::load
