// SPDX-License-Identifier: MIT
#include "tools/static_repository/reader.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>
#include <stdexcept>

#include "base/text.h"
#include "protocol/identifier.h"
#include "protocol/record.h"
#include "xml/document.h"
#include "xml/handle.h"
#include "xml/push_parser.h"

namespace oai::static_repository {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;

// Whether the element, or one in it, is in the namespace or declares it. OAI-PMH 2.0, 2.5 wants
// that of each metadata part; the element itself may be in another one, as the rdf:RDF of EDM is.
bool has_namespace(const xmlNode* element, const std::string& name_space) {
    if (xml::namespace_of(element) == name_space) return true;
    for (const xmlNs* ns = element->nsDef; ns != nullptr; ns = ns->next)
        if (xml::view(ns->href) == name_space) return true;
    for (const xmlNode* n = first_element(element->children); n != nullptr; n = next_element(n))
        if (has_namespace(n, name_space)) return true;  // at most 256 levels, by the parser
    return false;
}

// Checks single elements of a static repository (Specification for an OAI Static Repository and an
// OAI Static Repository Gateway, 3.2 and the schemas of its appendix): children in order,
// attributes, text. What holds between elements - each identifier once, a list's prefix among the
// formats - is checked by the reader. Pure.

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

// YYYY-MM-DD, in the calendar.
bool is_day(const std::string& text) {
    const auto stamp = parse_datestamp(text);
    return stamp && stamp->granularity == Granularity::day;
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

using ReportFault = std::function<void(const xmlNode* at, const std::string& what)>;

// The element may have no attribute but this one ("" none) and those of XML Schema instances.
void check_attributes(const xmlNode* element, std::string_view known, const ReportFault& report) {
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next) {
        if (a->ns == nullptr ? xml::view(a->name) == known
                             : xml::view(a->ns->href) == kInstanceNamespace)
            continue;
        report(element, tag_of(element) + " has no attribute " + std::string(xml::view(a->name)));
    }
}

// There may be no text among the parent's children before `end` (nullptr: among all of them).
void check_no_text(const xmlNode* parent, const xmlNode* end, const ReportFault& report) {
    for (const xmlNode* n = parent->children; n != end; n = n->next) {
        if (n->type != XML_TEXT_NODE && n->type != XML_CDATA_SECTION_NODE) continue;
        if (xmlIsBlankNode(n) != 0) continue;
        return report(parent, "text has no place in " + tag_of(parent) + ", but for its elements");
    }
}

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

class RepositoryReader {
  public:
    RepositoryReader(load::Input& input, RepositoryHandler& handler)
        : input_(input), handler_(handler) {}

    void read() {
        for (std::string_view s = input_.peek(kChunk); !s.empty(); s = input_.peek(kChunk)) {
            s = s.substr(0, kChunk);
            feed(s);
            input_.consume(s.size());
            handle_complete();
            if ((waiting_ += s.size()) > kMaxRecordBytes)
                throw std::runtime_error("no record ends within 64 MiB");
        }
        if (!input_.broken().empty()) throw std::runtime_error(input_.broken());
        end();
        if (!parser_.ended()) throw std::runtime_error("the file ends within the document");
        finish();
    }

  private:
    void feed(std::string_view s) {
        try {
            parser_.feed(s, false);
        } catch (const xml::Error& e) {
            throw xml::Error(std::to_string(parser_.error_line()) + ": " + e.what());
        }
    }

    void end() {
        try {
            parser_.end();
        } catch (const xml::Error& e) {
            throw xml::Error(std::to_string(parser_.error_line()) + ": " + e.what());
        }
        handle_complete();
    }

    void fault(const xmlNode* at, const std::string& what) {
        handler_.fault(xml::line_of(at), what);
    }
    ReportFault fault_reporter() {
        return [this](const xmlNode* at, const std::string& what) { fault(at, what); };
    }

    // Whether the element's end has not been read yet.
    bool is_open(const xmlNode* node) const {
        for (const xmlNode* n = parser_.open(); n != nullptr; n = n->parent)
            if (n == node) return true;
        return false;
    }

    // Handles the elements that are complete and takes them out of the tree.
    void handle_complete() {
        xmlNode* const root = parser_.root();
        if (root == nullptr) return;
        if (!is(root, "Repository", kNamespace))
            throw xml::Error(std::to_string(xml::line_of(root)) + ": " + tag_of(root) +
                             " is no Repository in the namespace " + kNamespace);
        if (!root_checked_) check_attributes(root, "", fault_reporter());
        root_checked_ = true;
        for (xmlNode* part = first_element(root->children); part != nullptr;) {
            if (is(part, "ListRecords", kNamespace)) take_records(part);
            if (is_open(part)) return;
            xmlNode* const next = next_element(part);
            check_no_text(root, part, fault_reporter());
            finish_part(part);
            parser_.drop_up_to(part);
            part = next;
        }
    }

    void finish_part(xmlNode* part) {
        waiting_ = 0;
        if (is(part, "Identify", kNamespace)) {
            if (parts_++ != 0) fault(part, "<Identify> is to stand first, once");
            take_identify(part);
        } else if (is(part, "ListMetadataFormats", kNamespace)) {
            if (parts_++ != 1) fault(part, "<ListMetadataFormats> is to stand second, once");
            take_formats(part);
        } else if (is(part, "ListRecords", kNamespace)) {
            finish_list(part);
        } else {
            fault(part, tag_of(part) + " has no place in a static repository");
        }
    }

