// SPDX-License-Identifier: MIT
// The texts of the pages, a file for each language: DIRECTORY/text/LANGUAGE.xml,
//   <texts lang="cs" name="Čeština" dir="ltr" few="4" group=" ">
//     <t id="list">Seznam</t>  <t id="record" one="záznam" few="záznamy" many="záznamů"/> ...
// A text that a language lacks is taken from the first one. Read once; thread-safe.
#pragma once

#include <unicode/localematcher.h>
#include <unicode/locid.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transform/stylesheet.h"

namespace oai {

struct Language {
    struct Text {
        std::string words;           // {1} and {2} stand for values
        std::string one, few, many;  // of a noun that is counted: its forms, instead of words
    };

    std::string tag;        // "cs", as the configuration names it
    std::string name;       // in the language itself
    std::string direction;  // "ltr", "rtl"
    std::string group;      // the separator of thousands
    std::int64_t few = 1;   // the largest number that takes the form `few`
    std::map<std::string, Text, std::less<>> texts;

    // "" if there is no such text.
    std::string say(std::string_view id, std::initializer_list<std::string_view> values = {}) const;
    // "12,345"; text that is no number is returned as it is.
    std::string number(std::string_view digits) const;
    // "12,345 records"
    std::string count(std::string_view id, std::string_view digits) const;
};

class Catalogue {
  public:
    // languages: at least one tag; single blanks separate them. Throws xml::Error if a file cannot
    // be read, is not well-formed or is not of the form above.
    Catalogue(const std::string& directory, std::string_view languages);

    const std::vector<Language>& languages() const { return languages_; }
    const Language* find(std::string_view tag) const;  // nullptr if there is none
    // Chooses by Accept-Language, as the matching data of CLDR have it: "cs-CZ" is served by cs,
    // and so is "sk" where there is no Slovak. The first language is taken if nothing matches.
    const Language& choose(std::string_view accept_language) const;

  private:
    std::vector<Language> languages_;
    std::vector<icu::Locale> locales_;  // of the same
    std::optional<icu::LocaleMatcher> matcher_;
};

// The extension functions that the stylesheet of the pages calls, in the namespace
// urn:oai-fcgi:page (p):
//   p:say(id, one?, two?)           a text of the language, with values filled in
//   p:number(n)                     12,345
//   p:count(id, n)                  12,345 records
//   p:encode(text)                  the text as a value in a query
//   p:record(identifier)            the address of a record below /browse
//   p:address(text)                 the text as an address in a link
//   p:line(text)                    the text in one line of at most 2,000 bytes
//   p:json(text)                    the text as a string of JSON, in ASCII and without <, > and &
//   p:time(datestamp)               2020-02-29 12:34:56 UTC
//   p:language(code, name?)         Czech, in the reader's language; a name not in English stays
//   p:xml(element)                  the source of the element, indented
// Offers them to a transform. `language` must outlive it.
transform::Stylesheet::Preparation page_functions(const Language& language);

}  // namespace oai
