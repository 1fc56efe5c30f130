// SPDX-License-Identifier: MIT
#include "tools/load/words.h"

#include <unicode/locid.h>
#include <unicode/translit.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"

namespace oai::load {
namespace {

// The name of the row that has these words.
std::optional<std::string> meant_by(std::string_view name, std::string_view words) {
    for (const TableRow& row : table(name))
        if (std::find(row.begin() + 1, row.end(), words) != row.end()) return std::string(row[0]);
    return std::nullopt;
}

std::string utf8(const icu::UnicodeString& s) {
    std::string bytes;
    return s.toUTF8String(bytes);
}

// Folded names of all languages that have a code of two letters, and their codes of three.
const std::map<std::string, std::string>& language_tags() {
    static const auto kTags = [] {
        std::map<std::string, std::string> tags;
        for (const TableRow& row : table("languages"))
            for (std::size_t i = 1; i < row.size(); ++i) tags.emplace(row[i], row[0]);
        for (const char* const* code = icu::Locale::getISOLanguages(); *code != nullptr; ++code) {
            const icu::Locale language(*code);
            if (std::string_view(*code).size() != 2) continue;
            tags.emplace(*code, *code);
            tags.emplace(language.getISO3Language(), *code);
            for (const char* const speaker : {"cs", "sk", "de", "en"}) {
                icu::UnicodeString name;
                tags.emplace(folded(utf8(language.getDisplayLanguage(speaker, name))), *code);
            }
        }
        return tags;
    }();
    return kTags;
}

}  // namespace

const std::vector<TableRow>& table(std::string_view name) {
    static const auto kTables = [] {
        std::map<std::string_view, std::vector<TableRow>> tables;
        std::vector<TableRow>* rows = nullptr;
        for (const std::string_view line : text::split(kTableText, '\n')) {
            if (line.starts_with('[')) rows = &tables[line.substr(1, line.size() - 2)];
            if (rows == nullptr || line.empty() || line[0] == '#' || line[0] == '[') continue;
            for (std::string_view& field : rows->emplace_back(text::split(line, '|')))
                field = text::trim(field);
        }
        return tables;
    }();
    return kTables.at(name);
}

std::string folded(std::string_view words) {
    // No word of the tables is so long, and ICU's time grows with the square of the length.
    if (words.size() > 250) return "";
    static const std::unique_ptr<const icu::Transliterator> kPlain = [] {
        UErrorCode error = U_ZERO_ERROR;
        UParseError place;
        return std::unique_ptr<const icu::Transliterator>(icu::Transliterator::createFromRules(
            "folded", "::NFKD; ::[:Nonspacing Mark:] Remove; ::Lower; [^[:L:][:N:]]+ > ' ';",
            UTRANS_FORWARD, place, error));
    }();
    auto s = icu::UnicodeString::fromUTF8(
        icu::StringPiece(words.data(), static_cast<std::int32_t>(words.size())));
    if (kPlain != nullptr) kPlain->transliterate(s);
    return std::string(text::trim(utf8(s)));
}

std::optional<std::string> column_meant_by(std::string_view words) {
    std::string plain = folded(words);
    const bool is_qualified = plain.starts_with("dc ") || plain.starts_with("dcterms ");
    if (is_qualified) plain.erase(0, plain.find(' ') + 1);
    if (auto column = meant_by("columns", plain)) return *column == "-" ? "" : *column;
    if (is_qualified) return plain.substr(0, plain.find(' '));  // "dc.description.abstract"
    return std::nullopt;
}

std::string kind_of(std::string_view type) {
    type = text::trim(type);
    if (type.starts_with("info:eu-repo/semantics/") || type.starts_with("http"))
        type.remove_prefix(type.rfind('/') + 1);
    return meant_by("kinds", folded(type)).value_or("");
}

std::string language_meant_by(std::string_view words) {
    const auto& tags = language_tags();
    auto found = tags.find(folded(words));
    // Of "cs_CZ" what stands before the country.
    if (const auto mark = words.find_first_of("_-"); found == tags.end() && mark <= 3)
        found = tags.find(folded(words.substr(0, mark)));
    return found == tags.end() ? "" : found->second;
}

std::string near_word(std::string_view name, std::string_view words) {
    const std::string word = folded(words);
    std::string found;
    std::size_t least = std::max<std::size_t>(4, word.size() * 2 / 3);
    const auto look_at = [&](std::string_view known, std::string_view meaning) {
        const auto end = std::mismatch(known.begin(), known.end(), word.begin(), word.end()).first;
        const auto same = static_cast<std::size_t>(end - known.begin());
        if (same < least || same + 3 < known.size()) return;
        least = same + 1;
        found = std::string(known) + " (" + std::string(meaning) + ")";
    };
    if (name == "languages")
        for (const auto& [known, tag] : language_tags()) look_at(known, tag);
    for (const TableRow& row : table(name))
        for (std::size_t i = 1; i < row.size(); ++i) look_at(row[i], row[0]);
    return found;
}

std::string access_of(std::string_view given) {
    std::string word = text::lower_ascii(text::trim(given));
    if (const auto slash = word.rfind('/'); slash != word.npos) word.erase(0, slash + 1);
    return meant_by("access", word).value_or("");
}

}  // namespace oai::load
