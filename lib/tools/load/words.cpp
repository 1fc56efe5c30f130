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

struct Meaning {
    std::string_view name;
    std::string_view words;  // folded, each between bars
};

// The last part of a type's address or term, of DRIVER and OpenAIRE, COAR, DCMI, Zotero, DSpace.
constexpr Meaning kKinds[] = {
    {"article",
     "|article|journalarticle|journal article|research article|clanek|clanok|aufsatz|artikel|"
     "zeitschriftenartikel|stat|studie|"},
    {"book", "|book|kniha|monografie|monografia|monograph|buch|monographie|"},
    {"book:part", "|bookpart|book part|book chapter|kapitola|kapitola v knize|buchkapitel|"},
    {"conference",
     "|conferenceobject|conference paper|conference object|conferenceitem|prispevek ve sborniku|"
     "prispevok v zborniku|konferencni prispevek|konferenzbeitrag|"},
    {"dataset", "|dataset|datova sada|datovy soubor|data set|datensatz|forschungsdaten|"},
    {"image",
     "|image|stillimage|still image|obraz|obrazek|fotografie|fotografia|photograph|photo|bild|"
     "grafika|"},
    {"journal", "|journal|periodical|casopis|periodikum|zeitschrift|noviny|newspaper|zeitung|"},
    {"lecture", "|lecture|prednaska|vortrag|vorlesung|"},
    {"manuscript", "|manuscript|rukopis|handschrift|manuskript|"},
    {"map", "|map|cartographic material|mapa|karte|landkarte|"},
    {"music", "|musical notation|notated music|hudebnina|hudobnina|noty|noten|musikalie|"},
    {"other", "|other|jine|ine|ostatni|ostatne|sonstiges|andere|"},
    {"patent", "|patent|"},
    {"preprint", "|preprint|"},
    {"report",
     "|report|technical report|workingpaper|working paper|zprava|sprava|vyzkumna zprava|bericht|"},
    {"review", "|review|recenze|recenzia|rezension|"},
    {"software", "|software|"},
    {"sound", "|sound|sound recording|zvuk|zvukova nahravka|zvukovy zaznam|tonaufnahme|"},
    {"thesis",
     "|thesis|zaverecna prace|zaverecna praca|vysokoskolska "
     "prace|hochschulschrift|abschlussarbeit|"},
    {"thesis:bachelor",
     "|bachelorthesis|bachelor thesis|bachelor s thesis|bakalarska prace|bakalarska praca|"
     "bachelorarbeit|"},
    {"thesis:master",
     "|masterthesis|master thesis|master s thesis|diplomova prace|diplomova praca|diplomarbeit|"
     "magisterska prace|magisterska praca|masterarbeit|"},
    {"thesis:doctoral",
     "|doctoralthesis|doctoral thesis|dissertation|disertacni prace|disertace|dizertacna praca|"
     "doktorska prace|doktorarbeit|phd thesis|"},
    {"video", "|video|movingimage|moving image|film|videozaznam|"},
    {"website", "|website|web site|webova stranka|internetova stranka|webseite|"},
};

