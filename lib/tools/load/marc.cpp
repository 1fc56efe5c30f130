// SPDX-License-Identifier: MIT
#include <re2/re2.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "tools/load/items.h"
#include "xml/handle.h"
#include "xml/push_parser.h"

namespace oai::load {
namespace {

// A row of the crosswalk: these subfields of a field, in the field's order, are joined to one
// value.
struct CrosswalkRule {
    int first, last;  // tags
    Element element;
    std::string_view subfields;
    std::string_view joiner;  // between subfields; kEach: every subfield is a value of its own
};
constexpr std::string_view kEach = "each";

constexpr CrosswalkRule kCrosswalk[] = {
    {245, 245, Element::title, "abfgknp", " "},
    {246, 246, Element::title, "abfnp", " "},
    {100, 111, Element::creator, "abcdq", " "},
    {700, 711, Element::contributor, "abcdq", " "},
    {720, 720, Element::contributor, "a", " "},
    {600, 630, Element::subject, "abcdfklmnopqrstvxyz", "--"},
    {650, 650, Element::subject, "abcdvxyz", "--"},
    {653, 653, Element::subject, "a", kEach},
    {50, 50, Element::subject, "ab", " "},
    {60, 60, Element::subject, "ab", " "},
    {80, 80, Element::subject, "a", kEach},
    {82, 82, Element::subject, "a", kEach},
    {500, 505, Element::description, "abcdegrtu", " "},
    {507, 529, Element::description, "abcu", " "},
    {531, 539, Element::description, "abcu", " "},
    {541, 545, Element::description, "abcu", " "},
    {547, 599, Element::description, "abcu", " "},
    {260, 260, Element::publisher, "ab", " "},
    {655, 655, Element::type, "avxyz", "--"},
    {856, 856, Element::format, "q", kEach},
    {856, 856, Element::identifier, "u", kEach},
    {786, 786, Element::source, "ot", " "},
    {41, 41, Element::language, "ad", kEach},
    {530, 530, Element::relation, "abcdu", " "},
    {760, 785, Element::relation, "agot", " "},
    {787, 787, Element::relation, "agot", " "},
    {651, 651, Element::coverage, "avxyz", "--"},
    {662, 662, Element::coverage, "abcdefgh", "--"},
    {751, 751, Element::coverage, "a", kEach},
    {752, 752, Element::coverage, "abcdefgh", "--"},
    {506, 506, Element::rights, "abcdu", " "},
    {540, 540, Element::rights, "abcdu", " "},
};

// The same of UNIMARC.
constexpr CrosswalkRule kUnimarc[] = {
    {200, 200, Element::title, "aehi", " : "},      {510, 517, Element::title, "aehi", " : "},
    {700, 701, Element::creator, "abf", ", "},      {710, 711, Element::creator, "ab", ", "},
    {702, 702, Element::contributor, "abf", ", "},  {712, 712, Element::contributor, "ab", ", "},
    {600, 606, Element::subject, "abfxyz", "--"},   {610, 610, Element::subject, "a", kEach},
    {675, 676, Element::subject, "a", kEach},       {300, 300, Element::description, "a", " "},
    {327, 330, Element::description, "abcde", " "}, {210, 214, Element::publisher, "ac", " : "},
    {210, 214, Element::date, "d", kEach},          {608, 608, Element::type, "a", kEach},
    {856, 856, Element::identifier, "u", kEach},    {101, 101, Element::language, "a", kEach},
    {410, 463, Element::relation, "tv", " "},       {607, 607, Element::coverage, "axyz", "--"},
};

// Leader 06 (type of record) and 07 (bibliographic level; 0: any): dc:type and the kind.
struct RecordType {
    char type, level;
    std::string_view dc_type, kind;
};
constexpr RecordType kRecordTypes[] = {
    {'a', 's', "Text", "journal"},
    {'a', 'b', "Text", "article"},
    {'a', 'a', "Text", "book:part"},
    {'a', 'm', "Text", "book"},
    {'a', 0, "Text", ""},
    {'t', 0, "Text", "manuscript"},
    {'c', 0, "Text", "music"},
    {'d', 0, "Text", "music"},
    {'e', 0, "StillImage", "map"},
    {'f', 0, "StillImage", "map"},
    {'g', 0, "MovingImage", "video"},
    {'i', 0, "Sound", "sound"},
    {'j', 0, "Sound", "sound"},
    {'k', 0, "StillImage", "image"},
    {'m', 0, "Software", "software"},
    {'o', 0, "Collection", "other"},
    {'p', 0, "Collection", "other"},
    {'r', 0, "PhysicalObject", "other"},
};

// Parts of words for degrees in field 502, in the languages met so far.
struct Degree {
    std::string_view word, kind;
};
constexpr Degree kDegrees[] = {
    {"ph.d", "thesis:doctoral"},     {"phd", "thesis:doctoral"},    {"doctor", "thesis:doctoral"},
    {"doktor", "thesis:doctoral"},   {"disert", "thesis:doctoral"}, {"dissert", "thesis:doctoral"},
    {"bachelor", "thesis:bachelor"}, {"bakal", "thesis:bachelor"},  {"master", "thesis:master"},
    {"magist", "thesis:master"},     {"diplom", "thesis:master"},
};

// Removes the ISBD punctuation at the end that leads to the next subfield.
void trim_punctuation(std::string& s) {
    const auto leads_on = [](std::string_view t) {
        return !t.empty() && (std::string_view(" :;,=").find(t.back()) != t.npos || t == "/" ||
                              t.ends_with(" /"));
    };
    while (leads_on(s)) s.pop_back();
}

struct Subfield {
    char code;
    std::string text;
};

struct MarcField {
    int tag;  // of field 880 that of the field which it gives in another script
    char first_indicator, second_indicator;
    std::vector<Subfield> subfields;
    bool is_alternate = false;  // was field 880
    std::string language;       // of its script, as und-Cyrl; "" not said

