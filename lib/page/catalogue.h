// SPDX-License-Identifier: MIT
// The texts of the pages, a file for each language: DIRECTORY/text/LANGUAGE.xml,
//   <texts lang="cs" name="Čeština" dir="ltr" few="4" group=" ">
//     <t id="list">Seznam</t>  <t id="record" one="záznam" few="záznamy" many="záznamů"/> ...
// What a language lacks is said in the first one. Read once; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace oai {

struct Language {
    struct Text {
        std::string words;            // {1}, {2} stand for values
        std::string one, few, many;   // or the forms of what is counted
    };

    std::string tag;        // "cs", as the configuration names it
    std::string name;       // in the language itself
    std::string direction;  // "ltr", "rtl"
    std::string group;      // between thousands
    std::int64_t few = 1;   // up to this number the form `few` is used
    std::map<std::string, Text, std::less<>> texts;

    // "" if there is no such text.
    std::string say(std::string_view id, std::initializer_list<std::string_view> values = {}) const;
    std::string number(std::string_view digits) const;                       // 12,345; what is no number stays as it is
    std::string count(std::string_view id, std::string_view digits) const;   // 12,345 records
};

class Catalogue {
  public:
    // languages: tags with single blanks between, at least one. Throws xml::Error: a file that cannot be read, is not
    // well-formed or is not of that form.
    Catalogue(const std::string& directory, std::string_view languages);

    const std::vector<Language>& languages() const { return languages_; }
    const Language* find(std::string_view tag) const;  // nullptr: there is none
    // By Accept-Language (RFC 4647, 3.4: lookup): "cs-CZ" is content with cs. The first where nothing fits.
    const Language& choose(std::string_view accept_language) const;

  private:
    std::vector<Language> languages_;
};

}  // namespace oai
