// SPDX-License-Identifier: MIT
#include "static_repository/reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "datestamp.h"
#include "xml/error.h"
#include "xml/push_parser.h"

namespace oai::static_repository {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr std::size_t kRecordBytes = std::size_t{64} << 20;  // more is no record
constexpr std::string_view kOaiNamespace = "http://www.openarchives.org/OAI/2.0/";

xmlNode* first_element(xmlNode* n) {
    while (n != nullptr && !xml::is_element(n)) n = n->next;
    return n;
}

xmlNode* next_element(const xmlNode* n) { return first_element(n->next); }

bool is(const xmlNode* n, std::string_view name, std::string_view name_space) {
    return xml::name_of(n) == name && xml::namespace_of(n) == name_space;
}

bool is_oai(const xmlNode* n, std::string_view name) { return is(n, name, kOaiNamespace); }

std::string quoted(const xmlNode* n) { return "<" + std::string(xml::name_of(n)) + ">"; }

bool is_day(const std::string& s) {
    const auto stamp = parse_datestamp(s);
    return stamp && stamp->granularity == Granularity::day;
}

// RFC 3986: a scheme, and no character that a URI cannot have.
bool is_uri(const std::string& s) {
    const auto colon = s.find(':');
    return colon != s.npos && colon > 0 && colon + 1 < s.size() &&
           std::all_of(s.begin(), s.end(), [](char c) {
               return c > ' ' && c < '\x7F' &&
                      std::string_view("<>\"{}|\\^`").find(c) == std::string_view::npos;
           });
}

// The children that the schema lists: in this order, so often.
struct Part {
    std::string_view name;
    int least, most;         // -1: any number
    std::string_view value;  // "": any
};
constexpr int kAny = -1;
constexpr std::array<Part, 8> kIdentifyParts = {{{"repositoryName", 1, 1, ""},
                                                 {"baseURL", 1, 1, ""},
                                                 {"protocolVersion", 1, 1, "2.0"},
                                                 {"adminEmail", 1, kAny, ""},
                                                 {"earliestDatestamp", 1, 1, ""},
                                                 {"deletedRecord", 1, 1, "no"},
                                                 {"granularity", 1, 1, "YYYY-MM-DD"},
                                                 {"description", 0, kAny, ""}}};
constexpr std::array<Part, 3> kFormatParts = {
    {{"metadataPrefix", 1, 1, ""}, {"schema", 1, 1, ""}, {"metadataNamespace", 1, 1, ""}}};
constexpr std::array<Part, 3> kRecordParts = {
    {{"header", 1, 1, ""}, {"metadata", 1, 1, ""}, {"about", 0, kAny, ""}}};
constexpr std::array<Part, 2> kHeaderParts = {{{"identifier", 1, 1, ""}, {"datestamp", 1, 1, ""}}};

class Reader {
  public:
    Reader(load::Input& input, Findings& findings) : input_(input), findings_(findings) {}

