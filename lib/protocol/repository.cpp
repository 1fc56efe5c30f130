// SPDX-License-Identifier: MIT
#include "protocol/repository.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "xml/escape.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

std::string element_of(const xmlDoc* document, const std::string& name) {
    const xmlNode* root = xmlDocGetRootElement(document);
    const std::string name_space = xml::root_namespace(document);
    if (name_space.empty() || name_space == "http://www.openarchives.org/OAI/2.0/") {
        throw xml::Error(
            fmt::format("{}:{}: <{}> is in {}; the element of a description needs another", name,
                        xmlGetLineNo(root), xml::root_name(document),
                        name_space.empty() ? "no namespace" : "OAI-PMH's own namespace"));
    }
    std::string out;
    xml::append_node(out, root);
    return out;
}

// REQUIRES: `text` is escaped already.
std::string dublin_core(std::string_view text) {
    return fmt::format(R"(<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/")"
                       R"( xmlns:dc="http://purl.org/dc/elements/1.1/")"
                       R"( xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance")"
                       R"( xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/)"
                       R"( http://www.openarchives.org/OAI/2.0/oai_dc.xsd">)"
                       "<dc:description>{}</dc:description></oai_dc:dc>",
                       text);
}

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

std::string description_in_file(const std::string& path) {
    return element_of(xml::parse_file(path).get(), path);
}

std::string set_description(std::string_view content, std::string_view spec) {
    content = text::trim(content);
    if (content.empty()) return "";
    const bool is_text = content.find('<') == std::string_view::npos;
    const std::string name = fmt::format("set {}", spec);
    return element_of(
        xml::parse_memory(is_text ? dublin_core(content) : std::string(content), name).get(), name);
}

Repository make_repository(const Config& config) {
    Repository repository{config.repository,
                          config.lists,
                          config.formats,
                          {},
                          "oai:" + config.repository.identifier_namespace + ":"};
    repository.descriptions = read_descriptions(config.repository.description);
    const auto is_gateway = [](const std::string& description) {
        return description.find("http://www.openarchives.org/OAI/2.0/gateway/") != description.npos;
    };
    if (std::any_of(repository.descriptions.begin(), repository.descriptions.end(), is_gateway))
        repository.facts.sets = false;
    else
        repository.descriptions.insert(
            repository.descriptions.begin(),
            oai_identifier_description(config.repository.identifier_namespace));
    return repository;
}

}  // namespace oai
