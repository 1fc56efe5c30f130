// SPDX-License-Identifier: MIT
#include "tools/harvest/answer.h"

#include "base/text.h"
#include "xml/document.h"
#include "xml/push_parser.h"
#include "xml/reader.h"

namespace oai::harvest {
namespace {

constexpr std::size_t kDoctypeBytes = 4096;  // at the beginning, in which a DOCTYPE is looked for

// The first child element as text; "" if there is none.
std::string first_child_text(const xmlNode* element) {
    const xmlNode* const child = xml::child_of(element);
    return child == nullptr ? "" : xml::excerpt(child);
}

std::vector<std::string> texts_of(const xmlNode* parent, std::string_view name) {
    std::vector<std::string> texts;
    for (const xmlNode* n : xml::children_of(parent, name)) texts.push_back(xml::text_of(n));
    return texts;
}

void read_record(const xmlNode* element, ParsedAnswer& answer) {
    const xmlNode* const header = xml::child_of(element, "header");
    Record record = read_header(header == nullptr ? element : header);
    for (const xmlNode* n : xml::children_of(element)) {
        const std::string_view name = xml::name_of(n);
        if (name == "metadata") record.metadata = first_child_text(n);
        if (name == "about") record.abouts.push_back(first_child_text(n));
    }
    if (record.identifier.empty())
        answer.nameless.push_back(
            {record.datestamp, answer.records.empty() ? "" : answer.records.back().identifier});
    else
        answer.records.push_back(std::move(record));
}

void read_token(const xmlNode* element, ParsedAnswer& answer) {
    answer.token = xml::text_of(element);
    answer.list_size = text::to_integer(text::trim(xml::attribute_of(element, "completeListSize")));
}

void read_set(const xmlNode* element, ParsedAnswer& answer) {
    SetInfo set{xml::child_text(element, "setSpec"), xml::child_text(element, "setName")};
    if (!set.spec.empty()) answer.sets.push_back(std::move(set));
}

void read_format(const xmlNode* element, ParsedAnswer& answer) {
    FormatInfo format{xml::child_text(element, "metadataPrefix"),
                      xml::child_text(element, "schema"),
                      xml::child_text(element, "metadataNamespace")};
    if (!format.prefix.empty()) answer.formats.push_back(std::move(format));
}

void read_identity(const xmlNode* element, RepositoryIdentity& identity) {
    identity.name = xml::child_text(element, "repositoryName");
    identity.base_url = xml::child_text(element, "baseURL");
    identity.protocol_version = xml::child_text(element, "protocolVersion");
    identity.earliest_datestamp = xml::child_text(element, "earliestDatestamp");
    identity.deleted_record = xml::child_text(element, "deletedRecord");
    identity.granularity = xml::child_text(element, "granularity");
    identity.admin_emails = texts_of(element, "adminEmail");
    for (const xmlNode* description : xml::children_of(element, "description"))
        identity.descriptions.push_back(first_child_text(description));
}

void read_item(const xmlNode* element, ParsedAnswer& answer) {
    const std::string_view name = xml::name_of(element);
    if (name == "record" || name == "header")
        read_record(element, answer);
    else if (name == "resumptionToken")
        read_token(element, answer);
    else if (name == "set")
        read_set(element, answer);
    else if (name == "metadataFormat")
        read_format(element, answer);
}

// Reads the current child of the document element and goes on. Returns false after the last.
bool read_part(xml::Reader& reader, ParsedAnswer& answer) {
    const std::string name(reader.name());
    if (name == "responseDate") {
        answer.response_date = xml::text_of(reader.whole());
    } else if (name == "error") {
        const xmlNode* error = reader.whole();
        answer.errors.push_back({xml::attribute_of(error, "code"), xml::text_of(error)});
    } else if (name != "request") {
        answer.verb = name;
        if (name == "Identify") {
            read_identity(reader.whole(), answer.identity);
            return reader.next_skipping_children();
        }
        bool more = reader.next();
        for (; more && reader.depth() > 1; more = reader.next_skipping_children())
            read_item(reader.whole(), answer);
        return more;
    }
    return reader.next_skipping_children();
}

// Whether the day is within from and until. Static repositories have days.
bool is_between(const std::string& day, std::string_view from, std::string_view until) {
    return (from.empty() || day >= from.substr(0, day.size())) &&
           (until.empty() || day <= until.substr(0, day.size()));
}

// REQUIRES: the reader is at the document element.
ParsedAnswer read_static(xml::Reader& reader, const RequestArguments& request) {
    const auto argument = [&](std::string_view name) {
        const auto found = std::find_if(request.begin(), request.end(),
                                        [&](const auto& a) { return a.first == name; });
        return found == request.end() ? std::string() : found->second;
    };
    const std::string prefix = argument("metadataPrefix"), identifier = argument("identifier");
    ParsedAnswer answer;
    answer.identity.is_static = true;
    for (bool more = reader.next(); more;) {
        if (reader.name() == "ListMetadataFormats" ||
            (reader.name() == "ListRecords" && reader.attribute("metadataPrefix") == prefix)) {
            more = reader.next();
            for (; more && reader.depth() > 1; more = reader.next_skipping_children())
                read_item(reader.whole(), answer);
            continue;
        }
        if (reader.name() == "Identify") read_identity(reader.whole(), answer.identity);
        more = reader.next_skipping_children();
    }
    if (answer.identity.base_url.empty())
        throw xml::Error("the document element is Repository, and no static one");
    answer.verb = argument("verb");
    std::erase_if(
        answer.records,
        [&](const Record& record) {
            return (!identifier.empty() && record.identifier != identifier) ||
                   !is_between(record.datestamp, argument("from"), argument("until"));
        });
    const bool is_known = std::any_of(answer.formats.begin(), answer.formats.end(),
                                      [&](const FormatInfo& f) { return f.prefix == prefix; });
    const char* const error = answer.verb == "ListSets" || !argument("set").empty()
                                  ? "noSetHierarchy"
                              : prefix.empty() || !answer.records.empty() ? nullptr
                              : !is_known          ? "cannotDisseminateFormat"
                              : identifier.empty() ? "noRecordsMatch"
                                                   : "idDoesNotExist";
    if (error == nullptr) return answer;
    answer.errors.push_back({error, ""});
    answer.verb.clear();
    return answer;
}

ParsedAnswer read_answers(xml::Reader& reader) {
    ParsedAnswer answer;
    for (bool more = reader.next(); more;) more = read_part(reader, answer);
    return answer;
}

ParsedAnswer read_document(std::string_view bytes, const RequestArguments& request,
                           const std::string& date) {
    if (bytes.empty()) throw xml::Error("an empty answer");
    xml::Reader reader(bytes);
    const bool more = reader.next();
    const bool is_static = more && !request.empty() && reader.name() == "Repository";
    if (!more || (reader.name() != "OAI-PMH" && !is_static))
        throw xml::Error("the document element is " + std::string(reader.name()));
    ParsedAnswer answer = is_static ? read_static(reader, request) : read_answers(reader);
    if (is_static) answer.response_date = date;
    if (answer.verb.empty() && answer.errors.empty())
        throw xml::Error("neither a list nor an error is in the answer");
    answer.identity.response_date = answer.response_date;
    for (Record& record : answer.records) record.response_date = answer.response_date;
    return answer;
}

}  // namespace

Record read_header(const xmlNode* header) {
    Record record;
    record.deleted = xml::attribute_of(header, "status") == "deleted";
    record.identifier = xml::child_text(header, "identifier");
    record.datestamp = xml::child_text(header, "datestamp");
    record.set_specs = texts_of(header, "setSpec");
    return record;
}

std::string text_of(const OaiError& error) {
    return error.message.empty() ? error.code : error.code + ": " + error.message;
}

ParsedAnswer read_answer(std::string_view bytes, const RequestArguments& request,
                         const std::string& date) {
    bytes = skip_lead(bytes);
    std::string plain;
    if (bytes.substr(0, kDoctypeBytes).find("<!DOCTYPE") != bytes.npos &&
        xml::hide_doctype(plain = bytes))
        bytes = plain;
    try {
        return read_document(bytes, request, date);
    } catch (const xml::Error& e) {
        if (!bytes.empty() && bytes.find("OAI-PMH") == bytes.npos)
            throw xml::Error("no answer of OAI-PMH (" + std::string(e.what()) + ")");
        const RepairResult repaired = repair(std::string(bytes));
        if (repaired.changes == 0) throw;
        ParsedAnswer answer = read_document(repaired.bytes, request, date);
        answer.repaired = repaired.changes;
        return answer;
    }
}

}  // namespace oai::harvest
