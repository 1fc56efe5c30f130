// SPDX-License-Identifier: MIT
// The schemas that answers are validated against: our own RELAX NG grammars of the protocol, of
// oai_dc and of the containers in the guidelines; and optionally a folder of XML Schemas, such as
// the official ones. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "xml/schema.h"

namespace oai::validate {

// The files grammar/*.rng (RELAX NG, written from the protocol and its guidelines), carried in the
// program: defined by what lib/tools/validate/embed generates.
extern const std::string_view oai_pmh_grammar;  // a response
extern const std::string_view oai_dc_grammar;
// Descriptions of Identify, and what stands in <about>.
extern const std::string_view containers_grammar;

class Schemas {
  public:
    // folder: with *.xsd files; "" for none.
    explicit Schemas(const std::string& folder = "");

    // Why the document violates the schema of its namespace, "" if it does not; nullopt if there is
    // no schema. `address`: of the schema, from xsi:schemaLocation.
    std::optional<std::string> why_invalid(xmlDoc* document, std::string_view address);
    // The same for an element, taken as a document of its own.
    std::optional<std::string> why_invalid(const xmlNode* element, std::string_view address);

  private:
    const xml::Grammar& grammar(std::string_view text, const std::string& name);
    std::map<std::string, xml::Grammar> grammars_;  // by name; compiled when first needed
    xml::SchemaFolder folder_;
};

}  // namespace oai::validate
