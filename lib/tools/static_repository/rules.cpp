// SPDX-License-Identifier: MIT
#include "tools/static_repository/rules.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/text.h"
#include "protocol/datestamp.h"
#include "protocol/set_spec.h"
#include "tools/static_repository/elements.h"
#include "xml/view.h"

namespace oai::static_repository {
namespace {

constexpr std::string_view kInstanceNamespace = "http://www.w3.org/2001/XMLSchema-instance";

// The schemas' anyURI: a URI reference, once what a URI cannot have is percent-encoded.
bool is_reference(const std::string& s) {
    const std::string escaped = text::percent_encode(s, "!*'();/?:@&=+$,[]#%");
    return s.empty() || xml::UriHandle(xmlParseURI(escaped.c_str())) != nullptr;
}

// RFC 3986, with a scheme and something behind it.
bool is_uri(const std::string& s) {
    const bool plain = std::all_of(s.begin(), s.end(), [](char c) {
        return c > ' ' && c < '\x7F' &&
               std::string_view("<>\"{}|\\^`").find(c) == std::string_view::npos;
    });
    const xml::UriHandle uri(plain ? xmlParseURI(s.c_str()) : nullptr);
    return uri != nullptr && uri->scheme != nullptr && s.find(':') + 1 < s.size();
}

// The schema of OAI-PMH: \S+@(\S+\.)+\S+
bool is_mail(const std::string& s) {
    if (s.find_first_of(" \t\r\n") != s.npos) return false;
    const auto at = s.find('@', 1);
    const auto dot = at == s.npos ? s.npos : s.find('.', at + 2);
    return dot != s.npos && dot + 1 < s.size();
}

// What is wrong with the text of an element, or "".
using Check = std::string (*)(const std::string& text);

std::string any_text(const std::string&) { return ""; }
std::string reference(const std::string& s) { return is_reference(s) ? "" : "no URI: " + s; }
std::string must_be(const char* what, const char* value, const std::string& text) {
    return text == value ? "" : std::string(what) + " of a static repository is " + value;
}
std::string version(const std::string& s) { return must_be("<protocolVersion>", "2.0", s); }
std::string no_deletions(const std::string& s) { return must_be("<deletedRecord>", "no", s); }
std::string days(const std::string& s) { return must_be("<granularity>", "YYYY-MM-DD", s); }
std::string mail(const std::string& s) {
    return is_mail(s) ? "" : "adminEmail is no mail address: " + s;
}
std::string base_url(const std::string& s) { return is_uri(s) ? "" : "baseURL is no URL: " + s; }
std::string earliest(const std::string& s) {
    return is_day(s) ? "" : "earliestDatestamp is no day: " + s;
}
std::string prefix(const std::string& s) {
    return is_metadata_prefix(s) ? "" : "a metadataPrefix is of A-Za-z0-9-_.!~*'(): " + s;
}
std::string identifier(const std::string& s) {
    return is_uri(s) ? "" : "the identifier is no URI: " + s;
}
std::string datestamp(const std::string& s) {
    return is_day(s) ? "" : "the datestamp is no day: " + s;
}

// A row for each child that the schema lists, in its order. check: of its text; nullptr if it holds
// elements.
struct ChildRule {
    std::string_view name;
    int min, max;
    Check check;
};
constexpr int kAny = -1;
constexpr std::array<ChildRule, 8> kIdentifyParts = {{{"repositoryName", 1, 1, any_text},
                                                      {"baseURL", 1, 1, base_url},
                                                      {"protocolVersion", 1, 1, version},
                                                      {"adminEmail", 1, kAny, mail},
                                                      {"earliestDatestamp", 1, 1, earliest},
                                                      {"deletedRecord", 1, 1, no_deletions},
                                                      {"granularity", 1, 1, days},
                                                      {"description", 0, kAny, nullptr}}};
constexpr std::array<ChildRule, 3> kFormatParts = {{{"metadataPrefix", 1, 1, prefix},
                                                    {"schema", 1, 1, reference},
                                                    {"metadataNamespace", 1, 1, reference}}};
constexpr std::array<ChildRule, 3> kRecordParts = {
    {{"header", 1, 1, nullptr}, {"metadata", 1, 1, nullptr}, {"about", 0, kAny, nullptr}}};
constexpr std::array<ChildRule, 2> kHeaderParts = {
    {{"identifier", 1, 1, identifier}, {"datestamp", 1, 1, datestamp}}};

void check_text(const xmlNode* element, Check check, const ReportFault& report) {
    check_attributes(element, "", report);
    if (first_element(element->children) != nullptr)
        report(element, tag_of(element) + " is to hold text alone");
    if (const std::string what = check(xml::text_of(element)); !what.empty()) report(element, what);
}

void check_parts(const xmlNode* parent, std::span<const ChildRule> parts,
                 const ReportFault& report) {
    check_no_text(parent, nullptr, report);
    const xmlNode* n = first_element(parent->children);
    for (const ChildRule& part : parts) {
        int found = 0;
        for (; n != nullptr && is_oai(n, part.name) && (part.max == kAny || found < part.max);
             n = next_element(n), ++found)
            if (part.check != nullptr) check_text(n, part.check, report);
        if (found < part.min)
            report(parent, tag_of(parent) + " lacks <" + std::string(part.name) +
                               ">, or has it at another place");
    }
    if (n != nullptr) report(n, tag_of(n) + " has no place in " + tag_of(parent));
}

// metadata, about and description hold one element, in a namespace that is not OAI-PMH's.
void check_container(const xmlNode* container, const ReportFault& report) {
    check_attributes(container, "", report);
    check_no_text(container, nullptr, report);
    const xmlNode* const content = first_element(container->children);
    if (content == nullptr || next_element(content) != nullptr)
        return report(container, tag_of(container) + " is to hold one element");
    const std::string_view name_space = xml::namespace_of(content);
    if (name_space.empty() || name_space == kOaiNamespace)
        report(content,
               tag_of(content) + " in " + tag_of(container) + " needs a namespace of its own");
}

void check_header(const xmlNode* header, const ReportFault& report) {
    if (xmlHasProp(header, reinterpret_cast<const xmlChar*>("status")) != nullptr)
        report(header, "a static repository has no deleted records");
    check_attributes(header, "status", report);
    check_parts(header, kHeaderParts, report);
}

}  // namespace

bool is_day(const std::string& text) {
    const auto stamp = parse_datestamp(text);
    return stamp && stamp->granularity == Granularity::day;
}

void check_attributes(const xmlNode* element, std::string_view known, const ReportFault& report) {
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next) {
        if (a->ns == nullptr ? xml::view(a->name) == known
                             : xml::view(a->ns->href) == kInstanceNamespace)
            continue;
        report(element, tag_of(element) + " has no attribute " + std::string(xml::view(a->name)));
    }
}

