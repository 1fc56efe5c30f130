// SPDX-License-Identifier: MIT
#include "tools/validate/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "xml/document.h"
#include "xml/push_parser.h"
#include "xml/reader.h"

namespace oai::validate {
namespace {

struct BuiltinGrammar {
    std::string_view name_spaces;  // with blanks between them
    const std::string_view& grammar;
    const char* name;
};

const std::array kBuiltinGrammars{
    BuiltinGrammar{" http://www.openarchives.org/OAI/2.0/ ", oai_pmh_grammar, "oai-pmh"},
    BuiltinGrammar{" http://www.openarchives.org/OAI/2.0/oai_dc/ ", oai_dc_grammar, "oai_dc"},
    BuiltinGrammar{" http://www.openarchives.org/OAI/2.0/oai-identifier"
                   " http://www.openarchives.org/OAI/1.1/eprints"
                   " http://www.openarchives.org/OAI/2.0/friends/"
                   " http://www.openarchives.org/OAI/2.0/branding/"
                   " http://www.openarchives.org/OAI/2.0/gateway/"
                   " http://www.openarchives.org/OAI/2.0/rights/"
                   " http://www.openarchives.org/OAI/2.0/provenance"
                   " http://oai.dlib.vt.edu/OAI/metadata/toolkit ",
                   containers_grammar, "containers"}};

const BuiltinGrammar* find_builtin(std::string_view name_space) {
    for (const BuiltinGrammar& builtin : kBuiltinGrammars)
        if (builtin.name_spaces.find(fmt::format(" {} ", name_space)) != std::string_view::npos)
            return &builtin;
    return nullptr;
}

constexpr std::string_view kProtocol = "http://www.openarchives.org/OAI/2.0/";
constexpr std::string_view kFriends = "http://www.openarchives.org/OAI/2.0/friends/";
constexpr std::string_view kInstance = "http://www.w3.org/2001/XMLSchema-instance";

std::string schema_location_of(const xmlNode* element) {
    const xml::StringHandle value(xmlGetNsProp(element,
                                               reinterpret_cast<const xmlChar*>("schemaLocation"),
                                               reinterpret_cast<const xmlChar*>(kInstance.data())));
    return value ? reinterpret_cast<const char*>(value.get()) : "";
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
        if (begin == std::string_view::npos) break;
        at = std::min(text.find_first_of(" \t\r\n", begin), text.size());
        words.push_back(text.substr(begin, at - begin));
    }
    return words;
}

std::string normalized(std::string_view text) {
    return fmt::format("{}", fmt::join(words_of(text), " "));
}

// Writes names with their namespaces, attributes in their order by name, and text without blanks
// that may be indentation: what two documents have in common that differ in prefixes, in the place
// of declarations, in comments and in indentation alone.
class ContentWriter {
  public:
    void element(const xmlNode* e) {
        end_text();
        out_.append("<{").append(xml::namespace_of(e)).append("}").append(xml::name_of(e));
        std::vector<std::string> attributes;
        for (const xmlAttr* a = e->properties; a != nullptr; a = a->next)
            attributes.push_back(attribute(e, a));
        std::sort(attributes.begin(), attributes.end());
        for (const std::string& a : attributes) out_.append(" ").append(a);
        out_ += '>';
        for (const xmlNode* n = e->children; n != nullptr; n = n->next) {
            if (xml::is_element(n)) element(n);
            if (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE)
                text_ += reinterpret_cast<const char*>(n->content);
        }
        end_text();
        out_ += "</>";
    }
    std::string take() { return std::move(out_); }

  private:
    static std::string attribute(const xmlNode* e, const xmlAttr* a) {
        const xmlChar* name_space = a->ns == nullptr ? nullptr : a->ns->href;
        const xml::StringHandle value(name_space == nullptr ? xmlGetNoNsProp(e, a->name)
                                                            : xmlGetNsProp(e, a->name, name_space));
        std::string out = name_space == nullptr ? "" : reinterpret_cast<const char*>(name_space);
        out.append("}").append(reinterpret_cast<const char*>(a->name)).append("=");
        return value ? out + normalized(reinterpret_cast<const char*>(value.get())) : out;
    }
    void end_text() {
        out_ += normalized(text_);
        text_.clear();
    }

