// SPDX-License-Identifier: MIT
#include "protocol/repository.h"

#include <utility>

#include "protocol/description.h"
#include "xml/escape.h"

namespace oai {
namespace {

// The registration validator demands that the namespace is declared on the element itself. The http
// addresses are names that the schema prescribes; nobody fetches them.
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

// Reports the errors of all files at once.
std::vector<std::string> read_descriptions(const std::vector<std::string>& paths) {
    std::vector<std::string> descriptions;
    std::string problems;
    for (const std::string& path : paths) {
        try {
            descriptions.push_back(description_in_file(path));
        } catch (const xml::Error& e) {
            problems += (problems.empty() ? "" : "\n") + std::string(e.what());
            problems += " (a file of [repository] description must be one XML element)";
        }
    }
    if (!problems.empty()) throw ConfigError(problems);
    return descriptions;
}

}  // namespace

Repository make_repository(const Config& config) {
    Repository repository{config.repository,
                          config.lists,
                          config.formats,
                          {},
                          "oai:" + config.repository.identifier_namespace + ":"};
    repository.descriptions.push_back(
        oai_identifier_description(config.repository.identifier_namespace));
    for (std::string& description : read_descriptions(config.repository.description))
        repository.descriptions.push_back(std::move(description));
    return repository;
}

}  // namespace oai