void check_no_text(const xmlNode* parent, const xmlNode* end, const ReportFault& report) {
    for (const xmlNode* n = parent->children; n != end; n = n->next) {
        if (n->type != XML_TEXT_NODE && n->type != XML_CDATA_SECTION_NODE) continue;
        if (xmlIsBlankNode(n) != 0) continue;
        return report(parent, "text has no place in " + tag_of(parent) + ", but for its elements");
    }
}

void check_identify(const xmlNode* identify, const ReportFault& report) {
    check_attributes(identify, "", report);
    check_parts(identify, kIdentifyParts, report);
    for (const xmlNode* n = first_element(identify->children); n != nullptr; n = next_element(n))
        if (is_oai(n, "description")) check_container(n, report);
}

void check_format(const xmlNode* format, const ReportFault& report) {
    check_attributes(format, "", report);
    check_parts(format, kFormatParts, report);
}

void check_record(const xmlNode* record, const ReportFault& report) {
    check_attributes(record, "", report);
    check_parts(record, kRecordParts, report);
    for (const xmlNode* n = first_element(record->children); n != nullptr; n = next_element(n)) {
        if (is_oai(n, "header")) check_header(n, report);
        if (is_oai(n, "metadata") || is_oai(n, "about")) check_container(n, report);
    }
}

}  // namespace oai::static_repository