    void take_identify(const xmlNode* identify) {
        check_identify(identify, fault_reporter());
        StaticIdentity identity{text_in(identify, "repositoryName"),
                                text_in(identify, "baseURL"),
                                text_in(identify, "earliestDatestamp"),
                                {},
                                parser_.encoding()};
        for (const xmlNode* n = first_element(identify->children); n != nullptr;
             n = next_element(n))
            if (is_oai(n, "adminEmail")) identity.admin_emails.push_back(xml::text_of(n));
        earliest_ = identity.earliest_datestamp;
        handler_.identity(identity);
    }

    void take_formats(const xmlNode* list) {
        check_attributes(list, "", fault_reporter());
        check_no_text(list, nullptr, fault_reporter());
        for (const xmlNode* n = first_element(list->children); n != nullptr; n = next_element(n)) {
            if (!is_oai(n, "metadataFormat")) {
                fault(n, tag_of(n) + " has no place in <ListMetadataFormats>");
                continue;
            }
            check_format(n, fault_reporter());
            const StaticFormat format{text_in(n, "metadataPrefix"), text_in(n, "schema"),
                                      text_in(n, "metadataNamespace")};
            if (find(format.prefix))
                fault(n, "the metadataPrefix " + format.prefix + " is there twice");
            formats_.push_back(format);
            handler_.format(format);
        }
        if (!find("oai_dc")) fault(list, "there is no format oai_dc, which every repository has");
    }

    const StaticFormat* find(const std::string& prefix) const {
        const auto found = std::find_if(formats_.begin(), formats_.end(),
                                        [&](const StaticFormat& f) { return f.prefix == prefix; });
        return found == formats_.end() ? nullptr : &*found;
    }

    void begin_list(const xmlNode* list) {
        in_list_ = true;
        records_ = 0;
        identifiers_.clear();
        check_attributes(list, "metadataPrefix", fault_reporter());
        prefix_ = xml::attribute_of(list, "metadataPrefix");
        if (parts_ < 2)
            fault(list, "<ListRecords> is to stand behind <Identify> and <ListMetadataFormats>");
        if (!find(prefix_))
            fault(list, "the metadataPrefix of <ListRecords> is not among the formats: " + prefix_);
        if (!lists_.insert(prefix_).second)
            fault(list, "there is another <ListRecords> of " + prefix_);
    }

    void take_records(xmlNode* list) {
        if (!in_list_) begin_list(list);
        for (xmlNode* n = first_element(list->children); n != nullptr && !is_open(n);) {
            xmlNode* const next = next_element(n);
            check_no_text(list, n, fault_reporter());
            if (is_oai(n, "record"))
                take_record(n);
            else
                fault(n, tag_of(n) + " has no place in <ListRecords>");
            parser_.drop_up_to(n);
            waiting_ = 0;
            n = next;
        }
    }

    void finish_list(const xmlNode* list) {
        check_no_text(list, nullptr, fault_reporter());
        if (records_ == 0) fault(list, "<ListRecords> is to hold a record");
        in_list_ = false;
    }

    void take_record(const xmlNode* record) {
        ++records_;
        check_record(record, fault_reporter());
        for (const xmlNode* n = first_element(record->children); n != nullptr;
             n = next_element(n)) {
            if (is_oai(n, "header")) compare_header(n);
            if (is_oai(n, "metadata")) compare_metadata(n);
        }
        handler_.record(prefix_, record);
    }

    void compare_header(const xmlNode* header) {
        const std::string identifier = text_in(header, "identifier"),
                          day = text_in(header, "datestamp");
        if (!identifiers_.insert(identifier).second)
            fault(header, "the identifier is there twice: " + identifier);
        if (is_day(day) && is_day(earliest_) && day < earliest_) {
            handler_.note(xml::line_of(header), "the datestamp " + day +
                                                    " is before earliestDatestamp " + earliest_ +
                                                    ", and so may others be");
            earliest_.clear();
        }
    }

    void compare_metadata(const xmlNode* metadata) {
        const xmlNode* const content = first_element(metadata->children);
        const StaticFormat* const format = find(prefix_);
        if (content != nullptr && format != nullptr && !has_namespace(content, format->name_space))
            fault(content, tag_of(content) + " has nothing in the namespace of " + prefix_ + ", " +
                               format->name_space);
    }

    void finish() {
        const std::string encoding = parser_.encoding();
        if (text::lower_ascii(encoding) != "utf-8")
            handler_.note(1, "a static repository is UTF-8, and this one says " + encoding);
        check_no_text(parser_.root(), nullptr, fault_reporter());
        if (parts_ < 1) handler_.fault(1, "there is no <Identify>");
        if (parts_ < 2) handler_.fault(1, "there is no <ListMetadataFormats>");
        if (lists_.empty()) handler_.fault(1, "there is no <ListRecords>");
        for (const StaticFormat& format : formats_)
            if (!lists_.empty() && !lists_.contains(format.prefix))
                handler_.note(1, "there is no <ListRecords> of the format " + format.prefix);
    }

    load::Input& input_;
    RepositoryHandler& handler_;
    xml::PushParser parser_{xml::BareDoctype::passed_over};
    std::size_t waiting_ = 0;  // bytes since the last part or record ended
    int parts_ = 0;            // Identify, ListMetadataFormats
    std::string earliest_;     // "" unknown, or noted to be wrong
    std::vector<StaticFormat> formats_;
    std::set<std::string> lists_;  // prefixes
    bool root_checked_ = false;    // its start tag
    bool in_list_ = false;
    std::int64_t records_ = 0;           // of the list
    std::string prefix_;                 // of the list
    std::set<std::string> identifiers_;  // in the list
};

}  // namespace

void read(load::Input& input, RepositoryHandler& handler) {
    RepositoryReader(input, handler).read();
}

}  // namespace oai::static_repository
