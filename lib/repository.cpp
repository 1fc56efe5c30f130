// SPDX-License-Identifier: MIT
#include "repository.h"

#include "base/text.h"
#include "xml/document.h"
#include "xml/error.h"
#include "xml/escape.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

// Guidelines for the oai-identifier description: the registration validator wants the namespace declared on
// the element itself. A namespace name is what schema says, no address that anyone fetches.
std::string oai_identifier_description(const std::string& identifier_namespace) {
    std::string out =
        "<oai-identifier xmlns=\"http://www.openarchives.org/OAI/2.0/oai-identifier\""
        " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
        " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai-identifier"
        " http://www.openarchives.org/OAI/2.0/oai-identifier.xsd\">"
        "<scheme>oai</scheme><repositoryIdentifier>";
    xml::append_text(out, identifier_namespace);
    out += "</repositoryIdentifier><delimiter>:</delimiter><sampleIdentifier>oai:";
    xml::append_text(out, identifier_namespace);
    out += ":1</sampleIdentifier></oai-identifier>";
    return out;
}

// OAI-PMH.xsd, descriptionType: <any namespace="##other">.
void require_foreign_namespace(const std::string& path, const xmlDoc* document) {
    const std::string name = xml::root_namespace(document);
    if (!name.empty() && name != "http://www.openarchives.org/OAI/2.0/") return;
    throw ConfigError(path + ": <" + xml::root_name(document) + "> is in " +
                      (name.empty() ? "no namespace" : "OAI-PMH's own namespace") +
                      "; the element of a description needs another");
}

std::string read_description(const std::string& path) {
    try {
        const xml::DocumentHandle document = xml::parse_file(path);
        require_foreign_namespace(path, document.get());
        std::string out;
        xml::append_node(out, xmlDocGetRootElement(document.get()));
        return out;
    } catch (const xml::Error& e) {
        throw ConfigError(std::string(e.what()) + " (a file of [repository] description is one XML element)");
    }
}

}  // namespace

Repository make_repository(const Config& config) {
    Repository repository{
        config.repository, config.lists, config.formats, {}, "oai:" + config.repository.identifier_namespace + ":"};
    repository.descriptions.push_back(oai_identifier_description(config.repository.identifier_namespace));
    for (const std::string& path : config.repository.description)
        repository.descriptions.push_back(read_description(path));
    return repository;
}

}  // namespace oai
