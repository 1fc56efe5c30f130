// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "tools/load/handle.h"
#include "tools/load/items.h"
#include "tools/load/words.h"
#include "xml/document.h"
#include "xml/handle.h"
#include "xml/push_parser.h"

namespace oai::load {
namespace {

// A row of the crosswalk: these subfields, in the field's order, make one value.
struct CrosswalkRule {
    int first, last;  // tags
    Element element;
    std::string_view subfields;
    std::string_view joiner;  // between subfields; kEach: every subfield is a value of its own
};
constexpr std::string_view kEach = "each";

std::optional<Element> element_named(std::string_view name) {
    for (std::size_t i = 0; i < kElements; ++i)
        if (kElementNames[i].name == name) return static_cast<Element>(i);
    return std::nullopt;
}

std::vector<CrosswalkRule> read_crosswalk(std::string_view name) {
    std::vector<CrosswalkRule> rules;
    for (const TableRow& row : table(name)) {
        const auto tags = text::split(row[0], '-');
        const auto tag = [](std::string_view t) { return static_cast<int>(*text::to_integer(t)); };
        std::string_view joiner = row[3];
        if (joiner != kEach) joiner = joiner.substr(1, joiner.size() - 2);  // in quotes
        rules.push_back(
            {tag(tags.front()), tag(tags.back()), element_named(row[1]).value(), row[2], joiner});
    }
    return rules;
}

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

// Field 880 has what the field of its $6 has, as 245-01/(N, in another script.
void take_linkage(MarcField& field) {
    const std::string linkage = field.first('6');
    field.tag =
        static_cast<int>(text::to_integer(linkage.substr(0, linkage.find('-'))).value_or(0));
    field.is_alternate = true;
    const auto parts = text::split(linkage, '/');
    if (parts.size() < 2) return;
    for (const TableRow& script : table("scripts"))
        if (script[0] == parts[1] || script[1].substr(4) == parts[1]) field.language = script[1];
}

// On one line, without the marks around what is not to be sorted by (ISO 6630, in two codings).
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
    static const std::vector<CrosswalkRule> kUnimarc = read_crosswalk("unimarc");
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
    // Koha and Evergreen keep the number of a record there, and export records without 001.
    if (item.local_id.empty() && (field.tag == 901 || (field.tag == 999 && a.empty())))
        item.local_id = local_id_of(field.first('c'));
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
        for (const TableRow& degree : table("degrees"))
            if (item.kind == "thesis" && words.find(degree[0]) != words.npos) item.kind = degree[1];
    }
}