    std::string first(char code) const {
        for (const Subfield& s : subfields)
            if (s.code == code) return s.text;
        return "";
    }
};

// The scripts of $6, as MARC 21 writes them and by ISO 15924.
struct Script {
    std::string_view code, language;
};
constexpr Script kScripts[] = {{"(3", "und-Arab"}, {"(B", "und-Latn"}, {"$1", "und-Hani"},
                               {"(N", "und-Cyrl"}, {"(S", "und-Grek"}, {"(2", "und-Hebr"}};

// Field 880 has what the field of its $6 has, as 245-01/(N, in another script.
void take_linkage(MarcField& field) {
    const std::string linkage = field.first('6');
    field.tag =
        static_cast<int>(text::to_integer(linkage.substr(0, linkage.find('-'))).value_or(0));
    field.is_alternate = true;
    const auto parts = text::split(linkage, '/');
    if (parts.size() < 2) return;
    for (const Script& script : kScripts)
        if (script.code == parts[1] || script.language.substr(4) == parts[1])
            field.language = script.language;
}

// The text without the characters around what is not to be sorted by (ISO 6630, in two codings),
// and on one line.
std::string readable(std::string text) {
    static const RE2 kNonSorting(R"([\x{88}\x{89}\x{98}\x{9C}])"),
        kLineEnd(R"( ?[\r\n\t][ \r\n\t]*)");
    RE2::GlobalReplace(&text, kNonSorting, "");
    RE2::GlobalReplace(&text, kLineEnd, " ");
    return text;
}

MarcField read_field(const xmlNode* element) {
    const std::string first = xml::attribute_of(element, "ind1");
    const std::string indicator = xml::attribute_of(element, "ind2");
    MarcField field{
        static_cast<int>(text::to_integer(xml::attribute_of(element, "tag")).value_or(0)),
        first.empty() ? ' ' : first[0],
        indicator.empty() ? ' ' : indicator[0],
        {},
        false,
        ""};
    for (const xmlNode* n : xml::children_of(element, "subfield")) {
        const std::string code = xml::attribute_of(n, "code");
        if (code.size() == 1) field.subfields.push_back({code[0], readable(xml::text_of(n))});
    }
    if (field.tag == 880) take_linkage(field);
    return field;
}

void apply(const CrosswalkRule& rule, const MarcField& field, Item& item) {
    std::string joined;
    const bool is_written = kElementNames[static_cast<std::size_t>(rule.element)].has_language;
    const std::string language = is_written ? field.language : "";
    for (const Subfield& s : field.subfields) {
        if (rule.subfields.find(s.code) == rule.subfields.npos || s.text.empty()) continue;
        std::string text = s.text;
        if (rule.joiner != " ") trim_punctuation(text);
        if (rule.joiner == kEach) {
            item.add(rule.element, text, language);
            continue;
        }
        if (!joined.empty()) joined += rule.joiner;
        joined += text;
    }
    trim_punctuation(joined);
    item.add(rule.element, joined, language);
}

// "80-200-0980-9 (bound)" -> "80-200-0980-9"
std::string number_in(const std::string& s) {
    return s.substr(0, s.find_first_not_of("0123456789Xx-"));
}

void add_number(Item& item, std::vector<std::string>& numbers, const char* urn,
                const std::string& given) {
    const std::string number = number_in(given);
    if (number.empty() || std::find(numbers.begin(), numbers.end(), number) != numbers.end())
        return;
    numbers.push_back(number);
    item.add(Element::identifier, urn + number);
}

void read_unimarc(const MarcField& field, Item& item) {
    if (field.tag == 10) add_number(item, item.isbn, "urn:isbn:", field.first('a'));
    if (field.tag == 11) add_number(item, item.issn, "urn:issn:", field.first('a'));
    if (field.tag == 328) item.kind = "thesis";
    for (const CrosswalkRule& rule : kUnimarc)
        if (field.tag >= rule.first && field.tag <= rule.last) apply(rule, field, item);
}

// Reads fields whose meaning depends on more than their subfields.
void read_special(const MarcField& field, Item& item) {
    if (field.tag == 264 && field.second_indicator == '1')
        apply({264, 264, Element::publisher, "ab", " "}, field, item);
    if (field.is_alternate) return;
    const std::string a = field.first('a');
    const std::string source = text::lower_ascii(field.first('2'));
    if (field.tag == 20) add_number(item, item.isbn, "urn:isbn:", a);
    if (field.tag == 22) add_number(item, item.issn, "urn:issn:", a);
    if (field.tag == 24)
        item.add(Element::identifier,
                 source == "doi" && a.starts_with("10.") ? "https://doi.org/" + a : a);
    if ((field.tag == 260 || (field.tag == 264 && field.second_indicator == '1')) &&
        item[Element::date].empty())
        item.add(Element::date, field.first('c'));
    // The standard words of $f, else the first indicator; $g is the day on which an embargo ends.
    if (field.tag == 506 && item.access.empty()) {
        item.access = access_of(field.first('f'));
        item.access_from = moment_of(field.first('g'));
        if (!item.access_from.empty()) item.access = "embargoed";
        if (item.access.empty() && field.first_indicator == '0') item.access = "open";
        if (item.access.empty() && field.first_indicator == '1') item.access = "restricted";
    }
    if (field.tag == 856 && item.access.empty() && field.second_indicator != '2') {
        const std::string status = field.first('7');
        if (status == "0") item.access = "open";
        if (status == "1") item.access = "restricted";
    }
    if (field.tag == 540 && item.licence.empty()) {
        const std::string url = field.first('u');
        if (is_url(url)) item.licence = url;
    }
    if (field.tag == 856 && item.landing_page.empty() && field.second_indicator != '2') {
        const std::string url = field.first('u');
        if (is_url(url) && url.find("doi.org/") == url.npos) item.landing_page = url;
    }
    if (field.tag == 502) {
        std::string words;
        for (const Subfield& s : field.subfields) words += text::lower_ascii(s.text) + ' ';
        item.kind = "thesis";
        for (const Degree& degree : kDegrees)
            if (item.kind == "thesis" && words.find(degree.word) != words.npos)
                item.kind = degree.kind;
    }
}

void read_leader(const std::string& leader, Item& item) {
    if (leader.size() < 8) return;
    if (leader[5] == 'd' && !item.deleted) item.deleted = true;
    for (const RecordType& t : kRecordTypes) {
        if (t.type != leader[6] || (t.level != 0 && t.level != leader[7])) continue;
        item.add(Element::type, std::string(t.dc_type), "en");
        if (item.kind.empty()) item.kind = t.kind;
        return;
    }
}

// The text with the blanks at its start, since characters of control fields are told by position.
std::string_view first_text(const xmlNode* element) {
    return element->children == nullptr ? "" : xml::view(element->children->content);
}

void read_control(const xmlNode* element, Item& item) {
    const std::string tag = xml::attribute_of(element, "tag");
    const std::string content(first_text(element));
    if (tag == "001" && item.local_id.empty()) item.local_id = local_id_of(content);
    if (tag != "008" || content.size() < 38) return;
    const std::string year = content.substr(7, 4);
    if (text::to_integer(year) && year.find('-') == year.npos) item.add(Element::date, year);
    const std::string language = content.substr(35, 3);
    if (language.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == language.npos)
        item.add(Element::language, language);
}

constexpr std::string_view kElementsNamespace = "http://purl.org/dc/elements/1.1/";
constexpr std::string_view kTermsNamespace = "http://purl.org/dc/terms/";

struct Refinements {
    Element element;
    std::string_view terms;  // each between bars
};
constexpr Refinements kRefinements[] = {
    {Element::description, "|abstract|tableOfContents|"},
    {Element::rights, "|accessRights|license|rightsHolder|"},
    {Element::title, "|alternative|"},
    {Element::date, "|available|created|dateAccepted|dateSubmitted|issued|modified|"},
    {Element::identifier, "|bibliographicCitation|"},
    {Element::format, "|extent|medium|"},
    {Element::relation,
     "|hasPart|hasVersion|isFormatOf|isPartOf|isReferencedBy|isReplacedBy|isVersionOf|references|"},
    {Element::coverage, "|spatial|temporal|"},
};

std::optional<Element> element_named(std::string_view name) {
    for (std::size_t i = 0; i < kElements; ++i)
        if (kElementNames[i].name == name) return static_cast<Element>(i);
    return std::nullopt;
}

std::optional<Element> element_of(const xmlNode* node) {
    const std::string_view ns = xml::namespace_of(node);
    if (ns != kElementsNamespace && ns != kTermsNamespace) return std::nullopt;
    if (const auto element = element_named(xml::name_of(node))) return element;
    const std::string term = "|" + std::string(xml::name_of(node)) + "|";
    for (const Refinements& r : kRefinements)
        if (ns == kTermsNamespace && r.terms.find(term) != r.terms.npos) return r.element;
    return std::nullopt;
}

// A value of MODS: by the path of local names below <mods>.
struct ModsRule {
    std::string_view parent, child;  // child "": the parent itself
    Element element;
};
constexpr ModsRule kModsRules[] = {
    {"titleInfo", "title", Element::title},
    {"name", "namePart", Element::creator},
    {"subject", "topic", Element::subject},
    {"subject", "geographic", Element::coverage},
    {"subject", "temporal", Element::coverage},
    {"abstract", "", Element::description},
    {"note", "", Element::description},
    {"originInfo", "publisher", Element::publisher},
    {"originInfo", "dateIssued", Element::date},
    {"originInfo", "dateCreated", Element::date},
    {"genre", "", Element::type},
    {"typeOfResource", "", Element::type},
    {"physicalDescription", "internetMediaType", Element::format},
    {"identifier", "", Element::identifier},
    {"location", "url", Element::identifier},
    {"language", "languageTerm", Element::language},
    {"accessCondition", "", Element::rights},
};

}  // namespace

void read_marc(const xmlNode* record, Item& item) {
    std::string leader;
    std::vector<MarcField> fields;
    for (const xmlNode* n : xml::children_of(record)) {
        if (xml::name_of(n) == "leader") leader = first_text(n);
        if (xml::name_of(n) == "controlfield") read_control(n, item);
        if (xml::name_of(n) == "datafield") fields.push_back(read_field(n));
    }
    const auto has = [&](int tag) {
        return std::any_of(fields.begin(), fields.end(),
                           [&](const MarcField& f) { return f.tag == tag; });
    };
    if (has(200) && !has(245)) {
        for (const MarcField& field : fields) read_unimarc(field, item);
        // What UNIMARC calls otherwise: b manuscript, l electronic resource, m multimedia.
        constexpr std::string_view kTheirs = "blm", kOurs = "tmo";
        if (const auto at = leader.size() > 6 ? kTheirs.find(leader[6]) : kTheirs.npos;
            at != kTheirs.npos)
            leader[6] = kOurs[at];
        return read_leader(leader, item);
    }
    for (const MarcField& field : fields) read_special(field, item);
    read_leader(leader, item);
    for (const MarcField& field : fields)
        for (const CrosswalkRule& rule : kCrosswalk)
            if (field.tag >= rule.first && field.tag <= rule.last) apply(rule, field, item);
    item.marc = xml::document_text(record, kMarcNamespace);
}

int read_dublin_core(const xmlNode* parent, Item& item) {
    int count = 0;
    for (const xmlNode* n : xml::children_of(parent)) {
        const auto element = element_of(n);
        if (!element) continue;
        ++count;
        const bool has_language = kElementNames[static_cast<std::size_t>(*element)].has_language;
        item.add(*element, xml::text_of(n), has_language ? xml::language_of(n) : "");
    }
    return count;
}

void read_mods(const xmlNode* mods, Item& item) {
    for (const xmlNode* n : xml::children_of(mods))
        for (const ModsRule& rule : kModsRules) {
            if (rule.parent != xml::name_of(n)) continue;
            if (rule.child.empty())
                item.add(rule.element, xml::text_of(n));
            else
                for (const xmlNode* c : xml::children_of(n, rule.child))
                    item.add(rule.element, xml::text_of(c));
        }
    item.mods = xml::document_text(mods, kModsNamespace);
}

}  // namespace oai::load
