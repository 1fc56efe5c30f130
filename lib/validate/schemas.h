// SPDX-License-Identifier: MIT
// The schemas at hand: our own grammars of the protocol, of oai_dc and of the guidelines' containers; and a folder of
// XML Schemas, if there is one, the official ones for example. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "xml/grammar.h"
#include "xml/schema.h"

namespace oai::validate {

class Schemas {
  public:
    // folder: of *.xsd; "" none.
    explicit Schemas(const std::string& folder = "");

    // Why a document is not of its namespace's schema, "" if it is; nullopt: there is no schema at hand. `address`: of
    // the schema, as xsi:schemaLocation says it.
    std::optional<std::string> why_invalid(xmlDoc* document, std::string_view address);
    // The same of an element as a document of its own.
    std::optional<std::string> why_invalid(const xmlNode* element, std::string_view address);

  private:
    const xml::Grammar& grammar(std::string_view text, const std::string& name);
    std::map<std::string, xml::Grammar> grammars_;  // by name, compiled when first asked for
    xml::SchemaFolder folder_;
};

}  // namespace oai::validate