void read_leader(const std::string& leader, Item& item) {
    if (leader.size() < 8) return;
    if (leader[5] == 'd' && !item.deleted) item.deleted = true;
    for (const TableRow& t : table("types")) {
        if (t[0][0] != leader[6] || (t[1] != "*" && t[1][0] != leader[7])) continue;
        item.add(Element::type, std::string(t[2]), "en");
        if (item.kind.empty() && t[3] != "-") item.kind = t[3];
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

std::optional<Element> element_of(const xmlNode* node) {
    const std::string_view ns = xml::namespace_of(node);
    if (ns != kElementsNamespace && ns != kTermsNamespace) return std::nullopt;
    if (const auto element = element_named(xml::name_of(node))) return element;
    for (const TableRow& r : table("refinements"))
        if (ns == kTermsNamespace &&
            std::find(r.begin() + 1, r.end(), xml::name_of(node)) != r.end())
            return element_named(r[0]);
    return std::nullopt;
}

// ISO 2709, by libyaz: its length stands before each record, and 1D ends it.
constexpr std::size_t kLeaderBytes = 24, kEntryBytes = 12, kMostBytes = 99'999;
constexpr char kRecordEnd = '\x1D';

// Whether the directory behind the leader, of entries that begin with a tag, has this one.
bool has_tag(std::string_view record, std::string_view tag) {
    for (std::size_t at = kLeaderBytes; at + kEntryBytes <= record.size(); at += kEntryBytes) {
        if (record[at] == '\x1E') break;
        if (record.substr(at, tag.size()) == tag) return true;
    }
    return false;
}

// Whether each field ends where the directory says. Where it does not, libyaz cuts fields wrongly
// or leaves the rest out, and calls that a success.
bool is_sound(std::string_view record) {
    if (record.size() <= kLeaderBytes) return false;
    const auto base = text::to_integer(record.substr(12, 5)).value_or(-1);
    for (std::size_t at = kLeaderBytes; at < record.size(); at += kEntryBytes) {
        if (record[at] == '\x1E') return base == static_cast<std::int64_t>(at) + 1;
        if (at + kEntryBytes > record.size()) return false;
        const auto bytes = text::to_integer(record.substr(at + 3, 4)).value_or(-1);
        const auto begin = text::to_integer(record.substr(at + 7, 5)).value_or(-1);
        if (base < 0 || bytes < 1 || begin < 0) return false;
        const auto end = static_cast<std::size_t>(base + begin + bytes - 1);
        if (end >= record.size() || record[end] != '\x1E') return false;
    }
    return false;
}

// The record with its length and directory by the marks that end its fields: some programs count
// characters in place of bytes, or leave the length to be filled in. "" if it has not as many
// fields.
std::string with_lengths(std::string_view record) {
    const std::size_t base = std::min(record.find('\x1E'), record.size() - 1) + 1;
    if (base <= kLeaderBytes || (base - kLeaderBytes) % kEntryBytes != 1) return "";
    std::string directory;
    std::size_t begin = base;
    for (std::size_t at = kLeaderBytes; at + 1 < base; at += kEntryBytes) {
        const std::size_t end = record.find('\x1E', begin);
        if (end == record.npos) return "";
        directory +=
            fmt::format("{}{:04}{:05}", record.substr(at, 3), end + 1 - begin, begin - base);
        begin = end + 1;
    }
    if (begin + 1 != record.size()) return "";
    return fmt::format("{:05}{}{:05}{}{}{}", record.size(), record.substr(5, 7), base,
                       record.substr(17, 7), directory, record.substr(base - 1));
}

// What is UTF-8 is taken as that, whatever the leader says: in no other coding are several letters
// beyond ASCII so by chance. But MARC-8 has other scripts in seven bits, behind escape sequences.
const char* coding_of(std::string_view record) {
    const bool escapes = record.find('\x1B') != record.npos;
    if (record[9] == 'a' || (text::is_utf8(record) && !escapes)) return nullptr;
    return has_tag(record, "200") && !has_tag(record, "245") ? "ISO5426" : "MARC-8";
}

// The record as MARCXML. Throws std::runtime_error.
std::string as_xml(std::string_view record) {
    // libyaz checks where a field ends, but not its indicators: up to 9 characters of 4 bytes.
    constexpr std::size_t kReadBeyond = 64;
    std::string padded(record);
    padded.append(kReadBeyond, '\0');
    const MarcHandle marc(yaz_marc_create());
    const char* const coding = coding_of(record);
    const MarcCodingHandle iconv(coding == nullptr ? nullptr : yaz_iconv_open("UTF-8", coding));
    yaz_marc_xml(marc.get(), YAZ_MARC_MARCXML);
    if (iconv) yaz_marc_iconv(marc.get(), iconv.get());
    const char* result = nullptr;
    std::size_t size = 0;
    if (yaz_marc_decode_buf(marc.get(), padded.data(), static_cast<int>(record.size()), &result,
                            &size) <= 0)
        throw std::runtime_error("is no record of ISO 2709");
    return {result, size};
}

// The length of the record at which s begins; 0 if none begins there.
std::size_t length_of(std::string_view s) {
    const auto length = text::to_integer(s.substr(0, 5));
    if (s.size() <= kLeaderBytes || !length) return 0;
    const auto n = static_cast<std::size_t>(*length);
    return n > kLeaderBytes && n <= s.size() && s[n - 1] == kRecordEnd ? n : 0;
}

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
    static const std::vector<CrosswalkRule> kCrosswalk = read_crosswalk("marc21");
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
        for (const TableRow& rule : table("mods")) {
            if (rule[0] != xml::name_of(n)) continue;
            const Element element = element_named(rule[2]).value();
            if (rule[1] == "-")
                item.add(element, xml::text_of(n));
            else
                for (const xmlNode* c : xml::children_of(n, rule[1]))
                    item.add(element, xml::text_of(c));
        }
    item.mods = xml::document_text(mods, kModsNamespace);
}

void read_items_mrc(Input& input, bool keep_deleted_marc, ItemHandler& handler) {
    if (input.peek(3).starts_with("\xEF\xBB\xBF")) input.consume(3);
    for (std::uint64_t number = 1;;) {
        std::string_view s = input.peek(kMostBytes);
        if (s.empty()) {
            if (input.broken().empty()) return;
            handler.damage(number, input.broken());
            if (!input.resume()) return;
            continue;
        }
        if (const auto blanks = std::min(s.find_first_not_of("\r\n "), s.size()); blanks > 0) {
            input.consume(blanks);
            continue;
        }
        // Where a length is wrong, 1D tells where the next one begins.
        std::size_t n = length_of(s);
        if (n == 0 && s.size() >= kMostBytes && s.find(kRecordEnd) == s.npos) {
            handler.damage(number++, "record is longer than ISO 2709 allows");
            for (auto end = s.npos; end == s.npos && !s.empty(); s = input.peek(kMostBytes)) {
                end = s.find(kRecordEnd);
                input.consume(std::min(end, s.size() - 1) + 1);
            }
            continue;
        }
        if (n == 0) n = std::min(s.find(kRecordEnd), s.size() - 1) + 1;
        const std::string_view record = s.substr(0, n);
        xml::DocumentHandle document;
        try {
            if (record.back() != kRecordEnd || n <= kLeaderBytes)
                throw std::runtime_error("is cut off, or no record of ISO 2709");
            std::string mended;
            if (!is_sound(record) || length_of(record) == 0) {
                mended = with_lengths(record);
                if (!is_sound(mended))
                    throw std::runtime_error("has fields that are not where its directory says");
                handler.remark("fields taken by their end marks, since lengths are wrong");
            }
            std::string text = as_xml(mended.empty() ? record : mended);
            // What libyaz leaves out counts as well: controls but the marks and MARC-8's escape.
            const auto is_left_out = [](char c) {
                return c >= 0 && c < '\x1B' && !text::is_xml_char(static_cast<char32_t>(c));
            };
            if (text::clean(text) > 0 || std::any_of(record.begin(), record.end(), is_left_out))
                handler.remark(kRepaired);
            document = xml::parse_memory(text, "record " + std::to_string(number));
        } catch (const std::runtime_error& e) {
            handler.damage(number, std::string("record ") + e.what());
        }
        // Not within the try: what the database throws is no damage.
        if (document)
            take_record(xmlDocGetRootElement(document.get()), number, keep_deleted_marc, handler);
        input.consume(n);
        ++number;
    }
}

}  // namespace oai::load
