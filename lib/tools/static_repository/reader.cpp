// SPDX-License-Identifier: MIT
#include "tools/static_repository/reader.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "tools/static_repository/elements.h"
#include "tools/static_repository/rules.h"
#include "xml/error.h"
#include "xml/push_parser.h"
#include "xml/view.h"

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
            xml::drop_up_to(part);
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
            xml::drop_up_to(n);
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