// Names that columns of CSV have beside their own. "" belongs to no item.
constexpr Meaning kColumns[] = {
    {"title",
     "|nazev|hlavni nazev|nazov|hlavny nazov|titul|nadpis|titel|haupttitel|book title|"
     "document title|"},
    {"creator",
     "|autor|autori|author|authors|verfasser|verfasserin|autorin|tvurce|tvorca|puvodce|povodca|"
     "urheber|creators|contributor author|"},
    {"subject",
     "|predmet|predmety|klicova slova|klucove slova|keywords|keyword|tema|temata|temy|subjects|"
     "schlagwort|schlagworter|schlagworte|stichworter|heslo|hesla|predmetova hesla|tags|"},
    {"description",
     "|popis|abstrakt|anotace|anotacia|abstract|summary|beschreibung|zusammenfassung|obsah|"},
    {"publisher", "|vydavatel|nakladatel|nakladatelstvi|vydavatelstvo|vydavatelstvi|verlag|"},
    {"contributor",
     "|prispevatel|spoluautor|editor|redaktor|prekladatel|translator|ubersetzer|mitwirkende|"
     "mitwirkender|beitragende|vedouci prace|veduci prace|advisor|supervisor|betreuer|ilustrator|"
     "contributors|"},
    {"date",
     "|datum|rok|rok vydani|rok vydania|datum vydani|datum vydania|vydano|year of publication|"
     "publication year|publication date|date of publication|date issued|published|jahr|"
     "erscheinungsjahr|erscheinungsdatum|"},
    {"type", "|typ|druh|typ dokumentu|druh dokumentu|document type|dokumenttyp|medientyp|"},
    {"format", "|fyzicky popis|rozsah|extent|umfang|"},
    {"identifier", "|identifikator|identifiers|kennung|"},
    {"local_id",
     "|id|signatura|signatur|shelfmark|call number|record id|inventarni cislo|inventarne cislo|"
     "evidencni cislo|evidencne cislo|prirustkove cislo|prirastkove cislo|inventory number|"
     "accession number|inventarnummer|"},
    {"landing_page", "|url|odkaz|link|webova adresa|identifier uri|"},
    {"source", "|zdroj|quelle|"},
    {"language", "|jazyk|sprache|languages|"},
    {"relation", "|vztah|souvisejici|suvisiace|beziehung|"},
    {"coverage", "|pokryti|pokrytie|"},
    {"rights", "|prava|rechte|"},
    {"licence", "|license|licencia|lizenz|"},
    {"access", "|pristup|pristupnost|zugang|access rights|"},
    {"access_from", "|embargo|embargo do|embargo until|embargo bis|"},
    {"collection", "|sbirka|sbirky|kolekce|kolekcia|zbierka|sammlung|collections|fond|"},
    {"", "|date accessioned|date available|description provenance|"},
};

// What has these words. Words between bars would be found across them.
template <std::size_t n>
const Meaning* meant_by(const Meaning (&all)[n], const std::string& words) {
    for (const Meaning& one : all)
        if (one.words.find("|" + words + "|") != std::string_view::npos) return &one;
    return nullptr;
}

std::string utf8(const icu::UnicodeString& s) {
    std::string bytes;
    return s.toUTF8String(bytes);
}

// Folded names of all languages that have a code of two letters, and their codes of three.
std::map<std::string, std::string> read_language_names() {
    std::map<std::string, std::string> tags = {
        {"cesky", "cs"},      {"slovensky", "sk"}, {"nemecky", "de"}, {"anglicky", "en"},
        {"slovencina", "sk"}, {"cestina", "cs"},   {"ger", "de"},     {"cze", "cs"},
        {"slo", "sk"},        {"fre", "fr"},       {"gre", "el"},     {"dut", "nl"},
        {"chi", "zh"},        {"rum", "ro"},       {"per", "fa"},     {"ice", "is"}};
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
}

}  // namespace

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
    if (const Meaning* const column = meant_by(kColumns, plain)) return std::string(column->name);
    if (is_qualified) return plain.substr(0, plain.find(' '));  // "dc.description.abstract"
    return std::nullopt;
}

std::string kind_of(std::string_view type) {
    type = text::trim(type);
    if (type.starts_with("info:eu-repo/semantics/") || type.starts_with("http"))
        type.remove_prefix(type.rfind('/') + 1);
    const Meaning* const kind = meant_by(kKinds, folded(type));
    return kind == nullptr ? "" : std::string(kind->name);
}

std::string language_meant_by(std::string_view words) {
    static const std::map<std::string, std::string> kTags = read_language_names();
    const auto found = kTags.find(folded(words));
    return found == kTags.end() ? "" : found->second;
}

}  // namespace oai::load