    std::string out_, text_;
};

std::string content_of(const xmlNode* element) {
    ContentWriter writer;
    writer.element(element);
    return writer.take();
}

// Takes off what any element may have, and what is judged by itself, before a grammar judges the
// rest: libxml2's RELAX NG takes time in proportion to a list only where the element around it
// can lack no attribute, and those in it are named. Else it compares each with all before it.
void simplify(xmlNode* element, std::string_view name_space) {
    const bool deleted =
        xml::name_of(element) == "header" && xml::attribute_of(element, "status") == "deleted";
    for (xmlAttr *a = element->properties, *next = nullptr; a != nullptr; a = next) {
        next = a->next;
        const auto text = [](const xmlChar* s) {
            return std::string_view(reinterpret_cast<const char*>(s));
        };
        if (a->ns == nullptr ? deleted && text(a->name) == "status"
                             : text(a->ns->href) == kInstance)
            xmlRemoveProp(a);
    }
    if (name_space == kDublinCore) return;
    for (xmlNode* n = element->children; n != nullptr; n = n->next)
        if (!xml::is_element(n))
            continue;
        else if (xml::namespace_of(n) == name_space && xml::name_of(n) != "rightsDefinition")
            simplify(n, name_space);
        else
            xmlNodeSetContent(n, nullptr);
}

class AnswerReader {
  public:
    AnswerReader(Answer& answer, Schemas& schemas) : answer_(answer), schemas_(schemas) {}

    void document(xmlDoc* document) {
        const xmlNode* root = xmlDocGetRootElement(document);
        if (document->encoding != nullptr)
            answer_.encoding = reinterpret_cast<const char*>(document->encoding);
        answer_.root = xml::name_of(root);
        answer_.root_namespace = xml::namespace_of(root);
        if (root->ns != nullptr && root->ns->prefix != nullptr)
            answer_.root_prefix = reinterpret_cast<const char*>(root->ns->prefix);
        answer_.schema_location = schema_location_of(root);
        for (const xmlNode* n : xml::children_of(root)) part(n);
        if (answer_.root_namespace == kProtocol)
            answer_.invalid =
                schemas_.why_invalid(document, "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd")
                    .value_or("");
    }

  private:
    void part(const xmlNode* n) {
        const std::string_view name = xml::name_of(n);
        if (name == "responseDate")
            answer_.response_date = xml::text_of(n);
        else if (name == "request")
            request(n);
        else if (name == "error")
            answer_.errors.push_back({xml::attribute_of(n, "code"), xml::text_of(n)});
        else
            verb(n, name);
    }

    void request(const xmlNode* n) {
        answer_.request_url = xml::text_of(n);
        for (const xmlAttr* a = n->properties; a != nullptr; a = a->next) {
            if (a->ns != nullptr) continue;
            const auto* name = reinterpret_cast<const char*>(a->name);
            answer_.request.emplace_back(name, xml::attribute_of(n, name));
        }
    }

    void verb(const xmlNode* n, std::string_view name) {
        answer_.verb = name;
        if (name == "Identify")
            identify(n);
        else
            for (const xmlNode* entry : xml::children_of(n)) list_entry(entry);
    }

    void list_entry(const xmlNode* n) {
        const std::string_view name = xml::name_of(n);
        if (name == "record")
            record(n);
        else if (name == "header")
            answer_.records.push_back({.header = header(n)});
        else if (name == "metadataFormat")
            answer_.formats.push_back({xml::child_text(n, "metadataPrefix"),
                                       xml::child_text(n, "schema"),
                                       xml::child_text(n, "metadataNamespace")});
        else if (name == "set")
            answer_.sets.push_back({xml::child_text(n, "setSpec"), xml::child_text(n, "setName")});
        else if (name == "resumptionToken")
            answer_.token = TokenElement{xml::text_of(n), xml::attribute_of(n, "completeListSize"),
                                         xml::attribute_of(n, "cursor"),
                                         xml::attribute_of(n, "expirationDate")};
    }

    static std::vector<std::string> texts(const xmlNode* parent, std::string_view name) {
        std::vector<std::string> out;
        for (const xmlNode* n : xml::children_of(parent, name)) out.push_back(xml::text_of(n));
        return out;
    }

    static Header header(const xmlNode* parent) {
        Header header{.identifier = xml::child_text(parent, "identifier"),
                      .datestamp = xml::child_text(parent, "datestamp"),
                      .sets = texts(parent, "setSpec"),
                      .deleted = xml::attribute_of(parent, "status") == "deleted"};
        std::sort(header.sets.begin(), header.sets.end());
        return header;
    }

    Payload payload(const xmlNode* element) {
        Payload payload{.name_space = std::string(xml::namespace_of(element)),
                        .name = std::string(xml::name_of(element)),
                        .schema_location = schema_location_of(element),
                        .text = xml::document_text(element),
                        .content = content_of(element)};
        const auto why = schemas_.why_invalid(
            element, schema_address(payload.schema_location, payload.name_space));
        payload.has_schema = why.has_value();
        payload.invalid = why.value_or("");
        return payload;
    }

    void record(const xmlNode* parent) {
        Record record;
        for (const xmlNode* n : xml::children_of(parent)) {
            const xmlNode* inside = xml::child_of(n);
            if (xml::name_of(n) == "header") record.header = header(n);
            if (inside == nullptr) continue;
            if (xml::name_of(n) == "about") record.about.push_back(payload(inside));
            if (xml::name_of(n) != "metadata") continue;
            record.metadata = payload(inside);
            if (record.metadata->name_space != kDublinCore) continue;
            for (const xmlNode* e : xml::children_of(inside))
                record.dublin_core.emplace_back(xml::name_of(e), xml::text_of(e));
        }
        answer_.records.push_back(std::move(record));
    }

