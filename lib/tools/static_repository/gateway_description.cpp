// SPDX-License-Identifier: MIT
#include "tools/static_repository/gateway_description.h"

#include "xml/escape.h"

namespace oai::static_repository {
namespace {

void append_element(std::string& out, const char* name, const std::string& value) {
    if (value.empty()) return;
    out += std::string("  <") + name + ">";
    xml::append_text(out, value);
    out += std::string("</") + name + ">\n";
}

}  // namespace

std::string gateway_description(const GatewayDescription& gateway) {
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gateway "
        "xmlns=\"http://www.openarchives.org/OAI/2.0/gateway/\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
        "         xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/gateway/ "
        "http://www.openarchives.org/OAI/2.0/gateway.xsd\">\n";
    append_element(out, "source", gateway.source);
    append_element(out, "gatewayDescription",
                   "http://www.openarchives.org/OAI/2.0/guidelines-static-repository.htm");
    for (const std::string& mail : gateway.admins) append_element(out, "gatewayAdmin", mail);
    append_element(out, "gatewayURL", gateway.url);
    append_element(out, "gatewayNotes", gateway.notes);
    return out + "</gateway>\n";
}

}  // namespace oai::static_repository
