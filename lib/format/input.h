// SPDX-License-Identifier: MIT
// What a stylesheet that was made elsewhere is given in place of the internal XML, one record at a
// time, and which part of its result is meant:
//   <f:format ... input="COLUMN" stylesheet="vendor/FILE.xsl" result="p:wrapper/p:element">
//     <f:param name="NAME" select="EXPRESSION"/>
//   </f:format>
// input: a column, of whose XML the stylesheet is given the root as a document of its own; or the
// path of an adapter, a stylesheet that makes that document of the internal XML of the record.
// result: the names of the elements that lead from the root of the result to the one that is meant;
// default: the root. f:param: a parameter of the stylesheet (XSLT 1.0, 11.4), the text of an XPath
// expression at <record>, in which $base_url is the address of the repository and $sets the
// setSpecs of the record, separated by blanks. Immutable; thread-safe.
#pragma once

#include <libxml/tree.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/record_xml.h"
#include "transform/stylesheet.h"
#include "xml/handle.h"

namespace oai {

class Input {
  public:
    struct Step {
        std::string name_space, name;
    };
    struct Param {
        std::string name, select;
        const xmlNode* element;  // of the document that the Input keeps
    };

    std::string column{};  // "": an adapter makes the document, or it is the internal XML
    std::optional<transform::Stylesheet> adapter{};
    std::vector<Step> result{};
    std::vector<Param> params{};
    xml::DocumentHandle document{};  // the file with the params, whose prefixes they use

    // The setSpecs of the record and the repository's address, for the params.
    struct Variables {
        std::string base_url, sets;
    };
    // The element of the only record, as the root of a document. Throws xml::Error for a column
    // that does not hold one document, for whatever the stylesheets fail on, and for a result
    // without the element. Parameters go to the adapter as well.
    xml::DocumentHandle transform(const transform::Stylesheet& stylesheet, RecordXml record,
                                  std::chrono::milliseconds limit,
                                  const Variables& variables) const;

    // The document that the stylesheet is given. Throws as transform().
    xml::DocumentHandle given(RecordXml record, std::chrono::milliseconds limit,
                              const Variables& variables) const;

    // Returns "" or what is wrong with the XPath expression.
    static std::string why_not_xpath(const std::string& expression);

  private:
    std::vector<transform::Parameter> parameters(xmlDoc* record, const Variables& variables) const;
    xml::DocumentHandle given(xml::DocumentHandle record, std::chrono::milliseconds limit,
                              std::span<const transform::Parameter> parameters) const;
    xml::DocumentHandle stored_document(xml::DocumentHandle record) const;
    xml::DocumentHandle meant(xml::DocumentHandle made) const;
};

}  // namespace oai