    void identify(const xmlNode* parent) {
        Identification& said = answer_.identification.emplace();
        said = {.name = xml::child_text(parent, "repositoryName"),
                .base_url = xml::child_text(parent, "baseURL"),
                .protocol = xml::child_text(parent, "protocolVersion"),
                .earliest = xml::child_text(parent, "earliestDatestamp"),
                .deleted_record = xml::child_text(parent, "deletedRecord"),
                .granularity = xml::child_text(parent, "granularity"),
                .emails = texts(parent, "adminEmail"),
                .compressions = texts(parent, "compression")};
        for (const xmlNode* n : xml::children_of(parent, "description")) description(n, said);
    }

    void description(const xmlNode* parent, Identification& said) {
        const xmlNode* inside = xml::child_of(parent);
        if (inside == nullptr) return;
        said.descriptions.push_back(payload(inside));
        // The schema's address may be said further up.
        std::string& address = said.descriptions.back().schema_location;
        for (const xmlNode* n = parent; n != nullptr && n->type == XML_ELEMENT_NODE; n = n->parent)
            address += " " + schema_location_of(n);
        const std::string_view name_space = xml::namespace_of(inside);
        if (name_space == kFriends) append(texts(inside, "baseURL"), said.friends);
        if (name_space != kIdentifiers) return;
        append(texts(inside, "repositoryIdentifier"), said.repository_identifiers);
        append(texts(inside, "sampleIdentifier"), said.sample_identifiers);
    }

    static void append(const std::vector<std::string>& texts, std::vector<std::string>& to) {
        to.insert(to.end(), texts.begin(), texts.end());
    }

    Answer& answer_;
    Schemas& schemas_;
};

}  // namespace

Schemas::Schemas(const std::string& folder) : folder_(folder) {}

const xml::Grammar& Schemas::grammar(std::string_view text, const std::string& name) {
    const auto found = grammars_.find(name);
    return found != grammars_.end() ? found->second
                                    : grammars_.try_emplace(name, text, name).first->second;
}

std::optional<std::string> Schemas::why_invalid(xmlDoc* document, std::string_view address) {
    const std::string name_space = xml::root_namespace(document);
    const BuiltinGrammar* builtin = find_builtin(name_space);
    const xml::Schema* schema = folder_.find(name_space, address);
    if (builtin == nullptr && schema == nullptr) return std::nullopt;
    const std::string by_schema = schema != nullptr ? schema->why_invalid(document) : "";
    if (builtin == nullptr) return by_schema;
    simplify(xmlDocGetRootElement(document), name_space);
    const std::string why = grammar(builtin->grammar, builtin->name).why_invalid(document);
    return why.empty() ? by_schema : why;
}

std::optional<std::string> Schemas::why_invalid(const xmlNode* element, std::string_view address) {
    const xml::DocumentHandle document = xml::document_of(element);
    return why_invalid(document.get(), address);
}

std::string_view header_of(const Reply& reply, std::string_view name) {
    const std::string wanted = text::lower_ascii(name);
    for (const auto& [key, value] : reply.headers)
        if (text::lower_ascii(key) == wanted) return value;
    return "";
}

std::vector<std::string_view> located_namespaces(std::string_view schema_location) {
    std::vector<std::string_view> out;
    const std::vector<std::string_view> words = words_of(schema_location);
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) out.push_back(words[i]);
    return out;
}

bool is_located(std::string_view schema_location, std::string_view address) {
    const std::vector<std::string_view> words = words_of(schema_location);
    return std::find(words.begin(), words.end(), address) != words.end();
}

std::string_view schema_address(std::string_view schema_location, std::string_view name_space) {
    const std::vector<std::string_view> words = words_of(schema_location);
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
        if (words[i] == name_space) return words[i + 1];
    return "";
}

bool Answer::has_error(std::string_view code) const {
    return std::any_of(
        errors.begin(), errors.end(), [&](const ErrorElement& e) { return e.code == code; });
}

std::string Answer::error_codes() const {
    std::string out;
    for (const ErrorElement& error : errors) out += (out.empty() ? "" : " ") + error.code;
    return out;
}

Answer read_answer(Question question, Reply reply, Schemas& schemas) {
    Answer answer{.question = std::move(question), .reply = std::move(reply)};
    if (answer.reply.status == 0)
        answer.broken = answer.reply.error;
    else if (answer.reply.body.empty())
        answer.broken = "the answer is empty";
    if (!answer.broken.empty()) return answer;
    try {
        std::string body = answer.reply.body;
        answer.has_doctype = xml::hide_doctype(body);
        const xml::DocumentHandle document = xml::parse_memory(body, "answer");
        AnswerReader(answer, schemas).document(document.get());
    } catch (const xml::Error& e) {
        answer.broken = e.what();
    }
    return answer;
}

}  // namespace oai::validate
