// SPDX-License-Identifier: MIT
#include "tools/static_repository/writer.h"

#include "tools/static_repository/reader.h"
#include "xml/escape.h"

namespace oai::static_repository {
namespace {

constexpr std::size_t kDayBytes = 10;  // YYYY-MM-DD

std::string element(const char* name, std::string_view value) {
    std::string out = std::string("<oai:") + name + ">";
    xml::append_text(out, value);
    return out + "</oai:" + name + ">";
}

std::string wrapped(const char* name, const std::string& content) {
    return std::string("<oai:") + name + ">" + content + "</oai:" + name + ">";
}

std::string header_text(const xmlNode* header) {
    std::string out;
    for (const xmlNode* n = first_element(header->children); n != nullptr;
         n = first_element(n->next)) {
        if (xml::name_of(n) == "identifier") out += element("identifier", xml::text_of(n));
        if (xml::name_of(n) == "datestamp")
            out += element("datestamp", xml::text_of(n).substr(0, kDayBytes));
    }
    return wrapped("header", out);
}

// The one element that the parent holds, as text.
std::string content_text(const xmlNode* parent) {
    const xmlNode* const content = first_element(parent->children);
    return content == nullptr ? "" : xml::document_text(content);
}

}  // namespace

void write_head(std::ostream& out, const StaticIdentity& identity,
                const std::vector<std::string>& descriptions,
                const std::vector<StaticFormat>& formats) {
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Repository xmlns=\"" << kNamespace
        << "\" xmlns:oai=\"http://www.openarchives.org/OAI/2.0/\" "
           "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
        << "            xsi:schemaLocation=\"" << kNamespace << " " << kNamespace
        << ".xsd\">\n<Identify>\n"
        << element("repositoryName", identity.name) << "\n"
        << element("baseURL", identity.base_url) << "\n"
        << element("protocolVersion", "2.0") << "\n";
    for (const std::string& mail : identity.admin_emails)
        out << element("adminEmail", mail) << "\n";
    out << element("earliestDatestamp", identity.earliest_datestamp.substr(0, kDayBytes)) << "\n"
        << element("deletedRecord", "no") << "\n"
        << element("granularity", "YYYY-MM-DD") << "\n";
    for (const std::string& description : descriptions)
        out << wrapped("description", description) << "\n";
    out << "</Identify>\n<ListMetadataFormats>\n";
    for (const StaticFormat& format : formats)
        out << wrapped("metadataFormat", element("metadataPrefix", format.prefix) +
                                             element("schema", format.schema) +
                                             element("metadataNamespace", format.name_space))
            << "\n";
    out << "</ListMetadataFormats>\n";
}

void begin_list(std::ostream& out, const std::string& prefix) {
    std::string escaped;
    xml::append_attribute(escaped, prefix);
    out << "<ListRecords metadataPrefix=\"" << escaped << "\">\n";
}

void write_record(std::ostream& out, const xmlNode* record) {
    out << "<oai:record>";
    for (const xmlNode* n = first_element(record->children); n != nullptr;
         n = first_element(n->next)) {
        if (xml::name_of(n) == "header") out << header_text(n);
        if (xml::name_of(n) == "metadata") out << wrapped("metadata", content_text(n));
        if (xml::name_of(n) == "about") out << wrapped("about", content_text(n));
    }
    out << "</oai:record>\n";
}

void end_list(std::ostream& out) { out << "</ListRecords>\n"; }

void write_end(std::ostream& out) { out << "</Repository>\n"; }

}  // namespace oai::static_repository