    void read() {
        for (std::string_view s = input_.peek(kChunk); !s.empty(); s = input_.peek(kChunk)) {
            s = s.substr(0, kChunk);
            feed(s);
            input_.consume(s.size());
            look();
            if ((waiting_ += s.size()) > kRecordBytes)
                throw std::runtime_error("no record ends within 64 MiB");
        }
        if (!input_.broken().empty()) throw std::runtime_error(input_.broken());
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

    void wrong(const xmlNode* at, const std::string& what) { findings_.wrong(xml::line_of(at), what); }

    // It has begun and not ended, as far as it was read.
    bool is_open(const xmlNode* node) const {
        for (const xmlNode* n = parser_.open(); n != nullptr; n = n->parent)
            if (n == node) return true;
        return false;
    }

    // Takes out of the tree what is complete.
    void look() {
        xmlNode* const root = parser_.root();
        if (root == nullptr) return;
        if (!is(root, "Repository", kNamespace))
            throw xml::Error(std::to_string(xml::line_of(root)) + ": " + quoted(root) +
                             " is no Repository in the namespace " + kNamespace);
        for (xmlNode* part = first_element(root->children); part != nullptr;) {
            if (is(part, "ListRecords", kNamespace)) take_records(part);
            if (is_open(part)) return;
            xmlNode* const next = next_element(part);
            finish_part(part);
            xml::drop_up_to(part);
            part = next;
        }
    }

    void finish_part(xmlNode* part) {
        waiting_ = 0;
        if (is(part, "Identify", kNamespace)) {
            if (parts_++ != 0) wrong(part, "<Identify> is to stand first, once");
            take_identify(part);
        } else if (is(part, "ListMetadataFormats", kNamespace)) {
            if (parts_++ != 1) wrong(part, "<ListMetadataFormats> is to stand second, once");
            take_formats(part);
        } else if (is(part, "ListRecords", kNamespace)) {
            in_list_ = false;
        } else {
            wrong(part, quoted(part) + " has no place in a static repository");
        }
    }

    // The children are those that `parts` says: what is not is told.
    template <std::size_t N>
    void check_parts(const xmlNode* parent, const std::array<Part, N>& parts) {
        const xmlNode* n = first_element(parent->children);
        for (const Part& part : parts) {
            int found = 0;
            for (; n != nullptr && is_oai(n, part.name) && (part.most == kAny || found < part.most);
                 n = next_element(n), ++found)
                if (!part.value.empty() && xml::text_of(n) != part.value)
                    wrong(n, quoted(n) + " of a static repository is " + std::string(part.value));
            if (found < part.least)
                wrong(parent,
                      quoted(parent) + " lacks <" + std::string(part.name) + ">, or has it at another place");
        }
        if (n != nullptr) wrong(n, quoted(n) + " has no place in " + quoted(parent));
    }

    static std::string text_in(const xmlNode* parent, std::string_view name) {
        for (const xmlNode* n = first_element(parent->children); n != nullptr; n = next_element(n))
            if (is_oai(n, name)) return xml::text_of(n);
        return "";
    }

    void take_identify(const xmlNode* identify) {
        check_parts(identify, kIdentifyParts);
        Identity identity{text_in(identify, "repositoryName"),
                          text_in(identify, "baseURL"),
                          text_in(identify, "earliestDatestamp"),
                          {}};
        for (const xmlNode* n = first_element(identify->children); n != nullptr; n = next_element(n))
            if (is_oai(n, "adminEmail")) identity.admin_emails.push_back(xml::text_of(n));
        if (!identity.earliest_datestamp.empty() && !is_day(identity.earliest_datestamp))
            wrong(identify, "earliestDatestamp is no day: " + identity.earliest_datestamp);
        earliest_ = identity.earliest_datestamp;
        findings_.identity(identity);
    }

    void take_formats(const xmlNode* list) {
        for (const xmlNode* n = first_element(list->children); n != nullptr; n = next_element(n)) {
            if (!is_oai(n, "metadataFormat")) {
                wrong(n, quoted(n) + " has no place in <ListMetadataFormats>");
                continue;
            }
            check_parts(n, kFormatParts);
            const Format format{text_in(n, "metadataPrefix"), text_in(n, "schema"),
                                text_in(n, "metadataNamespace")};
            if (find(format.prefix)) wrong(n, "the metadataPrefix " + format.prefix + " is there twice");
            formats_.push_back(format);
            findings_.format(format);
        }
        if (!find("oai_dc")) wrong(list, "there is no format oai_dc, which every repository has");
    }

    const Format* find(const std::string& prefix) const {
        const auto found = std::find_if(formats_.begin(), formats_.end(),
                                        [&](const Format& f) { return f.prefix == prefix; });
        return found == formats_.end() ? nullptr : &*found;
    }

    void begin_list(const xmlNode* list) {
        in_list_ = true;
        identifiers_.clear();
        prefix_ = xml::attribute_of(list, "metadataPrefix");
        if (parts_ < 2) wrong(list, "<ListRecords> is to stand behind <Identify> and <ListMetadataFormats>");
        if (!find(prefix_))
            wrong(list, "the metadataPrefix of <ListRecords> is not among the formats: " + prefix_);
        if (!lists_.insert(prefix_).second) wrong(list, "there is another <ListRecords> of " + prefix_);
    }

    void take_records(xmlNode* list) {
        if (!in_list_) begin_list(list);
        for (xmlNode* n = first_element(list->children); n != nullptr && !is_open(n);) {
            xmlNode* const next = next_element(n);
            if (is_oai(n, "record"))
                take_record(n);
            else
                wrong(n, quoted(n) + " has no place in <ListRecords>");
            xml::drop_up_to(n);
            waiting_ = 0;
            n = next;
        }
    }

    void take_record(const xmlNode* record) {
        check_parts(record, kRecordParts);
        for (const xmlNode* n = first_element(record->children); n != nullptr; n = next_element(n)) {
            if (is_oai(n, "header")) check_header(n);
            if (is_oai(n, "metadata")) check_metadata(n);
        }
        findings_.record(prefix_, record);
    }

    void check_header(const xmlNode* header) {
        check_parts(header, kHeaderParts);
        if (!xml::attribute_of(header, "status").empty())
            wrong(header, "a static repository has no deleted records");
        const std::string identifier = text_in(header, "identifier"), day = text_in(header, "datestamp");
        if (!is_uri(identifier)) wrong(header, "the identifier is no URI: " + identifier);
        if (!identifiers_.insert(identifier).second)
            wrong(header, "the identifier is there twice: " + identifier);
        if (!is_day(day))
            wrong(header, "the datestamp is no day: " + day);
        else if (is_day(earliest_) && day < earliest_)
            wrong(header, "the datestamp " + day + " is before earliestDatestamp " + earliest_);
    }

    void check_metadata(const xmlNode* metadata) {
        const xmlNode* const content = first_element(metadata->children);
        if (content == nullptr || next_element(content) != nullptr)
            return wrong(metadata, "<metadata> is to hold one element");
        const Format* const format = find(prefix_);
        if (format && xml::namespace_of(content) != format->name_space)
            wrong(content,
                  quoted(content) + " is not in the namespace of " + prefix_ + ", " + format->name_space);
    }

    void finish() {
        const std::string encoding = parser_.encoding();
        if (text::lower_ascii(encoding) != "utf-8") findings_.wrong(1, "a static repository is UTF-8, and this one says " + encoding);
        if (parts_ < 1) findings_.wrong(1, "there is no <Identify>");
        if (parts_ < 2) findings_.wrong(1, "there is no <ListMetadataFormats>");
        for (const Format& format : formats_)
            if (!lists_.contains(format.prefix))
                findings_.wrong(1, "there is no <ListRecords> of the format " + format.prefix);
    }

    load::Input& input_;
    Findings& findings_;
    xml::PushParser parser_;
    std::size_t waiting_ = 0;  // bytes since the last part or record ended
    int parts_ = 0;            // Identify, ListMetadataFormats
    std::string earliest_;
    std::vector<Format> formats_;
    std::set<std::string> lists_;  // prefixes
    bool in_list_ = false;
    std::string prefix_;                 // of the list
    std::set<std::string> identifiers_;  // in the list
};

}  // namespace

void read(load::Input& input, Findings& findings) { Reader(input, findings).read(); }

}  // namespace oai::static_repository
